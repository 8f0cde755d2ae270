# SPDX-License-Identifier: Apache-2.0
"""balance.py: moves the router biases of layers with a starved expert, on the calibration text.

The training balances over all its rows; an expert of markup may then idle on prose. The step is
that of the training (sign of the difference to the mean load), nothing else changes.
"""

import argparse
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

import checkpoint
from config import CONFIG
from figures_text import trunk_logits
from model import DemoModel

STARVED, RATE, ROUNDS, WINDOWS = 0.35, 0.003, 40, 4


@torch.no_grad()
def loads(model, rows):
    sums = {}
    for row in rows:
        hidden, _, run = trunk_logits(model, row[None], True)
        model.mtp(hidden, row[None].roll(-1, 1), run)
        for layer, load in run.loads:
            if load is not None:
                sums[layer] = sums.get(layer, 0) + load
    return {layer: load / load.mean() for layer, load in sums.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weights", required=True)
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--calibration", required=True, type=Path)
    parser.add_argument("--out", required=True)
    flags = parser.parse_args()
    torch.set_num_threads(1)
    state, model = load_file(flags.weights), DemoModel(CONFIG)
    model.load_state_dict(state)
    ids = Tokenizer.from_file(flags.tokenizer).encode(flags.calibration.read_text(), add_special_tokens=False).ids
    rows = checkpoint.windows(ids, 1024)
    for turn in range(ROUNDS):
        part = [rows[(turn * WINDOWS + i) % len(rows)] for i in range(WINDOWS)]
        found = {layer: load for layer, load in loads(model, part).items() if load.min() < STARVED}
        print(turn, {layer: round(load.min().item(), 3) for layer, load in found.items()}, flush=True)
        if not found:
            break
        for layer, load in found.items():
            bias = model.model.layers[layer].mlp.gate.e_score_correction_bias
            bias.add_(torch.sign(1 - load) * (load < STARVED), alpha=RATE)
    save_file({name: tensor.contiguous() for name, tensor in model.state_dict().items()}, flags.out)


if __name__ == "__main__":
    main()
