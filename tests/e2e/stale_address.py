#!/usr/bin/env python3
"""A server that was killed leaves its address in its folder: commands notice whose it is by now."""

import http.server
import json
import os
import pathlib
import signal
import sys
import threading
import time
import unittest

import support

MARK_SQL = "SELECT DISTINCT metric FROM auscult.series WHERE metric LIKE 'of\\_%'"


class SaysOk(http.server.BaseHTTPRequestHandler):
    """As many programs answer a probe."""

    def do_GET(self):  # pylint: disable=invalid-name
        self.send_response(200)
        self.send_header("Content-Length", "3")
        self.end_headers()
        self.wfile.write(b"ok\n")

    do_POST = do_GET

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


class StaleAddress(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        support.require_programs()

    def setUp(self):
        temporary = support.temporary_folder()
        self.addCleanup(temporary.cleanup)
        self.data = pathlib.Path(temporary.name) / "first"
        self.other = pathlib.Path(temporary.name) / "second"

    def served(self, data, metric, **ports):
        """A server whose store knows it by a metric."""
        server = support.Server(data, **ports)
        self.addCleanup(server.stop)
        body = support.metrics_body("n1", metric, [1.0], int(time.time()) * 10**9)
        self.assertEqual(server.post("/v1/metrics", body).status, 200)
        return server

    def killed(self):
        server = self.served(self.data, "of_first")
        server.kill()
        self.assertTrue((self.data / "server.json").exists())
        return server

    def give_pid(self, pid):
        """Linux gives pids again, soon after a restart of the machine or in a container."""
        file = self.data / "server.json"
        address = json.loads(file.read_text())
        file.write_text(json.dumps({**address, "pid": pid}))

    def ask(self):
        done = support.run("query", "sql", MARK_SQL, "--data", self.data, "--format", "jsonl")
        return done.returncode, done.stdout, done.stderr

    def assert_works_on_its_folder(self):
        self.assertEqual(self.ask(), (0, '{"metric":"of_first"}\n', ""))

    def test_nobody_has_its_port(self):
        self.killed()
        self.assert_works_on_its_folder()
        self.give_pid(os.getpid())
        self.assert_works_on_its_folder()

    def test_another_program_has_its_port(self):
        port = self.killed().http_port
        with http.server.ThreadingHTTPServer(("127.0.0.1", port), SaysOk) as program:
            threading.Thread(target=program.serve_forever).start()
            try:
                self.assert_works_on_its_folder()
                self.give_pid(os.getpid())
                self.assert_works_on_its_folder()
            finally:
                program.shutdown()

    def test_a_server_on_another_folder_has_its_port(self):
        port = self.killed().http_port
        other = self.served(self.other, "of_second", http_port=port)
        self.give_pid(other.pid)
        self.assert_works_on_its_folder()

    def test_a_server_that_lives_but_does_not_answer_is_named(self):
        server = self.served(self.data, "of_first")
        os.kill(server.pid, signal.SIGSTOP)
        try:
            status, out, err = self.ask()
        finally:
            os.kill(server.pid, signal.SIGCONT)
        self.assertEqual((status, out, err.count("\n")), (3, "", 1), err)
        self.assertIn(f"in use by another process (pid {server.pid})", err)

    def test_a_new_server_on_the_folder_is_found(self):
        self.killed()
        with support.Server(self.data) as server:
            self.assertEqual(self.ask()[:2], (0, '{"metric":"of_first"}\n'))
            self.assertEqual(json.loads((self.data / "server.json").read_text())["pid"], server.pid)


if __name__ == "__main__":
    sys.exit(support.main())
