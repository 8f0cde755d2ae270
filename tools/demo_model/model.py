# SPDX-License-Identifier: Apache-2.0
"""The network for training: what transformers' GlmMoeDsaForCausalLM computes, plus the MTP layer.

Differences are of speed only: attention through scaled_dot_product_attention, every expert on every
token (unchosen ones with weight 0: 8 narrow experts cost less than a dispatch), and the indexer
computed with gradient where it is trained. The state dict has the names of transformers (experts
fused), with the MTP layer as model.layers.<num_hidden_layers>; verify.py asserts equal logits.
"""

from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import nn


class RmsNorm(nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, x):
        return F.rms_norm(x.float(), x.shape[-1:], self.weight.float(), self.eps).to(x.dtype)


def matrix(inputs, outputs):
    return nn.Linear(inputs, outputs, bias=False)


def rope_tables(config, length, device):
    width = config["qk_rope_head_dim"]
    exponent = torch.arange(0, width, 2, dtype=torch.float32, device=device) / width
    inverse = 1.0 / config["rope_parameters"]["rope_theta"] ** exponent
    angles = torch.arange(length, dtype=torch.float32, device=device)[:, None] * inverse
    return angles.cos(), angles.sin()


def rotate(x, cos, sin):
    """Interleaved pairs (2j, 2j + 1) of [..., tokens, width]; the result is permuted, even half first."""
    even, odd = x[..., 0::2], x[..., 1::2]
    cos, sin = cos.to(x.dtype), sin.to(x.dtype)
    return torch.cat([even * cos - odd * sin, odd * cos + even * sin], -1)


def causal_mask(length, device):
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()


