# SPDX-License-Identifier: Apache-2.0
"""scripted_server.py [SCRIPT [CERT KEY]]: an OpenAI-compatible server that answers on a script, to test load
generators. With CERT and KEY, PEM files, it speaks https.

Prints its port, then serves until stdin closes. A request's member "script" (--extra-body sends it),
over SCRIPT, says what the answer does, as JSON; every field has a default:

  ttft_ms, gap_ms   before the first chunk and between chunks: a number, or [low, high]
  chunks            of output; default: the request's max_tokens
  tokens_per_chunk  what usage counts for a chunk
  fault             "500", "cut" (closes half way), "error" (an error in the stream), "bad_json",
                    "no_usage", "no_stream" (a plain JSON reply), "silent" (never answers)
  fault_every       only each n-th request has the fault

GET /records lists what was sent when, by X-Request-Id, in ns of the monotonic clock; GET /stats
counts requests and connections; POST /reset forgets both. Chunks are sent by timers of one event
loop; a chunk's time is taken when it is handed to the socket.
"""
import asyncio
import json
import random
import ssl
import sys
import time

ROLE = {"role": "assistant", "content": ""}


class State:
    def __init__(self):
        self.random = random.Random(1)
        self.reset()

    def reset(self):
        self.records = {}
        self.requests = 0
        self.connections = 0
        self.prompts = []

    def pick(self, value):
        return self.random.uniform(*value) if isinstance(value, list) else value


STATE = State()
DEFAULTS = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}


def chunk(data):
    """`data` as one event in one chunk of HTTP's chunked coding."""
    text = b"data: " + data + b"\n\n"
    return b"%x\r\n%s\r\n" % (len(text), text)


class Stream:
    """One streamed answer."""

    def __init__(self, connection, body, record):
        script = DEFAULTS | body.get("script", {})
        self.connection = connection
        self.record = record
        self.chat = "messages" in body
        self.chunks = script.get("chunks", body.get("max_tokens", 16))
        self.tokens_per_chunk = script.get("tokens_per_chunk", 1)
        self.gap = script.get("gap_ms", 10)
        every = script.get("fault_every", 1)
        self.fault = script.get("fault") if STATE.requests % every == 0 else None
        self.prompt_tokens = count_prompt(body)
        self.sent = 0
        self.loop = asyncio.get_running_loop()
        self.due = self.loop.time() + STATE.pick(script.get("ttft_ms", 20)) / 1000

    def start(self):
        write = self.connection.transport.write
        if self.fault == "500":
            reply(self.connection, 500, {"error": {"message": "scripted failure"}})
        elif self.fault == "no_stream":
            reply(self.connection, 200, {"choices": []})
        elif self.fault != "silent":
            write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                  b"Transfer-Encoding: chunked\r\n\r\n")
            self.loop.call_at(self.due, self.step)

    def output(self):
        word = {"content": " word"} if self.chat else None
        choice = {"index": 0, "finish_reason": None}
        choice |= {"delta": word} if self.chat else {"text": " word"}
        return json.dumps({"id": "x", "choices": [choice]}).encode()

    def step(self):
        transport = self.connection.transport
        if transport.is_closing():
            self.record["closed_by_client"] = True
            return
        if self.sent == self.chunks // 2 and self.fault == "cut":
            transport.abort() if self.sent % 2 else transport.close()
            return
        if self.sent == self.chunks // 2 and self.fault in ("error", "bad_json"):
            bad = b'{"error": {"message": "scripted"}}' if self.fault == "error" else b"{oops"
            transport.write(chunk(bad))
            self.finish()
            return
        text = self.output()
        if self.sent == 0 and self.chat:
            first = {"id": "x", "choices": [{"index": 0, "delta": ROLE, "finish_reason": None}]}
            transport.write(chunk(json.dumps(first).encode()))
        self.record["chunks_ns"].append(time.monotonic_ns())
        transport.write(chunk(text))
        self.sent += 1
        if self.sent >= self.chunks:
            self.finish()
            return
        self.due += STATE.pick(self.gap) / 1000
        self.loop.call_at(self.due, self.step)

    def finish(self):
        end = {"index": 0, "finish_reason": "length"} | ({"delta": {}} if self.chat else {"text": ""})
        out = chunk(json.dumps({"id": "x", "choices": [end]}).encode())
        if self.fault != "no_usage":
            tokens = self.sent * self.tokens_per_chunk
            usage = {"prompt_tokens": self.prompt_tokens, "completion_tokens": tokens,
                     "total_tokens": self.prompt_tokens + tokens}
            out += chunk(json.dumps({"id": "x", "choices": [], "usage": usage}).encode())
        self.connection.transport.write(out + chunk(b"[DONE]") + b"0\r\n\r\n")


def count_prompt(body):
    """Token ids count as tokens, text (or a list of text parts) by its words."""
    prompt = body.get("prompt", "")
    if isinstance(prompt, list):
        return len(prompt)
    texts = [prompt]
    for message in body.get("messages", []):
        content = message["content"]
        texts += [content] if isinstance(content, str) else [part["text"] for part in content]
    return sum(len(text.split()) for text in texts)


def reply(connection, status, value):
    body = json.dumps(value).encode()
    connection.transport.write(b"HTTP/1.1 %d Scripted\r\nContent-Type: application/json\r\n"
                               b"Content-Length: %d\r\n\r\n%s" % (status, len(body), body))


class Connection(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        self.buffer = b""
        STATE.connections += 1

    def data_received(self, data):
        self.buffer += data
        head, found, rest = self.buffer.partition(b"\r\n\r\n")
        if not found:
            return
        lines = head.decode().split("\r\n")
        headers = {name.lower(): value.strip()
                   for name, _, value in (line.partition(":") for line in lines[1:])}
        length = int(headers.get("content-length", 0))
        if len(rest) < length:
            return
        now = time.monotonic_ns()
        self.buffer = rest[length:]
        method, path, _ = lines[0].split(" ")
        self.handle(method, path, headers, rest[:length], now)

    def handle(self, method, path, headers, body, now):
        if method == "POST" and path.startswith("/v1/"):
            STATE.requests += 1
            request = json.loads(body)
            record = {"received_ns": now, "chunks_ns": [],
                      "prompt": request.get("prompt", request.get("messages")),
                      "max_tokens": request.get("max_tokens")}
            STATE.records[headers.get("x-request-id", str(STATE.requests))] = record
            Stream(self, request, record).start()
        elif path == "/v1/models":
            reply(self, 200, {"object": "list", "data": [{"id": "scripted"}]})
        elif path == "/health":
            reply(self, 200, {})
        elif path == "/records":
            reply(self, 200, STATE.records)
        elif path == "/stats":
            reply(self, 200, {"requests": STATE.requests, "connections": STATE.connections})
        elif path == "/reset":
            STATE.reset()
            reply(self, 200, {})
        else:
            reply(self, 404, {"error": {"message": path}})


async def main():
    loop = asyncio.get_running_loop()
    tls = None
    if len(sys.argv) > 3:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(sys.argv[2], sys.argv[3])
    server = await loop.create_server(Connection, "127.0.0.1", 0, backlog=4096, ssl=tls)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
