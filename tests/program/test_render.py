# SPDX-License-Identifier: Apache-2.0
"""`glint render` against jinja2 as transformers sets it up: the same bytes, and both refuse."""
import json
import re
import subprocess
import unicodedata
from pathlib import Path

import pytest

from jinja_reference import render
from render_conversations import WEATHER, conversations
from render_snippets import BLOCKS, FAIL, RENDER, VARIABLES

TEMPLATES = sorted((Path(__file__).parents[1] / "text").glob("*.jinja"))
UNICODE_TABLES = Path(__file__).parents[2] / "src/text/generated/unicode_tables.cc"
MESSAGES = [{"role": "user", "content": "Hi"}]


@pytest.fixture
def render_lines(glint):
    """render_lines(template file, list of variables) -> the answers: a string, or {"error": ...}."""

    def run(template, variables):
        lines = "".join(json.dumps(each) + "\n" for each in variables)
        result = subprocess.run([glint, "render", template, "--messages", "-", "--json-lines"],
                                input=lines.encode(), capture_output=True, timeout=60)
        assert result.returncode in (0, 1), result.stderr
        if result.returncode == 1:
            assert not result.stdout and result.stderr
            return [{"error": result.stderr.decode()}] * len(variables)
        return [json.loads(line) for line in result.stdout.decode().split("\n")[:-1]]

    return run


@pytest.fixture
def render_snippet(render_lines, tmp_path):
    def run(source):
        template = tmp_path / "snippet.jinja"
        template.write_bytes(source.encode())
        return render_lines(template, [VARIABLES])[0]

    return run


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.stem)
def test_conversations_render_as_in_jinja2(render_lines, template):
    cases = conversations(400)
    expected = [render(template.read_text(), case) for case in cases]
    for case, want, got in zip(cases, expected, render_lines(template, cases), strict=True):
        assert (None if isinstance(got, dict) else got) == want, (case, got)
    assert sum(want is not None for want in expected) >= 150


@pytest.mark.filterwarnings("ignore:invalid escape sequence")
@pytest.mark.parametrize("source", RENDER + BLOCKS)
def test_snippets_render_as_in_jinja2(render_snippet, source):
    want = render(source, VARIABLES)
    assert want is not None
    assert render_snippet(source) == want


@pytest.mark.parametrize("source", FAIL)
def test_what_python_refuses_is_refused(render_snippet, source):
    assert render(source, VARIABLES) is None
    assert "line" in render_snippet(source)["error"]


# What Python's str says of a code point, for all of them.
OF_EVERY_CHARACTER = """
{%- for c in text -%}
{{ [c, c.upper(), c.lower(), c.title(), ('a' ~ c ~ 'Σ').lower(), ('Σ' ~ c ~ 'a').capitalize()] }}
{{ c.isalpha() }}{{ c.isalnum() }}{{ c.isdecimal() }}{{ c.isdigit() }}{{ c.isnumeric() }}
{{ c.isspace() }}{{ c.islower() }}{{ c.isupper() }}{{ (c ~ 'a').title() }}{{ c.strip() }}
{{ ('a' ~ c ~ 'b').splitlines() }}{{ ('a' ~ c ~ 'b').split() }}{{ c | tojson(ensure_ascii=true) }}
{%- endfor -%}
"""


def test_every_character_is_what_it_is_in_python(render_lines, tmp_path):
    made_from = re.search(r"UNIDATA ([\d.]+)", UNICODE_TABLES.read_text())[1]
    if made_from != unicodedata.unidata_version:
        pytest.skip(f"tables of Unicode {made_from}, Python has {unicodedata.unidata_version}")
    template = tmp_path / "characters.jinja"
    template.write_text(OF_EVERY_CHARACTER)
    codes = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    # Beyond plane 1 a sample: those planes have no case, and 900,000 code points take a minute.
    codes = codes[:0x20000] + codes[0x20000::101]
    cases = [{"text": "".join(codes[i:i + 2000])} for i in range(0, len(codes), 2000)]
    for case, got in zip(cases, render_lines(template, cases), strict=True):
        assert got == render(OF_EVERY_CHARACTER, case)


