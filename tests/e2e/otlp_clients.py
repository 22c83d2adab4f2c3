#!/usr/bin/env python3
"""OpenTelemetry's own exporters (otlp_clients/send.mjs): every signal by every protocol is stored."""

import json
import subprocess
import sys
import unittest

import npm_packages
import support

PROTOCOLS = ("grpc", "http_json", "http_protobuf")
SIGNALS = ("metrics", "logs", "traces")


class OtlpClients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        support.require_programs()
        cls.installed = npm_packages.install("otlp_clients", "send.mjs")
        cls.folder = support.temporary_folder()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.server = support.Server(f"{cls.folder.name}/data")
        cls.addClassCleanup(cls.server.stop)
        cls.http = f"http://127.0.0.1:{cls.server.otlp_port}"
        cls.grpc = f"http://127.0.0.1:{cls.server.grpc_port}"

    def send(self, node, *arguments):
        """What send.mjs printed, as {(signal, protocol): ok or the error}."""
        done = subprocess.run(["node", "send.mjs", "--http", self.http, "--grpc", self.grpc,
                               "--node", node, *arguments],
                              cwd=self.installed, text=True, capture_output=True, timeout=120, check=False)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(lines), len(SIGNALS) * len(PROTOCOLS), done.stderr)
        return {(line["signal"], line["protocol"]): line["ok"] or line["error"] for line in lines}

    def stored(self, node):
        """Per signal the names that are stored, each as often as it is."""
        queries = {
            "metrics": "SELECT metric FROM auscult.samples INNER JOIN auscult.series USING (id) "
                       f"WHERE node_id = '{node}' AND value = 42 ORDER BY metric",
            "logs": f"SELECT body FROM auscult.logs WHERE node_id = '{node}' ORDER BY body",
            "traces": f"SELECT name FROM auscult.traces WHERE node_id = '{node}' ORDER BY name"}
        return {signal: [row[0] for row in self.server.sql(text)]
                for signal, text in queries.items()}

    def check(self, node, *arguments):
        sent = self.send(node, *arguments)
        self.assertEqual(set(sent.values()), {True}, sent)
        names = [f"otlp_client_{protocol}" for protocol in PROTOCOLS]
        self.assertEqual(self.stored(node), {signal: names for signal in SIGNALS})

    def test_every_signal_by_every_protocol(self):
        self.check("plain-client")

    def test_the_same_packed_by_gzip(self):
        self.check("gzip-client", "--compression", "gzip")


if __name__ == "__main__":
    sys.exit(support.main())
