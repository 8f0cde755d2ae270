# SPDX-License-Identifier: Apache-2.0
"""What must hold for a seed: agreement with the reference, no near-ties, and faults that show."""

import numpy as np

import mtp_reference
import teacher
from cases import PROMPT_TOKENS

MIN_GAP = 1e-4
MAX_REFERENCE_ERROR = 1e-5
MIN_FAULT_CHANGE = 1e-4


class NextSeed(Exception):
    """This seed gives a near-tie or a fault that would not show; the message says which."""


def relative(a, b):
    """Largest difference over the largest magnitude of b."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return float(np.abs(a - b).max() / np.abs(b).max())


def rounded(value):
    return float(f"{value:.4g}")


def require(condition, message):
    if not condition:
        raise AssertionError(message)


def wish(condition, message):
    if not condition:
        raise NextSeed(message)


def compare_with_reference(model, config, values, tokens):
    """Runs the reference as trunk; its trace says how near the selections are to a tie."""
    reference = mtp_reference.Model(config, values)
    hidden, logits = mtp_reference.trunk(reference, np.array(tokens))
    trace = reference.trace
    wish(min(trace.router_gaps, default=1.0) > MIN_GAP, "router gap")
    wish(min(trace.index_gaps, default=1.0) > MIN_GAP, "index gap")
    torch_hidden, torch_logits = teacher.run(model, tokens)
    errors = {"hidden": relative(torch_hidden, hidden), "logits": relative(torch_logits, logits)}
    require(
        max(errors.values()) < MAX_REFERENCE_ERROR, f"reference and transformers differ: {errors}"
    )
    facts = {"reference_relative_error": {k: rounded(v) for k, v in errors.items()}}
    if trace.router_gaps:
        facts["min_router_gap"] = rounded(min(trace.router_gaps))
    return facts, trace


def other_result(model, tokens, logits, change, restore):
    """Relative change of the logits while `change` is in effect."""
    change()
    result = relative(teacher.run(model, tokens)[1], logits)
    restore()
    return result


def sensitivity(model, config, tokens, logits):
    """Faults that the data must show: how far each moves the logits."""
    result = {}
    if teacher.latent_norms(model):
        result["latent_eps_1e-6"] = other_result(
            model,
            tokens,
            logits,
            lambda: teacher.set_latent_eps(model, teacher.CLASS_DEFAULT_EPS),
            lambda: teacher.set_latent_eps(model, config["rms_norm_eps"]),
        )
    routers = [m for m in model.modules() if hasattr(m, "e_score_correction_bias")]
    biases = [m.e_score_correction_bias.clone() for m in routers]

    def write(values):
        for router, value in zip(routers, values):
            router.e_score_correction_bias.copy_(value)

    if routers:
        result["router_bias_bf16"] = other_result(
            model,
            tokens,
            logits,
            lambda: write([b.bfloat16().float() for b in biases]),
            lambda: write(biases),
        )
    if "index_topk" in config:
        result["dense_attention"] = relative(
            teacher.logits_with_topk(model, tokens, len(tokens)), logits
        )
    wish(min(result.values(), default=1.0) > MIN_FAULT_CHANGE, f"a fault does not show: {result}")
    return (
        {"relative_change_by_fault": {k: rounded(v) for k, v in result.items()}} if result else {}
    )


def indexer_facts(model, config, values, tokens, trace):
    """Selections equal the reference's with interleaved rope, and not with half-split rope."""
    found = teacher.selections(model, tokens)
    require(
        found.keys() == trace.selected.keys(), "other layers have an indexer than the schedule says"
    )
    require(
        all((found[k] == trace.selected[k]).all() for k in found),
        "selections differ from the reference",
    )
    wrong = mtp_reference.Model(config, values, half_split_indexer=True)
    mtp_reference.trunk(wrong, np.array(tokens))
    first = min(found)
    rows = int((wrong.trace.selected[first] != found[first]).any(axis=1).sum())
    require(rows > 0, "half-split indexer rope selects the same: cannot tell the two apart")
    return {
        "indexer_rope_interleaved": True,
        "latent_norm_eps": config["rms_norm_eps"],
        "sparse_selection_applied": True,
        "min_index_gap": rounded(min(trace.index_gaps)),
        "rows_that_half_split_rope_changes": rows,
    }


def selection_lists(trace):
    return {
        str(layer): [[int(i) for i in np.flatnonzero(row)] for row in rows[:PROMPT_TOKENS]]
        for layer, rows in trace.selected.items()
    }


def mtp_data(model, config, values, prompt):
    """Hidden states, draft logits of the reference, its agreement with transformers' wrapper."""
    hidden = teacher.run(model, prompt)[0].numpy()
    reference = mtp_reference.Model(config, values)
    logits = mtp_reference.mtp(reference, hidden, np.array(prompt))
    trace = reference.trace
    wish(min(trace.router_gaps) > MIN_GAP, "mtp router gap")
    wish(min(trace.index_gaps, default=1.0) > MIN_GAP, "mtp index gap")
    errors = [
        relative(teacher.mtp_logits(model, config, values, hidden, prompt, first), logits)
        for first in (0, 1)
    ]
    require(max(errors) < MAX_REFERENCE_ERROR, f"mtp reference and transformers differ: {errors}")
    facts = {
        "mtp_min_router_gap": rounded(min(trace.router_gaps)),
        "mtp_relative_error_at_position_t_and_t_plus_1": [rounded(x) for x in errors],
    }
    if trace.index_gaps:
        facts["mtp_min_index_gap"] = rounded(min(trace.index_gaps))
    arrays = {"hidden": hidden, "mtp_logits": logits}
    return arrays, facts, selection_lists(trace)
