# SPDX-License-Identifier: Apache-2.0
"""A small model to serve, and a server process: what the tests of `glint serve` and `chat` share.

The model has random weights (--synthetic), the shape of tests/golden/glm_moe_dsa, the small trained
vocabulary and a chat template of our own.
"""
import contextlib
import json
import shutil
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEMPLATE = ROOT / "tests/text/glm-5.2.jinja"


def make_model(folder):
    """Writes the model's files into `folder`; --synthetic gives the weights."""
    vocabulary = json.loads((ROOT / "tests/vocab/small/tokenizer.json").read_text())
    added = {token["content"]: token["id"] for token in vocabulary["added_tokens"]}
    config = json.loads((ROOT / "tests/golden/glm_moe_dsa/config.json").read_text())
    ends = [added[name] for name in ("<|endoftext|>", "<|user|>", "<|observation|>")]
    size = 1 + max([*vocabulary["model"]["vocab"].values(), *added.values()])
    config.update(vocab_size=(size + 63) // 64 * 64, max_position_embeddings=2048,
                  eos_token_id=ends, pad_token_id=ends[0])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "generation_config.json").write_text(
        json.dumps({"eos_token_id": ends, "temperature": 1.0, "top_p": 0.95}))
    shutil.copy(ROOT / "tests/vocab/small/tokenizer.json", folder)
    shutil.copy(TEMPLATE, folder / "chat_template.jinja")
    return folder


class Server:
    """One `glint serve` process."""

    def __init__(self, binary, model, log, *flags, environment=None):
        self.log = log
        self.process = subprocess.Popen(
            [binary, "serve", model, "--synthetic", "--dtype", "f32", "--port", "0",
             "--served-model-name", "tiny", *flags],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=open(log, "w"), text=True,
            env=environment)
        line = self.process.stdout.readline()
        assert " on http://" in line, f"{line}{Path(log).read_text()}"
        self.port = int(line.rsplit(":", 1)[1])
        self.url = f"http://127.0.0.1:{self.port}"

    def get(self, path):
        """(status, body as text)."""
        return self.request(path, None)

    def post(self, path, body):
        """(status, JSON reply); `body` is bytes as they are, or something to write as JSON."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        status, text = self.request(path, data)
        return status, json.loads(text)

    def request(self, path, data):
        request = urllib.request.Request(self.url + path, data=data)
        try:
            with urllib.request.urlopen(request, timeout=120) as reply:
                return reply.status, reply.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def metric(self, name):
        """The sum of a metric over its labels."""
        lines = self.get("/metrics")[1].splitlines()
        values = [float(line.rsplit(" ", 1)[1]) for line in lines
                  if line.split("{")[0].split(" ")[0] == name]
        assert values, name
        return sum(values)

    def stop(self, timeout_s=60):
        """Asks it to end; the exit code."""
        self.process.terminate()
        return self.process.wait(timeout_s)


@contextlib.contextmanager
def serving(binary, model, log, *flags):
    """A server that is gone afterwards, and that did not crash."""
    server = Server(binary, model, log, *flags)
    try:
        yield server
        assert server.process.poll() is None, Path(log).read_text()
    finally:
        if server.process.poll() is None:
            code = server.stop()
            assert code == 0, Path(log).read_text()
