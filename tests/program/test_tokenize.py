# SPDX-License-Identifier: Apache-2.0
"""glint tokenize: the same ids and texts as Hugging Face `tokenizers`, and what it prints."""
import hashlib
import json
import random
import sys

import pytest
import tokenizer_lines
from conftest import ROOT
from tokenizers import Tokenizer, models

sys.path.insert(0, str(ROOT / "tools/vocab"))
import make as vocab_make  # noqa: E402

SMALL = ROOT / "tests/vocab/small"

# PCRE2 10.42 knows Unicode 14, the reference Unicode 16: letters and numbers that versions 15, 15.1
# and 16 added are punctuation to us, so a word of them is cut otherwise. Nothing else differs.
NEWER_THAN_UNICODE_14 = [
    (0x1C89, 0x1C8A), (0xA7CB, 0xA7CD), (0xA7DA, 0xA7DC), (0x105C0, 0x105F3), (0x10D40, 0x10D65),
    (0x10D6F, 0x10D85), (0x10EC2, 0x10EC4), (0x1123F, 0x11240), (0x11380, 0x113D3), (0x116D0, 0x116E3),
    (0x11BC0, 0x11BE0), (0x11BF0, 0x11BF9), (0x11F02, 0x11F33), (0x11F50, 0x11F59), (0x1342F, 0x1342F),
    (0x13441, 0x13446), (0x13460, 0x143FA), (0x16100, 0x1611D), (0x16130, 0x16139), (0x16D40, 0x16D79),
    (0x18CFF, 0x18CFF), (0x1B132, 0x1B132), (0x1B155, 0x1B155), (0x1CCF0, 0x1CCF9), (0x1D2C0, 0x1D2D3),
    (0x1DF25, 0x1DF2A), (0x1E030, 0x1E06D), (0x1E4D0, 0x1E4F9), (0x1E5D0, 0x1E5FA), (0x2B739, 0x2B739),
    (0x2EBF0, 0x2EE5D), (0x31350, 0x323AF)]


@pytest.fixture(scope="session")
def big():
    """The generated vocabulary of GLM-5's size, kept under build/ until its script changes."""
    tools = sorted((ROOT / "tools/vocab").glob("*.py"))
    stamp = hashlib.sha256(b"".join(path.read_bytes() for path in tools)).hexdigest()[:16]
    folder = ROOT / "build/vocab" / f"big-{stamp}"
    if not (folder / "tokenizer.json").is_file():
        vocab_make.write("big", folder)
    return folder


@pytest.fixture(params=["small", "big"])
def vocabulary(request):
    return SMALL if request.param == "small" else request.getfixturevalue("big")


@pytest.fixture(scope="session")
def lines():
    return list(tokenizer_lines.lines(but_not=NEWER_THAN_UNICODE_14))


@pytest.fixture
def convert(run_glint, tmp_path):
    """convert(model, values, *flags): texts to ids and lists of ids to text, in one process."""

    def run(model, values, *flags):
        path = tmp_path / "values.jsonl"
        path.write_text("".join(json.dumps(value) + "\n" for value in values))
        result = run_glint("tokenize", str(model), "--json-lines", str(path), *flags, timeout_s=300)
        assert (result.returncode, result.stderr) == (0, "")
        return [json.loads(line) for line in result.stdout.split("\n")[:-1]]

    return run


def reference(model):
    return Tokenizer.from_file(str(model / "tokenizer.json"))


def encode(tokenizer, texts):
    return [e.ids for e in tokenizer.encode_batch(texts, add_special_tokens=False)]


def assert_equal(texts, ours, theirs):
    different = [(text, a, b) for text, a, b in zip(texts, ours, theirs, strict=True) if a != b]
    assert not different, f"{len(different)} of {len(texts)}, the first: {different[0]}"


def test_encodes_as_the_reference(convert, vocabulary, lines):
    assert len(lines) >= 2000
    assert_equal(lines, convert(vocabulary, lines), encode(reference(vocabulary), lines))


def test_encodes_without_added_tokens_as_the_reference_that_has_none(convert, vocabulary, lines):
    file = json.loads((vocabulary / "tokenizer.json").read_text())
    bare = Tokenizer.from_str(json.dumps({**file, "added_tokens": []}))
    assert_equal(lines, convert(vocabulary, lines, "--no-special"), encode(bare, lines))


def test_decoding_gives_the_text_back(convert, vocabulary, lines):
    assert_equal(lines, convert(vocabulary, convert(vocabulary, lines)), lines)


@pytest.mark.parametrize("flags", [[], ["--no-special"]])
def test_decodes_any_ids_as_the_reference(convert, vocabulary, flags):
    tokenizer = reference(vocabulary)
    size, rng = tokenizer.get_vocab_size(), random.Random(4)
    # Many bytes and added tokens, so that characters are cut, put together and interrupted.
    draw = [lambda: rng.randrange(256), lambda: rng.randrange(size),
            lambda: rng.randrange(size - len(vocab_make.ADDED), size)]
    ids = [[rng.choice(draw)() for _ in range(rng.randint(0, 30))] for _ in range(2000)]
    theirs = tokenizer.decode_batch(ids, skip_special_tokens=bool(flags))
    assert_equal(ids, convert(vocabulary, ids, *flags), theirs)


