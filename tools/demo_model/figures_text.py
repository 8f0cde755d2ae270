# SPDX-License-Identifier: Apache-2.0
"""figures_text.py: perplexity, sparse against dense, MTP acceptance and router load on held-out text."""

import math

import torch
import torch.nn.functional as F

import checkpoint

DRAFTS = 4


@torch.no_grad()
def trunk_logits(model, tokens, sparse, mask_of=None):
    """(post-norm states, logits, pass) of [rows, tokens]."""
    run = model.new_pass(tokens.shape[1], sparse)
    hidden, _ = model.trunk(tokens, run, mask_of)
    return hidden, model.lm_head(hidden), run


def perplexity(model, rows, sparse, mask_of=None):
    total = 0.0
    for row in rows:
        logits = trunk_logits(model, row[None], sparse, mask_of)[1][0, :-1]
        total += F.cross_entropy(logits, row[1:], reduction="sum").item()
    return math.exp(total / (rows.shape[0] * (rows.shape[1] - 1)))


def wrong_layers(model):
    """Faults: the shared layers of one full layer read another full layer's selection."""
    full = sorted(set(model.full_of))
    shared = [layer for layer, source in enumerate(model.full_of) if layer != source]
    last = [layer for layer in shared if model.full_of[layer] == full[-1]]
    return {"one_shared_layer": {last[-1]: full[0]}, "all_shared_layers_of_the_last": {i: full[0] for i in last}}


def perplexities(model, ids, device):
    rows = checkpoint.windows(ids, 1024).to(device)
    dense, sparse = perplexity(model, rows, False), perplexity(model, rows, True)
    result = {"windows_of_1024": len(rows), "dense": dense, "dsa": sparse, "dsa_over_dense": sparse / dense}
    for name, fault in wrong_layers(model).items():
        wrong = perplexity(model, rows, True, fault)
        result[f"wrong_{name}"] = {"perplexity": wrong, "over_dense": wrong / dense}
    return result


def divergence(model, ids, device):
    """Mean KL(dense || DSA) at the last token of prompts around and beyond index_topk."""
    topk, result = model.config["index_topk"], {}
    for length in (topk - 1, topk, topk + 1, 2 * topk, 8 * topk):
        rows = checkpoint.windows(ids, length, 600)[:30].to(device)
        total = 0.0
        for row in rows:
            dense = trunk_logits(model, row[None], False)[1][0, -1].log_softmax(-1)
            sparse = trunk_logits(model, row[None], True)[1][0, -1].log_softmax(-1)
            total += (dense.exp() * (dense - sparse)).sum().item()
        result[str(length)] = total / len(rows)
    return result


def router_load(model, ids, device):
    """Per MoE layer: smallest and largest load of an expert over the mean."""
    sums = {}
    for row in checkpoint.windows(ids, 1024).to(device):
        hidden, _, run = trunk_logits(model, row[None], True)
        with torch.no_grad():
            model.mtp(hidden, row[None].roll(-1, 1), run)
        for layer, load in run.loads:
            if load is not None:
                sums[layer] = sums.get(layer, 0) + load
    ratios = {layer: load / load.mean() for layer, load in sums.items()}
    return {str(k): {"min": r.min().item(), "max": r.max().item()} for k, r in ratios.items()}


@torch.no_grad()
def forced_acceptance(model, ids, device):
    """Share of held-out positions where the first draft is the trunk's own choice."""
    equal = count = 0
    for row in checkpoint.windows(ids, 1024).to(device):
        hidden, logits, run = trunk_logits(model, row[None], True)
        state, _ = model.mtp(hidden[:, :-1], row[None, 1:], shorter(model, run))
        draft, choice = model.lm_head(state)[0, :-1].argmax(-1), logits[0, 1:-1].argmax(-1)
        equal, count = equal + (draft == choice).sum().item(), count + len(draft)
    return equal / count


def shorter(model, run):
    return model.new_pass(len(run.cos) - 1, run.sparse)


@torch.no_grad()
def draft(model, hidden, tokens, count):
    """`count` greedy drafts after `tokens` [n + 1], of which hidden [1, n, width] covers the first n.

    Step 0 consumes the trunk's last state, later steps the MTP layer's own post-norm output.
    """
    states, following, out = hidden, tokens[1:], []
    for _ in range(count):
        run = model.new_pass(len(following), True)
        state, _ = model.mtp(states, torch.tensor([following], device=hidden.device), run)
        out.append(model.lm_head(state[0, -1]).argmax().item())
        states, following = torch.cat([states, state[:, -1:]], 1), [*following, out[-1]]
    return out


def accepted(drafts, truth):
    for count, (a, b) in enumerate(zip(drafts, truth)):
        if a != b:
            return count
    return min(len(drafts), len(truth))


@torch.no_grad()
def speculation(model, ids, device, prompts=20, prompt_length=192, new=48):
    """Greedy decoding with k drafts: tokens gained per step (accepted drafts + 1), by simulation."""
    totals = {k: [0, 0] for k in range(1, DRAFTS + 1)}
    first = [0, 0]
    stride = (len(ids) - prompt_length) // prompts
    for start in range(0, stride * prompts, stride):
        tokens = list(ids[start : start + prompt_length])
        for _ in range(new + DRAFTS + 1):
            logits = trunk_logits(model, torch.tensor([tokens], device=device), True)[1]
            tokens.append(logits[0, -1].argmax().item())
        hidden = trunk_logits(model, torch.tensor([tokens], device=device), True)[0]
        end = prompt_length + new
        gains = {}
        for at in range(prompt_length, end):
            drafts = draft(model, hidden[:, :at], tokens[: at + 1], DRAFTS)
            gains[at] = accepted(drafts, tokens[at + 1 :])
            first[0], first[1] = first[0] + (gains[at] > 0), first[1] + 1
        for k, total in totals.items():
            at = prompt_length
            while at < end:
                gain = min(gains[at], k) + 1
                total[0], total[1], at = total[0] + gain, total[1] + 1, at + gain
    return {"first_draft_accepted": first[0] / first[1],
            "tokens_per_step": {str(k): gained / steps for k, (gained, steps) in totals.items()}}  # fmt: skip


def main():
    flags = checkpoint.parse(checkpoint.parser(__doc__))
    model, tokenizer = checkpoint.load(flags.folder, flags.device)
    ids = checkpoint.heldout_ids(flags.folder, tokenizer)
    figures = {"heldout_tokens": len(ids)}
    for name, measure in [("perplexity", perplexities), ("kl_dense_dsa", divergence), ("router_load", router_load),
                          ("mtp_first_draft_on_text", forced_acceptance), ("mtp_greedy", speculation)]:  # fmt: skip
        figures[name] = measure(model, ids, flags.device)
    checkpoint.finish(flags, figures)


if __name__ == "__main__":
    main()
