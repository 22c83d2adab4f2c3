#!/usr/bin/env python3
"""Bad requests get the right status and bounded memory; bad surroundings get one clear line."""

import gzip
import http.client
import json
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import time
import unittest

import support
from support import MIB

MAX_IDLE_BYTES = 400 * MIB
MAX_PEAK_BYTES = 700 * MIB
PROTOBUF = "application/x-protobuf"
NOW_NS = int(time.time()) * 10**9


def gzip_bomb():
    """3 GiB in 3 MiB: members one after the other are one gzip file."""
    return gzip.compress(bytes(64 * MIB), 9) * 48


def zstd_bomb():
    """2.5 GiB in 80 KiB: blocks of 128 KiB, each told by one byte (RFC 8878, 3.1.1.2: RLE)."""
    magic, descriptor, window_of_128_kib = b"\x28\xb5\x2f\xfd", b"\x00", b"\x38"
    rle, size = 1, 128 << 10
    block = struct.pack("<I", rle << 1 | size << 3)[:3] + b"\0"
    return magic + descriptor + window_of_128_kib + block * 20_000


class BadRequests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        support.require_programs()
        cls.folder = support.temporary_folder()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.server = support.Server(f"{cls.folder.name}/data")
        cls.addClassCleanup(cls.server.stop)

    def tearDown(self):
        """Whatever was sent, the server works on and kept within its memory."""
        self.assertEqual(self.server.get("/healthz").status, 200)
        good = support.metrics_body("n1", "e2e_good", [1.0], NOW_NS)
        self.assertEqual(self.server.post("/v1/metrics", good).status, 200)
        peak = support.resident_bytes(self.server.pid, "VmHWM")
        print(f"{self.id().split('.')[-1]}: peak {peak // MIB} MiB", flush=True)
        self.assertLess(peak, MAX_PEAK_BYTES)

    def refused(self, status, path, body, content_type="application/json", encoding=None):
        answer = self.server.post(path, body, content_type, encoding)
        self.assertEqual(answer.status, status, answer.body[:300])
        return answer

    def test_an_idle_server_is_small(self):
        time.sleep(2)
        idle = support.resident_bytes(self.server.pid)
        print(f"idle: {idle // MIB} MiB")
        self.assertLess(idle, MAX_IDLE_BYTES)

    def test_truncated_protobuf(self):
        # resource_metrics (field 1) of 100 bytes, of which 3 come.
        for path in ("/v1/metrics", "/v1/logs", "/v1/traces"):
            self.refused(400, path, b"\x0a\x64abc", PROTOBUF)
            self.refused(400, path, b"\xff" * 20, PROTOBUF)
        self.refused(400, "/v1/metrics", b"\x0a\x64abc", PROTOBUF, "gzip")

    def test_wrong_types(self):
        for body in (b"[]", b"7", b'{"resourceMetrics": 5}', b'{"resourceMetrics": {"a": 1}}',
                     b'{"resourceMetrics": [1]}', b"{", b"", b"\0" * 1000, b"null",
                     b'{"resourceMetrics": [{"scopeMetrics": "x"}]}'):
            answer = self.server.post("/v1/metrics", body)
            self.assertIn(answer.status, (200, 400), body)
            if body in (b"[]", b"7", b"{", b"\0" * 1000, b'{"resourceMetrics": 5}'):
                self.assertEqual(answer.status, 400, body)
        points = {"resourceMetrics": [{"scopeMetrics": [{"metrics": [
            {"name": "x", "gauge": {"dataPoints": [{"timeUnixNano": [], "asDouble": {}}]}}]}]}]}
        answer = self.server.post("/v1/metrics", json.dumps(points).encode())
        self.assertTrue(answer.status == 400 or b"partialSuccess" in answer.body, answer.body)

    def test_a_type_that_is_not_otlp_and_an_address_that_is_not_there(self):
        self.refused(415, "/v1/metrics", b"x", "text/plain")
        self.refused(404, "/v1/profiles", b"{}")
        self.assertEqual(support.request(self.server.otlp_port, "GET", "/v1/metrics", None,
                                         {"Content-Type": "application/json"}, 10).status, 405)
        self.refused(400, "/v1/metrics", b"{}", encoding="brotli")

    def test_a_body_of_100_mb_is_refused_unread(self):
        body = bytes(100 * MIB)
        try:
            status = self.server.post("/v1/metrics", body).status
        except (BrokenPipeError, ConnectionResetError):
            status = self.status_of_announced(len(body))  # it need not read what it refuses
        self.assertEqual(status, 413)

    def status_of_announced(self, n_bytes):
        with socket.create_connection(("127.0.0.1", self.server.otlp_port), 10) as connection:
            connection.sendall(b"POST /v1/metrics HTTP/1.1\r\nHost: x\r\nContent-Type: "
                               b"application/json\r\nContent-Length: %d\r\n\r\n" % n_bytes)
            return int(connection.recv(100).split()[1])

    def test_deep_json(self):
        self.refused(400, "/v1/metrics", b"[" * 200_000)
        self.refused(400, "/v1/metrics", b'{"resourceMetrics":' * 100_000)
        value = b'{"arrayValue":{"values":[' * 50_000
        body = (b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":' + value + b"]}}" * 50_000 +
                b"}]}]}]}")
        self.refused(400, "/v1/logs", body)
        answer = support.request(self.server.http_port, "POST", "/api/auscult/v1/diagnose",
                                 b"[" * 200_000, {}, 30)
        self.assertEqual(answer.status, 400)

    def test_invalid_utf8(self):
        line = b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"\xff\xfe"}}]}]}]}'
        self.assertIn(self.server.post("/v1/logs", line).status, (200, 400))
        # The same in protobuf: resource_logs > scope_logs > log_records > body > string_value.
        body = b"\x0a\x02\xff\xfe"
        for tag in (b"\x2a", b"\x12", b"\x12", b"\x0a"):
            body = tag + bytes([len(body)]) + body
        self.assertIn(self.server.post("/v1/logs", body, PROTOBUF).status, (200, 400))
        rows = self.server.sql("SELECT countIf(NOT isValidUTF8(body)) FROM auscult.logs")
        self.assertEqual(int(rows[0][0]), 0)

    def test_bombs(self):
        bombs = [("gzip", gzip_bomb()), ("zstd", zstd_bomb())]
        for encoding, bomb in bombs:
            answer = self.refused(400, "/v1/metrics", bomb, PROTOBUF, encoding)
            self.assertIn(b"unpacks to more than", answer.body)
        threads, problems = support.in_threads(
            8, lambda i: self.refused(400, "/v1/logs", bombs[i % 2][1], PROTOBUF, bombs[i % 2][0]))
        for thread in threads:
            thread.join()
        self.assertEqual(problems, [])

    def test_what_is_no_http(self):
        for trash in (b"\x16\x03\x01\x02\x00" + bytes(500), b"GET / HTTP/9.9\r\n\r\n",
                      b"A" * 200_000, b"POST /v1/metrics HTTP/1.1\r\nContent-Length: -1\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", self.server.otlp_port), 10) as connection:
                try:
                    connection.sendall(trash)
                    answer = connection.recv(4096)
                except ConnectionResetError:
                    continue
                self.assertTrue(answer == b"" or answer.startswith(b"HTTP/1.1 4"), answer[:100])

    def test_a_client_that_leaves_in_the_middle(self):
        for _ in range(20):
            connection = http.client.HTTPConnection("127.0.0.1", self.server.otlp_port)
            connection.putrequest("POST", "/v1/metrics")
            connection.putheader("Content-Length", "1000000")
            connection.endheaders()
            connection.send(b"x" * 1000)
            connection.close()


