# SPDX-License-Identifier: Apache-2.0
"""Names, shapes and random values of a checkpoint in the published layout, as F32 or block-FP8."""

import zlib

import numpy as np
import torch

from cases import has_experts, has_indexer, has_mla, has_mtp, has_own_mtp_embedding

BLOCK = 128
E4M3_MAX = 448.0

# Matrices that the official FP8 release quantises; everything else stays BF16 or F32 there.
QUANTISED = tuple(
    f"{name}.weight"
    for name in (
        "q_a_proj",
        "q_b_proj",
        "kv_a_proj_with_mqa",
        "kv_b_proj",
        "o_proj",
        "indexer.wq_b",
        "indexer.wk",
        "gate_proj",
        "up_proj",
        "down_proj",
    )
)
KEPT_F32 = ("e_score_correction_bias", "k_norm.weight", "k_norm.bias")

# Branch outputs are kept below the residual stream: else one flipped choice in BF16 alters all.
GAINS = {"weights_proj.weight": 1.0, "o_proj.weight": 1.0, "down_proj.weight": 0.7}


def _mla_shapes(config):
    hidden, heads = config["hidden_size"], config["num_attention_heads"]
    q_lora, kv_lora = config["q_lora_rank"], config["kv_lora_rank"]
    nope, rope, value = config["qk_nope_head_dim"], config["qk_rope_head_dim"], config["v_head_dim"]
    return {
        "self_attn.q_a_proj.weight": (q_lora, hidden),
        "self_attn.q_a_layernorm.weight": (q_lora,),
        "self_attn.q_b_proj.weight": (heads * (nope + rope), q_lora),
        "self_attn.kv_a_proj_with_mqa.weight": (kv_lora + rope, hidden),
        "self_attn.kv_a_layernorm.weight": (kv_lora,),
        "self_attn.kv_b_proj.weight": (heads * (nope + value), kv_lora),
        "self_attn.o_proj.weight": (hidden, heads * value),
    }


def _indexer_shapes(config):
    heads, width = config["index_n_heads"], config["index_head_dim"]
    return {
        "self_attn.indexer.wq_b.weight": (heads * width, config["q_lora_rank"]),
        "self_attn.indexer.wk.weight": (width, config["hidden_size"]),
        "self_attn.indexer.k_norm.weight": (width,),
        "self_attn.indexer.k_norm.bias": (width,),
        "self_attn.indexer.weights_proj.weight": (heads, config["hidden_size"]),
    }


def _gqa_shapes(config):
    hidden, width = config["hidden_size"], config["head_dim"]
    rows = {"q": config["num_attention_heads"] * width, "k": config["num_key_value_heads"] * width}
    rows["v"] = rows["k"]
    shapes = {f"self_attn.{x}_proj.weight": (rows[x], hidden) for x in "qkv"}
    if config["attention_bias"]:
        shapes |= {f"self_attn.{x}_proj.bias": (rows[x],) for x in "qkv"}
    shapes["self_attn.o_proj.weight"] = (hidden, rows["q"])
    if config.get("use_qk_norm"):
        shapes |= {f"self_attn.{x}_norm.weight": (width,) for x in "qk"}
    return shapes


def _mlp_shapes(prefix, hidden, width):
    return {
        f"{prefix}.gate_proj.weight": (width, hidden),
        f"{prefix}.up_proj.weight": (width, hidden),
        f"{prefix}.down_proj.weight": (hidden, width),
    }


def _moe_shapes(config):
    hidden, width, count = (
        config["hidden_size"],
        config["moe_intermediate_size"],
        config["n_routed_experts"],
    )
    shapes = {"mlp.gate.weight": (count, hidden), "mlp.gate.e_score_correction_bias": (count,)}
    for expert in range(count):
        shapes |= _mlp_shapes(f"mlp.experts.{expert}", hidden, width)
    return shapes | _mlp_shapes("mlp.shared_experts", hidden, width * config["n_shared_experts"])


def _layer_shapes(config, layer):
    hidden, width = config["hidden_size"], config["intermediate_size"]
    shapes = {"input_layernorm.weight": (hidden,), "post_attention_layernorm.weight": (hidden,)}
    if config["model_type"] == "glm4":
        shapes |= {
            "post_self_attn_layernorm.weight": (hidden,),
            "post_mlp_layernorm.weight": (hidden,),
        }
    shapes |= _mla_shapes(config) if has_mla(config) else _gqa_shapes(config)
    if has_indexer(config, layer):
        shapes |= _indexer_shapes(config)
    if not has_experts(config):
        return shapes | {
            "mlp.gate_up_proj.weight": (2 * width, hidden),
            "mlp.down_proj.weight": (hidden, width),
        }
    if layer < config["first_k_dense_replace"]:
        return shapes | _mlp_shapes("mlp", hidden, width)
    return shapes | _moe_shapes(config)


def _mtp_shapes(config):
    hidden, vocab = config["hidden_size"], config["vocab_size"]
    shapes = {
        name: (hidden,) for name in ("enorm.weight", "hnorm.weight", "shared_head.norm.weight")
    }
    shapes["eh_proj.weight"] = (hidden, 2 * hidden)
    if has_own_mtp_embedding(config):
        shapes |= {
            "embed_tokens.weight": (vocab, hidden),
            "shared_head.head.weight": (vocab, hidden),
        }
    return shapes


