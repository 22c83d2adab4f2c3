#!/usr/bin/env python3
"""Writes what a Prometheus server says on the wire, beside itself: remote_write.hex (a request body
a line), remote_read_chunked.hex, remote_read_samples.hex, and in prometheus_values.txt what its
query API says of the same samples ("metric milliseconds value" a line). Needs Debian's prometheus
2.42 and Python alone: make_prometheus.py. Takes ten seconds; all ports are on loopback."""
import http.server, json, pathlib, socket, subprocess, tempfile, threading, time
import urllib.parse, urllib.request

HERE = pathlib.Path(__file__).parent
N_SCRAPES = 24
START_MS = int(time.time() * 1000) - 50 * 60_000
DELTAS_MS = [1000, 1000, 1001, 20_000, 1000, 90_000, 700, 650_000, 1000]  # every width of a chunk
GAUGE = ["0", "-0.5", "NaN", "+Inf", "1e300", "-0.5", "3.141592653589793", "-Inf", "5e-324", "1"]
CONFIG = """
global: {scrape_interval: 100ms, scrape_timeout: 90ms, external_labels: {cluster: c1, __replica__: r0}}
scrape_configs:
  - job_name: demo
    static_configs: [{targets: ['127.0.0.1:PORT'], labels: {instance: 'n7:9100', gpu: '0'}}]
remote_write:
  - url: http://127.0.0.1:PORT/write
    send_exemplars: true
    write_relabel_configs: [{source_labels: [__name__], regex: demo_.*, action: keep}]
    queue_config: {batch_send_deadline: 500ms, min_shards: 1, max_shards: 1}
    metadata_config: {send_interval: 2s}
"""


def exposition(n):
    late_ms = START_MS + sum(DELTAS_MS[i % len(DELTAS_MS)] for i in range(n))
    lines = ["# TYPE demo_requests counter",
             f'demo_requests_total{{path="/a\\"b\\n"}} {n * 7} # {{trace_id="t{n}"}} 1 {time.time():.3f}',
             "# TYPE demo_gauge gauge", f"demo_gauge {GAUGE[n % len(GAUGE)]}",
             "# TYPE demo_constant gauge", "demo_constant 42",
             "# TYPE demo_late gauge", f"demo_late {n * n / 8} {late_ms / 1000:.3f}",
             "# TYPE demo_wait histogram", f'demo_wait_bucket{{le="1.0"}} {n}',
             f'demo_wait_bucket{{le="+Inf"}} {2 * n}', f"demo_wait_count {2 * n}", f"demo_wait_sum {n / 3}"]
    if n < N_SCRAPES // 2:
        lines += ["# TYPE demo_gone gauge", f"demo_gone {n}"]
    return "\n".join(lines + ["# EOF", ""]).encode()


class Handler(http.server.BaseHTTPRequestHandler):
    scrapes, bodies = 0, []

    def do_GET(self):
        body = exposition(min(Handler.scrapes, N_SCRAPES))
        Handler.scrapes += 1
        self.send_response(200 if Handler.scrapes <= N_SCRAPES else 503)
        self.send_header("Content-Type", "application/openmetrics-text; version=1.0.0")
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        Handler.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def varint(n):
    out = b""
    while n >= 128:
        out, n = out + bytes([n % 128 + 128]), n // 128
    return out + bytes([n])


def field(number, content):
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def read(port, response_type):
    matcher = field(1, 2) + field(2, b"__name__") + field(3, b"demo_.*")
    query = field(1, 0) + field(2, int(time.time() * 1000)) + field(3, matcher)
    request = field(1, query) + field(2, response_type)
    block = varint(len(request)) + bytes([60 << 2, len(request) - 1]) + request  # one literal
    headers = {"Content-Encoding": "snappy", "Content-Type": "application/x-protobuf",
               "X-Prometheus-Remote-Read-Version": "0.1.0"}
    url = f"http://127.0.0.1:{port}/api/v1/read"
    return urllib.request.urlopen(urllib.request.Request(url, block, headers)).read()


def values(port):
    query = urllib.parse.urlencode({"query": '{__name__=~"demo_.*"}[1h]'})
    answer = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/query?{query}"))
    for series in answer["data"]["result"]:
        name = series["metric"]["__name__"] + series["metric"].get("le", "")
        for seconds, value in series["values"]:
            yield f"{name} {round(seconds * 1000)} {value}\n"


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "prometheus.yml"
        config.write_text(CONFIG.replace("PORT", str(server.server_port)))
        command = ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={folder}/data",
                   f"--web.listen-address=127.0.0.1:{port}", "--enable-feature=exemplar-storage"]
        with open(f"{folder}/log", "w") as log:
            process = subprocess.Popen(command, stderr=log)
        try:
            while Handler.scrapes < N_SCRAPES + 10:
                if process.poll() is not None:
                    raise SystemExit(pathlib.Path(f"{folder}/log").read_text())
                time.sleep(0.1)
            time.sleep(4)  # the last batches, and one of metadata
            (HERE / "remote_write.hex").write_text("".join(b.hex() + "\n" for b in Handler.bodies))
            (HERE / "remote_read_chunked.hex").write_text(read(port, 1).hex() + "\n")
            (HERE / "remote_read_samples.hex").write_text(read(port, 0).hex() + "\n")
            (HERE / "prometheus_values.txt").write_text("".join(sorted(values(port))))
        finally:
            process.terminate()
            process.wait()


main()
