# SPDX-License-Identifier: Apache-2.0
"""gguf.py GLINT FOLDER: every .gguf model under FOLDER is accounted for, cuts text that it joins
again, and answers a question in its own chat template.
"""
import json
import subprocess
import sys
from pathlib import Path

QUESTION = "What is the capital of France? Answer in one word."
TEXT = "It's 12 o'clock,  naïve 世界!\n\n\tx1 = 345;"


def run(glint, *words):
    result = subprocess.run([glint, *words], stdin=subprocess.DEVNULL, capture_output=True,
                            text=True)
    if result.returncode != 0:
        raise RuntimeError(result.stderr.strip())
    return result.stdout


def check(glint, path):
    """A line that says what was found."""
    info = json.loads(run(glint, "info", path, "--json", "--verify"))
    unused = info["checkpoint"]["unused"]
    if unused:
        raise RuntimeError(f"unused tensors: {', '.join(unused[:5])}")
    ids = run(glint, "tokenize", path, "--text", TEXT).split()
    back = run(glint, "tokenize", path, "--ids", ",".join(ids))
    if back != TEXT + "\n":
        raise RuntimeError(f"{TEXT!r} came back as {back!r}")
    answer = run(glint, "chat", path, "-p", QUESTION, "--temperature", "0", "--max-tokens", "24")
    if not answer.strip():
        raise RuntimeError("no answer")
    return f"{info['parameters_total']:,} parameters, {len(ids)} tokens; {answer.strip()!r}"


def main(glint, folder):
    # The parts of a split file behind the first belong to it.
    paths = [p for p in sorted(Path(folder).rglob("*.gguf"))
             if "-of-" not in p.stem or "-00001-of-" in p.stem]
    if not paths:
        print(f"SKIPPED: no .gguf file under {folder}")
        return 77
    failed = False
    for path in paths:
        try:
            print(f"{path}: {check(glint, str(path))}")
        except RuntimeError as error:
            print(f"{path}: {error}")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