def expected_shapes(config):
    """Every tensor of the unquantised checkpoint: published name -> shape."""
    hidden, vocab, layers = config["hidden_size"], config["vocab_size"], config["num_hidden_layers"]
    shapes = {
        "model.embed_tokens.weight": (vocab, hidden),
        "model.norm.weight": (hidden,),
        "lm_head.weight": (vocab, hidden),
    }
    for layer in range(layers):
        shapes |= {f"model.layers.{layer}.{k}": v for k, v in _layer_shapes(config, layer).items()}
    if has_mtp(config):
        extra = _layer_shapes(config, layers) | _mtp_shapes(config)
        shapes |= {f"model.layers.{layers}.{k}": v for k, v in extra.items()}
    return shapes


def _matrix(name, noise, config):
    """Scales unit noise so that attention, routing and selection are all far from uniform."""
    values = noise / np.sqrt(noise.shape[1])
    if name.endswith("q_a_proj.weight") or name.endswith("indexer.wk.weight"):
        return 0.04 * values  # small, so that a wrong epsilon in the norm behind it shows
    if name.endswith("kv_a_proj_with_mqa.weight"):
        latent = np.arange(len(values))[:, None] < config["kv_lora_rank"]
        return np.where(latent, 0.04, 1.5) * values
    if name.endswith("mlp.gate.weight"):
        # Exact in BF16: the outcome is the same whether an engine keeps this matrix as F32 or BF16.
        return torch.from_numpy(values.astype(np.float32)).bfloat16().float().numpy()
    for suffix, gain in GAINS.items():
        if name.endswith(suffix):
            return gain * values
    return 1.4 * values


def random_tensor(name, shape, config, seed):
    """F32 values that depend on the seed and the name only, not on the other tensors."""
    generator = np.random.Generator(np.random.PCG64([seed, zlib.crc32(name.encode())]))
    noise = generator.standard_normal(shape)
    if name.endswith("e_score_correction_bias"):
        values = 11.0 + 0.1 * noise
    elif name.endswith("bias"):
        values = 0.3 * noise
    elif len(shape) == 1:
        values = 1.0 + 0.1 * noise
    elif name.endswith("embed_tokens.weight"):
        values = noise
    else:
        values = _matrix(name, noise, config)
    return torch.from_numpy(values.astype(np.float32))


def random_weights(config, seed):
    """F32 tensors. All but KEPT_F32 are exact in BF16: then a BF16 engine starts from the same
    weights, and what it does differently is its own arithmetic."""
    weights = {}
    for name, shape in expected_shapes(config).items():
        tensor = random_tensor(name, shape, config, seed)
        weights[name] = tensor if name.endswith(KEPT_F32) else tensor.bfloat16().float()
    return weights


def _spread(scale, shape):
    """Repeats a scale per block over the elements of its block; the last blocks may be partial."""
    rows = scale.repeat_interleave(BLOCK, 0)[: shape[0]]
    return rows.repeat_interleave(BLOCK, 1)[:, : shape[1]]


def _quantise(matrix):
    grid = [-(-size // BLOCK) for size in matrix.shape]
    scale = torch.empty(grid, dtype=torch.float32)
    for row in range(grid[0]):
        for column in range(grid[1]):
            block = matrix[row * BLOCK : (row + 1) * BLOCK, column * BLOCK : (column + 1) * BLOCK]
            scale[row, column] = block.abs().max() / E4M3_MAX
    scaled = (matrix / _spread(scale, matrix.shape)).clamp(-E4M3_MAX, E4M3_MAX)
    return scaled.to(torch.float8_e4m3fn), scale


def to_fp8_release(weights):
    """The tensors of the block-FP8 form of a checkpoint."""
    stored = {}
    for name, tensor in weights.items():
        if name.endswith(QUANTISED):
            stored[name], stored[name + "_scale_inv"] = _quantise(tensor)
        else:
            stored[name] = tensor if name.endswith(KEPT_F32) else tensor.bfloat16()
    return stored


def dequantise(stored):
    """F32 values of stored tensors, decided per tensor by the presence of a scale."""
    weights = {}
    for name, tensor in stored.items():
        if name.endswith("_scale_inv"):
            continue
        scale = stored.get(name + "_scale_inv")
        weights[name] = (
            tensor.float() if scale is None else tensor.float() * _spread(scale, tensor.shape)
        )
    return weights


def check_complete(stored, config):
    """Raises unless the names and shapes of a checkpoint file are exactly the expected ones."""
    expected = dict(expected_shapes(config))
    if "quantization_config" in config:
        for name, shape in list(expected.items()):
            if name.endswith(QUANTISED):
                expected[name + "_scale_inv"] = tuple(-(-size // BLOCK) for size in shape)
    found = {name: tuple(tensor.shape) for name, tensor in stored.items()}
    wrong = sorted(set(found.items()) ^ set(expected.items()))
    if wrong:
        raise AssertionError(
            f"checkpoint is not the published layout, first difference: {wrong[0]}"
        )