class Indexer(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.heads, self.width = config["index_n_heads"], config["index_head_dim"]
        self.rope, self.topk = config["qk_rope_head_dim"], config["index_topk"]
        self.wq_b = matrix(config["q_lora_rank"], self.heads * self.width)
        self.wk = matrix(config["hidden_size"], self.width)
        self.k_norm = nn.LayerNorm(self.width, eps=1e-6)
        self.weights_proj = matrix(config["hidden_size"], self.heads)

    def forward(self, x, q_residual, cos, sin):
        """Scores [rows, queries, keys] in F32, before the causal mask."""
        rows, length = x.shape[:2]
        q = self.wq_b(q_residual).view(rows, length, self.heads, self.width).transpose(1, 2)
        k = self.k_norm(self.wk(x)).to(q.dtype)
        q = torch.cat([rotate(q[..., : self.rope], cos, sin), q[..., self.rope :]], -1)
        k = torch.cat([rotate(k[..., : self.rope], cos, sin), k[..., self.rope :]], -1)
        weight = self.weights_proj(x) * (self.heads**-0.5 * self.width**-0.5)
        products = torch.matmul(q, k[:, None].transpose(-1, -2)).float().relu()
        return (products * weight.float().transpose(1, 2)[..., None]).sum(1)

    def select(self, scores, visible):
        """bool [rows, 1, queries, keys]: the topk best visible keys."""
        count = min(self.topk, scores.shape[-1])
        best = scores.masked_fill(~visible, float("-inf")).topk(count, -1, sorted=False).indices
        chosen = torch.zeros(scores.shape, dtype=torch.bool, device=scores.device)
        return (chosen.scatter_(-1, best, True) & visible)[:, None]


class Attention(nn.Module):
    def __init__(self, config, full):
        super().__init__()
        self.heads, self.kv_lora = config["num_attention_heads"], config["kv_lora_rank"]
        self.nope, self.rope = config["qk_nope_head_dim"], config["qk_rope_head_dim"]
        self.value = config["v_head_dim"]
        hidden, q_lora, eps = config["hidden_size"], config["q_lora_rank"], config["rms_norm_eps"]
        self.q_a_proj = matrix(hidden, q_lora)
        self.q_a_layernorm = RmsNorm(q_lora, eps)
        self.q_b_proj = matrix(q_lora, self.heads * (self.nope + self.rope))
        self.kv_a_proj_with_mqa = matrix(hidden, self.kv_lora + self.rope)
        self.kv_a_layernorm = RmsNorm(self.kv_lora, eps)
        self.kv_b_proj = matrix(self.kv_lora, self.heads * (self.nope + self.value))
        self.o_proj = matrix(self.heads * self.value, hidden)
        if full:
            self.indexer = Indexer(config)

    def project(self, x, cos, sin):
        """q_residual, and q, k, v [rows, heads, tokens, nope + rope]; v padded, as fused kernels want."""
        rows, length = x.shape[:2]
        q_residual = self.q_a_layernorm(self.q_a_proj(x))
        q = self.q_b_proj(q_residual).view(rows, length, self.heads, -1).transpose(1, 2)
        latent = self.kv_a_proj_with_mqa(x)
        c = self.kv_a_layernorm(latent[..., : self.kv_lora])
        u = self.kv_b_proj(c).view(rows, length, self.heads, -1).transpose(1, 2)
        k_rope = rotate(latent[..., self.kv_lora :], cos, sin)[:, None]
        q = torch.cat([q[..., : self.nope], rotate(q[..., self.nope :], cos, sin)], -1)
        k = torch.cat([u[..., : self.nope], k_rope.expand(-1, self.heads, -1, -1)], -1)
        v = F.pad(u[..., self.nope :], (0, q.shape[-1] - self.value))
        return q_residual, q, k, v


class Mlp(nn.Module):
    def __init__(self, hidden, width):
        super().__init__()
        self.gate_proj, self.up_proj = matrix(hidden, width), matrix(hidden, width)
        self.down_proj = matrix(width, hidden)

    def forward(self, y):
        return self.down_proj(F.silu(self.gate_proj(y)) * self.up_proj(y))


class Router(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.count, self.top_k = config["n_routed_experts"], config["num_experts_per_tok"]
        self.scale = config["routed_scaling_factor"]
        self.weight = nn.Parameter(torch.empty(self.count, config["hidden_size"]))
        self.register_buffer("e_score_correction_bias", torch.zeros(self.count))

    def forward(self, y):
        """Weight of every expert [rows, tokens, experts] (0 where not chosen), and tokens per expert."""
        with torch.autocast(y.device.type, enabled=False):
            scores = F.linear(y.float(), self.weight.float()).sigmoid()
        best = (scores + self.e_score_correction_bias).topk(self.top_k, -1).indices
        chosen = torch.zeros_like(scores).scatter(-1, best, 1.0)
        weights = scores * chosen
        weights = weights / (weights.sum(-1, keepdim=True) + 1e-20) * self.scale
        return weights, chosen.sum((0, 1)).detach()


class Experts(nn.Module):
    def __init__(self, config):
        super().__init__()
        count, width, hidden = (
            config["n_routed_experts"],
            config["moe_intermediate_size"],
            config["hidden_size"],
        )
        self.gate_up_proj = nn.Parameter(torch.empty(count, 2 * width, hidden))
        self.down_proj = nn.Parameter(torch.empty(count, hidden, width))

    def forward(self, y, weights):
        count, double, hidden = self.gate_up_proj.shape
        both = F.linear(y, self.gate_up_proj.view(-1, hidden)).unflatten(-1, (count, double))
        gate, up = both.chunk(2, -1)
        inner = (F.silu(gate) * up * weights[..., None].to(gate.dtype)).flatten(-2)
        return F.linear(inner, self.down_proj.permute(1, 0, 2).reshape(hidden, -1))


class Moe(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.gate, self.experts = Router(config), Experts(config)
        width = config["moe_intermediate_size"] * config["n_shared_experts"]
        self.shared_experts = Mlp(config["hidden_size"], width)

    def forward(self, y):
        weights, load = self.gate(y)
        return self.experts(y, weights) + self.shared_experts(y), load


@dataclass
class Pass:
    """What the layers of one pass share: positions, the kind of attention, what to collect."""

    cos: torch.Tensor
    sin: torch.Tensor
    visible: torch.Tensor
    sparse: bool
    teach_rows: int = 0  # rows for which attention and index distributions are compared
    mask: torch.Tensor = None  # of the last full layer
    loads: list = field(default_factory=list)


class Layer(nn.Module):
    def __init__(self, config, full, sparse_mlp):
        super().__init__()
        hidden, eps = config["hidden_size"], config["rms_norm_eps"]
        self.full, self.sparse_mlp = full, sparse_mlp
        self.input_layernorm = RmsNorm(hidden, eps)
        self.self_attn = Attention(config, full)
        self.post_attention_layernorm = RmsNorm(hidden, eps)
        self.mlp = Moe(config) if sparse_mlp else Mlp(hidden, config["intermediate_size"])


def before_attention(layer, h, cos, sin):
    x = layer.input_layernorm(h)
    return x, *layer.self_attn.project(x, cos, sin)


def after_attention(layer, h, out):
    """out [rows, heads, tokens, nope + rope]; also the router's load, None for a dense MLP."""
    attn = layer.self_attn
    h = h + attn.o_proj(out[..., : attn.value].transpose(1, 2).flatten(2))
    y = layer.post_attention_layernorm(h)
    if layer.sparse_mlp:
        out, load = layer.mlp(y)
        return h + out, load
    return h + layer.mlp(y), None


def index_scores(indexer, x, q_residual, cos, sin):
    return indexer(x, q_residual, cos, sin)


@torch.no_grad()
def mean_attention(q, k, visible):
    """Causal attention of all keys, mean over heads."""
    scores = torch.matmul(q, k.transpose(-1, -2)).float() * q.shape[-1] ** -0.5
    return scores.masked_fill(~visible, float("-inf")).softmax(-1).mean(1)


class SharedHead(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.norm = RmsNorm(config["hidden_size"], config["rms_norm_eps"])


class MtpLayer(Layer):
    def __init__(self, config):
        super().__init__(config, True, True)
        hidden, eps = config["hidden_size"], config["rms_norm_eps"]
        self.enorm, self.hnorm = RmsNorm(hidden, eps), RmsNorm(hidden, eps)
        self.eh_proj = matrix(2 * hidden, hidden)
        self.shared_head = SharedHead(config)

    def join(self, embedding, hidden):
        return self.eh_proj(torch.cat([self.enorm(embedding), self.hnorm(hidden)], -1))


class Trunk(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.embed_tokens = nn.Embedding(config["vocab_size"], config["hidden_size"])
        self.layers = nn.ModuleList(
            [
                Layer(config, kind == "full", mlp == "sparse")
                for kind, mlp in zip(config["indexer_types"], config["mlp_layer_types"])
            ]
            + [MtpLayer(config)]
        )
        self.norm = RmsNorm(config["hidden_size"], config["rms_norm_eps"])


def index_loss(index, attention, visible):
    """KL of the index distribution to the attention that it serves, mean over queries."""
    log_index = index.masked_fill(~visible, -1e30).log_softmax(-1)
    return (torch.xlogy(attention, attention) - attention * log_index).sum(-1).mean()


class DemoModel(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config, self.model = config, Trunk(config)
        self.lm_head = matrix(config["hidden_size"], config["vocab_size"])
        # The parts that training compiles; each is one graph for all layers of a kind.
        self.before, self.after, self.scores = before_attention, after_attention, index_scores
        self.full_of = []  # per layer: the full layer whose selection it uses
        for layer, kind in enumerate(config["indexer_types"]):
            self.full_of.append(layer if kind == "full" else self.full_of[-1])
        for name, parameter in self.named_parameters():
            if parameter.dim() > 1:
                depth = 2 * config["num_hidden_layers"]
                closes = name.endswith(("o_proj.weight", "down_proj.weight", "experts.down_proj"))
                std = parameter.shape[-1] ** -0.5 * (depth**-0.5 if closes else 1.0)
                nn.init.normal_(parameter, std=0.02 if "embed" in name or "lm_head" in name else std)
            if name.endswith("gate.weight"):
                nn.init.normal_(parameter, std=0.02)

    def new_pass(self, length, sparse, teach_rows=0):
        device = self.lm_head.weight.device
        cos, sin = rope_tables(self.config, length, device)
        return Pass(cos, sin, causal_mask(length, device), sparse, teach_rows)

    def _layer(self, index, h, run):
        """Next h, and of the taught rows: mean attention, and index scores if the layer is full."""
        layer, rows, attention, taught = self.model.layers[index], run.teach_rows, None, None
        x, q_residual, q, k, v = self.before(layer, h, run.cos, run.sin)
        if run.sparse and layer.full:
            with torch.no_grad():
                scores = self.scores(layer.self_attn.indexer, x, q_residual, run.cos, run.sin)
                run.mask = layer.self_attn.indexer.select(scores, run.visible)
        mask = run.mask if run.sparse else None
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
        if rows:
            attention = mean_attention(q[:rows], k[:rows], run.visible)
            if layer.full:
                inputs = x[:rows].detach(), q_residual[:rows].detach()
                taught = self.scores(layer.self_attn.indexer, *inputs, run.cos, run.sin)
        h, load = self.after(layer, h, out)
        run.loads.append((index, load))
        return h, attention, taught

    def trunk(self, tokens, run, mask_of=None):
        """Post-norm hidden states and the sum of index losses. mask_of: layer -> full layer (a fault)."""
        h, masks, attentions, scores = self.model.embed_tokens(tokens), {}, {}, {}
        for index in range(self.config["num_hidden_layers"]):
            if mask_of and index in mask_of:
                run.mask = masks[mask_of[index]]
            elif index not in masks and self.full_of[index] in masks:
                run.mask = masks[self.full_of[index]]
            h, attention, index_scores = self._layer(index, h, run)
            masks.setdefault(self.full_of[index], run.mask)
            if run.teach_rows:
                attentions.setdefault(self.full_of[index], []).append(attention)
                if index_scores is not None:
                    scores[index] = index_scores
        loss = sum(
            index_loss(score, torch.stack(attentions[full]).mean(0), run.visible)
            for full, score in scores.items()
        )
        return self.model.norm(h), loss

    def mtp(self, hidden, next_tokens, run):
        """Row t joins hidden[t] (or a recycled state) and token t + 1. Post-norm states, index loss."""
        index = self.config["num_hidden_layers"]
        layer = self.model.layers[index]
        z = layer.join(self.model.embed_tokens(next_tokens), hidden)
        z, attention, scores = self._layer(index, z, run)
        loss = index_loss(scores, attention, run.visible) if run.teach_rows else 0.0
        return layer.shared_head.norm(z), loss
