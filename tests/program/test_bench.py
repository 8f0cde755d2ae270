# SPDX-License-Identifier: Apache-2.0
"""glint bench: what it prints, and wrong use. Speeds are not judged here."""
import json

import pytest
from conftest import ROOT

GOLDEN = str(ROOT / "tests/golden/glm_moe_dsa")


def test_machine_reads_memory_on_one_thread_and_on_all(run_glint):
    result = run_glint("bench", "machine", "--threads", "2", "--runs", "3", "--megabytes", "64",
                       "--json")
    assert (result.returncode, result.stderr) == (0, "")
    rows = json.loads(result.stdout)["memory"]
    assert [row["threads"] for row in rows] == [1, 2]
    assert all(0 < row["read_gb_s_least"] <= row["read_gb_s"] <= row["read_gb_s_most"]
               for row in rows)


def test_model_prints_speed_beside_the_limit(run_glint):
    result = run_glint("bench", "model", GOLDEN, "--prompt", "20", "--generate", "4", "--json")
    assert (result.returncode, result.stderr) == (0, "")
    figures = json.loads(result.stdout)
    assert figures["prefill_tok_s"] > 0 and figures["decode_tok_s"] > 0
    assert 0 < figures["limit_fraction"]
    assert figures["flags"]["prompt"] == 20


@pytest.mark.parametrize("words, code, part", [
    (["bench"], 2, "say what to measure"),
    (["bench", "speed"], 2, "speed"),
    (["bench", "machine", "--runs", "0"], 1, "--runs"),
    (["bench", "model"], 2, "MODEL"),
    (["bench", "model", "glm-5.2"], 1, "--synthetic"),
    (["bench", "model", GOLDEN, "--generate", "0"], 1, "--generate"),
    (["bench", "model", GOLDEN, "--prompt", "1000"], 1, "positions"),
])
def test_wrong_use_is_named(run_glint, words, code, part):
    result = run_glint(*words)
    assert (result.returncode, result.stdout) == (code, "")
    assert part in result.stderr