def probe_tokenizer():
    """A vocabulary whose tokens show into which class of the pattern a character falls.

    A character joins what stands before it only within one pre-token: "a" if it is a letter, "1" if
    a number, "!" if not a space; and "x" is cut off its last byte after "'" if it folds to "s".
    """
    spelled = vocab_make.byte_alphabet()
    vocab = {character: byte for byte, character in enumerate(spelled)}
    pairs = [(spelled[first], spelled[lead]) for lead in range(0xC2, 0xF5) for first in b"a1!"]
    pairs += [(spelled[last], "x") for last in range(0x80, 0xC0)]
    vocab.update({left + right: 256 + k for k, (left, right) in enumerate(pairs)})
    return vocab_make.tokenizer_around(models.BPE(vocab=vocab, merges=pairs, ignore_merges=True))


def test_every_character_is_classed_as_the_reference_does(convert, tmp_path):
    tokenizer = probe_tokenizer()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    # The planes that have characters.
    code_points = [c for c in (*range(0x80, 0x32400), *range(0xE0000, 0xE0200))
                   if not 0xD800 <= c < 0xE000]
    texts = ["a{0}\n1{0}\n!{0}\n'{0}x".format(chr(c)) for c in code_points]
    ours, theirs = convert(tmp_path, texts), encode(tokenizer, texts)
    different = [c for c, a, b in zip(code_points, ours, theirs, strict=True) if a != b]
    unexpected = [hex(c) for c in different
                  if not tokenizer_lines.in_ranges(c, NEWER_THAN_UNICODE_14)]
    assert not unexpected


@pytest.mark.parametrize("text, ids", [("Hq", [39, 80]), ("<|user|>", [2561])])
def test_prints_ids(run_glint, tmp_path, text, ids):
    (tmp_path / "text").write_text(text)
    for words in (["--text", text], ["--file", str(tmp_path / "text")]):
        result = run_glint("tokenize", str(SMALL), *words)
        assert (result.returncode, result.stderr) == (0, "")
        assert result.stdout.split() == [str(id) for id in ids]
    result = run_glint("tokenize", str(SMALL / "tokenizer.json"), "--text", text, "--json")
    assert json.loads(result.stdout)["ids"] == ids


def test_prints_text(run_glint):
    result = run_glint("tokenize", str(SMALL), "--ids", "39, 80")
    assert (result.returncode, result.stdout) == (0, "Hq\n")
    result = run_glint("tokenize", str(SMALL), "--ids", "2561 39 80", "--no-special", "--json")
    assert json.loads(result.stdout) == {"text": "Hq"}


def test_a_file_of_any_bytes_is_encoded(run_glint, tmp_path):
    (tmp_path / "bytes").write_bytes(bytes(range(256)) * 3)
    result = run_glint("tokenize", str(SMALL), "--file", str(tmp_path / "bytes"))
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("words, code, part", [
    ([], 2, "MODEL"),
    ([str(SMALL)], 2, "give one of"),
    ([str(SMALL), "--text", "a", "--ids", "1"], 2, "give one of"),
    ([str(SMALL), "--ids", "1,x"], 1, "x"),
    ([str(SMALL), "--ids", "9999999"], 1, "9999999"),
    ([str(SMALL), "--file", "no/such/file"], 1, "no/such/file"),
    (["no/such/model", "--text", "a"], 1, "no/such/model"),
    (["glm-5.2", "--text", "a"], 1, "glm-5.2"),
    ([str(SMALL / "../../golden/glm4"), "--text", "a"], 1, "tokenizer.json"),
])
def test_wrong_use_is_named(run_glint, words, code, part):
    result = run_glint("tokenize", *words)
    assert (result.returncode, result.stdout) == (code, "")
    assert part in result.stderr


@pytest.mark.parametrize("line, part", [("{", "invalid JSON"), ("7", "a number"), ("[0, -1]", "-1"),
                                        ("[0, \"a\"]", "no token id")])
def test_a_bad_json_line_is_named(run_glint, tmp_path, line, part):
    (tmp_path / "lines").write_text("\"a\"\n" + line + "\n")
    result = run_glint("tokenize", str(SMALL), "--json-lines", str(tmp_path / "lines"))
    assert result.returncode == 1
    assert part in result.stderr and "line 2" in result.stderr


def test_the_small_vocabulary_is_what_its_script_makes():
    file = json.loads((SMALL / "tokenizer.json").read_text())
    assert file == vocab_make.small()
    assert [token["content"] for token in file["added_tokens"]] == vocab_make.ADDED
    assert [token["special"] for token in file["added_tokens"]] == [k < 18 for k in range(36)]
