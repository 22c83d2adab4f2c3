#!/usr/bin/env python3
"""The demo finds the illness it was not told of, and every figure of its report can be had again.

AUSCULT_DEMO_DATA names the folder of a finished `auscult demo`; without it one is run here.
"""

import json
import os
import pathlib
import subprocess
import sys
import time
import unittest

import support

EXPECTED = {"cpu": "cpu_contention", "disk": "storage_contention",
            "memory": "host_memory_exhaustion"}
RELATIVE = 1e-9
MAX_PRESSURE = 0.2  # where others make tasks wait this much already, one illness more is none
PATIENCE_S = 180  # a build that has just ended is still in the averages


def cpu_pressure():
    """Share of the last 10 s in which a task waited for a CPU; 0 where the kernel does not say."""
    try:
        text = pathlib.Path("/proc/pressure/cpu").read_text()
    except OSError:
        return 0.0
    return float(text.split("avg10=")[1].split()[0]) / 100


def wait_for_quiet():
    """Waits until the machine is quiet; whether it became so."""
    deadline = time.monotonic() + PATIENCE_S
    while cpu_pressure() > MAX_PRESSURE:
        if time.monotonic() > deadline:
            return False
        time.sleep(2)
    return True


def same(a, b):
    if a is None or b is None:
        return a is None and b is None
    return abs(a - b) <= RELATIVE * max(abs(a), abs(b))


class DemoReruns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        support.require_programs()
        given = os.environ.get("AUSCULT_DEMO_DATA")
        cls.output = ""
        if given:
            cls.data = pathlib.Path(given)
        elif not wait_for_quiet():
            raise unittest.SkipTest(f"this machine is busy: tasks wait for a CPU {cpu_pressure():.0%} "
                                    f"of the time for {PATIENCE_S} s, so it has no baseline of health")
        else:
            folder = support.temporary_folder()
            cls.addClassCleanup(folder.cleanup)
            cls.data = pathlib.Path(folder.name) / "demo"
            done = support.run("demo", "--fault", "cpu", "--data", cls.data, timeout=400)
            cls.output = done.stdout
            print(done.stdout, done.stderr, flush=True)
            if done.returncode != 0 and "others use this machine" in done.stdout:
                raise unittest.SkipTest("others used this machine while the demo learned what is "
                                        "usual here: it said so, and decided nothing")
            if done.returncode != 0:
                raise AssertionError(f"the demo ended with {done.returncode}")
        cls.fault = json.loads((cls.data / "demo.json").read_text())["fault"]
        reports = sorted(cls.data.glob("reports/*/diagnosis-report.json"))
        if not reports:
            raise AssertionError("the demo left no report")
        # The demo follows one incident after the other until one has a cause.
        found = [path for path in reports if json.loads(path.read_text())["verdict"] == "fault"]
        reports = found or reports
        cls.report = json.loads(reports[0].read_text())
        cls.markdown = reports[0].with_suffix(".md").read_text()

    def evidence(self):
        return [one for hypothesis in self.report["hypotheses"] for one in hypothesis["evidence"]]

    def test_it_names_the_fault_and_the_culprit_and_refutes_a_rival(self):
        self.assertEqual(self.report["verdict"], "fault")
        states = {one["fault"]: one["state"] for one in self.report["hypotheses"]}
        supported = [one for one in self.report["hypotheses"] if one["state"] == "supported"]
        self.assertEqual([one["fault"] for one in supported], [EXPECTED[self.fault]], states)
        self.assertGreater(supported[0]["location"]["pid"], 0)
        if self.output:
            self.assertIn(f"PID {supported[0]['location']['pid']} makes this host ill", self.output)
        self.assertIn("refuted", states.values(), "no rival was refuted")

    def test_every_evidence_line_gives_its_figure_again(self):
        self.assertGreater(len(self.evidence()), 5)
        environment = support.environment()
        different = []
        for one in self.evidence():
            done = subprocess.run(one["rerun"] + " --format json", shell=True, text=True, timeout=120,
                                  capture_output=True, env=environment, check=False)
            if done.returncode not in (0, 1) or not done.stdout:
                different.append(f"{one['id']}: {one['rerun']}: {done.stderr}")
                continue
            again = json.loads(done.stdout)
            for member in ("value", "baseline"):
                if not same(one[member], again[member]):
                    different.append(f"{one['id']} {member}: {one[member]} in the report, "
                                     f"{again[member]} from: {one['rerun']}")
            if one["answer"] != again["answer"] or one["statement"] != again["statement"]:
                different.append(f"{one['id']}: '{one['statement']}', again '{again['statement']}'")
        print(f"{len(self.evidence())} evidence lines, {len(different)} differ")
        self.assertEqual(different, [])

    def test_the_report_for_people_has_every_evidence_line_and_its_command(self):
        for one in self.evidence():
            self.assertIn(one["rerun"], self.markdown)
        self.assertNotIn("nan", self.markdown.lower().split())


if __name__ == "__main__":
    sys.exit(support.main())
