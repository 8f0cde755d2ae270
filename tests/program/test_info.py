# SPDX-License-Identifier: Apache-2.0
"""glint info: figures of built-in shapes, and what it says of good and of damaged checkpoints."""
import json
import struct

import checkpoints
import pytest
from checkpoints import CONFIG, LAYER, SHAPES, file_of, header_of


def info(run_glint, *words):
    result = run_glint("info", *words, "--json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_published_figures_of_glm_5_2(run_glint):
    figures = info(run_glint, "glm-5.2")
    assert figures["parameters_total"] == 753_329_940_480
    assert figures["parameters_trunk"] == 743_377_019_904
    assert figures["parameters_active"] == 40_298_947_584
    assert figures["cache_bytes_per_token"] == 96_640
    assert figures["cache_bytes_per_token_fp8"] == 54_728
    assert figures["bytes"]["bf16"] == 1_506_659_919_872
    assert figures["bytes"]["fp8"] == 755_617_140_416
    assert set(figures["bytes"]) == {"bf16", "fp8", "int8", "w4a8", "mxfp4"}


@pytest.mark.parametrize("name, total", [
    ("glm-4.5", 358_337_791_296), ("glm-4.5-air", 110_468_824_832),
    ("glm-4.7-flash", 31_221_488_576), ("glm-5", None), ("glm-5.1", None), ("glm-4.6", None),
    ("glm-4.7", None), ("glm-4-9b-0414", None), ("glm-4-32b-0414", None), ("glm-4-9b", None),
    ("bench-s", 2_020_597_952), ("bench-dense", 709_510_656)])
def test_built_in_shapes(run_glint, name, total):
    figures = info(run_glint, name)
    assert total is None or figures["parameters_total"] == total
    assert (figures["cache_bytes_per_token_fp8"] is None) == (figures["architecture"] in
                                                              ("glm4_moe", "glm4", "glm"))


def test_built_in_shapes_are_found_from_any_directory(glint, tmp_path, run_glint, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert info(run_glint, "glm-5.2")["model"] == "glm-5.2"


def test_a_whole_checkpoint_is_accounted_for(run_glint, tmp_path):
    figures = info(run_glint, str(checkpoints.write(tmp_path / "m")))
    assert figures["checkpoint"]["tensors"] == len(SHAPES)
    assert figures["checkpoint"]["unused"] == []
    assert figures["checkpoint"]["stored"] == {
        "BF16": {"weights": len(SHAPES), "bytes": 2 * figures["parameters_total"]}}


def test_a_checkpoint_in_shards(run_glint, tmp_path):
    names = list(SHAPES)
    parts = {"model-1.safetensors": names[:5], "model-2.safetensors": names[5:]}
    files, index = {}, {}
    for file, part in parts.items():
        header, size = header_of({name: SHAPES[name] for name in part})
        files[file] = file_of(header, bytes(size))
        index |= dict.fromkeys(part, file)
    files["model.safetensors.index.json"] = json.dumps({"weight_map": index}).encode()
    figures = info(run_glint, str(checkpoints.write(tmp_path / "m", files=files)), "--verify")
    assert figures["checkpoint"]["files"] == 2
    assert figures["checkpoint"]["verified"] is True


def test_text_goes_to_stdout_and_warnings_to_stderr(run_glint, tmp_path):
    config = CONFIG | {"model_type": "glm4"}
    result = run_glint("info", str(checkpoints.write(tmp_path / "m", config=config)))
    assert result.returncode == 0 and result.stderr == ""
    assert "on disk" in result.stdout


def changed(name, **fields):
    """The model's header with one entry changed, and its data."""
    header, size = header_of(SHAPES)
    header[name] = header[name] | fields
    return {"model.safetensors": file_of(header, bytes(size))}


def without(name):
    header, size = header_of({k: v for k, v in SHAPES.items() if k != name})
    return {"model.safetensors": file_of(header, bytes(size))}


def raw(content):
    return {"model.safetensors": content}


def truncated(cut):
    header, size = header_of(SHAPES)
    return raw(file_of(header, bytes(size))[:-cut])


def with_number(value):
    """A whole file whose last BF16 number, of lm_head, has the given bits."""
    header, size = header_of(SHAPES)
    return raw(file_of(header, bytes(size - 2) + struct.pack("<H", value)))


def fp8(scale):
    """The model with one matrix as block-FP8 and its one scale."""
    header, size = header_of({k: v for k, v in SHAPES.items() if k != Q})
    header[Q] = {"dtype": "F8_E4M3", "shape": [64, 64], "data_offsets": [size, size + 4096]}
    header[Q + "_scale_inv"] = {"dtype": "F32", "shape": [1, 1],
                                "data_offsets": [size + 4096, size + 4100]}
    return raw(file_of(header, bytes(size + 4096) + struct.pack("<f", scale)))


def index(text):
    header, size = header_of(SHAPES)
    return {"a.safetensors": file_of(header, bytes(size)), "model.safetensors.index.json": text}


Q = LAYER + "self_attn.q_proj.weight"
GOOD, SIZE = header_of(SHAPES)
OVERLAP = changed("lm_head.weight", data_offsets=[0, 12288])
BAD = {
    # name: (config, files, parts of the message)
    "truncated": (CONFIG, truncated(100), ["model.safetensors", "lm_head.weight"]),
    "overlapping_ranges": (CONFIG, OVERLAP, ["model.safetensors", "overlap"]),
    "huge_header": (CONFIG, raw(struct.pack("<Q", 1 << 40) + b"{}"), ["model.safetensors"]),
    "header_beyond_the_file": (CONFIG, raw(struct.pack("<Q", 1000) + b"{}"), ["model.safetensors"]),
    "empty_file": (CONFIG, raw(b""), ["model.safetensors"]),
    "header_is_no_json": (CONFIG, raw(file_of(b"{oops", b"")), ["model.safetensors"]),
    "header_is_a_list": (CONFIG, raw(file_of(b"[]", b"")), ["model.safetensors"]),
    "bad_utf8_name": (CONFIG, raw(file_of(b'{"\xff":{}}', b"")), ["model.safetensors"]),
    "header_nested_deeply": (CONFIG, raw(file_of(b"[" * 100000, b"")), ["model.safetensors"]),
    "wrong_shape": (CONFIG, changed(Q, shape=[32, 128]), ["model.safetensors", Q, "[64, 64]"]),
    "missing_tensor": (CONFIG, without(Q), [Q]),
    "unknown_dtype": (CONFIG, changed(Q, dtype="F4_E9"), [Q, "F4_E9"]),
    "size_does_not_fit": (CONFIG, changed(Q, data_offsets=[12416, 12418]), [Q]),
    "negative_offset": (CONFIG, changed(Q, data_offsets=[-8, 8184]), [Q]),
    "offset_overflow": (CONFIG, changed(Q, data_offsets=[1 << 63, (1 << 63) + 8192]), [Q]),
    "shape_overflow": (CONFIG, changed(Q, shape=[1 << 32, 1 << 32]), [Q]),
    "nine_dimensions": (CONFIG, changed(Q, shape=[64, 64] + [1] * 7), [Q]),
    "duplicate_tensor": (CONFIG, raw(file_of(
        b'{"a":{"dtype":"I8","shape":[0],"data_offsets":[0,0]},'
        b'"a":{"dtype":"I8","shape":[0],"data_offsets":[0,0]}}', b"")), ["model.safetensors", "a"]),
    "trailing_bytes": (CONFIG, raw(file_of(GOOD, bytes(SIZE + 8))), ["model.safetensors"]),
    "index_is_no_json": (CONFIG, index(b"nope"), ["model.safetensors.index.json"]),
    "shard_missing": (CONFIG, index(b'{"weight_map":{"lm_head.weight":"b.safetensors"}}'),
                      ["b.safetensors"]),
    "shard_leaves_the_folder": (
        CONFIG, index(b'{"weight_map":{"lm_head.weight":"../a.safetensors"}}'),
        ["../a.safetensors"]),
    "tensor_not_in_its_shard": (CONFIG, index(b'{"weight_map":{"other":"a.safetensors"}}'),
                                ["other", "a.safetensors"]),
    "no_config": (None, None, ["config.json"]),
    "config_is_no_json": (b"{", None, ["config.json"]),
    "config_without_layers": (CONFIG | {"num_hidden_layers": 0}, None,
                              ["config.json", "num_hidden_layers"]),
    "config_of_another_model": (CONFIG | {"model_type": "qwen2"}, None, ["config.json", "qwen2"]),
    "nan_number": (CONFIG, with_number(0x7FC0), ["model.safetensors", "lm_head.weight"]),
    "infinite_number": (CONFIG, with_number(0xFF80), ["model.safetensors", "lm_head.weight"]),
    "nan_scale": (CONFIG, fp8(float("nan")), ["model.safetensors", Q + "_scale_inv"]),
    "negative_scale": (CONFIG, fp8(-1.0), ["model.safetensors", Q + "_scale_inv"]),
}


@pytest.mark.parametrize("name", BAD)
def test_a_damaged_checkpoint_is_a_clear_error(run_glint, tmp_path, name):
    config, files, parts = BAD[name]
    folder = checkpoints.write(tmp_path / "m", config=config, files=files)
    result = run_glint("info", str(folder), "--verify")
    assert result.returncode == 1, result.stdout + result.stderr
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1, result.stderr
    for part in parts:
        assert part in result.stderr


def test_fp8_scales_that_are_good_are_accepted(run_glint, tmp_path):
    folder = checkpoints.write(tmp_path / "m", files=fp8(0.5))
    stored = info(run_glint, str(folder), "--verify")["checkpoint"]["stored"]
    assert stored["fp8 block 128"] == {"weights": 1, "bytes": 4100}


@pytest.mark.parametrize("words, code, parts", [
    (["info"], 2, ["MODEL"]),
    (["info", "a", "b"], 2, ["b"]),
    (["info", "glm-5.2", "--jsn"], 2, ["--jsn"]),
    (["info", "no-such-model"], 1, ["no-such-model", "glm-5.2", "glm-4.7-flash"]),
    (["info", ""], 1, ["empty"]),
    (["info", "/dev/null"], 1, ["/dev/null"]),
    (["info", "glm-5.2", "--verify"], 1, ["glm-5.2", "nothing to verify"]),
])
def test_wrong_use_is_named(run_glint, words, code, parts):
    result = run_glint(*words)
    assert (result.returncode, result.stdout) == (code, "")
    for part in parts:
        assert part in result.stderr
