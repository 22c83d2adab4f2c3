#!/usr/bin/env python3
"""`auscult sync prometheus` against Debian's prometheus: every sample once, whoever is killed in between."""

import json
import math
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest
import urllib.parse

import support

PROMETHEUS = shutil.which("prometheus")
EXPORTER = shutil.which("prometheus-node-exporter")
PATIENCE_S = 120
HISTORY_S = 20
# What a sync leaves to the next run because it may not be complete yet: by default, and where it need not be so long.
SAFETY_LAG_S = 120
SHORT_LAG_S = 5


class Prometheus:
    """A server that scrapes itself and an exporter once a second."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.port = support.free_port()
        self.exporter_port = support.free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        targets = [f"127.0.0.1:{self.port}", f"127.0.0.1:{self.exporter_port}"]
        (self.folder / "prometheus.yml").write_text(json.dumps({
            "global": {"scrape_interval": "1s", "scrape_timeout": "1s"},
            "scrape_configs": [{"job_name": "all", "static_configs": [{"targets": targets}]}]}))
        self.exporter = subprocess.Popen(
            [EXPORTER, f"--web.listen-address=127.0.0.1:{self.exporter_port}", "--collector.disable-defaults",
             "--collector.cpu", "--collector.meminfo", "--collector.netdev", "--collector.vmstat"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.start()

    def start(self):
        log = open(self.folder / "prometheus.log", "ab")
        with log:
            self.process = subprocess.Popen(
                [PROMETHEUS, f"--config.file={self.folder}/prometheus.yml", f"--web.listen-address=127.0.0.1:{self.port}",
                 f"--storage.tsdb.path={self.folder}/tsdb", "--storage.tsdb.retention.time=30d"], stdout=log, stderr=log)
        support.wait_for(self.is_ready, PATIENCE_S, "prometheus")

    def is_ready(self):
        try:
            return support.request(self.port, "GET", "/-/ready", None, {}, 5).status == 200
        except OSError:
            return False

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(60)

    def close(self):
        for process in (self.exporter, self.process):
            process.kill()
            process.wait()

    def samples(self, end_ms):
        """{(labels): [(ms, value text)]} of all samples before the time, as its query API tells them."""
        query = urllib.parse.urlencode({"query": '{__name__=~".+"}[1h]', "time": (end_ms - 1) / 1000})
        answer = support.request(self.port, "GET", f"/api/v1/query?{query}", None, {}, 60)
        if answer.status != 200:
            raise AssertionError(answer.body)
        return {tuple(sorted(series["metric"].items())): [(round(t * 1000), float(v)) for t, v in series["values"]]
                for series in json.loads(answer.body)["data"]["result"]}


def complete_until_ms(output):
    """Of what the command printed last."""
    text = output.strip().splitlines()[-1].rsplit(" ", 1)[1]
    whole, millis = text.rstrip("Z").split(".")
    return int(time.mktime(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) - time.timezone) * 1000 + int(millis)


class SyncPrometheus(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        support.require_programs()
        if PROMETHEUS is None or EXPORTER is None:
            raise unittest.SkipTest("prometheus and prometheus-node-exporter are not installed: tools/setup test")

    def setUp(self):
        folder = support.temporary_folder()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.data = self.folder / "data"
        self.prometheus = Prometheus(self.folder)
        self.addCleanup(self.prometheus.close)
        self.began = time.time()

    def sync(self, *arguments):
        done = support.run("sync", "prometheus", "--from", self.prometheus.url, "--since", "2h", "--lag",
                           f"{SHORT_LAG_S}s", "--data", self.data, *arguments, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def stored(self):
        rows = self.query("SELECT metric, labels, tags, arraySort(groupArray((t, v))) FROM (SELECT DISTINCT id, metric, "
                          "toJSONString(labels) AS labels, node_id AS tags FROM auscult.series) AS s JOIN (SELECT id, "
                          "toUnixTimestamp64Milli(timestamp) AS t, reinterpretAsUInt64(value) AS v FROM auscult.samples "
                          "WHERE reinterpretAsUInt64(value) != 0x7ff0000000000002) AS p ON s.id = p.id GROUP BY 1, 2, 3")
        return rows

    def query(self, sql):
        done = support.run("query", "sql", sql, "--data", self.data, "--format", "json", timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["rows"]

    def wait_until_ripe(self, lag_s):
        """Until HISTORY_S of samples are older than the lag."""
        support.wait_for(lambda: time.time() >= self.began + HISTORY_S + lag_s, HISTORY_S + lag_s + 10, "ripe samples")

    def expect_the_same(self, end_ms):
        """All samples of Prometheus before the time are in the store, with their bits, each once."""
        theirs = self.prometheus.samples(end_ms)
        n_theirs = sum(len(samples) for samples in theirs.values())
        ours = {}
        for metric, labels, _, samples in self.stored():
            labels = {**json.loads(labels), "__name__": metric}
            pairs = json.loads(samples.replace("(", "[").replace(")", "]")) if isinstance(samples, str) else samples
            ours[tuple(sorted(labels.items()))] = [(int(t), bits) for t, bits in pairs]
        self.assertGreater(len(theirs), 300)
        self.assertEqual(len(ours), len(theirs))
        self.assertEqual(ours.keys(), theirs.keys())
        for key, samples in theirs.items():
            as_bits = [(t, bits_of(value)) for t, value in samples]
            stored = [(t, bits_of(struct.unpack("<d", struct.pack("<Q", int(bits)))[0])) for t, bits in ours[key]]
            self.assertEqual(stored, as_bits, key)
        return n_theirs

    def test_every_sample_once_with_kills_in_between(self):
        support.wait_for(lambda: time.time() > self.began + HISTORY_S / 2, PATIENCE_S, "half of the history")
        self.prometheus.stop()
        self.prometheus.start()
        self.wait_until_ripe(SHORT_LAG_S)

        kills = self.kill_some_syncs()
        first = complete_until_ms(self.sync())
        n_first = self.expect_the_same(first)
        self.assertGreater(n_first, 3_000)

        self.prometheus.stop(signal.SIGKILL)
        self.prometheus.start()
        second = complete_until_ms(self.sync())
        self.assertGreater(second, first)
        n_second = self.expect_the_same(second)
        self.assertGreater(n_second, n_first)
        print(f"{kills} syncs killed; {n_first} samples, then {n_second}", file=sys.stderr)

    def kill_some_syncs(self):
        """Each a little later than the last, until one lives to its end: while they open the store, fetch, and commit.
        How many were killed."""
        killed = 0
        for delay_s in (0.2 + 0.05 * i for i in range(60)):
            process = subprocess.Popen(
                [support.AUSCULT, "sync", "prometheus", "--from", self.prometheus.url, "--since", "2h", "--lag",
                 f"{SHORT_LAG_S}s", "--data", str(self.data)], env=support.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(delay_s)
                break
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
                killed += 1
        self.assertGreater(killed, 3)
        return killed

    def test_the_server_keeps_up_by_itself(self):
        config = self.folder / "serve.yaml"
        config.write_text(json.dumps({"sync": [{"prometheus": self.prometheus.url, "every": "1s", "since": "1h",
                                                "match": ["up", "{job=\"all\",__name__=~\"node_memory_Mem.*\"}"]}]}))
        self.wait_until_ripe(SAFETY_LAG_S)
        with support.Server(self.data, "--config", str(config)) as server:
            support.wait_for(lambda: b"auscult_sync_samples_total" in server.get("/metrics").body, PATIENCE_S, "metrics")

            def lag():
                for line in server.get("/metrics").body.decode().splitlines():
                    if line.startswith("auscult_sync_lag_seconds{"):
                        return float(line.rsplit(" ", 1)[1])
                return 0

            support.wait_for(lambda: SAFETY_LAG_S <= lag() <= SAFETY_LAG_S + 5, PATIENCE_S, "a small lag")
            self.assertIn("auscult_sync_retention_seconds", server.get("/metrics").body.decode())
            names = {row[0] for row in server.sql("SELECT DISTINCT metric FROM auscult.series")}
            self.assertEqual(names, {"up", "node_memory_MemAvailable_bytes", "node_memory_MemFree_bytes",
                                     "node_memory_MemTotal_bytes"})
            twice = server.sql("SELECT count() - uniqExact(id, timestamp) FROM auscult.samples")
            self.assertEqual(int(twice[0][0]), 0)


def bits_of(value):
    """All that are no number count as one: JSON does not tell them apart."""
    return struct.unpack("<Q", struct.pack("<d", math.nan if math.isnan(value) else value))[0]


if __name__ == "__main__":
    sys.exit(support.main())
