#!/usr/bin/env python3
"""An agent whose server is dead, and that is killed itself, delivers what it saw: in order, once."""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

import support

INTERVAL_S = 0.2
METRIC = "node_boot_time_seconds"  # one series on every host


class Agent:
    def __init__(self, folder, otlp_port, http_port):
        self.log = pathlib.Path(folder) / "agent.log"
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [support.AGENT, "--server", f"http://127.0.0.1:{otlp_port}", "--control",
                 f"http://127.0.0.1:{http_port}", "--node-id", "survivor", "--interval",
                 f"{int(INTERVAL_S * 1000)}ms", "--spool", f"{folder}/spool", "--actions-file",
                 f"{folder}/actions.yaml", "--kernel-log", "off", "--log",
                 f"{folder}/trainer.log=trainer"], stdout=log, stderr=log)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(10)
        self.process.kill()
        self.process.wait()


class AgentSurvives(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        support.require_programs()

    def write(self, folder, first, n):
        with open(f"{folder}/trainer.log", "a", encoding="utf-8") as log:
            for i in range(first, first + n):
                log.write(f"step {i}\n")

    def test_what_was_seen_before_the_kill_arrives_in_order_and_once(self):
        with support.temporary_folder() as folder:
            otlp_port, http_port = support.free_port(), support.free_port()
            pathlib.Path(f"{folder}/trainer.log").touch()
            agent = Agent(folder, otlp_port, http_port)
            server = None
            try:
                spool = pathlib.Path(f"{folder}/spool")
                support.wait_for(lambda: spool.is_dir() and sum(
                    file.stat().st_size for file in spool.iterdir()) > 20_000, 20, "a spool with batches")
                self.write(folder, 0, 10)
                time.sleep(2)  # the lines are in the spool, and the reader's place is kept
                self.assertIsNone(agent.process.poll(), agent.log.read_text())
                killed_ms = int(time.time() * 1000)
                agent.kill()

                # While nobody looks the log goes on, is rotated, and goes on.
                self.write(folder, 10, 10)
                os.rename(f"{folder}/trainer.log", f"{folder}/trainer.log.1")
                self.write(folder, 20, 10)

                server = support.Server(f"{folder}/data", otlp_port=otlp_port, http_port=http_port)
                agent = Agent(folder, otlp_port, http_port)
                started_ms = int(time.time() * 1000)
                support.wait_for(lambda: self.steps(server)[-1:] == [29], 30, "the rotated log")
                support.wait_for(lambda: self.points(server)[-1:] > [(started_ms, 0)], 30,
                                 "samples of the second life")
                agent.stop()
                self.check(server, killed_ms, started_ms)
                self.assertEqual(self.steps(server), list(range(30)))
            finally:
                agent.stop()
                if server:
                    server.stop()

    def points(self, server):
        """(timestamp, stored at), both in ms, of one series, by timestamp."""
        return [(int(at), int(stored)) for at, stored in server.sql(
            "SELECT toUnixTimestamp64Milli(timestamp) AS t, toUnixTimestamp64Milli(stored_at) AS s "
            "FROM auscult.samples WHERE id IN (SELECT id FROM auscult.series "
            f"WHERE metric = '{METRIC}' AND node_id = 'survivor') ORDER BY t, s")]

    def steps(self, server):
        return [int(step) for (step,) in server.sql(
            "SELECT toInt64(substring(body, 6)) AS n FROM auscult.logs "
            "WHERE source = 'trainer' AND node_id = 'survivor' ORDER BY stored_at, n")]

    def check(self, server, killed_ms, started_ms):
        points = self.points(server)
        before = [at for at, _ in points if at < killed_ms]
        after = [at for at, _ in points if at > started_ms]
        print(f"{len(before)} samples from before the kill, {len(after)} from after the restart")
        self.assertGreater(len(before), 8)
        self.assertGreater(len(after), 0)
        times = [at for at, _ in points]
        self.assertEqual(len(times), len(set(times)), "a sample came twice")
        stored = [at for _, at in points]
        self.assertEqual(stored, sorted(stored), "a later sample was stored before an earlier one")
        # No hole while the agent lived: the kill may cost only what was being collected.
        gaps = [b - a for a, b in zip(before, before[1:])]
        self.assertLess(max(gaps), 2000, "a hole in the samples")
        self.assertGreater(before[-1], killed_ms - 2000, "the last samples before the kill")


if __name__ == "__main__":
    sys.exit(support.main())
