# SPDX-License-Identifier: Apache-2.0
"""glint bench serve over https: certificates of a CA made here, and servers that are not what the
client expects."""
import json
import socketserver
import ssl
import subprocess
import threading
import time

import pytest
from test_bench_serve import Server, result_of, unused_port

KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]


def openssl(folder, *words):
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


def certify(folder, name, alternatives, days=2):
    """NAME.pem and NAME.key in the folder, from its CA, for the alternative names."""
    (folder / f"{name}.ext").write_text(f"subjectAltName={alternatives}\n")
    openssl(folder, "req", "-new", *KEY, "-keyout", f"{name}.key", "-subj", f"/CN={name}", "-out",
            f"{name}.csr")
    openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
            "-CAcreateserial", "-days", str(days), "-extfile", f"{name}.ext", "-out", f"{name}.pem")


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """A folder with ca.pem and, signed by it, good, other (another host's) and expired."""
    folder = tmp_path_factory.mktemp("certificates")
    openssl(folder, "req", "-x509", *KEY, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=ca",
            "-days", "2")
    certify(folder, "good", "DNS:localhost,IP:127.0.0.1")
    certify(folder, "other", "DNS:other.example")
    certify(folder, "expired", "DNS:localhost", days=-1)
    return folder


@pytest.fixture(scope="module")
def start(certificates):
    """start(NAME): the server with that certificate, started once, by the name localhost."""
    servers = {}

    def server(name):
        if name not in servers:
            servers[name] = Server("{}", certificates / f"{name}.pem", certificates / f"{name}.key")
        return servers[name]

    yield server
    for one in servers.values():
        one.close()


@pytest.fixture
def bench(run_glint):
    """bench(url, *words): the command with a model and without warm-up, so that a failed handshake
    is a failed request."""

    defaults = {"--random-input-len": "16", "--random-output-len": "4", "--num-prompts": "6"}

    def run(url, *words):
        more = [word for name, value in defaults.items() if name not in words
                for word in (name, value)]
        return run_glint("bench", "serve", "--base-url", url, "--endpoint", "completions", "--model",
                         "scripted", "--num-warmups", "0", "--json", *more, *words)

    return run


def port_of(server):
    return server.url.rpartition(":")[2]


@pytest.fixture
def answering():
    """answering(reply, ...): the URL of a server that answers what it reads with `reply`, and
    with nothing when that is None. Closed by the test's end."""
    servers = []

    def start_one(reply, tls=None):
        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                # A client that gives up closes; what it sent has no meaning here.
                try:
                    if tls is not None:
                        self.request = tls.wrap_socket(self.request, server_side=True)
                    while self.request.recv(65536):
                        if reply is not None:
                            self.request.sendall(reply)
                            return
                except OSError:
                    pass

        server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"https://localhost:{server.server_address[1]}"

    yield start_one
    for server in servers:
        server.shutdown()
        server.server_close()


def failure_of(process):
    """What a run says of which every request failed."""
    assert (process.returncode, process.stdout) == (1, "")
    assert "all 6 requests failed: " in process.stderr
    return process.stderr.partition("all 6 requests failed: ")[2].strip()


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_the_own_ca_is_trusted(bench, start, certificates, host):
    process = bench(f"https://{host}:{port_of(start('good'))}/v1", "--ca-file",
                    str(certificates / "ca.pem"), "--max-concurrency", "2", "--threads", "2")
    result = result_of(process)
    assert (result["completed"], result["failed"]) == (6, 0)
    assert result["total_output_tokens"] == 24
    assert result["client"]["connections"] == 2
    assert "not verified" not in process.stderr


def test_large_prompts_pass_and_cancelled_requests_are_closed(bench, start, certificates):
    words = ["--ca-file", str(certificates / "ca.pem"), "--max-concurrency", "3"]
    url = f"https://localhost:{port_of(start('good'))}"
    result = result_of(bench(url, *words, "--random-input-len", "50000"))
    assert (result["completed"], result["total_input_tokens"]) == (6, 300_000)
    result = result_of(bench(url, *words, "--num-prompts", "30", "--cancel-share", "0.5"))
    assert result["cancelled"] > 3 and result["cancelled"] + result["completed"] == 30


