#!/usr/bin/python3
"""Appends real runs of this host to host_runs.jsonl, for the tests of drift.

    record_host_runs.py AUSCULT SCRATCH_FOLDER [RUNS]

Names of the host and its folders do not go into the file. Runs that fail preflight do, marked: the
tests need both kinds, 17 trusted and 50 busy ones at least, all of one host.
"""
import json
import pathlib
import subprocess
import sys

commands = {
    "storage": ["--param", "runtime=1", "--param", "size=128M"],
    "cpu_compute": ["--param", "seconds=1"],
    "memory_bandwidth": ["--param", "seconds=1", "--param", "size=512M"],
}


def compact(line):
    result = json.loads(line)
    kind = "trusted" if result["preflight"]["passed"] else "busy"
    return {
        "run_id": kind + "-" + result["run_id"],
        "timestamp": result["timestamp"],
        "benchmark": result["benchmark"],
        "metric": result["metric"],
        "value": float("%.6g" % result["value"]),
        "unit": result["unit"],
        "device": "/scratch" if result["benchmark"] == "storage" else result["device"],
        "tags": {"node_id": "host"},
        "params": result["params"],
        "preflight": {"passed": result["preflight"]["passed"]},
    }


auscult, scratch = sys.argv[1:3]
runs = int(sys.argv[3]) if len(sys.argv) > 3 else 50
with open(pathlib.Path(__file__).parent / "host_runs.jsonl", "a") as file:
    for _ in range(runs):
        for benchmark, parameters in commands.items():
            printed = subprocess.run(
                [auscult, "bench", "run", benchmark, "--scratch", scratch, "--no-store",
                 "--format", "jsonl"] + parameters, capture_output=True, text=True, check=True)
            for line in printed.stdout.splitlines():
                result = compact(line)
                file.write(json.dumps(result, separators=(",", ":")) + "\n")
            file.flush()
