"""What the tests of the whole share: programs, folders, servers on free ports, requests, memory."""

import contextlib
import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import uuid

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BIN = pathlib.Path(os.environ.get("AUSCULT_BIN", ROOT / "build/bin"))
LIBCHDB = pathlib.Path(os.environ.get("AUSCULT_LIBCHDB", ROOT / "build/lib/libchdb.so"))
AUSCULT = str(BIN / "auscult")
AGENT = str(BIN / "auscult-agent")

START_PATIENCE_S = 60  # the first start on a machine reads all of libchdb for its checksum
MIB = 1 << 20


def require_programs():
    """Skips, with the reason, where a test of the whole cannot run."""
    for program in (AUSCULT, AGENT):
        if not os.access(program, os.X_OK):
            raise unittest.SkipTest(f"{program} is not built")
    if not LIBCHDB.is_file():
        raise unittest.SkipTest(f"no embedded ClickHouse at {LIBCHDB}: run tools/fetch-libchdb")


def main():
    """Runs the tests of the calling script. 77 says to ctest that all of them were skipped."""
    # A shell that started us in the background had us ignore it, and so would what we start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    result = unittest.main(module="__main__", exit=False, verbosity=2).result
    if not result.wasSuccessful():
        return 1
    return 77 if result.skipped and len(result.skipped) >= result.testsRun else 0


def environment(**changes):
    return {**os.environ, "AUSCULT_LIBCHDB": str(LIBCHDB), **changes}


def temporary_folder():
    """On a disk: /tmp may lie in memory."""
    return tempfile.TemporaryDirectory(prefix="auscult-e2e-", dir=os.environ.get("TMPDIR", "/var/tmp"))


def run(*arguments, timeout=60, **changes):
    """`auscult ARGUMENTS`: the finished process, with text output."""
    return subprocess.run([AUSCULT, *map(str, arguments)], env=environment(**changes), text=True,
                          capture_output=True, timeout=timeout, check=False)


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(condition, patience_s, what):
    """The first true value of condition(); fails with what was waited for."""
    deadline = time.monotonic() + patience_s
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {patience_s} s: {what}")
        time.sleep(0.05)


def new_mark():
    """Into a process's environment: what it starts, and what that starts, inherits it."""
    return {"AUSCULT_E2E_MARK": uuid.uuid4().hex}


def marked_processes(mark):
    """The pids of the living that have the mark."""
    ((name, value),) = mark.items()
    wanted = f"{name}={value}".encode()
    found = set()
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended meanwhile, or is another user's
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                found.add(int(folder.name))
    return found


def command_lines(mark):
    """Of the processes that have the mark: lists of words."""
    lines = []
    for pid in marked_processes(mark):
        with contextlib.suppress(OSError):
            lines.append(pathlib.Path(f"/proc/{pid}/cmdline").read_text().split("\0")[:-1])
    return [words for words in lines if words]


class Server:
    """`auscult serve` on a data folder. Ports: 0 takes free ones; give them to come back on the same."""

    def __init__(self, data, *arguments, otlp_port=0, http_port=0):
        self.data = pathlib.Path(data)
        self.log = pathlib.Path(str(data) + ".log")
        (self.data / "server.json").unlink(missing_ok=True)
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [AUSCULT, "serve", "--data", str(data), "--otlp-port", str(otlp_port),
                 "--grpc-port", "0", "--http-port", str(http_port), *arguments], env=environment(), stdout=log, stderr=log)
        try:
            address = wait_for(self._address, START_PATIENCE_S, "the server's server.json")
        except AssertionError:
            self.kill()
            raise
        self.otlp_port = address["otlp_port"]
        self.grpc_port = address["grpc_port"]
        self.http_port = address["http_port"]
        self.pid = self.process.pid

    def _address(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the server ended: {self.log.read_text()}")
        with contextlib.suppress(OSError, ValueError):
            return json.loads((self.data / "server.json").read_text())
        return None

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        """As an operator stops it. The exit status."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.kill()
                raise
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def sql(self, text):
        """Rows of a query, through the command line."""
        done = run("query", "sql", text, "--data", self.data, "--format", "json")
        if done.returncode != 0:
            raise AssertionError(f"{text}: {done.stderr}")
        return json.loads(done.stdout)["rows"]

    def post(self, path, body, content_type="application/json", encoding=None, timeout=60):
        headers = {"Content-Type": content_type}
        if encoding:
            headers["Content-Encoding"] = encoding
        return request(self.otlp_port, "POST", path, body, headers, timeout)

    def get(self, path, timeout=30):
        return request(self.http_port, "GET", path, None, {}, timeout)


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body


def request(port, method, path, body, headers, timeout):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        return Answer(response.status, response.headers, response.read())
    finally:
        connection.close()


def resident_bytes(pid, field="VmRSS"):
    """Of a process; VmHWM is the most it ever had since the last reset_peak()."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise AssertionError(f"no {field} of {pid}")


def reset_peak(pid):
    pathlib.Path(f"/proc/{pid}/clear_refs").write_text("5")


def in_threads(n, work):
    """work(i) in n threads; the first exception of any is raised here."""
    problems = []

    def guarded(i):
        try:
            work(i)
        except BaseException as problem:  # pylint: disable=broad-except
            problems.append(problem)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(n)]
    for thread in threads:
        thread.start()
    return threads, problems


def metrics_body(node, metric, values, first_time_ns):
    """OTLP/JSON: one gauge with a point a millisecond."""
    points = [{"timeUnixNano": str(first_time_ns + i * 1_000_000), "asDouble": value}
              for i, value in enumerate(values)]
    return json.dumps({"resourceMetrics": [{
        "resource": {"attributes": [attribute("host.name", node)]},
        "scopeMetrics": [{"metrics": [{"name": metric, "gauge": {"dataPoints": points}}]}]}]}).encode()


def logs_body(node, lines, first_time_ns):
    records = [{"timeUnixNano": str(first_time_ns + i), "body": {"stringValue": line}}
               for i, line in enumerate(lines)]
    return json.dumps({"resourceLogs": [{
        "resource": {"attributes": [attribute("host.name", node)]},
        "scopeLogs": [{"logRecords": records}]}]}).encode()


def attribute(key, value):
    return {"key": key, "value": {"stringValue": value}}
