#!/usr/bin/env python3
"""A long command ends at once when told to, and leaves no process and no file behind."""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest

import support

PATIENCE_S = 5  # far above what a process needs to end by a signal, on a busy machine too
START_S = 60
SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Peer:
    """A server that takes a request and never answers it."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(START_S)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def wait_for_request(self):
        connection, _ = self.listener.accept()
        return connection, connection.recv(4096)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()


def cpu_seconds(pid):
    ticks = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13]
    return sum(int(one) for one in ticks) / os.sysconf("SC_CLK_TCK")


class Interrupts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        support.require_programs()

    def interrupted(self, folder, arguments, is_at_work):
        """Runs the command in an empty folder until it is at work, once for each signal."""
        for number in SIGNALS:
            with self.subTest(signal=number.name):
                place = pathlib.Path(folder) / number.name
                place.mkdir()
                mark = support.new_mark()
                process = subprocess.Popen(
                    [support.AUSCULT, *map(str, arguments)], cwd=place, stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT, text=True, start_new_session=True,
                    env=support.environment(TMPDIR=str(place), **mark))
                try:
                    is_at_work(process, mark)
                    self.assertIsNone(process.poll(), "it ended before it was told to")
                    told_at = time.monotonic()
                    process.send_signal(number)
                    output, _ = process.communicate(timeout=PATIENCE_S)
                    took_s = time.monotonic() - told_at
                finally:
                    process.kill()
                    process.wait()
                print(f"{arguments[0]} on {number.name}: ended by {process.returncode} after {took_s:.2f} s")
                self.assertNotEqual(process.returncode, 0, output)
                support.wait_for(lambda: not support.marked_processes(mark), PATIENCE_S,
                                 "the end of what it started")
                self.assertEqual(list(place.iterdir()), [], "it left files")

    def test_a_benchmark_and_the_fio_that_it_started(self):
        if shutil.which("fio") is None:
            self.skipTest("there is no fio")

        def fio_runs(process, mark):
            support.wait_for(lambda: support.marked_processes(mark) - {process.pid}, START_S, "fio")

        with support.temporary_folder() as folder:
            self.interrupted(folder, ["bench", "run", "storage", "--param", "size=64M", "--param",
                                      "runtime=60", "--param", "phases=randread", "--no-store"], fio_runs)

    def test_a_benchmark_of_threads_that_stores_its_results_in_a_folder(self):
        with support.temporary_folder() as folder:
            data = self.make_store(folder)
            self.interrupted(folder, ["bench", "run", "cpu_compute", "--param", "seconds=60", "--data", data],
                             lambda process, _: self.wait_for_cpu(process, data))
            self.check_store(data)

    def test_a_query_on_a_folder(self):
        with support.temporary_folder() as folder:
            data = self.make_store(folder)
            self.interrupted(folder, ["query", "sql", "SELECT sum(cityHash64(number)) FROM "
                                      "numbers_mt(1000000000000)", "--data", data],
                             lambda process, _: self.wait_for_cpu(process, data))
            self.check_store(data)

    def test_a_query_and_a_diagnosis_that_a_server_does_not_answer(self):
        for arguments in (["query", "sql", "SELECT 1"], ["diagnose", "--node", "n1"],
                          ["bench", "run", "cpu_compute"]):
            with support.temporary_folder() as folder, Peer() as peer:
                connections = []

                def asked(_process, _mark, peer=peer, connections=connections):
                    connection, request = peer.wait_for_request()
                    connections.append(connection)
                    self.assertTrue(request.startswith(b"POST /api/auscult/v1/"), request)

                self.interrupted(folder, [*arguments, "--server", peer.url], asked)
                for connection in connections:
                    connection.close()

    def make_store(self, folder):
        data = pathlib.Path(folder) / "data"
        support.Server(data).stop()
        return data

    def wait_for_cpu(self, process, data):
        """Until it has opened the store and worked on it."""
        lock = data / "store" / "auscult.lock"
        support.wait_for(lambda: lock.read_text().strip() == str(process.pid), START_S, "the store")
        opened_at_s = cpu_seconds(process.pid)
        support.wait_for(lambda: cpu_seconds(process.pid) > opened_at_s + 2, START_S, "some work")

    def check_store(self, data):
        done = support.run("query", "sql", "SELECT 1 AS one", "--data", data, "--format", "jsonl")
        self.assertEqual((done.returncode, done.stdout), (0, '{"one":1}\n'), done.stderr)


if __name__ == "__main__":
    sys.exit(support.main())
