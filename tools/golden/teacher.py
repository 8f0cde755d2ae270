# SPDX-License-Identifier: Apache-2.0
"""What transformers computes: loads a checkpoint's tensors, gives logits and selections."""

import copy
import re

import torch
from transformers import AutoConfig, AutoModelForCausalLM
from transformers.modeling_layers import MtpLayer

from mtp_reference import rope_theta

CLASS_DEFAULT_EPS = 1e-6
LATENT_NORMS = ("q_a_layernorm", "kv_a_layernorm")
EXPERT = re.compile(r"(.*mlp\.experts)\.(\d+)\.(gate|up|down)_proj\.weight")


def fuse_experts(weights):
    """Published names -> names in memory: per layer one gate_up tensor (gate first), one down."""
    state, parts = {}, {}
    for name, tensor in weights.items():
        match = EXPERT.fullmatch(name)
        if match is None:
            state[name] = tensor
        else:
            parts.setdefault(match[1], {})[int(match[2]), match[3]] = tensor
    for prefix, tensors in parts.items():
        ids = sorted({expert for expert, _ in tensors})
        pairs = [torch.cat([tensors[e, "gate"], tensors[e, "up"]]) for e in ids]
        state[f"{prefix}.gate_up_proj"] = torch.stack(pairs)
        state[f"{prefix}.down_proj"] = torch.stack([tensors[e, "down"] for e in ids])
    return state


def without_layer(weights, layer):
    return {k: v for k, v in weights.items() if not k.startswith(f"model.layers.{layer}.")}


def make_config(config):
    fields = {
        k: v for k, v in config.items() if k not in ("quantization_config", "dtype", "model_type")
    }
    return AutoConfig.for_model(config["model_type"], **fields)


def latent_norms(model):
    return [module for name, module in model.named_modules() if name.endswith(LATENT_NORMS)]


def set_latent_eps(model, eps):
    """q_a and kv_a norms: transformers leaves its class default, training used the config's."""
    for norm in latent_norms(model):
        norm.variance_epsilon = eps


def check_rotary_width(model, config):
    width = config.get("qk_rope_head_dim") or int(
        config["head_dim"] * config["partial_rotary_factor"]
    )
    inverse = model.model.rotary_emb.inv_freq
    expected = float(rope_theta(config)) ** (-2.0 / width)
    if inverse.numel() != width // 2 or abs(inverse[1].item() / expected - 1) > 1e-5:
        raise AssertionError(f"rotary width or theta is not the configured one ({width})")


def prepare(model, config):
    model.eval()
    if any(norm.variance_epsilon != CLASS_DEFAULT_EPS for norm in latent_norms(model)):
        raise AssertionError("transformers changed the q_a/kv_a norm epsilon: check the patch")
    set_latent_eps(model, config["rms_norm_eps"])
    check_rotary_width(model, config)
    if (
        model.config._attn_implementation != "eager"
        or model.config._experts_implementation != "eager"
    ):
        raise AssertionError("attention and experts must be eager")
    return model


def build(config, weights):
    """F32 model with exactly these weights; strict, so a missing or extra name raises."""
    model = AutoModelForCausalLM.from_config(
        make_config(config),
        dtype=torch.float32,
        attn_implementation="eager",
        experts_implementation="eager",
    )
    state = fuse_experts(without_layer(weights, config["num_hidden_layers"]))
    model.load_state_dict(state, strict=True)
    return prepare(model, config)


def load_published(folder, config, dtype):
    """The same model through transformers' own reading of the folder, in `dtype`.

    Not model.to(dtype): that would also round the router bias and the rope frequencies, which every
    engine keeps in F32. Only the MTP layer may be left over.
    """
    model, info = AutoModelForCausalLM.from_pretrained(
        folder,
        dtype=dtype,
        attn_implementation="eager",
        experts_implementation="eager",
        output_loading_info=True,
    )
    mtp_prefix = f"model.layers.{config['num_hidden_layers']}."
    left_over = [name for name in info["unexpected_keys"] if not name.startswith(mtp_prefix)]
    if info["missing_keys"] or info["mismatched_keys"] or left_over:
        raise AssertionError(f"{folder}: transformers reads other names: {info}")
    return prepare(model, config)


