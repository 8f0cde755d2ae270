# SPDX-License-Identifier: Apache-2.0
"""tokenizer.py GLINT FOLDER: every tokenizer.json under FOLDER gives the ids that Hugging Face's
`tokenizers` gives, with and without added tokens, and decodes them to the same text.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from tokenizers import Tokenizer

TESTS = Path(__file__).parents[2] / "tests/program"
sys.path.insert(0, str(TESTS))
from test_tokenize import NEWER_THAN_UNICODE_14  # noqa: E402
from tokenizer_lines import lines  # noqa: E402


def convert(glint, model, values, *flags):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write("".join(json.dumps(value) + "\n" for value in values))
        file.flush()
        result = subprocess.run([glint, "tokenize", model, "--json-lines", file.name, *flags],
                                capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(result.stderr.strip())
    return [json.loads(line) for line in result.stdout.split("\n")[:-1]]


def encode(tokenizer, texts):
    return [encoded.ids for encoded in tokenizer.encode_batch(texts, add_special_tokens=False)]


def differences(glint, path, texts):
    """Names of the comparisons that differ, each with the first text that does."""
    tokenizer = Tokenizer.from_file(str(path))
    bare = Tokenizer.from_str(json.dumps({**json.loads(path.read_text()), "added_tokens": []}))
    ids = encode(tokenizer, texts)
    checks = {
        "encode": (convert(glint, path, texts), ids),
        "encode --no-special": (convert(glint, path, texts, "--no-special"), encode(bare, texts)),
        "decode": (convert(glint, path, ids), tokenizer.decode_batch(ids, skip_special_tokens=False)),
        "decode --no-special": (convert(glint, path, ids, "--no-special"),
                                tokenizer.decode_batch(ids, skip_special_tokens=True)),
    }
    for name, (ours, theirs) in checks.items():
        wrong = [text for text, a, b in zip(texts, ours, theirs, strict=True) if a != b]
        if wrong:
            yield f"{name}: {len(wrong)} of {len(texts)} lines differ, the first {wrong[0]!r}"


def main(glint, folder):
    paths = sorted(Path(folder).rglob("tokenizer.json"))
    if not paths:
        print(f"SKIPPED: no tokenizer.json under {folder}")
        return 77
    texts = list(lines(but_not=NEWER_THAN_UNICODE_14))
    failed = False
    for path in paths:
        try:
            found = list(differences(glint, path, texts))
        except RuntimeError as error:
            found = [str(error)]
        print(f"{path}: {'; '.join(found) or f'{len(texts)} lines equal'}")
        failed = failed or bool(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
