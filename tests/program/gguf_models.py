# SPDX-License-Identifier: Apache-2.0
"""The golden checkpoints as GGUF models: names, metadata and layouts of each architecture."""
import json
import math
import re

import gguf_writer

ARCHITECTURES = {"glm_moe_dsa": "glm-dsa", "glm4_moe_lite": "deepseek2", "glm4_moe": "glm4moe",
                 "glm4": "glm4", "glm": "chatglm", "llama": "llama"}

GLOBAL = {"model.embed_tokens.weight": "token_embd.weight",
          "model.norm.weight": "output_norm.weight", "lm_head.weight": "output.weight"}

LAYER = {
    "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm",
    "post_self_attn_layernorm": "post_attention_norm", "post_mlp_layernorm": "post_ffw_norm",
    "self_attn.q_a_proj": "attn_q_a", "self_attn.q_a_layernorm": "attn_q_a_norm",
    "self_attn.q_b_proj": "attn_q_b", "self_attn.kv_a_proj_with_mqa": "attn_kv_a_mqa",
    "self_attn.kv_a_layernorm": "attn_kv_a_norm", "self_attn.kv_b_proj": "attn_kv_b",
    "self_attn.o_proj": "attn_output", "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
    "self_attn.q_norm": "attn_q_norm", "self_attn.k_norm": "attn_k_norm",
    "self_attn.indexer.wq_b": "indexer.attn_q_b", "self_attn.indexer.wk": "indexer.attn_k",
    "self_attn.indexer.k_norm": "indexer.k_norm",
    "self_attn.indexer.weights_proj": "indexer.proj",
    "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.gate_up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down", "mlp.gate": "ffn_gate_inp",
    "mlp.shared_experts.gate_proj": "ffn_gate_shexp",
    "mlp.shared_experts.up_proj": "ffn_up_shexp",
    "mlp.shared_experts.down_proj": "ffn_down_shexp",
    "enorm": "nextn.enorm", "hnorm": "nextn.hnorm", "eh_proj": "nextn.eh_proj",
    "shared_head.norm": "nextn.shared_head_norm", "embed_tokens": "nextn.embed_tokens",
    "shared_head.head": "nextn.shared_head_head",
}

FULL_PRECISION = ("ffn_gate_inp.weight", "indexer.proj.weight")


def metadata(config):
    arch = ARCHITECTURES[config["model_type"]]
    rope = config.get("rope_parameters", config)
    mtp = config.get("num_nextn_predict_layers", 0)
    heads = config["num_attention_heads"]
    values = {
        "block_count": config["num_hidden_layers"] + mtp,
        "context_length": config["max_position_embeddings"],
        "embedding_length": config["hidden_size"],
        "feed_forward_length": config["intermediate_size"], "attention.head_count": heads,
        "attention.head_count_kv": config["num_key_value_heads"],
        "attention.layer_norm_rms_epsilon": float(config["rms_norm_eps"]),
        "rope.freq_base": float(rope["rope_theta"]),
    }
    if "q_lora_rank" in config:
        nope, rotated = config["qk_nope_head_dim"], config["qk_rope_head_dim"]
        values |= {
            "attention.head_count_kv": 1, "attention.q_lora_rank": config["q_lora_rank"],
            "attention.kv_lora_rank": config["kv_lora_rank"],
            "attention.key_length": config["kv_lora_rank"] + rotated,
            "attention.value_length": config["kv_lora_rank"],
            "attention.key_length_mla": nope + rotated,
            "attention.value_length_mla": config["v_head_dim"], "rope.dimension_count": rotated,
        }
    else:
        head = config.get("head_dim", config["hidden_size"] // heads)
        share = config.get("partial_rotary_factor", 1.0)
        values |= {"attention.key_length": head, "attention.value_length": head,
                   "rope.dimension_count": int(head * share)}
    if "n_routed_experts" in config:
        values |= {
            "expert_count": config["n_routed_experts"],
            "expert_used_count": config["num_experts_per_tok"],
            "expert_shared_count": config["n_shared_experts"],
            "expert_feed_forward_length": config["moe_intermediate_size"],
            "expert_weights_scale": float(config["routed_scaling_factor"]),
            "expert_weights_norm": config["norm_topk_prob"],
            "leading_dense_block_count": config["first_k_dense_replace"],
            "nextn_predict_layers": mtp, "vocab_size": config["vocab_size"],
        }
    if "indexer_types" in config:
        values |= {
            "attention.indexer.head_count": config["index_n_heads"],
            "attention.indexer.key_length": config["index_head_dim"],
            "attention.indexer.top_k": config["index_topk"],
            "attention.indexer.types": [t == "full" for t in config["indexer_types"]] + [True] * mtp,
        }
    names = {"general.architecture": arch, "general.name": "golden"}
    for key, token in zip(("eos", "eot", "eom"), config.get("eos_token_id", [])):
        names[f"tokenizer.ggml.{key}_token_id"] = token
    return names | {f"{arch}.{key}": value for key, value in values.items()}


def gguf_name(name, model_type):
    """As converters name it; None for what is stacked or split elsewhere."""
    if name in GLOBAL:
        return GLOBAL[name]
    layer, rest = re.fullmatch(r"model\.layers\.(\d+)\.(.*)", name).groups()
    if rest == "mlp.gate.e_score_correction_bias":
        return f"blk.{layer}.exp_probs_b.bias"
    stem, kind = rest.rsplit(".", 1)
    if stem == "post_attention_layernorm" and model_type == "glm4_moe":
        return f"blk.{layer}.post_attention_norm.weight"
    return f"blk.{layer}.{LAYER[stem]}.{kind}"


def permute(values, shape, heads):
    """llama: rows (2, d/2) of each head become (d/2, 2), so that rotated pairs lie side by side."""
    width = len(values) // shape[0]
    head = shape[0] // heads
    rows = [values[r * width:(r + 1) * width] for r in range(shape[0])]
    order = [h * head + half * (head // 2) + j
             for h in range(heads) for j in range(head // 2) for half in range(2)]
    return [x for r in order for x in rows[r]]


def split_kv_b(tensors, name, config):
    """attn_k_b (transposed) and attn_v_b instead of kv_b_proj."""
    heads, lora = config["num_attention_heads"], config["kv_lora_rank"]
    nope, v_dim = config["qk_nope_head_dim"], config["v_head_dim"]
    _, values = tensors.pop(name)
    layer = re.match(r"blk\.\d+\.", name)[0]
    keys, value_rows = [], []
    for h in range(heads):
        base = h * (nope + v_dim)
        keys += [values[(base + r) * lora + c] for c in range(lora) for r in range(nope)]
        value_rows += values[(base + nope) * lora:(base + nope + v_dim) * lora]
    tensors[layer + "attn_k_b.weight"] = ([heads, lora, nope], keys)
    tensors[layer + "attn_v_b.weight"] = ([heads, v_dim, lora], value_rows)


def fuse_qkv(tensors, layer):
    for kind in ("weight", "bias"):
        parts = [tensors.pop(f"{layer}attn_{p}.{kind}", None) for p in "qkv"]
        if parts[0] is None:
            continue
        rows = sum(shape[0] for shape, _ in parts)
        tensors[f"{layer}attn_qkv.{kind}"] = ([rows, *parts[0][0][1:]],
                                              [x for _, values in parts for x in values])


def as_gguf(folder, join_kv_b=False, fuse=False):
    """(metadata, {gguf name: (shape, floats)}) of a checkpoint in `folder`."""
    config = json.loads((folder / "config.json").read_text())
    source = gguf_writer.read_safetensors(folder / "model.safetensors")
    kind = config["model_type"]
    tensors, experts = {}, {}
    for name, (shape, values) in source.items():
        expert = re.fullmatch(r"model\.layers\.(\d+)\.mlp\.experts\.(\d+)\.(\w+)_proj\.weight", name)
        if expert:
            layer, number, part = expert.groups()
            stack = experts.setdefault(f"blk.{layer}.ffn_{part}_exps.weight", {})
            stack[int(number)] = (shape, values)
            continue
        heads = {"q_proj": config["num_attention_heads"],
                 "k_proj": config["num_key_value_heads"]}.get(name.split(".")[-2])
        if kind == "llama" and heads:
            values = permute(values, shape, heads)
        tensors[gguf_name(name, kind)] = (shape, values)
    for name, stack in experts.items():
        shape = [len(stack), *stack[0][0]]
        tensors[name] = (shape, [x for e in sorted(stack) for x in stack[e][1]])
    for name in list(tensors):
        if name.endswith("attn_kv_b.weight") and not join_kv_b:
            split_kv_b(tensors, name, config)
    if fuse:
        for layer in range(config["num_hidden_layers"]):
            fuse_qkv(tensors, f"blk.{layer}.")
    return metadata(config), tensors


def kind_of(name, shape, wanted):
    """Vectors, and what the format keeps, stay F32; so do rows that do not fill blocks."""
    block = gguf_writer.BLOCKS.get(wanted)
    plain = len(shape) == 1 or name.endswith(FULL_PRECISION) or (block and shape[-1] % 32 != 0)
    return "F32" if plain else wanted


def write(path, model, wanted="F32"):
    """Writes the GGUF file; returns the tensors with the values that are in it."""
    values, tensors = model
    stored, decoded = {}, {}
    for name, (shape, floats) in tensors.items():
        kind = kind_of(name, shape, wanted)
        raw, back = gguf_writer.quantise(kind, floats)
        assert len(back) == math.prod(shape), name
        stored[name] = (shape, kind, raw)
        decoded[name] = (shape, back)
    gguf_writer.write(path, values, stored)
    return decoded
