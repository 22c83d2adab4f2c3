#!/usr/bin/env python3
"""A server with tokens, TLS and client certificates: who has the right ones is served, nobody else;
an agent and the command line have them; a certificate is renewed while it runs; secrets are not stored."""

import contextlib
import json
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.request

import support

NOW_NS = int(time.time()) * 10**9
MAX_AGENT_BYTES = 20 * support.MIB
RENEWAL_PATIENCE_S = 30  # files are read again every 10 s


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


def certificate(folder, name, authority=None):
    """A key and its certificate: of itself, or of an authority."""
    key, cert = folder / f"{name}.key", folder / f"{name}.pem"
    signed_by = ["-CA", authority[1], "-CAkey", authority[0]] if authority else []
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
            "-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
            "-addext", f"basicConstraints=critical,CA:{'FALSE' if authority else 'TRUE'}",
            *signed_by, "-keyout", key, "-out", cert)
    return key, cert


class LockedDoors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        support.require_programs()
        if shutil.which("openssl") is None:
            raise unittest.SkipTest("openssl makes the certificates: it is not here")
        holder = support.temporary_folder()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        cls.authority = certificate(cls.folder, "authority")
        certificate(cls.folder, "server", cls.authority)
        cls.client = certificate(cls.folder, "client", cls.authority)
        cls.tokens = {}
        lines = []
        for role in ("ingest", "read", "operate"):
            made = support.run("token", "new", "--name", f"e2e-{role}", "--role", role)
            token, line = made.stdout.splitlines()
            cls.tokens[role] = token
            (cls.folder / role).write_text(token)
            lines.append(line)
        (cls.folder / "tokens.yaml").write_text("\n".join(lines))
        (cls.folder / "server.yaml").write_text(
            f"tokens: {cls.folder}/tokens.yaml\naddress: 0.0.0.0\n"
            f"tls: {{certificate: {cls.folder}/server.pem, key: {cls.folder}/server.key, "
            f"client_ca: {cls.authority[1]}}}\n")
        cls.server = support.Server(cls.folder / "data", "--config", str(cls.folder / "server.yaml"))
        cls.addClassCleanup(cls.server.stop)

    def context(self, with_certificate=True):
        context = ssl.create_default_context(cafile=self.authority[1])
        if with_certificate:
            context.load_cert_chain(self.client[1], self.client[0])
        return context

    def ask(self, path, role=None, port=None, body=None, context=None):
        """Status and body."""
        request = urllib.request.Request(f"https://127.0.0.1:{port or self.server.http_port}{path}", data=body,
                                         headers={"Content-Type": "application/json"})
        if role:
            request.add_header("Authorization", f"Bearer {self.tokens[role]}")
        try:
            with urllib.request.urlopen(request, context=context or self.context(), timeout=20) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read().decode()

    def cli(self, *arguments, role="read"):
        return support.run(*arguments, "--server", f"https://127.0.0.1:{self.server.http_port}", "--token",
                           self.folder / role, "--ca", self.authority[1], "--certificate", self.client[1], "--key",
                           self.client[0])

    def test_who_has_no_certificate_or_no_token_is_not_served(self):
        with self.assertRaises((ssl.SSLError, urllib.error.URLError, OSError)):
            self.ask("/healthz", context=self.context(with_certificate=False))
        self.assertEqual(self.ask("/healthz"), (200, "ok\n"))
        self.assertEqual(self.ask("/metrics")[0], 401)
        self.assertEqual(self.ask("/metrics", "read")[0], 200)
        status, why = self.ask("/api/auscult/v1/diagnose", "read", body=b'{"node_id": "n"}')
        self.assertEqual(status, 403)
        self.assertIn("role operate", json.loads(why)["error"])

    def test_the_command_line_has_what_it_needs_and_says_what_is_missing(self):
        done = self.cli("query", "sql", "SELECT 1 AS one", "--format", "jsonl")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout), {"one": 1})
        asked = self.cli("diagnose", "--node", "n1")
        self.assertEqual(asked.returncode, 2)
        self.assertIn("role operate", asked.stderr)

    def test_what_a_token_did_stands_in_the_incident_under_its_name(self):
        asked = self.cli("diagnose", "--node", "nobody", "--format", "json", role="operate")
        incident = json.loads(asked.stdout)["incident"]["id"]
        shown = self.cli("incident", "show", incident, "--format", "json")
        self.assertEqual(json.loads(shown.stdout)["events"][0]["actor"], "e2e-operate")
        self.assertIn("audit: e2e-operate from 127.0.0.1", self.server.log.read_text())

    def test_an_agent_delivers_over_tls_and_keeps_its_memory_small(self):
        public_key = re.search(r"server_public_key: (\S+)", self.server.log.read_text())[1]
        base = "https://127.0.0.1:"
        with open(self.folder / "agent.log", "wb") as log:
            agent = subprocess.Popen(
                [support.AGENT, "--server", base + str(self.server.otlp_port), "--control",
                 base + str(self.server.http_port), "--node-id", "locked", "--interval", "1s", "--spool",
                 str(self.folder / "spool"), "--kernel-log", "off", "--server-public-key", public_key,
                 "--token-file", str(self.folder / "ingest"), "--ca", str(self.authority[1]),
                 "--certificate", str(self.client[1]), "--key", str(self.client[0])], stdout=log, stderr=log)
        try:
            def arrived():
                done = self.cli("query", "sql", "SELECT count() AS n FROM auscult.series WHERE node_id = 'locked'",
                                "--format", "jsonl")
                return json.loads(done.stdout)["n"] > 0
            support.wait_for(arrived, 60, "series of the agent")
            resident = support.resident_bytes(agent.pid)
            print(f"agent over TLS: {resident / support.MIB:.1f} MiB resident", flush=True)
            self.assertLess(resident, MAX_AGENT_BYTES)
            self.assertNotIn("cannot ask for actions", (self.folder / "agent.log").read_text())
        finally:
            agent.terminate()
            agent.wait(30)

    def test_a_secret_in_a_log_is_not_stored(self):
        body = json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [
            {"timeUnixNano": str(NOW_NS), "body": {"stringValue": "login with password=hunter2 done"}}]}]}]})
        self.assertEqual(self.ask("/v1/logs", "ingest", self.server.otlp_port, body.encode())[0], 200)
        found = self.cli("query", "sql", "SELECT body FROM auscult.logs WHERE body LIKE 'login%'", "--format", "jsonl")
        self.assertEqual(json.loads(found.stdout)["body"], "login with password=[redacted:password] done")
        self.assertIn('auscult_redacted_total{kind="password"} 1', self.ask("/metrics", "read")[1])

    def test_a_renewed_certificate_is_used_without_a_restart(self):
        def serial(port):
            with socket.create_connection(("127.0.0.1", port), timeout=10) as plain:
                with context.wrap_socket(plain, server_hostname="localhost") as channel:
                    return channel.getpeercert()["serialNumber"]
        context = self.context()
        context.set_alpn_protocols(["h2", "http/1.1"])  # gRPC asks for it
        ports = (self.server.http_port, self.server.otlp_port, self.server.grpc_port)
        before = {serial(port) for port in ports}
        self.assertEqual(len(before), 1)
        certificate(self.folder, "server", self.authority)

        def renewed(port):
            with contextlib.suppress(OSError):  # gRPC starts anew
                return serial(port) not in before
            return False
        for port in ports:
            support.wait_for(lambda port=port: renewed(port), RENEWAL_PATIENCE_S, f"the new certificate on {port}")
        self.assertEqual(self.ask("/healthz"), (200, "ok\n"))


if __name__ == "__main__":
    sys.exit(support.main())
