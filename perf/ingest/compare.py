#!/usr/bin/env python3
"""Ingest, through the network socket, beside Debian's prometheus in one run. Exit status 1 when a bar
is missed, 3 when the measurement could not be made.

- Remote write of 100,000 series in pre-compressed requests of 5,000 samples: with one sample a
  series in a request, as Prometheus sends them, and with 20. Both servers get the same stream from
  the same program (load.cc), one after the other, several times in turn; the medians count.
  Prometheus answers before its write-ahead log is on the disk; Auscult after the commit.
- OTLP metrics, logs and spans, to Auscult alone.
- Disk: bytes a sample after merges, and Prometheus's own block for comparison. Memory: of the hot
  store, bytes a series.

Every run is checked: as many rows are stored as were sent."""
import argparse
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / "build/bin"
START_PATIENCE_S = 60
SERIES = 100_000


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def get(url, data=None, headers=None):
    request = urllib.request.Request(url, data=data, headers=headers or {})
    return urllib.request.urlopen(request, timeout=300).read().decode()


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rss_mb(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / 1e6
    return 0.0


class Server:
    """A server process that is asked until it is ready, and ended when the block is left."""

    def __init__(self, command, ready):
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + START_PATIENCE_S
        while True:
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.process.kill()
                raise RuntimeError(f"{command[0]} did not become ready")
            with contextlib.suppress(OSError):
                get(ready)
                break
            time.sleep(0.1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


class Auscult(Server):
    def __init__(self, folder):
        self.http, self.otlp = free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.http}"
        self.write = f"{self.url}/api/v1/write"
        super().__init__([BIN / "auscult", "serve", "--data", folder, "--http-port", str(self.http),
                          "--otlp-port", str(self.otlp), "--grpc-port", "0"],
                         f"{self.url}/readyz")

    def sql(self, text):
        body = json.dumps({"sql": text}).encode()
        answer = get(f"{self.url}/api/auscult/v1/query/sql", body,
                     {"Content-Type": "application/json"})
        return json.loads(answer)["rows"]

    def stored(self, table):
        return self.sql(f"SELECT count() FROM {table}")[0][0]


class Prometheus(Server):
    def __init__(self, program, folder):
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.write = f"{self.url}/api/v1/write"
        pathlib.Path(folder).mkdir(parents=True)
        config = pathlib.Path(folder) / "prometheus.yml"
        config.write_text("global: {scrape_interval: 1h}\n")
        super().__init__([program, f"--config.file={config}", f"--storage.tsdb.path={folder}/data",
                          f"--web.listen-address=127.0.0.1:{port}",
                          "--web.enable-remote-write-receiver", "--log.level=error"],
                         f"{self.url}/-/ready")


def load(kind, url, items, *options):
    done = subprocess.run([BIN / "load", kind, url, "--items", str(items), *map(str, options)],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"load {kind}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def measure(server, kind, url, items, *options):
    """Million items a second, CPU seconds a million of the server, and of the load."""
    before = cpu_seconds(server.process.pid)
    result = load(kind, url, items, *options)
    cpu = cpu_seconds(server.process.pid) - before
    return (result["rate"] / 1e6, cpu / items * 1e6, result["load_cpu_s"] / items * 1e6)


class Report:
    def __init__(self):
        self.missed = False

    def line(self, name, text, value=None, bar=None, least=True):
        verdict = ""
        if bar is not None:
            ok = value >= bar if least else value <= bar
            self.missed |= not ok
            verdict = f"  (bar {bar}: {'ok' if ok else 'MISSED'})"
        print(f"{name:52} {text}{verdict}", flush=True)


def remote_write(report, program, folder, per_series, items, bar, rounds):
    ours, theirs = [], []
    options = ("--series", SERIES, "--per-series", per_series)
    for turn in range(rounds):
        with Auscult(f"{folder}/ours{per_series}-{turn}") as server:
            ours.append(measure(server, "remote_write", server.write, items, *options))
            if server.stored("samples") != items:
                raise RuntimeError("Auscult lost samples")
        shutil.rmtree(f"{folder}/ours{per_series}-{turn}")
        with Prometheus(program, f"{folder}/theirs{per_series}-{turn}") as server:
            theirs.append(measure(server, "remote_write", server.write, items, *options))
        shutil.rmtree(f"{folder}/theirs{per_series}-{turn}")
    for name, runs in (("auscult", ours), ("prometheus", theirs)):
        rate, cpu, load_cpu = (statistics.median(figures) for figures in zip(*runs))
        report.line(f"remote write, {per_series} a series, {name}",
                    f"{rate:.2f} M samples/s, {cpu:.2f} CPU s a million (load {load_cpu:.3f})")
    ratio = statistics.median(a[0] / b[0] for a, b in zip(ours, theirs))
    report.line(f"remote write, {per_series} a series, ratio", f"{ratio:.2f}", ratio, bar)
    return statistics.median(run[0] for run in ours)


def otlp(report, folder, scale):
    kinds = (("otlp_metrics", "/v1/metrics", "samples", 10_000_000, 1.0, ()),
             ("otlp_logs", "/v1/logs", "logs", 2_000_000, 0.2, ("--request", 1000)),
             ("otlp_spans", "/v1/traces", "traces", 2_000_000, 0.25, ("--request", 1000)))
    for kind, path, table, items, bar, options in kinds:
        items = int(items * scale)
        with Auscult(f"{folder}/{kind}") as server:
            url = f"http://127.0.0.1:{server.otlp}{path}"
            rate, cpu, load_cpu = measure(server, kind, url, items, "--connections", 40, *options)
            if server.stored(table) < items:
                raise RuntimeError(f"{kind}: Auscult lost items")
        shutil.rmtree(f"{folder}/{kind}")
        report.line(kind, f"{rate:.2f} M/s, {cpu:.2f} CPU s a million (load {load_cpu:.3f})", rate,
                    bar)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=float, default=1.0, help="a part of the items, for a try")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    program = shutil.which("prometheus")
    if not program or not (BIN / "load").exists():
        print("perf/ingest: " + ("no prometheus: apt-get install it" if not program else
                                 "build/bin/load is not built: ninja -C build/release load"),
              file=sys.stderr)
        return 3
    print(f"perf/ingest: load average {os.getloadavg()[0]:.2f} on {os.cpu_count()} CPUs", flush=True)
    report = Report()
    # Not in /tmp, which is memory on many machines.
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="auscult-perf-") as folder:
        items = int(10_000_000 * options.scale)
        rate = remote_write(report, program, folder, 1, items, 3.0, options.rounds)
        report.line("remote write, 1 a series, target", f"{rate:.2f} M samples/s", rate, 1.0)
        remote_write(report, program, folder, 20, items, 1.5, options.rounds)
        otlp(report, folder, options.scale)
    return 1 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
