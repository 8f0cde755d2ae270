# SPDX-License-Identifier: Apache-2.0
"""make.py small|big FOLDER: writes FOLDER/tokenizer.json, a vocabulary of our own in GLM's form.

small: trained by Hugging Face `tokenizers` on tools/vocab/text.py; tests/vocab/small is its output.
big:   as many entries and merges as GLM-5.x has, put together at random, for tests of size and
       speed. Needs the Python packages of tests/requirements.txt.
"""
import json
import random
import sys
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

import text

PATTERN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
           r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")

# Source: glm-architecture.md section 5.1. The first 18 are special.
ADDED = """<|endoftext|> [MASK] [gMASK] [sMASK] <sop> <eop> <|system|> <|user|> <|assistant|>
<|observation|> <|begin_of_image|> <|end_of_image|> <|begin_of_video|> <|end_of_video|>
<|begin_of_audio|> <|end_of_audio|> <|begin_of_transcription|> <|end_of_transcription|>
<|code_prefix|> <|code_middle|> <|code_suffix|> <think> </think> <tool_call> </tool_call>
<tool_response> </tool_response> <arg_key> </arg_key> <arg_value> </arg_value> /nothink
<|begin_of_box|> <|end_of_box|> <|image|> <|video|>""".split()
SPECIAL = 18

SMALL_ENTRIES = 3000
BIG_ENTRIES = 154_820
BIG_MERGES = 321_649


def byte_alphabet():
    """The character that stands for each byte."""
    spelled = {byte: chr(byte) for byte in (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))}
    others = [byte for byte in range(256) if byte not in spelled]
    spelled |= {byte: chr(0x100 + k) for k, byte in enumerate(others)}
    return [spelled[byte] for byte in range(256)]


def tokenizer_around(model):
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(PATTERN), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def add_tokens(tokenizer):
    tokenizer.add_tokens([AddedToken(content, special=k < SPECIAL, normalized=False)
                          for k, content in enumerate(ADDED)])
    return tokenizer


def small():
    tokenizer = tokenizer_around(models.BPE(ignore_merges=True))
    tokenizer.train_from_iterator(text.lines(), trainers.BpeTrainer(
        vocab_size=SMALL_ENTRIES, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    return json.loads(add_tokens(tokenizer).to_str())


def grow(vocab, rng):
    """Joins six short tokens at random, and every run of neighbours among them, until there are
    BIG_ENTRIES. The more runs are tokens, the more ways there are to put each together.
    """
    short = [token for token in vocab if len(token) <= 3]
    latin = [token for token in short if token.isascii() and token.isalpha()]
    spaced = [token for token in short if token[0] == "Ġ" and token[1:].isalpha()]
    cjk = [token for token in vocab if len(token) == 3 and token[0] in "äåæçèé"]
    while True:
        parts = rng.choices(cjk if rng.random() < 0.2 else latin, k=6)
        if parts[0] in latin and rng.random() < 0.6:
            parts[0] = rng.choice(spaced)
        for length in range(2, 7):
            for begin in range(7 - length):
                vocab.setdefault("".join(parts[begin:begin + length]), len(vocab))
                if len(vocab) == BIG_ENTRIES:
                    return


def splits(token, vocab):
    """Each way to put the token together of two, that of the lowest ids first."""
    pairs = [(token[:i], token[i:]) for i in range(1, len(token))]
    pairs = [pair for pair in pairs if pair[0] in vocab and pair[1] in vocab]
    return sorted(pairs, key=lambda pair: (max(vocab[pair[0]], vocab[pair[1]]), vocab[pair[0]]))


def big():
    rng = random.Random(6)
    file = small()
    vocab = file["model"]["vocab"]
    grow(vocab, rng)
    options = [splits(token, vocab) for token in vocab]
    merges = [pairs[:1] for pairs in options]
    further = [(k, pair) for k, pairs in enumerate(options) for pair in pairs[1:]]
    for k, pair in rng.sample(further, BIG_MERGES - sum(map(len, merges))):
        merges[k].append(pair)
    merges = [pair for pairs in merges for pair in pairs]
    file["model"]["merges"] = merges
    for k, token in enumerate(file["added_tokens"]):
        token["id"] = BIG_ENTRIES + k
    assert (len(vocab), len(merges)) == (BIG_ENTRIES, BIG_MERGES)
    return file


def write(size, folder):
    """Returns the path of the file."""
    file = {"small": small, "big": big}[size]()
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "tokenizer.json"
    # The big one in the layout of published files, which makes up most of their 20 MB.
    text_ = json.dumps(file, ensure_ascii=False, indent=2 if size == "big" else 0)
    path.write_text(text_ + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("small", "big"):
        sys.exit(__doc__)
    print(write(*sys.argv[1:]))
