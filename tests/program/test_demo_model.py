# SPDX-License-Identifier: Apache-2.0
"""The committed demo model: its size, its tensors, and the tokens that transformers gives for it.

The expected tokens come from tools/demo_model/record_test.py.
"""
import json

import pytest
from conftest import ROOT

FOLDER = ROOT / "models/demo"
CASES = [json.loads(line) for line in
         (ROOT / "tests/program/demo_model.jsonl").read_text().splitlines()]


def test_folder_is_small_enough_to_be_committed():
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) <= 20_000_000


def test_info_accounts_for_every_tensor(run_glint):
    result = run_glint("info", str(FOLDER), "--json")
    assert (result.returncode, result.stderr) == (0, "")
    report = json.loads(result.stdout)["checkpoint"]
    assert (report["unused"], report["warnings"]) == ([], [])
    content = (FOLDER / "model.safetensors").read_bytes()
    header = json.loads(content[8:8 + int.from_bytes(content[:8], "little")])
    assert report["tensors"] == len(header.keys() - {"__metadata__"})


@pytest.mark.parametrize("case", CASES, ids=["first", "second"])
def test_greedy_tokens_beyond_index_topk_are_those_of_transformers(run_glint, case):
    topk = json.loads((FOLDER / "config.json").read_text())["index_topk"]
    assert len(case["prompt"]) > topk
    result = run_glint("logits", str(FOLDER), "--ids", " ".join(map(str, case["prompt"])),
                       "--greedy", str(len(case["greedy"])), "--dtype", "f32")
    assert (result.returncode, result.stderr) == (0, "")
    assert list(map(int, result.stdout.split())) == case["greedy"]