def write(path, value):
    path.write_text(json.dumps(value))
    return str(path)


def test_a_model_folder_and_flags(run_glint, tmp_path):
    model = tmp_path / "model"
    model.mkdir()
    (model / "config.json").write_text("{}")
    (model / "chat_template.jinja").write_text(TEMPLATES[-1].read_text())
    messages = write(tmp_path / "m.json", MESSAGES)
    tools = write(tmp_path / "t.json", [WEATHER])
    result = run_glint("render", str(model), "--messages", messages, "--tools", tools, "--kwargs",
                       '{"enable_thinking": false}', "--no-generation-prompt")
    assert result.returncode == 0, result.stderr
    assert result.stdout == render(TEMPLATES[-1].read_text(), {
        "messages": MESSAGES, "tools": [WEATHER], "enable_thinking": False,
        "add_generation_prompt": False})


def test_the_template_may_be_in_tokenizer_config(run_glint, tmp_path):
    (tmp_path / "config.json").write_text("{}")
    write(tmp_path / "tokenizer_config.json",
          {"chat_template": "{{ bos_token }}{{ messages[0].content }}{{ tools }}", "bos_token": "<s>"})
    result = run_glint("render", str(tmp_path), "--messages", write(tmp_path / "m.json", MESSAGES))
    assert (result.returncode, result.stdout) == (0, "<s>HiNone")


def test_arguments_of_calls_may_be_text(run_glint, tmp_path):
    call = {"function": {"name": "f", "arguments": '{"a": [1, "é"]}'}}
    messages = write(tmp_path / "m.json", [{"role": "assistant", "tool_calls": [call]}])
    result = run_glint("render", str(TEMPLATES[-1]), "--messages", messages)
    assert '<arg_key>a</arg_key><arg_value>[1, "é"]</arg_value>' in result.stdout


@pytest.mark.parametrize("words, part", [
    ([], "--messages"),
    (["--messages", "-", "--tools", "-"], "stdin"),
    (["--messages", "-", "--json-lines", "--kwargs", "{}"], "--json-lines"),
    (["--messages", "-", "--zzz"], "--zzz"),
])
def test_wrong_use_is_explained(run_glint, words, part):
    result = run_glint("render", str(TEMPLATES[0]), *words)
    assert (result.returncode, result.stdout) == (2, "")
    assert part in result.stderr and "glint render --help" in result.stderr


@pytest.mark.parametrize("template, messages, extra, part", [
    ("a\n{{ x | zzz }}", MESSAGES, [], "line 2: unknown filter 'zzz'"),
    ("{{ raise_exception('no') }}", MESSAGES, [], "line 1: no"),
    ("x", [{"role": "robot"}], [], "messages[0].role"),
    ("x", {}, [], "messages is an object"),
    ("x", MESSAGES, ["--kwargs", "{"], "--kwargs"),
    ("x", MESSAGES, ["--kwargs", "[]"], "--kwargs"),
    ("x", MESSAGES, ["--tools", "missing.json"], "missing.json"),
])
def test_bad_input_is_named_in_one_line(run_glint, tmp_path, template, messages, extra, part):
    (tmp_path / "t.jinja").write_text(template)
    result = run_glint("render", str(tmp_path / "t.jinja"), "--messages",
                       write(tmp_path / "m.json", messages), *extra)
    assert (result.returncode, result.stdout) == (1, "")
    assert part in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_model_without_template_is_named(run_glint, tmp_path):
    (tmp_path / "config.json").write_text("{}")
    result = run_glint("render", str(tmp_path), "--messages", write(tmp_path / "m.json", MESSAGES))
    assert (result.returncode, result.stdout) == (1, "")
    assert "chat_template.jinja" in result.stderr
