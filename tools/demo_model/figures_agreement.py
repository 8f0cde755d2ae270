# SPDX-License-Identifier: Apache-2.0
"""figures_agreement.py --glint PROGRAM: logits of glint (F32) and of the training network against transformers.

20 held-out prompts of 600 to 1000 tokens. Relative: largest difference over the largest magnitude.
"""

import subprocess
import tempfile
from pathlib import Path

import numpy as np
import torch

import checkpoint
import reference
from figures_text import trunk_logits

PROMPTS = 20


def glint_logits(program, folder, tokens):
    with tempfile.TemporaryDirectory() as place:
        ids, out = Path(place, "ids"), Path(place, "logits.npy")
        ids.write_text("\n".join(map(str, tokens)))
        command = [program, "logits", folder, "--ids-file", ids, "--out", out, "--dtype", "f32"]
        subprocess.run(command, check=True)
        return np.load(out)


def relative(a, b):
    return float(np.abs(a - b).max() / np.abs(b).max())


def main():
    parser = checkpoint.parser(__doc__)
    parser.add_argument("--glint", required=True)
    flags = checkpoint.parse(parser)
    model, tokenizer = checkpoint.load(flags.folder)
    ids = checkpoint.heldout_ids(flags.folder, tokenizer)
    teacher = reference.load(flags.folder)
    errors = {"glint": [], "training_network": []}
    for index in range(PROMPTS):
        length = 600 + 400 * index // (PROMPTS - 1)
        start = (len(ids) - 1000) * index // PROMPTS
        tokens = ids[start : start + length]
        theirs = reference.logits(teacher, tokens).numpy()
        ours = trunk_logits(model, torch.tensor([tokens]), True)[1][0].numpy()
        errors["training_network"].append(relative(ours, theirs))
        errors["glint"].append(relative(glint_logits(flags.glint, flags.folder, tokens), theirs))
    figures = {name: {"worst": max(values), "each": values} for name, values in errors.items()}
    checkpoint.finish(flags, {"prompts": PROMPTS, "relative_error": figures})


if __name__ == "__main__":
    main()
