# SPDX-License-Identifier: Apache-2.0
"""Makes tests/golden: tiny random GLM checkpoints with the logits that transformers gives for them.

python tools/golden/make.py [--out DIR] [NAME ...]   write the data (all models by default)
python tools/golden/make.py --check [NAME ...]       make it again and compare
"""

import argparse
import json
import pathlib
import sys
import tempfile
import time

import numpy as np
import torch
import transformers
from safetensors.torch import load_file, save_file

import teacher
import weights as checkpoint
from cases import CASES, FIRST_SEED, GREEDY_TOKENS, PROMPT_TOKENS, has_mtp
from compare import compare_folders
from facts import (
    NextSeed,
    compare_with_reference,
    indexer_facts,
    mtp_data,
    require,
    rounded,
    selection_lists,
    sensitivity,
    wish,
)

MIN_MARGIN = 1e-3
MAX_SEEDS = 200
DATA = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden"


def make_prompt(config, seed):
    generator = np.random.Generator(np.random.PCG64([seed, 1]))
    return [int(x) for x in generator.integers(0, config["vocab_size"] - 8, PROMPT_TOKENS)]


def make_weights(config, seed):
    """Tensors as stored, and their F32 values."""
    stored = checkpoint.random_weights(config, seed)
    if "quantization_config" in config:
        stored = checkpoint.to_fp8_release(stored)
    return stored, checkpoint.dequantise(stored)


def greedy_tokens(model, config, prompt):
    tokens, margins = teacher.greedy(model, prompt, GREEDY_TOKENS)
    wish(min(margins) > MIN_MARGIN, "greedy margin")
    wish(not set(tokens) & set(config["eos_token_id"]), "greedy run meets an end token")
    return {"tokens": tokens, "margins": [rounded(x) for x in margins]}


def check_file(folder, config, prompt, logits):
    """The file holds exactly the expected tensors and gives the same logits when read back."""
    stored = load_file(folder / "model.safetensors")
    checkpoint.check_complete(stored, config)
    model = teacher.build(config, checkpoint.dequantise(stored))
    require(
        torch.equal(teacher.run(model, prompt)[1], logits),
        f"{folder}: read back, it gives other logits",
    )


def bf16_data(folder, config, prompt, logits):
    """BF16 logits and their distance to F32, through transformers' own reading of the folder."""
    exact = teacher.load_published(folder, config, torch.float32)
    require(
        torch.equal(teacher.run(exact, prompt)[1], logits),
        f"{folder}: transformers reads other values",
    )
    low = teacher.run(teacher.load_published(folder, config, torch.bfloat16), prompt)[1].float()
    agree = (low.argmax(-1) == logits.argmax(-1)).float().mean().item()
    rms = ((low - logits).pow(2).mean() / logits.pow(2).mean()).sqrt().item()
    return low.numpy(), {"relative_rms_to_f32": rounded(rms), "argmax_agreement": rounded(agree)}


def attempt(config, seed):
    """All data of one seed but the BF16 run: (stored tensors, arrays, JSON documents)."""
    stored, values = make_weights(config, seed)
    prompt = make_prompt(config, seed)
    model = teacher.build(config, values)
    logits = teacher.run(model, prompt)[1]
    require(logits.dtype == torch.float32, "logits are not F32")
    arrays, documents = {"logits": logits.numpy()}, {"ids": prompt}
    documents["greedy"] = greedy_tokens(model, config, prompt)
    tokens = prompt + documents["greedy"]["tokens"]
    facts, trace = compare_with_reference(model, config, values, tokens)
    facts |= sensitivity(model, config, prompt, logits)
    if trace.selected:
        facts |= indexer_facts(model, config, values, tokens, trace)
        documents["selection"] = selection_lists(trace)
    if has_mtp(config):
        mtp_arrays, mtp_facts, mtp_selection = mtp_data(model, config, values, prompt)
        arrays |= mtp_arrays
        facts |= mtp_facts
        if mtp_selection:
            documents["selection"] |= mtp_selection
    documents["meta"] = {
        "seed": seed,
        "transformers": transformers.__version__,
        "torch": torch.__version__.split("+")[0],
        "numpy": np.__version__,
        "min_greedy_margin": min(documents["greedy"]["margins"]),
        **facts,
    }
    return stored, arrays, documents


def write_json(path, document):
    """One line per key, so that long lists stay readable in a diff."""
    if isinstance(document, dict):
        lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in document.items()]
        text = "{\n" + ",\n".join(lines) + "\n}"
    else:
        text = json.dumps(document)
    path.write_text(text + "\n")


def write_array(path, array):
    with open(path, "wb") as file:
        np.lib.format.write_array(file, np.ascontiguousarray(array, dtype="<f4"), version=(1, 0))


def first_good_seed(name, config):
    for seed in range(FIRST_SEED.get(name, 1), MAX_SEEDS):
        try:
            return attempt(config, seed)
        except NextSeed as reason:
            print(f"{name}: seed {seed}: {reason}", file=sys.stderr)
    raise AssertionError(f"{name}: no seed below {MAX_SEEDS} will do")


def write_case(name, folder):
    config = CASES[name]
    stored, arrays, documents = first_good_seed(name, config)
    folder.mkdir(parents=True, exist_ok=True)
    save_file(stored, folder / "model.safetensors", metadata={"format": "pt"})
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    logits = torch.from_numpy(arrays["logits"])
    check_file(folder, config, documents["ids"], logits)
    if "quantization_config" not in config:
        arrays["logits_bf16"], documents["meta"]["bf16"] = bf16_data(
            folder, config, documents["ids"], logits
        )
    for key, array in arrays.items():
        write_array(folder / f"{key}.npy", array)
    for key, document in documents.items():
        write_json(folder / f"{key}.json", document)
    return documents["meta"]


def write_all(names, out):
    for name in names:
        start = time.monotonic()
        meta = write_case(name, out / name)
        size = sum(path.stat().st_size for path in (out / name).iterdir())
        print(f"{name}: {size} bytes, {time.monotonic() - start:.1f} s, {json.dumps(meta)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--check", action="store_true", help="compare with the data in --out, write nothing"
    )
    parser.add_argument("--out", type=pathlib.Path, default=DATA, help="folder of the data")
    parser.add_argument("--threads", type=int, default=2, help="CPU threads of torch")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(CASES))
    arguments = parser.parse_args()
    for name in arguments.names:
        if name not in CASES:
            parser.error(f"no model {name}, there are: {', '.join(CASES)}")
    torch.set_num_threads(arguments.threads)
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    names = arguments.names or list(CASES)
    if not arguments.check:
        write_all(names, arguments.out)
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        write_all(names, pathlib.Path(temporary))
        problems = [
            p
            for n in names
            for p in compare_folders(pathlib.Path(temporary) / n, arguments.out / n)
        ]
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print(f"{len(names)} models made again, equal to those in {arguments.out}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
