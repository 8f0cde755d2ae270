# SPDX-License-Identifier: Apache-2.0
"""glint logits: the .npy file that Python reads, and wrong input."""
import json
import struct

import checkpoints
import pytest
from conftest import ROOT

GOLDEN = ROOT / "tests/golden/glm_moe_dsa"


def read_npy(path):
    """(shape, values) of a '<f4' file, without numpy."""
    content = path.read_bytes()
    assert content[:8] == b"\x93NUMPY\x01\x00"
    (length,) = struct.unpack_from("<H", content, 8)
    assert (10 + length) % 64 == 0
    fields = eval(content[10:10 + length].decode(), {"__builtins__": {}})
    assert fields["descr"] == "<f4" and fields["fortran_order"] is False
    values = struct.unpack_from(f"<{(len(content) - 10 - length) // 4}f", content, 10 + length)
    return fields["shape"], values


def test_f32_logits_equal_those_of_transformers(run_glint, tmp_path):
    ids = json.loads((GOLDEN / "ids.json").read_text())
    (tmp_path / "ids").write_text("\n".join(map(str, ids)))
    out = tmp_path / "logits.npy"
    result = run_glint("logits", str(GOLDEN), "--ids-file", str(tmp_path / "ids"), "--out",
                       str(out), "--dtype", "f32")
    assert (result.returncode, result.stdout) == (0, ""), result.stderr
    shape, ours = read_npy(out)
    _, theirs = read_npy(GOLDEN / "logits.npy")
    assert shape == (48, 256)
    apart = sum((a - b) ** 2 for a, b in zip(ours, theirs, strict=True)) ** 0.5
    assert apart < 1e-5 * sum(b * b for b in theirs) ** 0.5


@pytest.mark.parametrize("isa", ["auto", "baseline", "reference"])
def test_greedy_tokens_are_those_of_transformers(run_glint, isa):
    ids = json.loads((GOLDEN / "ids.json").read_text())
    expected = json.loads((GOLDEN / "greedy.json").read_text())["tokens"]
    result = run_glint("logits", str(GOLDEN), "--ids", " ".join(map(str, ids)), "--greedy", "16",
                       "--dtype", "f32", "--isa", isa, "--chunk", "7")
    assert (result.returncode, result.stderr) == (0, "")
    assert list(map(int, result.stdout.split())) == expected


def test_synthetic_weights_are_the_same_in_every_run_and_chunk(run_glint, tmp_path):
    files = [tmp_path / "a.npy", tmp_path / "b.npy"]
    folder = checkpoints.write(tmp_path / "m")
    for out, chunk in zip(files, ("1", "3")):
        result = run_glint("logits", str(folder), "--synthetic", "--ids", "1 2,3\n4", "--out",
                           str(out), "--chunk", chunk)
        assert result.returncode == 0, result.stderr
    assert files[0].read_bytes() == files[1].read_bytes()
    assert read_npy(files[0])[0] == (4, 96)


@pytest.mark.parametrize("words, part", [
    (["--ids", "1"], "--out"),
    (["--ids", "1", "--greedy", "-1"], "--greedy"),
    (["--out", "x.npy", "--ids", "1", "--isa", "avx1024"], "avx1024"),
    (["--out", "x.npy", "--ids", "1", "--threads", "-2"], "--threads"),
    (["--out", "x.npy"], "--ids"),
    (["--out", "x.npy", "--ids", "1", "--ids-file", "f"], "--ids"),
    (["--out", "x.npy", "--ids", "1,x"], "\"x\""),
    (["--out", "x.npy", "--ids", "256"], "255"),
    (["--out", "x.npy", "--ids", "-1"], "-1"),
    (["--out", "x.npy", "--ids", " "], "no token ids"),
    (["--out", "x.npy", "--ids-file", "missing"], "missing"),
    (["--out", "x.npy", "--ids", "1", "--dtype", "fp16"], "fp16"),
    (["--out", "x.npy", "--ids", "1", "--chunk", "0"], "--chunk"),
    (["--out", "/no/such/folder/x.npy", "--ids", "1"], "/no/such/folder"),
    (["--out", "x.npy", "--ids", "1", "--layers", "dense:1"], "--synthetic"),
])
def test_wrong_input_is_named(run_glint, tmp_path, monkeypatch, words, part):
    monkeypatch.chdir(tmp_path)
    result = run_glint("logits", str(GOLDEN), *words)
    assert (result.returncode, result.stdout) == (1, "")
    assert part in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_shape_without_weights_says_what_to_do(run_glint, tmp_path):
    result = run_glint("logits", "glm-5.2", "--ids", "1", "--out", str(tmp_path / "x.npy"))
    assert result.returncode == 1
    assert "--synthetic" in result.stderr
