# SPDX-License-Identifier: Apache-2.0
"""sample.py --model FILE.gguf --out FILE: samples answers of SmolLM2-135M-Instruct in bulk.

The file holds records of uint16: prompt number (low, high), finished (0 or 1), length, tokens.
"""

import argparse

import numpy as np
import torch

import prompts
import smollm
import token_file
from sampler import Sampler, collect


def flatten(samples):
    parts = []
    for prompt, answer, finished in samples:
        parts.append([prompt & 0xFFFF, prompt >> 16, int(finished), len(answer)])
        parts.append(answer)
    return np.concatenate(parts).astype(np.uint16)


def read(path):
    """[(prompt number, tokens, finished)] of a sample file."""
    stream, at, samples = token_file.read(path), 0, []
    while at < len(stream):
        low, high, finished, size = (int(x) for x in stream[at : at + 4])
        samples.append((low | high << 16, stream[at + 4 : at + 4 + size], bool(finished)))
        at += 4 + size
    return samples


def encode_prompts(tokenizer, count):
    texts = [smollm.chat_prompt(p["ask"]) + p["begin"] for p in prompts.make(count)]
    encoded = tokenizer.encode_batch(texts, add_special_tokens=False)
    return [e.ids for e in encoded]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--rows", type=int, default=4096)
    parser.add_argument("--length", type=int, default=256)
    parser.add_argument("--prompts", type=int, default=500_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--chunk", type=int, default=128)
    flags = parser.parse_args()
    torch.manual_seed(flags.seed)
    dtype = torch.bfloat16 if flags.device == "cuda" else torch.float32
    model = smollm.SmolLM(flags.model, flags.device, dtype)
    tokens = encode_prompts(model.tokenizer, flags.prompts)
    sampler = Sampler(model, tokens, flags.rows, flags.length)
    samples = collect(sampler, flags.seconds, flags.chunk)
    token_file.write(flags.out, flatten(samples))
    total = sum(len(answer) for _, answer, _ in samples)
    print(f"{len(samples)} samples, {total} answer tokens -> {flags.out}")


if __name__ == "__main__":
    main()
