# SPDX-License-Identifier: Apache-2.0
"""The tokenizer and the chat template that lie in a GGUF file."""
import json

import gguf_writer
import pytest
from conftest import ROOT
from test_tokenize import NEWER_THAN_UNICODE_14, assert_equal, convert  # noqa: F401: a fixture
from tokenizer_lines import lines
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

SMALL = ROOT / "tests/vocab/small"
TEXTS = list(lines(but_not=NEWER_THAN_UNICODE_14))
NORMAL, CONTROL, USER_DEFINED, UNUSED = 1, 3, 4, 5
# As in other engines' tables, to be compared with what the program has.
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def vocabulary_metadata(file, pre):
    """The vocabulary of a tokenizer.json as the metadata of a GGUF file."""
    by_id = {id: (token, NORMAL) for token, id in file["model"]["vocab"].items()}
    for added in file["added_tokens"]:
        by_id[added["id"]] = (added["content"], CONTROL if added["special"] else USER_DEFINED)
    rows = [by_id.get(id, (f"[PAD{id}]", UNUSED)) for id in range(max(by_id) + 9)]
    merges = [m if isinstance(m, str) else " ".join(m) for m in file["model"]["merges"]]
    return {"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": pre,
            "tokenizer.ggml.tokens": [token for token, _ in rows],
            "tokenizer.ggml.token_type": [kind for _, kind in rows],
            "tokenizer.ggml.merges": merges}


def small(pre="glm4", **more):
    file = json.loads((SMALL / "tokenizer.json").read_text())
    return vocabulary_metadata(file, pre) | {key.replace("__", "."): v for key, v in more.items()}


@pytest.mark.parametrize("pre", ["glm4", "chatglm-bpe", "llama-bpe"])
def test_ids_are_those_of_the_tokenizer_json(convert, tmp_path, pre):  # noqa: F811
    model = gguf_writer.write(tmp_path / "m.gguf", small(pre), {})
    for flags in ([], ["--no-special"]):
        ids = convert(SMALL, TEXTS, *flags)
        assert_equal(TEXTS, convert(model, TEXTS, *flags), ids)
        assert_equal(ids, convert(model, ids, *flags), convert(SMALL, ids, *flags))


@pytest.mark.parametrize("pre, steps", [
    ("gpt-2", []), ("smollm", [pre_tokenizers.Digits(individual_digits=True)])])
def test_other_patterns_cut_as_the_reference(convert, tmp_path, pre, steps):  # noqa: F811
    file = json.loads((SMALL / "tokenizer.json").read_text())
    merges = [tuple(m.split(" ")) if isinstance(m, str) else tuple(m)
              for m in file["model"]["merges"]]
    theirs = Tokenizer(models.BPE(vocab=file["model"]["vocab"], merges=merges))
    split = pre_tokenizers.Split(Regex(GPT2), "isolated")
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    theirs.pre_tokenizer = pre_tokenizers.Sequence([*steps, split, byte_level])
    theirs.decoder = decoders.ByteLevel()
    model = gguf_writer.write(tmp_path / "m.gguf", small(pre), {})
    expected = [e.ids for e in theirs.encode_batch(TEXTS, add_special_tokens=False)]
    assert_equal(TEXTS, convert(model, TEXTS, "--no-special"), expected)


def test_the_template_of_the_file_is_rendered(run_glint, tmp_path):
    template = "{{ bos_token }}{% for m in messages %}{{ m.role }}: {{ m.content }}{% endfor %}"
    metadata = small(tokenizer__chat_template=template)
    metadata["tokenizer.ggml.bos_token_id"] = metadata["tokenizer.ggml.tokens"].index("[gMASK]")
    metadata["tokenizer.ggml.add_bos_token"] = True
    model = gguf_writer.write(tmp_path / "m.gguf", metadata, {})
    (tmp_path / "chat.json").write_text('[{"role": "user", "content": "Hi"}]')
    result = run_glint("render", str(model), "--messages", str(tmp_path / "chat.json"))
    assert (result.returncode, result.stdout) == (0, "[gMASK]user: Hi"), result.stderr


@pytest.mark.parametrize("key, value, part", [
    ("tokenizer.ggml.pre", "qwen2", '"qwen2" is not supported, must be one of glm4'),
    ("tokenizer.ggml.model", "llama", 'is "llama", only "gpt2"'),
    ("tokenizer.ggml.tokens", ["a"], "items"),
    ("tokenizer.ggml.merges", ["a"], "tokenizer.ggml.merges"),
    ("tokenizer.ggml.token_type", "x", "must be an array")])
def test_a_vocabulary_that_does_not_fit_is_named(run_glint, tmp_path, key, value, part):
    model = gguf_writer.write(tmp_path / "m.gguf", small() | {key: value}, {})
    result = run_glint("tokenize", str(model), "--text", "a")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1
    assert str(model) in result.stderr and part in result.stderr


def test_a_file_without_a_vocabulary_or_template(run_glint, tmp_path):
    model = gguf_writer.write(tmp_path / "m.gguf", {"general.architecture": "glm4"}, {})
    for words in (["tokenize", str(model), "--text", "a"], ["serve", str(model), "--port", "0"]):
        result = run_glint(*words)
        assert result.returncode == 1
        assert 'key "tokenizer.ggml.model": is missing' in result.stderr
    result = run_glint("render", str(model), "--messages", "-")
    assert result.returncode == 1 and 'no key "tokenizer.chat_template"' in result.stderr
