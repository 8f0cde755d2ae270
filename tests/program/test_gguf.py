# SPDX-License-Identifier: Apache-2.0
"""GGUF models: what they compute, that every tensor is accounted for, and what is refused."""
import json
import random
import struct

import gguf_models
import gguf_writer
import pytest
from conftest import ROOT
from test_logits import read_npy

GOLDEN = ROOT / "tests/golden"
GLM = ("glm", "glm4", "glm4_moe", "glm4_moe_air", "glm4_moe_lite", "glm_moe_dsa")
LATENT = ("glm4_moe_lite", "glm_moe_dsa")
IDS = " ".join(str(id) for id in range(3, 250, 11))
LLAMA = {"model_type": "llama", "vocab_size": 256, "hidden_size": 64, "num_hidden_layers": 2,
         "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 96,
         "rms_norm_eps": 1e-5, "max_position_embeddings": 256, "rope_theta": 10000.0,
         "tie_word_embeddings": True, "eos_token_id": [2]}


@pytest.fixture
def logits(run_glint, tmp_path):
    """logits(model, *words) -> all numbers."""

    def run(model, *words):
        out = tmp_path / "logits.npy"
        result = run_glint("logits", str(model), "--ids", IDS, "--out", str(out), "--dtype", "f32",
                           *words)
        assert result.returncode == 0, result.stderr
        return read_npy(out)[1]

    return run


@pytest.fixture(scope="session")
def llama(tmp_path_factory):
    """A folder with a tiny llama in Hugging Face layout."""
    folder = tmp_path_factory.mktemp("llama")
    numbers = random.Random(20261130)
    hidden, kv, width = 64, 32, 96
    shapes = {"model.embed_tokens.weight": [256, hidden], "model.norm.weight": [hidden]}
    for layer in range(LLAMA["num_hidden_layers"]):
        shapes |= {f"model.layers.{layer}.{name}.weight": shape for name, shape in {
            "input_layernorm": [hidden], "self_attn.q_proj": [hidden, hidden],
            "self_attn.k_proj": [kv, hidden], "self_attn.v_proj": [kv, hidden],
            "self_attn.o_proj": [hidden, hidden], "post_attention_layernorm": [hidden],
            "mlp.gate_proj": [width, hidden], "mlp.up_proj": [width, hidden],
            "mlp.down_proj": [hidden, width]}.items()}
    tensors = {}
    for name, shape in shapes.items():
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        values = [numbers.gauss(0, 0.15) + (len(shape) == 1) for _ in range(count)]
        tensors[name] = (shape, list(struct.unpack(f"<{count}f",
                                                   struct.pack(f"<{count}f", *values))))
    gguf_writer.write_safetensors(folder / "model.safetensors", tensors)
    (folder / "config.json").write_text(json.dumps(LLAMA))
    return folder


def apart(ours, theirs):
    difference = sum((a - b) ** 2 for a, b in zip(ours, theirs, strict=True))
    return (difference / sum(b * b for b in theirs)) ** 0.5


@pytest.mark.parametrize("wanted", ("F32", "BF16"))  # the checkpoints are BF16, so both are exact
@pytest.mark.parametrize("name", GLM)
def test_plain_logits_equal_those_of_the_safetensors_checkpoint(name, wanted, logits, tmp_path):
    gguf_models.write(tmp_path / "m.gguf", gguf_models.as_gguf(GOLDEN / name), wanted)
    assert logits(tmp_path / "m.gguf") == logits(GOLDEN / name)


@pytest.mark.parametrize("name", LATENT)
def test_a_joined_kv_b_of_older_files_gives_the_same(name, logits, tmp_path):
    gguf_models.write(tmp_path / "m.gguf", gguf_models.as_gguf(GOLDEN / name, join_kv_b=True))
    assert logits(tmp_path / "m.gguf") == logits(GOLDEN / name)


@pytest.mark.parametrize("name", ("glm", "glm4"))
def test_fused_qkv_is_cut_by_rows(name, logits, tmp_path):
    gguf_models.write(tmp_path / "m.gguf", gguf_models.as_gguf(GOLDEN / name, fuse=True))
    assert logits(tmp_path / "m.gguf") == logits(GOLDEN / name)


def test_llama_of_both_kinds_computes_the_same(llama, logits, tmp_path):
    gguf_models.write(tmp_path / "m.gguf", gguf_models.as_gguf(llama))
    # Its rows are permuted, so sums run in another order.
    assert apart(logits(tmp_path / "m.gguf"), logits(llama)) < 1e-5


@pytest.mark.parametrize("wanted", ("Q8_0", "Q4_0", "MXFP4"))
@pytest.mark.parametrize("name", ("glm4", "glm4_moe", "glm_moe_dsa"))
def test_blocks_compute_what_they_decode_to(name, wanted, logits, tmp_path):
    values, tensors = gguf_models.as_gguf(GOLDEN / name)
    decoded = gguf_models.write(tmp_path / "blocks.gguf", (values, tensors), wanted)
    assert decoded != tensors
    gguf_models.write(tmp_path / "plain.gguf", (values, decoded))
    assert logits(tmp_path / "blocks.gguf", "--isa", "reference") == logits(
        tmp_path / "plain.gguf", "--isa", "reference")


