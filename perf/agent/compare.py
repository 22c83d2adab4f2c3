#!/usr/bin/env python3
"""The agent beside prometheus-node-exporter, in one run, on this host: CPU of one collection and
memory. Exit status 1 when a bar is missed, 3 when the measurement could not be made.

Both collect the same things: node_exporter because it is scraped, as Prometheus scrapes it (gzip,
the connection kept), the agent because that is its interval, as it is shipped (no gzip). Two pairs run side by side:
- once a second. The agent reads some facts less often than that (block_device every 15 s, disk_info
  every 60 s): windows of 60 s hold their share of those, a figure of a shorter window would not.
- every 15 seconds, the agent's default and a usual scrape interval. Both come to colder caches then.
Medians of the windows, on both sides, and the median of the windows' ratios. The bar is for both.

Counted are, of node_exporter, all its threads, and of the agent those that do the same work:
auscult-collect (which also encodes and spools) and auscult-send. What node_exporter does not do at
all, following logs and looking at processes, is in "all its threads". CPU is the scheduler's own
account in nanoseconds (/proc/<pid>/task/*/schedstat), not ticks, which are 10 ms wide."""
import argparse
import http.client
import http.server
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

RSS_BAR_MB = 12
WINDOWS = 3
WINDOW_S = 60  # the longest period of a collector
PACES_S = (1, 15)
SAME_WORK = {"auscult-collect", "auscult-send"}
CPU_BAR_RATIO = 1 / 3
# What Prometheus 2.42 asks with.
SCRAPE_HEADERS = {
    "Accept": "application/openmetrics-text;version=1.0.0,application/openmetrics-text;"
              "version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
    "Accept-Encoding": "gzip",
    "X-Prometheus-Scrape-Timeout-Seconds": "10",
}
COLLECTORS = ["cpu", "stat", "meminfo", "vmstat", "loadavg", "pressure", "diskstats", "filesystem",
              "netdev", "netclass", "time", "infiniband"]


def cpu_ns(pid, threads=None):
    """Of all threads, or of those with the given names."""
    total = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            if threads is None or (task / "comm").read_text().strip() in threads:
                total += int((task / "schedstat").read_text().split()[0])
        except FileNotFoundError:
            pass  # a thread that just ended
    return total


def rss_mb(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) * 1024 / 1e6


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Sink(http.server.BaseHTTPRequestHandler):
    """Takes every batch, as a server would."""
    protocol_version = "HTTP/1.1"
    batches = 0

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/v1/metrics":
            Sink.batches += 1
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def start_node_exporter(program):
    port = free_port()
    flags = ["--collector.disable-defaults", "--web.disable-exporter-metrics",
             f"--web.listen-address=127.0.0.1:{port}", "--log.level=error"]
    flags += [f"--collector.{name}" for name in COLLECTORS]
    process = subprocess.Popen([program, *flags], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}/metrics"
    for _ in range(50):
        try:
            urllib.request.urlopen(url, timeout=5).read()
            return process, port
        except OSError:
            time.sleep(0.1)
    process.kill()
    raise RuntimeError(f"{program} did not answer on {url}")


class Pair:
    """An exporter and an agent, both asked to collect every `pace_s` seconds."""

    def __init__(self, pace_s, exporter, agent, sink_port, spool, children):
        self.pace_s = pace_s
        self.peer, peer_port = start_node_exporter(exporter)
        children.append(self.peer)
        self.ours = subprocess.Popen(
            [agent, "--server", f"http://127.0.0.1:{sink_port}", "--interval", f"{pace_s}s",
             "--spool", spool, "--node-id", "perf"], stderr=subprocess.DEVNULL)
        children.append(self.ours)
        self.connection = http.client.HTTPConnection("127.0.0.1", peer_port, timeout=5)
        self.windows = []  # (peer, ours, all of ours) in ms a collection

    def scrape(self):
        self.connection.request("GET", "/metrics", headers=SCRAPE_HEADERS)
        self.connection.getresponse().read()

    def begin(self):
        self.before = self.look()

    def end(self):
        collections = WINDOW_S / self.pace_s
        self.windows.append([(after - before) / collections / 1e6
                             for before, after in zip(self.before, self.look())])

    def look(self):
        return cpu_ns(self.peer.pid), cpu_ns(self.ours.pid, SAME_WORK), cpu_ns(self.ours.pid)

    def medians(self):
        return [statistics.median(figures) for figures in zip(*self.windows)]

    def ratio(self):
        return statistics.median(ours / peer for peer, ours, _ in self.windows)


