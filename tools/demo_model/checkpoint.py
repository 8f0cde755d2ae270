# SPDX-License-Identifier: Apache-2.0
"""What the figure scripts share: the committed folder, held-out windows, and the flags."""

import argparse
import json
from pathlib import Path

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer

from export import fused
from model import DemoModel

FOLDER = Path(__file__).resolve().parents[2] / "models/demo"


def parser(description):
    result = argparse.ArgumentParser(description=description)
    result.add_argument("--folder", type=Path, default=FOLDER)
    result.add_argument("--threads", type=int, default=1)
    result.add_argument("--device", default="cpu")
    result.add_argument("--out", type=Path, help="JSON file; without it the figures are only printed")
    return result


def parse(description_parser):
    flags = description_parser.parse_args()
    torch.set_num_threads(flags.threads)
    return flags


def finish(flags, figures):
    text = json.dumps(figures, indent=2)
    print(text)
    if flags.out:
        flags.out.write_text(text + "\n")


def load(folder, device="cpu"):
    """(DemoModel in F32 with the folder's weights, its tokenizer)."""
    config = json.loads((folder / "config.json").read_text())
    model = DemoModel(config)
    model.load_state_dict(fused(load_file(folder / "model.safetensors")))
    return model.to(device).eval(), Tokenizer.from_file(str(folder / "tokenizer.json"))


def heldout_ids(folder, tokenizer):
    return tokenizer.encode((folder / "heldout.txt").read_text(), add_special_tokens=False).ids


def windows(ids, length, step=None):
    """[count, length] tensor of stretches of the held-out text."""
    step = step or length
    return torch.tensor([ids[i : i + length] for i in range(0, len(ids) - length + 1, step)])
