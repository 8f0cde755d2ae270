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
    assert figures["limit_fraction"]["prefill"] > 0 and figures["limit_fraction"]["decode"] > 0
    assert figures["decode_bytes_per_step"] == figures["decode_bytes_per_token"] > 0
    assert figures["flags"]["prompt"] == 20
    assert {one["operation"] for one in figures["decode_operations"]} > {"mla_attention", "router"}


def test_sequences_decode_together_and_read_a_weight_once(run_glint):
    bytes_per_step = []
    for batch in ("1", "4"):
        result = run_glint("bench", "model", GOLDEN, "--prompt", "5", "--generate", "2", "--runs",
                           "1", "--batch", batch, "--json")
        assert (result.returncode, result.stderr) == (0, "")
        bytes_per_step.append(json.loads(result.stdout)["decode_bytes_per_step"])
    assert bytes_per_step[0] < bytes_per_step[1] < 4 * bytes_per_step[0]


@pytest.mark.parametrize("fill", ["prompt", "random"])
def test_a_context_lies_before_the_prompt(run_glint, fill):
    short, long = (
        run_glint("bench", "model", GOLDEN, "--prompt", "3", "--generate", "2", "--runs", "1",
                  "--context", context, "--fill", fill, "--json") for context in ("0", "40"))
    assert (long.returncode, long.stderr) == (0, "")
    assert (json.loads(short.stdout)["decode_bytes_per_step"] <
            json.loads(long.stdout)["decode_bytes_per_step"])


def test_operations_are_printed_for_both_parts(run_glint):
    result = run_glint("bench", "model", GOLDEN, "--prompt", "5", "--generate", "2", "--runs", "1",
                       "--operations")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.count("mla_attention") == 2
    assert result.stdout.count("of its limit") == 2


@pytest.mark.parametrize("words, code, part", [
    (["bench"], 2, "say what to measure"),
    (["bench", "speed"], 2, "speed"),
    (["bench", "machine", "--runs", "0"], 1, "--runs"),
    (["bench", "model"], 2, "MODEL"),
    (["bench", "model", "glm-5.2"], 1, "--synthetic"),
    (["bench", "model", GOLDEN, "--generate", "0"], 1, "--generate"),
    (["bench", "model", GOLDEN, "--prompt", "1000"], 1, "positions"),
    (["bench", "model", GOLDEN, "--context", "1000", "--fill", "random"], 1, "1000"),
    (["bench", "model", GOLDEN, "--context", "-1"], 1, "--context"),
    (["bench", "model", GOLDEN, "--batch", "0"], 1, "--batch"),
    (["bench", "model", GOLDEN, "--batch", "5000"], 1, "4096"),
    (["bench", "model", GOLDEN, "--fill", "zeros"], 1, "zeros"),
])
def test_wrong_use_is_named(run_glint, words, code, part):
    result = run_glint(*words)
    assert (result.returncode, result.stdout) == (code, "")
    assert part in result.stderr
