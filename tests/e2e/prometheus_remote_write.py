#!/usr/bin/env python3
"""Debian's prometheus sends what it scrapes by remote write: every sample that it has is here, with
the same time and value, also those of a time when the server was dead."""

import contextlib
import json
import pathlib
import shutil
import signal
import subprocess
import unittest
import urllib.parse
import urllib.request

import support

SECONDS = 6  # of scrapes, once a second, before and after the server's death
METRICS = ("up", "go_goroutines", "process_cpu_seconds_total", "prometheus_http_requests_total")
PATIENCE_S = 60


class Prometheus:
    """Scrapes itself every second and writes to `url`."""

    def __init__(self, folder, url):
        self.port = support.free_port()
        folder.mkdir()
        config = folder / "prometheus.yml"
        config.write_text(f"""
global: {{scrape_interval: 1s}}
scrape_configs:
- job_name: prometheus
  static_configs: [{{targets: ["127.0.0.1:{self.port}"]}}]
remote_write:
- url: {url}
  queue_config: {{batch_send_deadline: 1s, min_backoff: 100ms, max_backoff: 1s}}
""")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder}/data",
             f"--web.listen-address=127.0.0.1:{self.port}", "--log.level=error"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def samples(self, metric):
        """{(labels without the metric's name, ms): value} of the last minutes."""
        query = urllib.parse.urlencode({"query": f"{metric}[10m]"})
        with contextlib.suppress(OSError):
            answer = json.load(urllib.request.urlopen(
                f"http://127.0.0.1:{self.port}/api/v1/query?{query}", timeout=10))
            return {(labels_of(series["metric"]), round(at * 1000)): float(value)
                    for series in answer["data"]["result"] for at, value in series["values"]}
        return {}


def labels_of(labels):
    return tuple(sorted((name, value) for name, value in labels.items() if name != "__name__"))


def stored(server, metric):
    """As Prometheus.samples(). The node is what stood in front of the instance's port."""
    rows = server.sql(
        "SELECT mapKeys(labels), mapValues(labels), toUnixTimestamp64Milli(timestamp), value "
        "FROM auscult.samples INNER JOIN (SELECT DISTINCT id, labels, metric FROM auscult.series) "
        f"AS s USING (id) WHERE metric = '{metric}' AND NOT isNaN(value) ORDER BY timestamp")
    samples = {}
    for names, values, at_ms, value in rows:
        key = (tuple(sorted(zip(texts(names), texts(values)))), int(at_ms))
        if key in samples:
            raise AssertionError(f"twice: {key}")
        samples[key] = float(value)
    return samples


def texts(array):
    """['a','b'] as ClickHouse prints it; no label here has a quote or a comma."""
    return [text.strip("'") for text in array.strip("[]").split(",")] if len(array) > 2 else []


class RemoteWrite(unittest.TestCase):
    def setUp(self):
        support.require_programs()
        if not shutil.which("prometheus"):
            raise unittest.SkipTest("prometheus is missing: run tools/setup")
        folder = support.temporary_folder()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.ports = {"otlp_port": support.free_port(), "http_port": support.free_port()}
        self.server = self.start()
        self.prometheus = Prometheus(self.folder / "prometheus",
                                     f"http://127.0.0.1:{self.ports['http_port']}/api/v1/write")
        self.addCleanup(self.prometheus.stop)

    def start(self):
        server = support.Server(self.folder / "data", **self.ports)
        self.addCleanup(server.stop)
        return server

    def wait_for_scrapes(self, n):
        def enough():
            return len(self.prometheus.samples("up")) >= n
        support.wait_for(enough, PATIENCE_S, f"{n} scrapes")

    def test_every_sample_arrives_once_also_when_the_server_was_dead(self):
        self.wait_for_scrapes(SECONDS)
        self.server.kill()
        self.wait_for_scrapes(2 * SECONDS)
        self.server = self.start()
        self.wait_for_scrapes(3 * SECONDS)
        expected = {metric: self.prometheus.samples(metric) for metric in METRICS}
        for metric, samples in expected.items():
            self.assertTrue(samples, metric)

            def arrived():
                return samples.keys() <= stored(self.server, metric).keys()
            support.wait_for(arrived, PATIENCE_S, f"every sample of {metric}")
            here = stored(self.server, metric)
            self.assertEqual({key: here[key] for key in samples}, samples, metric)


if __name__ == "__main__":
    raise SystemExit(support.main())