@pytest.mark.parametrize("name", (*GLM, "llama"))
def test_every_tensor_is_used(name, llama, run_glint, tmp_path):
    folder = llama if name == "llama" else GOLDEN / name
    gguf_models.write(tmp_path / "m.gguf", gguf_models.as_gguf(folder), "Q8_0")
    result = run_glint("info", str(tmp_path / "m.gguf"), "--verify", "--json")
    assert result.returncode == 0, result.stderr
    figures = json.loads(result.stdout)
    theirs = json.loads(run_glint("info", str(folder), "--json").stdout)
    assert figures["checkpoint"]["unused"] == []
    assert figures["checkpoint"]["verified"] is True
    assert figures["parameters_total"] == theirs["parameters_total"]
    assert figures["shape"] == theirs["shape"]
    stored = figures["checkpoint"]["stored"]
    assert sum(one["bytes"] for one in stored.values()) == figures["checkpoint"]["bytes"]
    assert set(stored) == {"F32", "Q8_0"}


def write_llama(llama, path, change=lambda values, tensors: None):
    values, tensors = gguf_models.as_gguf(llama)
    change(values, tensors)
    gguf_models.write(path, (values, tensors))
    return path


def drop(name):
    return lambda values, tensors: tensors.pop(name)


def add(name, shape):
    return lambda values, tensors: tensors.update({name: (shape, [1.0] * shape[0])})


def put(key, value):
    return lambda values, tensors: values.update({key: value})


@pytest.mark.parametrize("change, parts", [
    (drop("blk.1.ffn_up.weight"), ['tensor "blk.1.ffn_up.weight" is not in the file']),
    (drop("token_embd.weight"), ['key "llama.vocab_size" is missing']),
    (add("blk.0.attn_norm.weight", [63]), ["blk.0.attn_norm.weight", "[63], expected [64]"]),
    (add("rope_freqs.weight", [8]), ["rope_freqs.weight", "not supported"]),
    (add("blk.1.attn_output.bias", [64]), ["blk.1.attn_output.bias", "not supported"]),
    (put("general.architecture", "gemma3"), ["general.architecture", "gemma3"]),
    (put("llama.block_count", 3), ['tensor "blk.2.attn_norm.weight"']),
    (put("llama.block_count", 100000), ['key "llama.block_count" is 100000']),
    (put("llama.embedding_length", "big"), ["llama.embedding_length"]),
    (put("llama.attention.head_count", 0), ["llama.attention.head_count"]),
    (put("llama.rope.scaling.type", "yarn"), ["llama.rope.scaling.type", "yarn"]),
    (put("llama.expert_count", 8), ["llama.expert_count"]),
])
def test_what_does_not_fit_is_named_in_one_line(llama, run_glint, tmp_path, change, parts):
    path = write_llama(llama, tmp_path / "bad.gguf", change)
    result = run_glint("info", str(path))
    assert (result.returncode, result.stdout) == (1, ""), result.stderr
    assert result.stderr.count("\n") == 1
    for part in [str(path), *parts]:
        assert part in result.stderr


@pytest.mark.parametrize("size", (0, 3, 4, 8, 24, 100, 1000, -1))
def test_a_cut_file_is_named(llama, run_glint, tmp_path, size):
    whole = write_llama(llama, tmp_path / "m.gguf").read_bytes()
    (tmp_path / "cut.gguf").write_bytes(whole[:size])
    result = run_glint("info", str(tmp_path / "cut.gguf"))
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1 and str(tmp_path / "cut.gguf") in result.stderr


def test_an_infinite_scale_is_found_by_verify(llama, run_glint, tmp_path):
    values, tensors = gguf_models.as_gguf(llama)
    path = tmp_path / "m.gguf"
    gguf_models.write(path, (values, tensors), "Q8_0")
    content = bytearray(path.read_bytes())
    content[-34:-32] = struct.pack("<e", float("inf"))
    path.write_bytes(content)
    result = run_glint("info", str(path), "--verify")
    assert result.returncode == 1 and "is not a finite number" in result.stderr


def test_parts_are_one_model(llama, logits, tmp_path):
    values, tensors = gguf_models.as_gguf(llama)
    names = list(tensors)
    halves = (names[:7], names[7:])
    for number, half in enumerate(halves):
        split = {"split.no": number, "split.count": 2, "split.tensors.count": len(names)}
        gguf_models.write(tmp_path / f"m-{number + 1:05}-of-00002.gguf",
                          ((values if number == 0 else {}) | split,
                           {name: tensors[name] for name in half}))
    gguf_models.write(tmp_path / "whole.gguf", (values, tensors))
    assert logits(tmp_path / "m-00001-of-00002.gguf") == logits(tmp_path / "whole.gguf")
