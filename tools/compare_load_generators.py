# SPDX-License-Identifier: Apache-2.0
"""compare_load_generators.py GUIDELLM [GLINT]: the same load from guidellm and from glint bench serve.

Both send 200 requests over 8 streams to tests/program/scripted_server.py (first token after 40 to
120 ms, gaps of 8 to 30 ms, 50 chunks). GUIDELLM is the program of PyPI's guidellm, in a virtual
environment of its own: it brings torch, so no test needs it. Exits with 1 when throughput or time
per output token differ by more than 5 %.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
SCRIPT = {"ttft_ms": [40, 120], "gap_ms": [8, 30], "chunks": 50}
REQUESTS, STREAMS = 200, 8


def run_guidellm(program, url, folder):
    prompts = folder / "prompts.csv"
    prompts.write_text("prompt\n" + "".join(f"tell me about number {i}\n" for i in range(600)))
    result = folder / "guidellm.json"
    subprocess.run([program, "run", "--backend", f"kind=openai_http,target={url}",
                    "--profile", f"kind=concurrent,streams={STREAMS}",
                    "--constraint", f"kind=max_requests,count={REQUESTS}",
                    "--data", f"kind=csv_file,path={prompts}",
                    "--output", f"kind=json,path={result}", "--disable-console"], check=True)
    metrics = json.loads(result.read_text())["benchmarks"][0]["metrics"]
    mean = {name: metrics[name]["successful"]["mean"] for name in metrics
            if isinstance(metrics[name], dict) and "successful" in metrics[name]
            and isinstance(metrics[name]["successful"], dict)}
    # guidellm's inter_token_latency_ms is vLLM's TPOT.
    return {"output tok/s": mean["output_tokens_per_second"], "TPOT ms": mean["inter_token_latency_ms"],
            "TTFT ms": mean["time_to_first_token_ms"]}


def run_glint(program, url):
    words = ["--max-concurrency", str(STREAMS), "--num-prompts", str(REQUESTS),
             "--random-input-len", "5", "--num-warmups", "0", "--json"]
    output = subprocess.run([program, "bench", "serve", "--base-url", url, *words], check=True,
                            stdout=subprocess.PIPE).stdout
    result = json.loads(output)
    return {"output tok/s": result["output_throughput"], "TPOT ms": result["mean_tpot_ms"],
            "TTFT ms": result["mean_ttft_ms"]}


def main(guidellm, glint=ROOT / "build/release/glint"):
    server = subprocess.Popen([sys.executable, ROOT / "tests/program/scripted_server.py",
                               json.dumps(SCRIPT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True)
    url = f"http://127.0.0.1:{int(server.stdout.readline())}"
    with tempfile.TemporaryDirectory() as folder:
        theirs = run_guidellm(guidellm, url, Path(folder))
    ours = run_glint(glint, url)
    server.stdin.close()
    worst = 0
    for name, value in ours.items():
        difference = value / theirs[name] - 1
        print(f"{name:14} guidellm {theirs[name]:9.3f}  glint {value:9.3f}  {100 * difference:+.2f} %")
        if name != "TTFT ms":
            worst = max(worst, abs(difference))
    return 1 if worst > 0.05 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
