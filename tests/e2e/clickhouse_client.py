#!/usr/bin/env python3
"""ClickHouse's own client for Node (clickhouse_client/read.mjs) reads from a server's /clickhouse."""

import json
import subprocess
import sys
import unittest

import npm_packages
import support


class ClickhouseClient(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        support.require_programs()
        installed = npm_packages.install("clickhouse_client", "read.mjs")
        folder = support.temporary_folder()
        cls.addClassCleanup(folder.cleanup)
        server = support.Server(f"{folder.name}/data")
        cls.addClassCleanup(server.stop)
        answer = server.post("/v1/metrics",
                             support.metrics_body("node1", "clickhouse_client", [1.0],
                                                  1_700_000_000_000_000_000))
        if answer.status != 200:
            raise AssertionError(f"the metric was not taken: {answer.body}")
        done = subprocess.run(["node", "read.mjs", "--url", f"http://127.0.0.1:{server.http_port}"],
                              cwd=installed, text=True, capture_output=True, timeout=120, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        cls.lines = {line["name"]: line for line in map(json.loads, done.stdout.splitlines())}

    def value(self, name):
        self.assertIn("value", self.lines[name], self.lines[name])
        return self.lines[name]["value"]

    def error(self, name):
        self.assertIn("error", self.lines[name], self.lines[name])
        error = self.lines[name]["error"]
        return error.get("code"), error.get("type")

    def test_it_is_there_and_names_its_version(self):
        self.assertIs(self.value("ping"), True)
        self.assertRegex(self.value("version"), r"^2\d\.\d+")

    def test_parameters_arrive_as_they_were(self):
        self.assertEqual(self.value("parameters"),
                         [{"n": 42, "s": "it's a\ttab\\", "l": ["a", "it's"], "z": None}])

    def test_answers_by_format_setting_and_id(self):
        self.assertEqual(self.value("json"), [{"x": 1}])
        self.assertEqual(self.value("settings"), [{"x": "7"}])
        self.assertEqual(self.value("query_id"), "mine-1")
        self.assertEqual(self.value("summary"), "5")

    def test_what_was_ingested_is_read(self):
        self.assertEqual(self.value("metrics"), [{"metric": "clickhouse_client", "node_id": "node1"}])

    def test_packed_answers_and_a_stream_of_100000_rows(self):
        self.assertEqual([row["number"] for row in self.value("compressed")], [0, 1, 2])
        self.assertEqual(self.value("stream"), {"n": 100000, "sum": 4999950000})

    def test_errors_are_clickhouses(self):
        self.assertEqual(self.error("syntax"), ("62", "SYNTAX_ERROR"))
        self.assertEqual(self.error("unknown_table"), ("60", "UNKNOWN_TABLE"))
        self.assertEqual(self.error("unknown_setting"), ("115", "UNKNOWN_SETTING"))
        self.assertEqual(self.error("readonly_setting"), ("164", "READONLY"))
        self.assertEqual(self.error("time"), ("159", "TIMEOUT_EXCEEDED"))

    def test_nothing_is_written_and_nothing_outside_is_read(self):
        self.assertEqual(self.error("file"), ("497", "ACCESS_DENIED"))
        self.assertEqual(self.error("url"), ("497", "ACCESS_DENIED"))
        self.assertEqual(self.error("ddl"), ("164", "READONLY"))
        self.assertEqual(self.error("insert"), ("164", "READONLY"))


if __name__ == "__main__":
    sys.exit(support.main())
