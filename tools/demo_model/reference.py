# SPDX-License-Identifier: Apache-2.0
"""What transformers computes from the published folder, in F32 on the CPU."""

import torch
from transformers import AutoModelForCausalLM


def load(folder):
    """transformers' model; only the MTP layer may be left over. Its q_a/kv_a norms use 1e-6, as ours."""
    model, info = AutoModelForCausalLM.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager", experts_implementation="eager",
        output_loading_info=True,
    )  # fmt: skip
    prefix = f"model.layers.{model.config.num_hidden_layers}."
    left_over = [name for name in info["unexpected_keys"] if not name.startswith(prefix)]
    if info["missing_keys"] or info["mismatched_keys"] or left_over:
        raise SystemExit(f"{folder}: transformers reads other names: {info}")
    return model.eval()


@torch.no_grad()
def logits(model, tokens):
    return model(torch.tensor([list(tokens)]), use_cache=False).logits[0]