@torch.no_grad()
def run(model, tokens):
    """Post-final-norm hidden states [tokens, hidden] and logits [tokens, vocab]."""
    f = model.model(torch.tensor([list(tokens)]), use_cache=False).last_hidden_state
    return f[0], model.lm_head(f)[0]


def greedy(model, prompt, count):
    """The next `count` tokens by argmax (each a full run) and their top-2 margins."""
    tokens, margins = list(prompt), []
    for _ in range(count):
        top = run(model, tokens)[1][-1].topk(2)
        margins.append((top.values[0] - top.values[1]).item())
        tokens.append(top.indices[0].item())
    return tokens[len(prompt) :], margins


def selections(model, tokens):
    """layer -> bool [tokens, tokens], what the full layers' indexers chose among visible keys."""
    found, hooks = {}, []
    for index, layer in enumerate(model.model.layers):
        if layer.self_attn.indexer is not None:

            def keep(module, inputs, output, index=index):
                found[index] = output[0]

            hooks.append(layer.self_attn.indexer.register_forward_hook(keep))
    run(model, tokens)
    for hook in hooks:
        hook.remove()
    size = len(tokens)
    visible = torch.ones(size, size).tril().bool()
    return {
        index: (torch.zeros(size, size).scatter(1, rows.long(), 1.0).bool() & visible).numpy()
        for index, rows in found.items()
    }


def logits_with_topk(model, tokens, topk):
    """Logits with another index_topk; the model is left as it was."""
    indexers = [m for m in model.modules() if hasattr(m, "index_topk")]
    old = [m.index_topk for m in indexers]
    for m in indexers:
        m.index_topk = topk
    logits = run(model, tokens)[1]
    for m, value in zip(indexers, old):
        m.index_topk = value
    return logits


class _FirstOutput(torch.nn.Module):
    """A decoder layer that returns the hidden states only, as the MTP wrapper expects."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, *arguments, **keywords):
        result = self.layer(*arguments, **keywords)
        return result[0] if isinstance(result, tuple) else result


def _mtp_layer(model, config, weights):
    one = copy.deepcopy(model.config)
    one.first_k_dense_replace = 0
    one.mlp_layer_types, one.indexer_types = ["sparse"], ["full"]
    kinds = type(model.model.layers[-1]), type(model.model.norm)
    layer = MtpLayer(one, lambda c, i: _FirstOutput(kinds[0](c, i)), kinds[1], 0)
    state, prefix = {}, f"model.layers.{config['num_hidden_layers']}."
    for name, tensor in fuse_experts(weights).items():
        key = name[len(prefix) :]
        if not name.startswith(prefix) or key in ("embed_tokens.weight", "shared_head.head.weight"):
            continue
        if key == "shared_head.norm.weight":
            key = "post_norm.weight"
        elif not key.startswith(("enorm", "hnorm", "eh_proj")):
            key = f"mtp_block.layer.{key}"
        state[key] = tensor
    layer.load_state_dict(state, strict=True)
    set_latent_eps(layer, config["rms_norm_eps"])
    return layer.eval()


@torch.no_grad()
def mtp_logits(model, config, weights, hidden, tokens, first_position):
    """Draft logits from transformers' MTP wrapper around its own decoder layer."""
    prefix = f"model.layers.{config['num_hidden_layers']}."
    table = weights.get(prefix + "embed_tokens.weight", weights["model.embed_tokens.weight"])
    head = weights.get(prefix + "shared_head.head.weight", weights["lm_head.weight"])
    embedding = table[torch.tensor(list(tokens[1:]))][None]
    size = embedding.shape[1]
    positions = torch.arange(first_position, first_position + size)[None]
    mask = torch.full((1, 1, size, size), torch.finfo(torch.float32).min).triu(1)
    angles = model.model.rotary_emb(embedding, positions)
    m = _mtp_layer(model, config, weights)(
        embedding, torch.as_tensor(hidden[:-1])[None], angles, mask, positions, None
    )
    return (m @ head.T)[0]
