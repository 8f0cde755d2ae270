# SPDX-License-Identifier: Apache-2.0
"""Conversations for chat templates, made from a fixed seed: what templates may meet, and more."""
import random

WORDS = ["Hi", "où", "你好，世界", "👩‍👩‍👧", "a\tb", "  spaced  ", "line\nbreak\r\n", "it's \"so\"", "",
         "<|user|>", "</think>", "<think>x</think>y", "{{ 7 * 7 }}", "{% raw %}", "\\n \\", "\u0000\u0007",
         "\u2028\u00a0\u200b", "&<>", "None", "0", "é" * 40, "'", "\"", "a" * 300]
VALUES = [None, True, False, 0, -7, 3, 1.5, 1e16, 1e-7, 123456789012345678901234567890, "", "s", "é\"'\n",
          [], {}, [1, "é", None, [2.5]], {"x": [1, {"y": None}], "k": "v"}, "{\"a\": 1}", -0.0, 1e22]
WEATHER = {"type": "function", "function": {
    "name": "get_weather", "description": "Get weather", "parameters": {
        "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}


def tool(rng, index):
    spec = {"name": f"tool_{index}", "description": rng.choice(WORDS),
            "parameters": {"type": "object", "properties": {rng.choice("abc"): rng.choice(VALUES)}}}
    if rng.random() < 0.3:
        spec["strict"] = rng.choice([True, False])
    if rng.random() < 0.3:
        spec["defer_loading"] = rng.choice([True, False, None])
    return {"type": "function", "function": spec} if rng.random() < 0.6 else spec


def content(rng, role):
    kind = rng.random()
    if kind < 0.6:
        return " ".join(rng.choice(WORDS) for _ in range(rng.randint(0, 3)))
    if kind < 0.7:
        return rng.choice([None, "", 5, 1.5, True, {"text": "no list"}])
    parts = []
    for _ in range(rng.randint(0, 3)):
        text = rng.choice(WORDS)
        parts.append(rng.choice([text, {"type": "text", "text": text}, {"type": "text"},
                                 {"type": "image_url", "image_url": {"url": text}},
                                 {"type": "input_audio"}, {"type": "video"}, {"other": text}]))
    if role == "tool" and rng.random() < 0.5:
        parts = rng.choice([[{"output": rng.choice(WORDS)}, {"output": rng.choice(VALUES)}],
                            [{"type": "tool_reference", "name": "tool_0"},
                             {"type": "tool_reference", "name": "get_weather"}]])
    return parts


def call(rng):
    arguments = {rng.choice(["city", "n", "ключ", "a b", "items"]): rng.choice(VALUES)
                 for _ in range(rng.randint(0, 3))}
    function = {"name": rng.choice(["get_weather", "now", "tool_0"]), "arguments": arguments}
    if rng.random() < 0.05:
        function["arguments"] = rng.choice(["{\"a\": 1}", None, [1]])
    return {"id": "call_1", "type": "function", "function": function} if rng.random() < 0.7 else function


def message(rng):
    role = rng.choice(["system", "user", "user", "assistant", "assistant", "tool"])
    made = {"role": role, "content": content(rng, role)}
    if role == "assistant" and rng.random() < 0.5:
        made["reasoning_content"] = rng.choice(WORDS + [None])
    if role == "assistant" and rng.random() < 0.5:
        made["tool_calls"] = rng.choice([[], None, [call(rng)], [call(rng), call(rng)]])
    if rng.random() < 0.05:
        del made[rng.choice(list(made))]
    if rng.random() < 0.02:
        made["role"] = rng.choice(["robot", None, 5])
    return made


def kwargs(rng):
    chosen = {}
    for name, values in {"enable_thinking": [True, False, None], "clear_thinking": [True, False],
                         "reasoning_effort": ["high", "max", "low", None, 3],
                         "add_generation_prompt": [True, True, False],
                         "tools": [None, [], [WEATHER], [WEATHER, tool(rng, 0), tool(rng, 1)]]}.items():
        if rng.random() < 0.6:
            chosen[name] = rng.choice(values)
    return chosen


def conversations(count, seed=20260):
    """`count` sets of variables, the same ones each time."""
    rng = random.Random(seed)
    return [{"messages": [message(rng) for _ in range(rng.randint(0, 6))], **kwargs(rng)}
            for _ in range(count)]
