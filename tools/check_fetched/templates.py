# SPDX-License-Identifier: Apache-2.0
"""templates.py GLINT FOLDER: every chat template under FOLDER prints what jinja2 prints, over the
conversations of tests/program and some plain ones.

Templates are files *.jinja and the chat_template of tokenizer_config.json. A template that glint
refuses to load is a difference too.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).parents[2] / "tests/program"
sys.path.insert(0, str(TESTS))
from jinja_reference import render  # noqa: E402
from render_conversations import WEATHER, conversations  # noqa: E402

CALL = {"id": "call_0001", "type": "function",
        "function": {"name": "get_weather", "arguments": {"city": "Zürich", "n": [1, None, 1.5]}}}
PLAIN = [
    [{"role": "user", "content": "Hi"}],
    [{"role": "system", "content": "S"}, {"role": "user", "content": "Q1"},
     {"role": "assistant", "content": "A1", "reasoning_content": "R1"},
     {"role": "user", "content": "Q2"},
     {"role": "assistant", "content": "", "reasoning_content": "R2", "tool_calls": [CALL]},
     {"role": "tool", "tool_call_id": "call_0001", "name": "get_weather", "content": "sunny"}],
    [{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
     {"role": "assistant", "content": "<think>\nx\n</think>\n\nans "},
     {"role": "user", "content": "más"}],
]
KWARGS = [{}, {"add_generation_prompt": True, "tools": [WEATHER]},
          {"add_generation_prompt": True, "tools": None, "enable_thinking": False}]
TOKENS = {"bos_token": "<s>", "eos_token": "</s>"}


def cases():
    plain = [{"messages": messages, **TOKENS, **kwargs} for messages in PLAIN for kwargs in KWARGS]
    return plain + [{**TOKENS, **case} for case in conversations(400)]


def templates(folder):
    """(name, source) of each template."""
    for path in sorted(Path(folder).rglob("*.jinja")):
        yield str(path), path.read_text()
    for path in sorted(Path(folder).rglob("tokenizer_config.json")):
        found = json.loads(path.read_text()).get("chat_template")
        if isinstance(found, str):
            yield str(path), found
        for entry in found if isinstance(found, list) else []:
            yield f"{path}: {entry['name']}", entry["template"]


def ours(glint, source, variables):
    """The texts, None where glint refuses; or the error of loading."""
    with tempfile.NamedTemporaryFile("w", suffix=".jinja") as file:
        file.write(source)
        file.flush()
        lines = "".join(json.dumps(each) + "\n" for each in variables)
        result = subprocess.run([glint, "render", file.name, "--messages", "-", "--json-lines"],
                                input=lines.encode(), capture_output=True)
    if result.returncode != 0:
        raise RuntimeError(result.stderr.decode().strip())
    answers = [json.loads(line) for line in result.stdout.decode().split("\n")[:-1]]
    return [None if isinstance(answer, dict) else answer for answer in answers]


def compare(glint, source, variables):
    """(what differs or "", one line about it)"""
    try:
        got = ours(glint, source, variables)
    except RuntimeError as error:
        return "refused", str(error)
    want = [render(source, each) for each in variables]
    wrong = [each for each, a, b in zip(variables, got, want, strict=True) if a != b]
    if wrong:
        return "differs", f"{len(wrong)} of {len(variables)} differ, the first {json.dumps(wrong[0])}"
    return "", f"{len(want)} equal, {want.count(None)} of them refused by both"


def main(glint, folder):
    found = list(templates(folder))
    if not found:
        print(f"SKIPPED: no *.jinja and no tokenizer_config.json with a template under {folder}")
        return 77
    variables = cases()
    failed = False
    for name, source in found:
        wrong, line = compare(glint, source, variables)
        print(f"{name}: {line}")
        failed = failed or bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
