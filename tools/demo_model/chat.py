# SPDX-License-Identifier: Apache-2.0
"""Conversations in the GLM-5.2 format, as pieces of text that are learnt or only read.

A conversation is {"messages": [...], "tools": [...], "effort": "Max" | "High" | None}; effort None
is the form without thinking. Assistant messages have "think", "text" and "calls" (name, arguments).
"""

import json

TOOLS_HEAD = (
    "<|system|>\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n"
)
TOOLS_TAIL = (
    "</tools>\n\nFor each function call, output the function name and arguments within the following XML "
    "format:\n<tool_call>{function-name}<arg_key>{arg-key-1}</arg_key><arg_value>{arg-value-1}</arg_value>"
    "<arg_key>{arg-key-2}</arg_key><arg_value>{arg-value-2}</arg_value>...</tool_call>"
)


def to_json(value):
    return json.dumps(value, ensure_ascii=False)


def user(text):
    return {"role": "user", "text": text}


def system(text):
    return {"role": "system", "text": text}


def tool_result(text):
    return {"role": "tool", "text": text}


def assistant(text="", think="", calls=()):
    return {"role": "assistant", "text": text, "think": think, "calls": list(calls)}


def render_call(name, arguments):
    pairs = "".join(
        f"<arg_key>{k}</arg_key><arg_value>{v if isinstance(v, str) else to_json(v)}</arg_value>"
        for k, v in arguments.items()
    )
    return f"<tool_call>{name}{pairs}</tool_call>"


def head(conversation):
    text = "[gMASK]<sop>"
    if conversation.get("effort"):
        text += f"<|system|>Reasoning Effort: {conversation['effort']}"
    if conversation.get("tools"):
        lines = "".join(to_json(tool) + "\n" for tool in conversation["tools"])
        text += TOOLS_HEAD + lines + TOOLS_TAIL
    return text


def pieces(conversation):
    """[(text, learnt)]; the closing role token of an assistant turn is learnt too."""
    messages, thinking = conversation["messages"], bool(conversation.get("effort"))
    last_user = max(i for i, m in enumerate(messages) if m["role"] == "user")
    out, closes = [(head(conversation), False)], False
    for index, message in enumerate(messages):
        role = message["role"]
        if role == "assistant":
            fresh = thinking and index > last_user
            out.append(("<|assistant|><think>", False))
            out.append((message["think"] + "</think>" if fresh else "</think>", fresh))
            calls = "".join(render_call(*call) for call in message["calls"])
            out.append((message["text"] + calls, True))
            closes = True
            continue
        if role == "tool":
            if messages[index - 1]["role"] != "tool":
                out.append(("<|observation|>", closes))
            out.append((f"<tool_response>{message['text']}</tool_response>", False))
        else:
            out.append((f"<|{role}|>", closes))
            out.append((message["text"], False))
        closes = False
    if closes:
        calls = messages[-1]["calls"]
        out.append(("<|observation|>" if calls else "<|user|>", True))
    return out


def prompt(conversation):
    """The text up to where the assistant's next turn begins, generation prompt included."""
    parts = pieces(conversation)
    if conversation["messages"][-1]["role"] == "assistant":
        parts = parts[:-1]  # the closing token
    text = "".join(piece for piece, _ in parts)
    return text + ("<|assistant|><think>" if conversation.get("effort") else "<|assistant|><think></think>")
