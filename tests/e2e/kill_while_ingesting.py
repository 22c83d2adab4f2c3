#!/usr/bin/env python3
"""A server that is killed at random moments keeps every acknowledged row, and each row once."""

import http.client
import random
import sys
import threading
import time
import unittest

import support

SENDERS = 4
KILLS = 5
ROWS_A_BATCH = 20
# Data of today: the server's windows for repeated batches count from when they came.
FIRST_NS = int(time.time()) * 10**9


class KillWhileIngesting(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        support.require_programs()

    def test_every_acknowledged_row_is_there_exactly_once(self):
        seed = random.randrange(1 << 32)
        print(f"seed {seed}")
        chance = random.Random(seed)
        with support.temporary_folder() as folder:
            server = support.Server(f"{folder}/data")
            ports = {"otlp_port": server.otlp_port, "http_port": server.http_port}
            stop = threading.Event()
            acknowledged = [[] for _ in range(SENDERS)]
            attempts = [0] * SENDERS
            threads, problems = support.in_threads(
                SENDERS, lambda i: self.send(i, server.otlp_port, stop, acknowledged[i], attempts))
            try:
                for _ in range(KILLS):
                    time.sleep(chance.uniform(0.2, 1.5))
                    server.kill()
                    server = support.Server(f"{folder}/data", **ports)
                time.sleep(1)
            finally:
                stop.set()
                for thread in threads:
                    thread.join(60)
            self.assertEqual(problems, [])
            with server:
                self.check(server, acknowledged, attempts)
            self.assertEqual(server.process.returncode, 0, server.log.read_text())

    def send(self, sender, port, stop, acknowledged, attempts):
        """Numbered batches, metrics and logs in turn; the same bytes again until they are taken."""
        number = 0
        while not stop.is_set():
            first = number * ROWS_A_BATCH
            rows = range(first, first + ROWS_A_BATCH)
            if number % 2 == 0:
                path = "/v1/metrics"
                body = support.metrics_body(f"sender{sender}", "e2e_number", [float(n) for n in rows],
                                            FIRST_NS + first * 10**6)
            else:
                path = "/v1/logs"
                body = support.logs_body(f"sender{sender}", [f"row {n}" for n in rows], FIRST_NS + first)
            deadline = time.monotonic() + 60
            while True:
                attempts[sender] += 1
                if time.monotonic() > deadline:
                    raise AssertionError(f"batch {number} was not taken within 60 s")
                try:
                    answer = support.request(port, "POST", path, body,
                                             {"Content-Type": "application/json"}, 20)
                except (OSError, http.client.HTTPException):
                    time.sleep(0.02)
                    continue
                if answer.status == 200:
                    break
                if answer.status not in (429, 503):
                    raise AssertionError(f"status {answer.status}: {answer.body}")
                time.sleep(0.02)
            acknowledged.append(number)
            number += 1

    def check(self, server, acknowledged, attempts):
        n_batches = sum(len(batches) for batches in acknowledged)
        print(f"{n_batches} batches acknowledged, {sum(attempts) - n_batches} sent again, "
              f"{KILLS} kills")
        self.assertGreater(n_batches, SENDERS * 5)
        self.assertGreater(sum(attempts), n_batches, "no kill hit a request")
        metrics = server.sql("SELECT node_id, toInt64(value) AS number, count() FROM auscult.samples "
                             "JOIN (SELECT DISTINCT id, node_id FROM auscult.series "
                             "WHERE metric = 'e2e_number') AS s USING id GROUP BY ALL")
        logs = server.sql("SELECT node_id, toInt64(substring(body, 5)) AS number, count() "
                          "FROM auscult.logs GROUP BY ALL")
        for name, rows, parity in (("metrics", metrics, 0), ("logs", logs, 1)):
            stored = {(node, int(number)): int(count) for node, number, count in rows}
            expected = {(f"sender{sender}", row)
                        for sender, batches in enumerate(acknowledged)
                        for batch in batches if batch % 2 == parity
                        for row in range(batch * ROWS_A_BATCH, (batch + 1) * ROWS_A_BATCH)}
            twice = {key: count for key, count in stored.items() if count != 1}
            self.assertEqual(twice, {}, f"{name} stored more than once")
            self.assertEqual(sorted(expected - stored.keys())[:10], [], f"{name} lost")
            self.assertEqual(sorted(stored.keys() - expected)[:10], [], f"{name} never acknowledged")


if __name__ == "__main__":
    sys.exit(support.main())
