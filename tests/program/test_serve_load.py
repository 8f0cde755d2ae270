# SPDX-License-Identifier: Apache-2.0
"""`glint serve` with many clients at once, with clients that leave, and with hostile ones."""
import concurrent.futures
import http.client
import json
import os
import random
import signal
import socket
import threading
import time
import urllib.error

import pytest
import served

CLIENTS = 32
REQUESTS = 1000
PROMPTS = 40


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return served.make_model(tmp_path_factory.mktemp("served") / "model")


@pytest.fixture
def server(glint, model, tmp_path):
    with served.serving(glint, model, tmp_path / "log", "--max-sequences", "16",
                        "--cache-tokens", "16384") as running:
        yield running


def wait_until_idle(server, seconds=60):
    deadline = time.monotonic() + seconds
    while server.metric("vllm:num_requests_running") + server.metric("vllm:num_requests_waiting"):
        assert time.monotonic() < deadline, "requests are left"
        time.sleep(0.02)


def test_many_clients_with_disconnects_get_their_solo_answers(server):
    """32 clients, 1,000 requests: every finished greedy answer is the one that its prompt gets
    alone, and the pages come back."""
    rng = random.Random(7)
    asks = [{"prompt": [rng.randrange(2500) for _ in range(rng.choice([1, 5, 17, 60, 300]))],
             "max_tokens": rng.choice([1, 2, 8, 20, 32]), "temperature": 0, "ignore_eos": True}
            for _ in range(PROMPTS)]
    solo = []
    for ask in asks:
        status, reply = server.post("/v1/completions", ask)
        assert status == 200
        solo.append(reply["choices"][0]["text"])
    finished, left = [0], [0]
    count = threading.Lock()

    def one(number):
        mine = random.Random(number)
        index = mine.randrange(PROMPTS)
        stream, leaves = mine.random() < 0.5, mine.random() < 0.25
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        connection.request("POST", "/v1/completions", json.dumps(asks[index] | {"stream": stream}))
        if leaves:
            time.sleep(mine.random() * 0.05)
            if stream and mine.random() < 0.5:
                connection.getresponse().read(mine.randrange(1, 200))
            connection.close()
            with count:
                left[0] += 1
            return
        body = connection.getresponse()
        text = body.read().decode()
        connection.close()
        assert body.status == 200, text
        if stream:
            events = [line[6:] for line in text.split("\n") if line.startswith("data: ")]
            assert events.count("[DONE]") == 1 and events[-1] == "[DONE]"
            chunks = [json.loads(event)["choices"][0] for event in events[:-1]]
            assert [c["finish_reason"] for c in chunks if c["finish_reason"]] == ["length"]
            answer = "".join(chunk["text"] for chunk in chunks)
        else:
            answer = json.loads(text)["choices"][0]["text"]
        assert answer == solo[index], number
        with count:
            finished[0] += 1

    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
        for done in pool.map(one, range(REQUESTS)):
            assert done is None
    assert finished[0] + left[0] == REQUESTS and left[0] > REQUESTS / 10
    wait_until_idle(server)
    assert server.metric("vllm:kv_cache_usage_perc") == 0
    assert server.metric("vllm:corrupted_requests_total") == 0


def test_a_full_queue_is_429_with_retry_after(glint, model, tmp_path):
    with served.serving(glint, model, tmp_path / "log", "--max-sequences", "1", "--max-waiting",
                        "2") as server:
        def ask(_):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
            connection.request("POST", "/v1/completions",
                               json.dumps({"prompt": [1, 2], "max_tokens": 300, "temperature": 0,
                                           "ignore_eos": True}))
            reply = connection.getresponse()
            return reply.status, reply.getheader("Retry-After"), json.loads(reply.read())

        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            replies = list(pool.map(ask, range(12)))
    refused = [reply for reply in replies if reply[0] == 429]
    assert refused and {reply[0] for reply in replies} == {200, 429}
    for _, retry_after, body in refused:
        assert retry_after == "1"
        assert body["error"]["type"] == "rate_limit_error"


def stream_of(server, tokens):
    """A connection on which a stream of so many tokens has begun, and the reply."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    connection.request("POST", "/v1/completions",
                       json.dumps({"prompt": [1, 2, 3], "max_tokens": tokens, "temperature": 0,
                                   "ignore_eos": True, "stream": True}))
    reply = connection.getresponse()
    reply.read(20)
    return connection, reply


def test_sigterm_lets_streams_finish_and_refuses_new_work(glint, model, tmp_path):
    server = served.Server(glint, model, tmp_path / "log")
    connection, reply = stream_of(server, 1500)
    idle = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    idle.request("GET", "/health/ready")
    assert idle.getresponse().read()
    server.process.send_signal(signal.SIGTERM)
    time.sleep(0.2)
    idle.request("GET", "/health/ready")
    refused = idle.getresponse()
    assert refused.status == 503 and refused.getheader("Retry-After")
    refused.read()
    with pytest.raises((urllib.error.URLError, ConnectionError)):
        server.get("/health/live")
    rest = reply.read().decode()
    assert rest.rstrip().endswith("data: [DONE]") and '"finish_reason":"length"' in rest
    connection.close()
    assert server.process.wait(30) == 0


def test_a_second_signal_ends_at_once(glint, model, tmp_path):
    server = served.Server(glint, model, tmp_path / "log")
    connection, reply = stream_of(server, 1900)
    server.process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(10) == 0
    assert "were cut" in (tmp_path / "log").read_text()
    connection.close()
    del reply


def raw(server, data, then=b""):
    """What comes back for bytes on a connection, until the server closes it or 3 s pass."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=3) as connection:
        connection.sendall(data)
        got = b""
        try:
            while piece := connection.recv(65536):
                got += piece
                if then:
                    connection.sendall(then)
                    then = b""
        except (TimeoutError, ConnectionError):
            pass
    return got


def test_hostile_clients_do_not_disturb_others(server):
    body = json.dumps({"prompt": [1], "max_tokens": 2}).encode()
    good = (b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body)
            + body)
    assert raw(server, b"\x00\xffnonsense\r\n\r\n").startswith(b"HTTP/1.1 400 ")
    assert raw(server, b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n").startswith(
        b"HTTP/1.1 431 ")
    assert raw(server, b"POST /v1/completions HTTP/1.1\r\nContent-Length: 999999999999\r\n\r\n"
               ).startswith(b"HTTP/1.1 413 ")
    assert raw(server, b"POST /v1/completions HTTP/1.1\r\nContent-Length: -5\r\n\r\n").startswith(
        b"HTTP/1.1 400 ")
    # Two requests in one packet get two replies, in order.
    assert raw(server, good + good).count(b"HTTP/1.1 200 OK") == 2
    # HTTP/1.0 has no chunks: the stream ends with the connection.
    stream = json.dumps({"prompt": [1], "max_tokens": 2, "stream": True}).encode()
    reply = raw(server, b"POST /v1/completions HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % len(stream)
                + stream)
    assert b"chunked" not in reply and reply.rstrip().endswith(b"data: [DONE]")
    # A header or a body that never ends, and one that is cut, cost a connection and nothing else.
    held = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(200)]
    for number, connection in enumerate(held):
        connection.sendall([b"POST /v1/comp", good[:-3], b"GET / HTTP/1.1\r\nX: "][number % 3])
    status, _ = server.post("/v1/completions", {"prompt": [1], "max_tokens": 2})
    assert status == 200
    for connection in held:
        connection.close()
    wait_until_idle(server)


def test_a_reader_that_does_not_read_does_not_hold_the_engine(server):
    with socket.create_connection(("127.0.0.1", server.port)) as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        body = json.dumps({"prompt": [1], "max_tokens": 1500, "stream": True,
                           "ignore_eos": True}).encode()
        slow.sendall(b"POST /v1/completions HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body)
                     + body)
        start = time.monotonic()
        status, _ = server.post("/v1/completions", {"prompt": [1], "max_tokens": 20})
        assert status == 200 and time.monotonic() - start < 20
        wait_until_idle(server)  # the slow one's tokens wait in its connection, not in the engine


def test_descriptors_come_back(server):
    folder = f"/proc/{server.process.pid}/fd"
    server.get("/health/live")
    before = len(os.listdir(folder))
    for _ in range(50):
        raw(server, b"GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n")
        connection, _ = stream_of(server, 500)
        connection.close()
    wait_until_idle(server)
    deadline = time.monotonic() + 10
    while len(os.listdir(folder)) > before + 2:
        assert time.monotonic() < deadline
        time.sleep(0.05)
