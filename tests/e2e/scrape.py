#!/usr/bin/env python3
"""The server scrapes Debian's prometheus-node-exporter: the values of its page, what its death leaves, and targets
from a file."""

import http.server
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import unittest

import support

EXPORTER = shutil.which("prometheus-node-exporter")
SAMPLE = re.compile(r"^([a-zA-Z_:][\w:]*)(\{.*\})? (\S+)$")
# Enough that the exporter answers within a second, and that it has labels, kinds and large numbers.
COLLECTORS = ["cpu", "diskstats", "filesystem", "loadavg", "meminfo", "netdev", "stat", "uname", "vmstat"]
STALE = 0x7FF0000000000002
PATIENCE_S = 60


def start_exporter(port):
    process = subprocess.Popen(
        [EXPORTER, f"--web.listen-address=127.0.0.1:{port}", "--collector.disable-defaults",
         *(f"--collector.{name}" for name in COLLECTORS)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    support.wait_for(lambda: answers(port), PATIENCE_S, "the exporter's page")
    return process


def answers(port):
    try:
        return support.request(port, "GET", "/metrics", None, {}, 5).status == 200
    except OSError:
        return False


class Replay(http.server.ThreadingHTTPServer):
    """Passes the exporter's page on and remembers it: what a scrape got, to the byte."""

    def __init__(self, exporter_port):
        self.exporter_port = exporter_port
        self.pages = []
        super().__init__(("127.0.0.1", 0), ReplayHandler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class ReplayHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):  # pylint: disable=invalid-name
        accept = {"Accept": "text/plain;version=0.0.4"}
        page = support.request(self.server.exporter_port, "GET", "/metrics", None, accept, 10)
        self.server.pages.append(page.body.decode())
        self.send_response(page.status)
        self.send_header("Content-Type", page.headers["Content-Type"])
        self.send_header("Content-Length", str(len(page.body)))
        self.end_headers()
        self.wfile.write(page.body)

    def log_message(self, *_):
        pass


def number(text):
    return float({"+Inf": "inf", "-Inf": "-inf"}.get(text, text))


class Scrape(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        support.require_programs()
        if EXPORTER is None:
            raise unittest.SkipTest("prometheus-node-exporter is not installed: tools/setup test")

    def setUp(self):
        folder = support.temporary_folder()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def serve(self, scrape):
        config = self.folder / "serve.yaml"
        config.write_text(json.dumps({"scrape": scrape}))
        server = support.Server(self.folder / "data", "--config", str(config))
        self.addCleanup(server.stop)
        return server

    def exporter(self, port=None):
        port = port or support.free_port()
        process = start_exporter(port)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return port, process

    @staticmethod
    def up(server, instance):
        """Bits of the values of `up`, in order of time."""
        rows = server.sql("SELECT reinterpretAsUInt64(value) FROM auscult.samples WHERE id IN (SELECT id FROM "
                          f"auscult.series WHERE metric = 'up' AND labels['instance'] = '{instance}') ORDER BY timestamp")
        return [int(row[0]) for row in rows]

    def test_values_are_those_of_the_page(self):
        port, _ = self.exporter()
        replay = Replay(port)
        self.addCleanup(replay.server_close)
        self.addCleanup(replay.shutdown)
        server = self.serve([{"job_name": "node", "scrape_interval": "1s", "static_configs": [
            {"targets": [f"127.0.0.1:{replay.server_address[1]}"], "labels": {"instance": "page:1"}}]}])
        support.wait_for(lambda: len(replay.pages) >= 3, PATIENCE_S, "three scrapes")
        support.wait_for(lambda: len(self.up(server, "page:1")) >= 3, PATIENCE_S, "three scrapes in the store")

        rows = server.sql("SELECT s.metric, s.labels, toUnixTimestamp64Milli(p.timestamp), toString(p.value) "
                          "FROM auscult.samples p JOIN (SELECT DISTINCT id, metric, toJSONString(labels) AS labels "
                          "FROM auscult.series) s ON s.id = p.id WHERE p.timestamp IN (SELECT DISTINCT timestamp FROM "
                          "auscult.samples WHERE id IN (SELECT id FROM auscult.series WHERE metric = 'up') "
                          "ORDER BY timestamp LIMIT 1)")
        own = {"up", "scrape_duration_seconds", "scrape_samples_scraped"}
        stored = {}
        for metric, labels, _, value in rows:
            if metric in own:
                continue
            labels = json.loads(labels)
            self.assertEqual((labels.pop("instance"), labels.pop("job")), ("page:1", "node"))
            stored[metric, tuple(sorted(labels.items()))] = number(value)

        expected = {}
        for line in replay.pages[0].splitlines():
            if line and not line.startswith("#"):
                metric, labels, value = SAMPLE.match(line).groups()
                pairs = re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels or "")
                expected[metric, tuple(sorted((k, v) for k, v in pairs if v))] = number(value)
        self.assertGreater(len(expected), 200)
        self.assertEqual(stored.keys(), expected.keys())
        for key, value in expected.items():
            self.assertTrue(stored[key] == value or (math.isnan(value) and math.isnan(stored[key])), key)

    def test_a_dead_exporter_is_down_and_its_series_end(self):
        port, process = self.exporter()
        instance = f"127.0.0.1:{port}"
        server = self.serve([{"job_name": "node", "scrape_interval": "500ms",
                              "static_configs": [{"targets": [instance]}]}])
        one = 0x3FF0000000000000
        support.wait_for(lambda: self.up(server, instance).count(one) >= 2, PATIENCE_S, "two scrapes")
        process.kill()
        process.wait()
        support.wait_for(lambda: self.up(server, instance)[-1] == 0, PATIENCE_S, "up 0")

        last = server.sql(
            "SELECT series.metric, argMax(reinterpretAsUInt64(value), timestamp), "
            f"countIf(reinterpretAsUInt64(value) = {STALE}) FROM auscult.samples JOIN (SELECT DISTINCT id, metric FROM "
            "auscult.series) AS series ON series.id = samples.id GROUP BY samples.id, series.metric")
        own = {"up", "scrape_duration_seconds", "scrape_samples_scraped"}
        series = [row for row in last if row[0] not in own]
        self.assertGreater(len(series), 200)
        for metric, bits, n_markers in series:
            self.assertEqual((int(bits), int(n_markers)), (STALE, 1), metric)

        start_exporter_again = start_exporter(port)
        self.addCleanup(start_exporter_again.wait)
        self.addCleanup(start_exporter_again.kill)
        support.wait_for(lambda: self.up(server, instance)[-1] == one, PATIENCE_S, "up 1 again")

    def test_targets_come_and_go_with_their_file(self):
        port, _ = self.exporter()
        first, second = f"127.0.0.1:{port}", f"localhost:{port}"
        targets = self.folder / "targets.json"
        targets.write_text(json.dumps([{"targets": [first], "labels": {"rack": "r1"}}]))
        server = self.serve([{"job_name": "file", "scrape_interval": "500ms",
                              "file_sd_configs": [{"files": ["*.json"]}]}])
        support.wait_for(lambda: self.up(server, first), PATIENCE_S, "the first target")

        targets.write_text(json.dumps([{"targets": [first]}])[:-5])
        support.wait_for(lambda: "targets.json:1" in server.log.read_text(), PATIENCE_S, "a warning with the line")
        seen = len(self.up(server, first))
        support.wait_for(lambda: len(self.up(server, first)) > seen, PATIENCE_S, "scrapes in spite of it")

        targets.write_text(json.dumps([{"targets": [second]}]))
        support.wait_for(lambda: self.up(server, second), PATIENCE_S, "the second target")
        support.wait_for(lambda: self.up(server, first)[-1] == STALE, PATIENCE_S, "the end of the first")
        text = server.get("/metrics").body.decode()
        self.assertIn("\nauscult_scrape_targets 1\n", text)


if __name__ == "__main__":
    sys.exit(support.main())
