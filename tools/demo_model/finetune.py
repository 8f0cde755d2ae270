# SPDX-License-Identifier: Apache-2.0
"""finetune.py: a short last piece on the CPU, mostly tool calls with freely chosen names.

The GPU pieces used few name parts, so names of other words were not copied from the prompt. Here
only layers from FIRST_LAYER on, the final norm and the head are trained; the MTP layer and the
indexers stay as they are. Attention is dense, as conversations are short.
"""

import argparse
import random
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from tokenizers import Tokenizer

import build_data
import talk
import text_tasks
import tool_tasks
import train
from build_data import LEARNT
from config import CONFIG
from model import DemoModel, Experts

FIRST_LAYER = 1
MAX_TOKENS = 330


def dispatched(self, y, weights):
    """Experts.forward with each expert on its own tokens: less work than all on all on a CPU."""
    flat, weights = y.flatten(0, 1), weights.flatten(0, 1)
    out = torch.zeros_like(flat)
    for expert in range(len(self.down_proj)):
        rows = weights[:, expert].nonzero()[:, 0]
        gate, up = F.linear(flat[rows], self.gate_up_proj[expert]).chunk(2, -1)
        part = F.linear(F.silu(gate) * up, self.down_proj[expert])
        out = out.index_add(0, rows, part * weights[rows, expert, None])
    return out.view_as(y)


def items(rng, texts):
    while True:
        choice = rng.random()
        if choice < 0.70:
            yield tool_tasks.conversation(rng)
        elif choice < 0.82:
            yield text_tasks.document(rng, rng.sample(texts, rng.choice([1, 2, 2])))
        elif choice < 0.90:
            yield text_tasks.request(rng, rng.sample(texts, 1))
        elif choice < 0.93:
            yield text_tasks.recall(rng, rng.sample(texts, 1))
        elif choice < 0.96:
            yield text_tasks.json_task(rng)
        else:
            yield talk.conversation(rng)


def batches(rng, tokenizer, texts, size):
    """[size, longest] tensors of conversations of like length, padded with 0 (not learnt)."""
    source = items(rng, texts)
    while True:
        streams = build_data.encode(tokenizer, [next(source) for _ in range(8 * size)], rng)
        streams = sorted((s for s in streams if len(s) <= MAX_TOKENS), key=len)
        groups = [streams[i : i + size] for i in range(0, len(streams) - size + 1, size)]
        rng.shuffle(groups)
        for group in groups:
            rows = torch.zeros(size, len(group[-1]), dtype=torch.int32)
            for row, stream in zip(rows, group):
                row[: len(stream)] = torch.from_numpy(stream.astype("int32"))
            yield rows


def learnt_loss(model, rows):
    tokens, learnt = (rows & (LEARNT - 1)).long(), rows[:, 1:] >= LEARNT
    run = model.new_pass(rows.shape[1] - 1, False)
    hidden, _ = model.trunk(tokens[:, :-1], run)
    return F.cross_entropy(model.lm_head(hidden[learnt]), tokens[:, 1:][learnt])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", nargs="+", required=True)
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--samples", required=True)
    parser.add_argument("--smollm", required=True)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--rate", type=float, default=6e-4)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--texts", type=int, default=20_000, help="so many of the samples are used")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    flags = parser.parse_args()
    torch.set_num_threads(flags.threads)
    texts = build_data.load_texts(flags.samples, flags.smollm, count=flags.texts)
    texts = build_data.split(texts)["train"]
    model = DemoModel(CONFIG)
    train.load_weights(model, flags.weights)
    Experts.forward = dispatched
    names = tuple(f"model.layers.{i}." for i in range(FIRST_LAYER, CONFIG["num_hidden_layers"]))
    chosen = [p for n, p in model.named_parameters()
              if n.startswith((*names, "model.norm", "lm_head")) and "indexer" not in n]  # fmt: skip
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    for parameter in chosen:
        parameter.requires_grad_(True)
    optimizer = torch.optim.AdamW(chosen, lr=flags.rate, betas=(0.9, 0.98), weight_decay=0.0)
    flags.out.mkdir(parents=True, exist_ok=True)
    start, step, mean, saved = time.time(), 0, None, time.time()
    tokenizer = Tokenizer.from_file(flags.tokenizer)
    held_out = [name for kind in tool_tasks.KINDS.values() for name in kind[1]] + tool_tasks.NOUNS["eval"]
    tool_tasks.PIECES = [w for w in tool_tasks.token_words(tokenizer.get_vocab()) if w not in held_out]
    source = batches(random.Random(f"finetune {flags.seed}"), tokenizer, texts, flags.batch)
    while (done := (time.time() - start) / flags.seconds) < 1:
        for group in optimizer.param_groups:
            group["lr"] = flags.rate * min(1.0, (step + 1) / 20) * max(0.05, min(1.0, 1.6 * (1 - done)))
        loss = learnt_loss(model, next(source))
        loss.backward()
        torch.nn.utils.clip_grad_norm_(chosen, 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        mean = loss.item() if mean is None else 0.95 * mean + 0.05 * loss.item()
        if step % 20 == 0:
            print(f"step {step}, {time.time() - start:.0f} s, loss {mean:.4f}", flush=True)
        if time.time() - saved > 180:
            save_file(train.state_of(model), flags.out / "weights-part.safetensors")
            saved = time.time()
        step += 1
    save_file(train.state_of(model), flags.out / "weights.safetensors")
    print(f"{step} steps of {flags.batch} conversations, {time.time() - start:.0f} s")


if __name__ == "__main__":
    main()