class BadSurroundings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        support.require_programs()

    def setUp(self):
        folder = support.temporary_folder()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def fails(self, status, *arguments, **changes):
        """The one line that says what is wrong."""
        done = support.run(*arguments, **changes)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        print(done.stderr.strip().replace(str(self.folder), "DIR"))
        return done.stderr

    def serve(self, *arguments):
        return ("serve", "--data", self.folder / "data", "--otlp-port", "0", "--http-port", "0",
                *arguments)

    def test_a_typing_error_in_the_configuration(self):
        config = self.folder / "server.yaml"
        config.write_text("http_port: 0\notlp_prot: 0\n")
        line = self.fails(2, *self.serve("--config", config))
        self.assertIn("server.yaml:2", line)
        self.assertIn("otlp_port", line)

    def test_a_data_folder_that_cannot_be_one(self):
        (self.folder / "data").write_text("a file\n")
        self.assertIn(str(self.folder / "data"), self.fails(2, *self.serve()))

    def test_a_data_folder_that_cannot_be_written(self):
        folder = self.folder / "data"
        folder.mkdir()
        if os.geteuid() == 0:
            if subprocess.run(["mount", "--bind", "-o", "ro", folder, folder], check=False,
                              capture_output=True).returncode != 0:
                self.skipTest("root writes everywhere, and may not mount here")
            self.addCleanup(subprocess.run, ["umount", folder], check=True)
        else:
            folder.chmod(0o500)
            self.addCleanup(folder.chmod, 0o700)
        self.assertIn(str(folder), self.fails(2, *self.serve()))

    def test_a_second_server_on_the_same_data(self):
        with support.Server(self.folder / "data") as first:
            line = self.fails(3, *self.serve())
            self.assertRegex(line, rf"\bpid {first.pid}\b")
            self.assertEqual(first.get("/readyz").status, 200)

    def test_a_port_that_is_taken(self):
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            port = listener.getsockname()[1]
            line = self.fails(3, "serve", "--data", self.folder / "data", "--otlp-port", port,
                              "--http-port", "0")
            self.assertIn(str(port), line)

    def test_no_libchdb_and_a_wrong_one(self):
        line = self.fails(3, *self.serve(), AUSCULT_LIBCHDB=str(self.folder / "nothing.so"))
        self.assertIn("nothing.so", line)
        bogus = self.folder / "bogus.so"
        bogus.write_bytes(b"\x7fELF" + bytes(1000))
        line = self.fails(3, *self.serve(), AUSCULT_LIBCHDB=str(bogus))
        self.assertIn("bogus.so", line)
        self.assertIn("fetch-libchdb", line)

    def test_a_fault_with_a_task_that_does_not_exist(self):
        faults = self.folder / "faults"
        faults.mkdir()
        text = (support.ROOT / "catalog/faults/cpu_contention.yaml").read_text()
        broken, n = re.subn(r"task: \w+", "task: signal_chang", text, count=1)
        self.assertEqual(n, 1)
        (faults / "cpu_contention.yaml").write_text(broken)
        number = broken[:broken.index("signal_chang")].count("\n") + 1
        line = self.fails(2, *self.serve("--faults", faults))
        self.assertIn(f"cpu_contention.yaml:{number}", line)
        self.assertIn("signal_chang", line)

    def test_no_fio(self):
        (self.folder / "bin").mkdir()
        line = self.fails(3, "bench", "run", "storage", "--no-store", "--scratch", self.folder,
                          PATH=str(self.folder / "bin"))
        self.assertIn("fio", line)

    def test_an_unknown_command_and_an_unknown_option(self):
        self.assertIn("'query'", self.fails(2, "qurey"))
        self.fails(2, "query", "sql", "SELECT 1", "--fromat", "json")
        self.assertIn("--data", self.fails(3, "query", "sql", "SELECT 1", "--data",
                                           self.folder / "nowhere"))

    def test_a_full_disk_refuses_and_recovers(self):
        data = self.folder / "small"
        data.mkdir()
        if os.geteuid() != 0 or subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=96m", "tmpfs", data], check=False,
                capture_output=True).returncode != 0:
            self.skipTest("a small file system needs the right to mount")
        self.addCleanup(subprocess.run, ["umount", data], check=True)
        with support.Server(data / "data") as server:
            before = support.metrics_body("n1", "e2e_disk", [1.0, 2.0], NOW_NS)
            self.assertEqual(server.post("/v1/metrics", before).status, 200)
            filler = data / "filler"
            with open(filler, "wb", buffering=0) as file:
                try:
                    while file.write(bytes(1 << 16)):
                        pass
                except OSError:
                    pass
            after = support.metrics_body("n1", "e2e_disk", [3.0], NOW_NS + 10**9)
            answer = server.post("/v1/metrics", after)
            self.assertEqual(answer.status, 503, answer.body)
            self.assertIsNotNone(answer.headers["Retry-After"])
            print(f"full disk: {answer.body.decode()}")
            count = ("SELECT count() FROM auscult.samples WHERE id IN "
                     "(SELECT id FROM auscult.series WHERE metric = 'e2e_disk')")
            self.assertEqual(int(server.sql(count)[0][0]), 2)
            filler.unlink()
            support.wait_for(lambda: server.post("/v1/metrics", after).status == 200, 20,
                             "the disk has room again, and batches are taken")
            self.assertEqual(int(server.sql(count)[0][0]), 3)


if __name__ == "__main__":
    sys.exit(support.main())
