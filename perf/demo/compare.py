#!/usr/bin/env python3
"""The demo against the clock, and the idle server's memory.

Bars: fault to verdict below 60 s, the whole demo below 240 s, an idle server below 400 MB RSS.
There is no peer that does the whole loop; the bars are the product's own promise.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
AUSCULT = ROOT / "build/bin/auscult"
IDLE_SECONDS = 15


def rss_mb(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def idle_server(folder):
    server = subprocess.Popen(
        [AUSCULT, "serve", "--data", folder, "--otlp-port", "0", "--http-port", "0"],
        stderr=subprocess.DEVNULL)
    try:
        address = pathlib.Path(folder) / "server.json"
        deadline = time.monotonic() + 60
        while not address.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        json.loads(address.read_text())
        time.sleep(IDLE_SECONDS)
        return rss_mb(server.pid)
    finally:
        server.terminate()
        server.wait()


def demo(folder, fault):
    begun = time.monotonic()
    result = subprocess.run([AUSCULT, "demo", "--fault", fault, "--data", folder],
                            capture_output=True, text=True)
    total = time.monotonic() - begun
    found = re.search(r"from the fault to the verdict: ([0-9.]+) s", result.stdout)
    if result.returncode != 0 or not found:
        print(result.stdout, result.stderr, sep="\n")
        return None, total
    return float(found[1]), total


def main():
    missed = False

    def bar(name, value, limit, unit):
        nonlocal missed
        ok = value is not None and value < limit
        missed |= not ok
        shown = "none" if value is None else f"{value:.1f}"
        print(f"{name}: {shown} {unit} (bar {limit} {unit}) {'ok' if ok else 'MISSED'}")

    # Not in /tmp, which is memory on many machines: the disk demo needs a disk.
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="auscult-perf-") as folder:
        bar("idle server RSS", idle_server(f"{folder}/idle"), 400, "MB")
        for fault in ("disk", "cpu", "memory"):
            verdict, total = demo(f"{folder}/demo", fault)
            bar(f"demo --fault {fault}: fault to verdict", verdict, 60, "s")
            bar(f"demo --fault {fault}: whole", total, 240, "s")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
