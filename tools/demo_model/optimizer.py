# SPDX-License-Identifier: Apache-2.0
"""Muon for the inner matrices, AdamW for the rest.

Source of Muon: Keller Jordan, "Muon: an optimizer for hidden layers in neural networks" (2024); the
polynomial's coefficients are from there. Matrices of one shape are orthogonalised in one batch.
"""

import torch

MUON_SUFFIXES = (
    "q_a_proj.weight", "q_b_proj.weight", "kv_a_proj_with_mqa.weight", "kv_b_proj.weight", "o_proj.weight",
    "gate_proj.weight", "up_proj.weight", "mlp.down_proj.weight", "shared_experts.down_proj.weight",
    "experts.gate_up_proj", "experts.down_proj", "eh_proj.weight",
)  # fmt: skip


def orthogonalise(batch, steps=5):
    """Nearest (roughly) semi-orthogonal matrices of [count, rows, columns]."""
    x = batch.bfloat16() if batch.is_cuda else batch
    wide = x.shape[-2] <= x.shape[-1]
    x = x if wide else x.transpose(-1, -2)
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(steps):
        square = x @ x.transpose(-1, -2)
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * square @ square) @ x
    return (x if wide else x.transpose(-1, -2)).to(batch.dtype)


class Muon:
    def __init__(self, parameters, rate=0.02, momentum=0.95, decay=0.01):
        self.rate, self.momentum, self.decay, self.groups = rate, momentum, decay, {}
        for parameter in parameters:
            self.groups.setdefault(parameter.shape[-2:], []).append(parameter)
        self.buffers = {shape: [torch.zeros_like(p) for p in group] for shape, group in self.groups.items()}

    @torch.no_grad()
    def step(self, factor):
        for shape, group in self.groups.items():
            buffers, gradients = self.buffers[shape], [p.grad for p in group]
            torch._foreach_lerp_(buffers, gradients, 1 - self.momentum)
            updates = torch._foreach_lerp(gradients, buffers, self.momentum)
            flat = torch.cat([u.reshape(-1, *shape) for u in updates])
            flat = orthogonalise(flat) * max(1.0, shape[0] / shape[1]) ** 0.5
            torch._foreach_mul_(group, 1 - self.rate * factor * self.decay)
            parts = flat.split([p.numel() // (shape[0] * shape[1]) for p in group])
            torch._foreach_add_(group, [u.view_as(p) for u, p in zip(parts, group)], alpha=-self.rate * factor)


class Optimizer:
    """step(factor) with the factor of the schedule; gradients are cleared afterwards."""

    def __init__(self, model, rate=2e-3):
        named = [(n, p) for n, p in model.named_parameters()]
        self.muon = Muon([p for n, p in named if n.endswith(MUON_SUFFIXES)])
        self.others = [p for n, p in named if not n.endswith(MUON_SUFFIXES)]
        self.rate = rate
        fused = next(model.parameters()).is_cuda
        self.adam = torch.optim.AdamW(self.others, lr=rate, betas=(0.9, 0.98), weight_decay=0.0, fused=fused)

    def step(self, factor):
        torch.nn.utils.clip_grad_norm_(self.others, 1.0)
        for group in self.adam.param_groups:
            group["lr"] = self.rate * factor
        self.adam.step()
        self.muon.step(factor)
        self.adam.zero_grad(set_to_none=True)
        for group in self.muon.groups.values():
            for parameter in group:
                parameter.grad = None
