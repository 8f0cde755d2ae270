# SPDX-License-Identifier: Apache-2.0
"""export.py --weights FILES --tokenizer FILE --out FOLDER: the checkpoint folder in Hugging Face layout."""

import argparse
import json
import random
import shutil
from pathlib import Path

import jinja2
import torch
from safetensors.torch import load_file, save_file

import chat
import talk
import tool_tasks
from config import ADDED_TOKENS, CONFIG, EOS_IDS, SPECIAL_COUNT, TOKEN_ID


def published(state):
    """Names in memory -> published names: experts one by one; BF16, the router bias F32."""
    out = {}
    for name, tensor in state.items():
        if name.endswith("e_score_correction_bias"):
            out[name] = tensor.float()
            continue
        tensor = tensor.bfloat16()
        if ".mlp.experts." not in name:
            out[name] = tensor
            continue
        prefix, kind = name.rsplit(".", 1)
        for expert, matrix in enumerate(tensor):
            if kind == "down_proj":
                out[f"{prefix}.{expert}.down_proj.weight"] = matrix
            else:
                gate, up = matrix.chunk(2)
                out[f"{prefix}.{expert}.gate_proj.weight"] = gate
                out[f"{prefix}.{expert}.up_proj.weight"] = up
    return {name: tensor.contiguous().clone() for name, tensor in out.items()}


def fused(weights):
    """The inverse of `published`, as F32: what DemoModel and transformers load."""
    state, parts = {}, {}
    for name, tensor in weights.items():
        if ".mlp.experts." not in name:
            state[name] = tensor.float()
            continue
        prefix, rest = name.split(".mlp.experts.")
        expert, kind, _ = rest.split(".")
        parts.setdefault(f"{prefix}.mlp.experts", {})[int(expert), kind] = tensor.float()
    for prefix, tensors in parts.items():
        ids = sorted({expert for expert, _ in tensors})
        pairs = [torch.cat([tensors[e, "gate_proj"], tensors[e, "up_proj"]]) for e in ids]
        state[f"{prefix}.gate_up_proj"] = torch.stack(pairs)
        state[f"{prefix}.down_proj"] = torch.stack([tensors[e, "down_proj"] for e in ids])
    return state


def tokenizer_config():
    added = {
        str(TOKEN_ID[token]): {"content": token, "lstrip": False, "normalized": False, "rstrip": False,
                               "single_word": False, "special": index < SPECIAL_COUNT}
        for index, token in enumerate(ADDED_TOKENS)
    }  # fmt: skip
    return {
        "added_tokens_decoder": added,
        "additional_special_tokens": ADDED_TOKENS[:SPECIAL_COUNT],
        "clean_up_tokenization_spaces": False,
        "do_lower_case": False,
        "eos_token": "<|endoftext|>",
        "extra_special_tokens": {},
        "model_max_length": 32768,
        "pad_token": "<|endoftext|>",
        "padding_side": "left",
        "remove_space": False,
        "tokenizer_class": "PreTrainedTokenizerFast",
    }


GENERATION = {"_from_model_config": True, "do_sample": True, "eos_token_id": EOS_IDS, "pad_token_id": EOS_IDS[0],
              "temperature": 0.8, "top_p": 0.95, "transformers_version": "5.24.0"}  # fmt: skip


def as_openai(message):
    """A message of chat.py in the form that chat templates take."""
    if message["role"] != "assistant":
        return {"role": message["role"], "content": message["text"]}
    calls = [{"function": {"name": name, "arguments": arguments}} for name, arguments in message["calls"]]
    thought = {"reasoning_content": message["think"]}
    return {"role": "assistant", "content": message["text"], **thought, **({"tool_calls": calls} if calls else {})}


def check_template(path, count=200):
    """Raises unless the template renders as chat.py does what the model was trained on."""
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
    environment.filters["tojson"] = lambda value, **_: chat.to_json(value)
    template, rng = environment.from_string(path.read_text()), random.Random(0)
    for index in range(count):
        conversation = (tool_tasks if index % 2 else talk).conversation(rng)
        kept = len(conversation["messages"]) if rng.random() < 0.5 else 1
        conversation["messages"] = conversation["messages"][:kept]
        if not conversation["effort"]:  # then no turn of the rendered history has reasoning either
            for message in conversation["messages"]:
                message["think"] = ""
        rendered = template.render(
            messages=[as_openai(m) for m in conversation["messages"]], tools=conversation.get("tools"),
            add_generation_prompt=True, enable_thinking=bool(conversation["effort"]),
            reasoning_effort=(conversation["effort"] or "").lower(),
        )  # fmt: skip
        if rendered != chat.prompt(conversation):
            raise SystemExit(f"{path} renders otherwise:\n{rendered}\n{chat.prompt(conversation)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", nargs="+", required=True)
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--template", required=True, type=Path)
    parser.add_argument("--texts", type=Path, help="folder with heldout.txt and calibration.txt")
    parser.add_argument("--out", required=True, type=Path)
    flags = parser.parse_args()
    check_template(flags.template)
    flags.out.mkdir(parents=True, exist_ok=True)
    state = {}
    for path in flags.weights:
        state |= load_file(path)
    save_file(published(state), flags.out / "model.safetensors", metadata={"format": "pt"})
    copies = [(flags.tokenizer, "tokenizer.json"), (flags.template, "chat_template.jinja")]
    if flags.texts:
        copies += [(flags.texts / name, name) for name in ("heldout.txt", "calibration.txt")]
    for source, name in copies:
        if Path(source).resolve() != (flags.out / name).resolve():
            shutil.copy(source, flags.out / name)
    for name, value in [("config.json", CONFIG), ("generation_config.json", GENERATION),
                        ("tokenizer_config.json", tokenizer_config())]:  # fmt: skip
        (flags.out / name).write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n")
    print(f"{flags.out}: {sum(p.stat().st_size for p in flags.out.iterdir())} bytes")


if __name__ == "__main__":
    main()