def test_the_model_is_asked_for(run_glint, start, certificates):
    url = f"https://localhost:{port_of(start('good'))}"
    words = ["bench", "serve", "--num-prompts", "1", "--random-output-len", "2", "--json"]
    result = result_of(run_glint(*words, "--base-url", url, "--ca-file",
                                 str(certificates / "ca.pem")))
    assert result["model_id"] == "scripted"
    process = run_glint(*words, "--base-url", url)
    assert (process.returncode, process.stdout) == (1, "")
    assert f"{url}: the certificate of localhost is refused" in process.stderr


def test_an_unknown_ca_is_refused(bench, start):
    error = failure_of(bench(f"https://localhost:{port_of(start('good'))}"))
    assert "the certificate of localhost is refused: " in error
    assert "issuer" in error and "--ca-file" in error


@pytest.mark.parametrize("certificate, host, reason", [
    ("other", "localhost", "ostname mismatch"),
    ("other", "127.0.0.1", "IP address mismatch"),
    ("expired", "localhost", "certificate has expired"),
])
def test_a_wrong_certificate_is_refused(bench, start, certificates, certificate, host, reason):
    error = failure_of(bench(f"https://{host}:{port_of(start(certificate))}", "--ca-file",
                             str(certificates / "ca.pem")))
    assert f"the certificate of {host} is refused: " in error
    assert reason in error


@pytest.mark.parametrize("certificate", ["good", "other", "expired"])
def test_insecure_takes_any_certificate_and_says_so_once(bench, start, certificate):
    process = bench(f"https://localhost:{port_of(start(certificate))}", "--insecure")
    assert result_of(process)["completed"] == 6
    assert process.stderr.count("not verified") == 1


def test_the_server_is_told_the_name(bench, answering, certificates):
    """Servers choose their certificate by it; there is none for an address."""
    names = []
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificates / "good.pem", certificates / "good.key")
    tls.sni_callback = lambda socket, name, context: names.append(name)
    url = answering(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", tls)
    assert "HTTP 503" in failure_of(bench(url, "--insecure"))
    assert "HTTP 503" in failure_of(bench(url.replace("localhost", "127.0.0.1"), "--insecure"))
    assert names == ["localhost"] * 6 + [None] * 6


def test_a_server_of_plain_http_is_named(bench, answering):
    error = failure_of(bench(answering(b"HTTP/1.1 400 Bad Request\r\n\r\n")))
    assert "TLS handshake: wrong version number" in error
    assert "plain http?" in error


@pytest.mark.parametrize("reply", [b"\x00" * 100, b"\x15\x03\x03\x00\x02\x02\x28", b"\x16\x03"])
def test_a_broken_handshake_is_a_failed_request(bench, answering, reply):
    assert "TLS handshake: " in failure_of(bench(answering(reply), "--timeout", "5"))


def test_a_silent_handshake_times_out(bench, answering):
    before = time.monotonic()
    process = bench(answering(None), "--timeout", "0.3")
    assert "TLS handshake: " in failure_of(process) and "timeout" in process.stderr
    assert time.monotonic() - before < 20


def test_http_to_a_port_of_https_fails(bench, start):
    assert "no answer" in failure_of(bench(f"http://localhost:{port_of(start('good'))}"))


def test_an_idle_connection_that_the_server_closed_is_opened_again(bench, answering, certificates):
    """Each reply is an end of stream after a whole HTTP answer that allows another."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificates / "good.pem", certificates / "good.key")
    choice = {"index": 0, "text": " word", "finish_reason": "length"}
    body = f"data: {json.dumps({'id': 'x', 'choices': [choice]})}\n\ndata: [DONE]\n\n".encode()
    reply = (b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n%s"
             % (len(body), body))
    process = bench(answering(reply, tls), "--ca-file", str(certificates / "ca.pem"))
    result = result_of(process)
    assert (result["completed"], result["failed"]) == (6, 0), process.stderr
    assert result["client"]["connections"] == 6


@pytest.mark.parametrize("text, reason", [(None, "No such file"), ("no certificate\n", "ca.pem: ")])
def test_a_ca_file_that_cannot_be_read_is_named(bench, tmp_path, text, reason):
    path = tmp_path / "ca.pem"
    if text is not None:
        path.write_text(text)
    process = bench(f"https://localhost:{unused_port()}", "--ca-file", str(path))
    assert (process.returncode, process.stdout) == (1, "")
    assert f"ca-file {path}: " in process.stderr and reason in process.stderr
