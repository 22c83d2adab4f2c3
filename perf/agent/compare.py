#!/usr/bin/env python3
"""The agent beside prometheus-node-exporter, in one run, on this host: CPU of one collection and
memory. Exit status 1 when a bar is missed, 3 when the measurement could not be made.

Both collect the same things once a second: node_exporter because it is scraped, the agent because
that is its interval. The bar is about those: the agent's threads that collect, spool and send. What
node_exporter does not do at all, following logs and looking at processes, is in "all of it". CPU is
the scheduler's own account in nanoseconds (/proc/<pid>/task/*/schedstat), not ticks, which are 10 ms
wide."""
import argparse
import http.server
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

RSS_BAR_MB = 12
WINDOWS = 5
SAME_WORK = {"auscult-collect", "auscult-send"}
CPU_BAR_RATIO = 1 / 3
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
            return process, url
        except OSError:
            time.sleep(0.1)
    process.kill()
    raise RuntimeError(f"{program} did not answer on {url}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--agent", help="auscult-agent (looked for under build/)")
    parser.add_argument("--seconds", type=int, default=7, help="of one window")
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
    children = []
    try:
        peer, url = start_node_exporter(exporter)
        children.append(peer)
        with tempfile.TemporaryDirectory() as spool:
            ours = subprocess.Popen(
                [agent, "--server", f"http://127.0.0.1:{sink.server_address[1]}", "--interval",
                 "1s", "--spool", spool, "--node-id", "perf"], stderr=subprocess.DEVNULL)
            children.append(ours)
            # Both have done their first collections, which cost more, when measuring begins.
            for _ in range(5):
                urllib.request.urlopen(url, timeout=5).read()
                time.sleep(1)
            if ours.poll() is not None:
                print(f"perf/agent: auscult-agent ended with {ours.returncode}", file=sys.stderr)
                return 3
            windows = []
            for _ in range(WINDOWS):
                begin = (cpu_ns(peer.pid), cpu_ns(ours.pid, SAME_WORK), cpu_ns(ours.pid))
                for _ in range(options.seconds):
                    urllib.request.urlopen(url, timeout=5).read()
                    time.sleep(1)
                end = (cpu_ns(peer.pid), cpu_ns(ours.pid, SAME_WORK), cpu_ns(ours.pid))
                windows.append([(after - before) / options.seconds / 1e6
                                for before, after in zip(begin, end)])
            memory = (rss_mb(peer.pid), rss_mb(ours.pid))
            ours.terminate()
            ours.wait()
    finally:
        for child in children:
            if child.poll() is None:
                child.kill()
                child.wait()
        sink.shutdown()

    if Sink.batches < WINDOWS * options.seconds:
        print("perf/agent: the agent sent too little", file=sys.stderr)
        return 3
    # The quietest window of each: what else runs on the host only ever adds.
    peer_ms, ours_ms, whole_ms = (min(figures) for figures in zip(*windows))
    ratio = ours_ms / peer_ms
    print(f"{'':24}{'CPU ms a collection':>20}{'RSS MB':>9}")
    print(f"{'prometheus-node-exporter':24}{peer_ms:20.2f}{memory[0]:9.1f}")
    print(f"{'auscult-agent':24}{ours_ms:20.2f}{memory[1]:9.1f}")
    print(f"{'  all of it':24}{whole_ms:20.2f}")
    passed = ratio <= CPU_BAR_RATIO and memory[1] < RSS_BAR_MB
    print(f"CPU ratio {ratio:.2f} (bar {CPU_BAR_RATIO:.2f}), RSS {memory[1]:.1f} MB "
          f"(bar {RSS_BAR_MB}): {'passed' if passed else 'MISSED'}")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
