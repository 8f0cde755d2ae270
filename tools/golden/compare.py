# SPDX-License-Identifier: Apache-2.0
"""Compares freshly made golden data with the committed data; one message per file that differs."""

import json

import numpy as np

MAX_F32_DIFFERENCE = 1e-6  # of the largest magnitude in the array
# BF16 sums depend on the CPU's instructions, and one rounding may flip an expert or a selected key,
# so between machines only the rough size is held. On one machine the difference is 0.
MAX_BF16_RMS = 0.3
MAX_FACT_DIFFERENCE = 0.5  # measured numbers in JSON: near-ties and errors are noisy by nature


def _same_array(made, kept, name):
    a, b = np.load(made).astype(np.float64), np.load(kept).astype(np.float64)
    if a.shape != b.shape or np.load(kept).dtype != np.dtype("<f4"):
        return "shape or dtype differs"
    if "bf16" in name:
        rms = np.sqrt(np.mean((a - b) ** 2) / np.mean(b**2))
        return None if rms <= MAX_BF16_RMS else f"relative RMS difference {rms:.3g}"
    difference = np.abs(a - b).max() / np.abs(b).max()
    return None if difference <= MAX_F32_DIFFERENCE else f"relative difference {difference:.3g}"


def _same_json(a, b):
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same_json(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same_json, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= MAX_FACT_DIFFERENCE * max(abs(a), abs(b), 1e-6)
    return a == b


def _difference(made, kept):
    if kept.suffix == ".npy":
        return _same_array(made, kept, kept.name)
    if kept.name in ("meta.json", "greedy.json"):
        return (
            None
            if _same_json(json.loads(made.read_text()), json.loads(kept.read_text()))
            else "content differs"
        )
    return None if made.read_bytes() == kept.read_bytes() else "bytes differ"


def compare_folders(made, kept):
    made_names = {path.name for path in made.iterdir()}
    kept_names = {path.name for path in kept.iterdir()} if kept.is_dir() else set()
    problems = [f"{kept / name}: missing" for name in sorted(made_names - kept_names)]
    problems += [
        f"{kept / name}: not made by this program" for name in sorted(kept_names - made_names)
    ]
    for name in sorted(made_names & kept_names):
        reason = _difference(made / name, kept / name)
        if reason:
            problems.append(f"{kept / name}: {reason}")
    return problems
