# SPDX-License-Identifier: Apache-2.0
"""Tiny checkpoints in Hugging Face layout, whole or damaged, written without any library."""
import json
import math
import struct

WIDTHS = {"BF16": 2, "F32": 4, "F8_E4M3": 1, "I8": 1, "U8": 1, "I32": 4}

CONFIG = {
    "model_type": "glm4", "vocab_size": 96, "hidden_size": 64, "num_hidden_layers": 1,
    "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 96,
    "rms_norm_eps": 1e-5, "max_position_embeddings": 512, "rope_theta": 10000,
}

LAYER = "model.layers.0."
SHAPES = {
    "model.embed_tokens.weight": [96, 64],
    LAYER + "input_layernorm.weight": [64],
    LAYER + "self_attn.q_proj.weight": [64, 64],
    LAYER + "self_attn.k_proj.weight": [32, 64],
    LAYER + "self_attn.v_proj.weight": [32, 64],
    LAYER + "self_attn.o_proj.weight": [64, 64],
    LAYER + "post_self_attn_layernorm.weight": [64],
    LAYER + "post_attention_layernorm.weight": [64],
    LAYER + "mlp.gate_up_proj.weight": [192, 64],
    LAYER + "mlp.down_proj.weight": [64, 96],
    LAYER + "post_mlp_layernorm.weight": [64],
    "model.norm.weight": [64],
    "lm_head.weight": [96, 64],
}


def header_of(shapes, dtype="BF16"):
    """The header of tensors that lie one after another, and the size of their data."""
    header, at = {}, 0
    for name, shape in shapes.items():
        size = math.prod(shape) * WIDTHS[dtype]
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    return header, at


def file_of(header, data):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def write(folder, config=CONFIG, files=None):
    """config.json and the given files; by default the whole model in one file of zeros."""
    folder.mkdir(exist_ok=True)
    if config is not None:
        text = config if isinstance(config, bytes) else json.dumps(config).encode()
        (folder / "config.json").write_bytes(text)
    if files is None:
        header, size = header_of(SHAPES)
        files = {"model.safetensors": file_of(header, bytes(size))}
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder
