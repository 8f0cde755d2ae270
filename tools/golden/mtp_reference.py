# SPDX-License-Identifier: Apache-2.0
"""Decoder layers and the multi-token-prediction layer of GLM models, in double precision.

Written from the formulas (naive MLA, indexer, router), not from another implementation, so that it
can judge one. Covers glm_moe_dsa, glm4_moe_lite, glm4_moe, glm4 and glm. One sequence, no cache:
row t is position t.
"""

import numpy as np

INDEX_NORM_EPS = 1e-6  # the indexer's LayerNorm does not follow rms_norm_eps


class Trace:
    """What a run selected and how narrowly: gaps are (k-th largest) - (next) per row."""

    def __init__(self):
        self.index_gaps = []
        self.router_gaps = []
        self.selected = {}  # layer -> bool [tokens, tokens]


class Model:
    def __init__(self, config, weights, half_split_indexer=False):
        self.config = config
        self.weights = {
            name: np.asarray(value, dtype=np.float64) for name, value in weights.items()
        }
        self.eps = config["rms_norm_eps"]
        self.half_split_indexer = (
            half_split_indexer  # wrong on purpose: shows what the right way is
        )
        self.trace = Trace()

    def layer(self, index):
        prefix = f"model.layers.{index}."
        return {k[len(prefix) :]: v for k, v in self.weights.items() if k.startswith(prefix)}


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def silu(x):
    return x * sigmoid(x)


def rms_norm(x, weight, eps):
    return x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + eps) * weight


def layer_norm(x, weight, bias, eps):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt(np.mean(centred**2, axis=-1, keepdims=True) + eps) * weight + bias


def rope_theta(config):
    return config.get("rope_parameters", config)["rope_theta"]


def rope_angles(config, width, tokens):
    """[tokens, width / 2]; the product is F32 as in the engines, sine and cosine are not."""
    exponent = np.arange(0, width, 2, dtype=np.float32) / np.float32(width)
    inverse = np.float32(1.0) / np.float32(rope_theta(config)) ** exponent
    return (np.arange(tokens, dtype=np.float32)[:, None] * inverse[None, :]).astype(np.float64)


def rotate(x, angles, interleaved):
    """Rotates [tokens, heads, width] by [tokens, width / 2]."""
    half = x.shape[-1] // 2
    first, second = (
        (np.s_[..., 0::2], np.s_[..., 1::2])
        if interleaved
        else (np.s_[..., :half], np.s_[..., half:])
    )
    cos, sin = np.cos(angles)[:, None, :], np.sin(angles)[:, None, :]
    out = np.empty_like(x)
    out[first] = x[first] * cos - x[second] * sin
    out[second] = x[second] * cos + x[first] * sin
    return out


def attend(q, k, v, visible):
    """softmax(q k / sqrt(width)) v; q, k, v [tokens, heads, width], visible [tokens, tokens]."""
    scores = np.einsum("shd,thd->hst", q, k) / np.sqrt(q.shape[-1])
    scores = np.where(visible[None], scores, -np.inf)
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.einsum("hst,thd->shd", scores / scores.sum(axis=-1, keepdims=True), v)


def causal(tokens):
    return np.tril(np.ones((tokens, tokens), dtype=bool))


def index_scores(model, w, x, q_residual):
    """Score of every key for every query [tokens, tokens]; rope comes first within a head."""
    config, tokens = model.config, len(x)
    heads, width, rope = (
        config["index_n_heads"],
        config["index_head_dim"],
        config["qk_rope_head_dim"],
    )
    angles = rope_angles(config, rope, tokens)
    q = (q_residual @ w["self_attn.indexer.wq_b.weight"].T).reshape(tokens, heads, width)
    k = layer_norm(
        x @ w["self_attn.indexer.wk.weight"].T,
        w["self_attn.indexer.k_norm.weight"],
        w["self_attn.indexer.k_norm.bias"],
        INDEX_NORM_EPS,
    )[:, None, :]
    interleaved = not model.half_split_indexer
    q = np.concatenate([rotate(q[..., :rope], angles, interleaved), q[..., rope:]], axis=-1)
    k = np.concatenate([rotate(k[..., :rope], angles, interleaved), k[..., rope:]], axis=-1)
    head_weight = x @ w["self_attn.indexer.weights_proj.weight"].T / np.sqrt(heads)
    products = np.maximum(np.einsum("shd,td->sht", q, k[:, 0]) / np.sqrt(width), 0.0)
    return np.einsum("sh,sht->st", head_weight, products)


def select(model, scores):
    """bool [tokens, tokens]: the index_topk best visible keys; ties go to the lower index."""
    count, selected = model.config["index_topk"], np.zeros(scores.shape, dtype=bool)
    for row in range(len(scores)):
        visible = scores[row, : row + 1]
        order = np.argsort(-visible, kind="stable")
        selected[row, order[:count]] = True
        if len(order) > count:
            model.trace.index_gaps.append(visible[order[count - 1]] - visible[order[count]])
    return selected


def mla(model, w, index, x, selected):
    """Returns the attention output and the selection that the next shared layer reuses."""
    config, tokens = model.config, len(x)
    heads, kv_lora = config["num_attention_heads"], config["kv_lora_rank"]
    nope, rope = config["qk_nope_head_dim"], config["qk_rope_head_dim"]
    angles = rope_angles(config, rope, tokens)
    q_residual = rms_norm(
        x @ w["self_attn.q_a_proj.weight"].T, w["self_attn.q_a_layernorm.weight"], model.eps
    )
    q = (q_residual @ w["self_attn.q_b_proj.weight"].T).reshape(tokens, heads, nope + rope)
    latent = x @ w["self_attn.kv_a_proj_with_mqa.weight"].T
    c = rms_norm(latent[:, :kv_lora], w["self_attn.kv_a_layernorm.weight"], model.eps)
    u = (c @ w["self_attn.kv_b_proj.weight"].T).reshape(tokens, heads, -1)
    k_rope = rotate(latent[:, None, kv_lora:], angles, True).repeat(heads, axis=1)
    q = np.concatenate([q[..., :nope], rotate(q[..., nope:], angles, True)], axis=-1)
    k = np.concatenate([u[..., :nope], k_rope], axis=-1)
    if "self_attn.indexer.wk.weight" in w:
        selected = select(model, index_scores(model, w, x, q_residual))
        model.trace.selected[index] = selected
    visible = causal(tokens) if selected is None else selected
    out = attend(q, k, u[..., nope:], visible).reshape(tokens, -1)
    return out @ w["self_attn.o_proj.weight"].T, selected


def gqa(model, w, x):
    config, tokens, width = model.config, len(x), model.config["head_dim"]
    group = config["num_attention_heads"] // config["num_key_value_heads"]
    rope = int(width * config["partial_rotary_factor"])
    angles = rope_angles(config, rope, tokens)
    interleaved = config["model_type"] != "glm4_moe"

    def project(letter):
        rows = x @ w[f"self_attn.{letter}_proj.weight"].T + w.get(
            f"self_attn.{letter}_proj.bias", 0.0
        )
        return rows.reshape(tokens, -1, width)

    def place(letter):
        rows = project(letter)
        if config.get("use_qk_norm"):
            rows = rms_norm(rows, w[f"self_attn.{letter}_norm.weight"], model.eps)
        return np.concatenate(
            [rotate(rows[..., :rope], angles, interleaved), rows[..., rope:]], axis=-1
        )

    k, v = place("k").repeat(group, axis=1), project("v").repeat(group, axis=1)
    out = attend(place("q"), k, v, causal(tokens)).reshape(tokens, -1)
    return out @ w["self_attn.o_proj.weight"].T


def mlp(w, prefix, y):
    if f"{prefix}.gate_up_proj.weight" in w:
        gate, up = np.split(y @ w[f"{prefix}.gate_up_proj.weight"].T, 2, axis=-1)
    else:
        gate, up = y @ w[f"{prefix}.gate_proj.weight"].T, y @ w[f"{prefix}.up_proj.weight"].T
    return (silu(gate) * up) @ w[f"{prefix}.down_proj.weight"].T


def route(model, w, y):
    """Weight of every expert for every token [tokens, experts]; zero where not chosen."""
    config = model.config
    count = config["num_experts_per_tok"]
    scores = sigmoid(y @ w["mlp.gate.weight"].T)
    keys = scores + w["mlp.gate.e_score_correction_bias"]
    order = np.argsort(-keys, axis=-1, kind="stable")
    ranked = np.take_along_axis(keys, order, axis=-1)
    model.trace.router_gaps.extend(ranked[:, count - 1] - ranked[:, count])
    chosen = np.zeros(scores.shape)
    np.put_along_axis(chosen, order[:, :count], 1.0, axis=-1)
    weights = scores * chosen
    return weights / (weights.sum(axis=-1, keepdims=True) + 1e-20) * config["routed_scaling_factor"]


def moe(model, w, y):
    weights = route(model, w, y)
    out = mlp(w, "mlp.shared_experts", y)
    for expert in range(weights.shape[1]):
        out = out + weights[:, expert, None] * mlp(w, f"mlp.experts.{expert}", y)
    return out


def sandwich(model, w, name, branch):
    """glm4 normalises the output of each branch before it joins the residual stream."""
    return rms_norm(branch, w[name], model.eps) if name in w else branch


def decoder_layer(model, index, h, selected):
    w = model.layer(index)
    x = rms_norm(h, w["input_layernorm.weight"], model.eps)
    if "kv_lora_rank" in model.config:
        attention, selected = mla(model, w, index, x, selected)
    else:
        attention = gqa(model, w, x)
    h = h + sandwich(model, w, "post_self_attn_layernorm.weight", attention)
    y = rms_norm(h, w["post_attention_layernorm.weight"], model.eps)
    branch = moe(model, w, y) if "mlp.gate.weight" in w else mlp(w, "mlp", y)
    return h + sandwich(model, w, "post_mlp_layernorm.weight", branch), selected


def trunk(model, tokens):
    """Post-final-norm hidden states [tokens, hidden] and logits [tokens, vocab]."""
    h, selected = model.weights["model.embed_tokens.weight"][tokens], None
    for index in range(model.config["num_hidden_layers"]):
        h, selected = decoder_layer(model, index, h, selected)
    f = rms_norm(h, model.weights["model.norm.weight"], model.eps)
    return f, f @ model.weights["lm_head.weight"].T


def mtp(model, hidden, tokens):
    """Draft logits [tokens - 1, vocab]: row t joins hidden[t] and the embedding of token t + 1."""
    index = model.config["num_hidden_layers"]
    w = model.layer(index)
    embedding = w.get("embed_tokens.weight", model.weights["model.embed_tokens.weight"])
    head = w.get("shared_head.head.weight", model.weights["lm_head.weight"])
    e = rms_norm(embedding[tokens[1:]], w["enorm.weight"], model.eps)
    g = rms_norm(np.asarray(hidden[:-1], dtype=np.float64), w["hnorm.weight"], model.eps)
    z = np.concatenate([e, g], axis=-1) @ w["eh_proj.weight"].T
    z, _ = decoder_layer(model, index, z, None)
    return rms_norm(z, w["shared_head.norm.weight"], model.eps) @ head.T