def measure(pairs):
    """Scrapes at every pair's pace, and looks at the end of each window."""
    # Both have done their first collections, which cost more, when measuring begins.
    for _ in range(5):
        for pair in pairs:
            pair.scrape()
        time.sleep(1)
    for _ in range(WINDOWS):
        for pair in pairs:
            pair.begin()
        begin = time.monotonic()
        for second in range(WINDOW_S):
            time.sleep(max(0.0, begin + second - time.monotonic()))
            for pair in pairs:
                if second % pair.pace_s == 0:
                    pair.scrape()
        time.sleep(max(0.0, begin + WINDOW_S - time.monotonic()))
        for pair in pairs:
            pair.end()


def report(pairs, memory):
    print(f"{'':26}{'every':>7}{'CPU ms a collection':>21}   (windows)")
    passed = memory[1] < RSS_BAR_MB
    for pair in pairs:
        names = ("prometheus-node-exporter", "auscult-agent", "  all its threads")
        for name, median, figures in zip(names, pair.medians(), zip(*pair.windows)):
            windows = " ".join(f"{figure:.2f}" for figure in figures)
            print(f"{name:26}{pair.pace_s:>5} s{median:21.2f}   ({windows})")
        passed = passed and pair.ratio() <= CPU_BAR_RATIO
    print(f"counted of the agent: {', '.join(sorted(SAME_WORK))}; some collectors run every 15 s "
          "or 60 s only")
    ratios = ", ".join(f"{pair.ratio():.2f} at {pair.pace_s} s" for pair in pairs)
    print(f"CPU ratio {ratios} (bar {CPU_BAR_RATIO:.2f}), RSS {memory[1]:.1f} MB "
          f"(bar {RSS_BAR_MB}; node-exporter {memory[0]:.1f}): {'passed' if passed else 'MISSED'}")
    return passed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--agent", help="auscult-agent (looked for under build/)")
    options = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parents[2]
    agent = options.agent or next(
        (str(path) for path in [root / "build/release/bin/auscult-agent",
                                root / "build/bin/auscult-agent"] if path.exists()), None)
    exporter = shutil.which("prometheus-node-exporter")
    if not agent or not exporter:
        print("perf/agent: " + ("auscult-agent is not built: make build" if not agent else
                                "no prometheus-node-exporter: apt-get install it"),
              file=sys.stderr)
        return 3

    sink = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Sink)
    threading.Thread(target=sink.serve_forever, daemon=True).start()
    print(f"perf/agent: {WINDOWS} windows of {WINDOW_S} s; load average {os.getloadavg()[0]:.2f} "
          f"on {os.cpu_count()} CPUs", flush=True)
    children = []
    try:
        with tempfile.TemporaryDirectory() as folder:
            pairs = [Pair(pace_s, exporter, agent, sink.server_address[1],
                          f"{folder}/{pace_s}", children) for pace_s in PACES_S]
            measure(pairs)
            for pair in pairs:
                if pair.ours.poll() is not None:
                    print(f"perf/agent: auscult-agent ended with {pair.ours.returncode}",
                          file=sys.stderr)
                    return 3
            memory = (rss_mb(pairs[0].peer.pid), rss_mb(pairs[0].ours.pid))
            for pair in pairs:
                pair.ours.terminate()
                pair.ours.wait()
    finally:
        for child in children:
            if child.poll() is None:
                child.kill()
                child.wait()
        sink.shutdown()
    if Sink.batches < sum(WINDOWS * WINDOW_S // pace_s for pace_s in PACES_S):
        print("perf/agent: the agent sent too little", file=sys.stderr)
        return 3
    return 0 if report(pairs, memory) else 1


if __name__ == "__main__":
    sys.exit(main())
