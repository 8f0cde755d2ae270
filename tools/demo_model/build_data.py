# SPDX-License-Identifier: Apache-2.0
"""build_data.py --samples FILE --smollm FILE.gguf --out FOLDER: tokenizer, training rows, held-out text.

Rows are 1025 uint16: token, plus bit 15 where the token is learnt. Texts are split by prompt number
before anything is made of them: one part in 200 is held out, one in 200 is for calibration.
"""

import argparse
import json
import random
import re
import time
from pathlib import Path

import numpy as np

import prompts
import sample
import smollm
import talk
import text_tasks
import token_file
import tool_tasks
from chat import pieces
from config import TOKEN_ID, TRAINED_CONTEXT
from gguf_file import read as read_gguf
from make_tokenizer import train_tokenizer

LEARNT = 1 << 15
ROW = TRAINED_CONTEXT + 1
UNWANTED = re.compile(
    r"[^\x20-\x7e\n]|[#*_\[\]<>{}|\\^~`=@/]|\b(sex\w*|kill\w*|murder\w*|blood\w*|gun|guns|drug\w*|naked|suicid\w*|rape\w*"
    r"|http\w*|www|language model|AI|SmolLM|Hugging)\b|\d{4}|This story|this story"
)
SMART = str.maketrans({"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"', "\u2014": "-", "\u2013": "-"})
SENTENCE_END = re.compile(r'[.!?]"?(?=\s|$)')
WORD = re.compile(r"[A-Za-z']+")


def repeats(text):
    """Share of 4-word sequences that occurred before in the text."""
    tokens = [w.lower() for w in WORD.findall(text)]
    grams = list(zip(tokens, tokens[1:], tokens[2:], tokens[3:]))
    return 1 - len(set(grams)) / len(grams) if grams else 0.0


def clean(text, finished, limit):
    """The text cut after a whole sentence and at most `limit` characters, or None if it is no good."""
    text = re.sub(r"\s*\n\s*", " ", text.translate(SMART)).strip()
    ends = [m.end() for m in SENTENCE_END.finditer(text) if m.end() <= limit]
    if not ends:
        return None
    text = text[: ends[-1]]
    bad = len(text) < 30 or UNWANTED.search(text) or repeats(text) > 0.04 or text.count('"') % 2
    return None if bad else text


def load_texts(path, smollm_file, limit=700, count=None):
    """[{"kind", "user", "facts", "text", "number"}] of the (first `count`) samples that pass the filter."""
    tokenizer = smollm.make_tokenizer(read_gguf(smollm_file)[0])
    samples = sample.read(path)[:count]
    table = prompts.make(max(number for number, _, _ in samples) + 1)
    decoded = tokenizer.decode_batch([tokens.tolist() for _, tokens, _ in samples])
    texts = []
    for (number, _, finished), answer in zip(samples, decoded):
        begin = table[number]["begin"]
        text = clean(begin + answer, finished, limit)
        if text and len(text) > len(begin) + 20:
            known = {k: table[number][k] for k in ("kind", "user", "facts")}
            texts.append({**known, "text": text, "number": number})
    print(f"{len(samples)} samples, {len(texts)} kept, {sum(len(t['text']) for t in texts)} characters", flush=True)
    return texts


def split(texts):
    parts = {"train": [], "heldout": [], "calibration": []}
    for text in texts:
        place = random.Random(f"split {text['number']}").random()
        parts["heldout" if place < 0.005 else "calibration" if place < 0.01 else "train"].append(text)
    return parts


def text_conversation(rng, draw):
    """One conversation or document (a string) that is made of sampled texts."""
    choice = rng.random()
    if choice < 0.50:
        return text_tasks.request(rng, draw(rng.choice([1, 1, 2, 3])))
    if choice < 0.68:
        return text_tasks.document(rng, draw(rng.randint(1, 6)))
    if choice < 0.80:
        stories = [t for t in draw(8) if t["kind"] == "story"][: rng.randint(1, 4)]
        return text_tasks.reading(rng, stories) if stories else text_tasks.json_task(rng)
    if choice < 0.92:
        return text_tasks.recall(rng, draw(rng.randint(1, 4)))
    return text_tasks.repeat(rng, draw(rng.randint(2, 4)))


TOOL_SHARE = 0.28
TEXT_SHARE, JSON_SHARE = 0.75, 0.10  # of what is no tool task; the rest is small talk


def conversations(rng, texts, count, tool_share=TOOL_SHARE):
    """Yields `count` conversations and documents; every text is used about equally often."""
    order, at = list(range(len(texts))), 0

    def draw(number):
        nonlocal at
        if at + number > len(order) or at == 0:
            rng.shuffle(order)
            at = 0
        at += number
        return [texts[i] for i in order[at - number : at]]

    for _ in range(count):
        is_tool, choice = rng.random() < tool_share, rng.random()
        if is_tool:
            yield tool_tasks.conversation(rng)
        elif choice < TEXT_SHARE:
            yield text_conversation(rng, draw)
        elif choice < TEXT_SHARE + JSON_SHARE:
            yield text_tasks.json_task(rng)
        else:
            yield talk.conversation(rng)


def to_pieces(rng, item):
    if isinstance(item, str):
        head = [("[gMASK]<sop>", False)] if rng.random() < 0.5 else []
        return head + [(item, True), ("<|endoftext|>", True)]
    return pieces(item)


def encode(tokenizer, items, rng):
    """Token streams of the items, LEARNT set where it applies; too long ones are left out."""
    flat, owners = [], []
    for index, item in enumerate(items):
        for text, learnt in to_pieces(rng, item):
            if text:
                flat.append((text, learnt))
                owners.append(index)
    encoded = tokenizer.encode_batch([text for text, _ in flat], add_special_tokens=False)
    streams = [[] for _ in items]
    for owner, (_, learnt), result in zip(owners, flat, encoded):
        ids = np.array(result.ids, dtype=np.uint16)
        streams[owner].append(ids | LEARNT if learnt else ids)
    joined = [np.concatenate(parts) for parts in streams]
    return [stream for stream in joined if len(stream) <= ROW]


def pack(streams, rng):
    """Rows of ROW tokens: whole conversations, one after the other, cut where a row ends.

    Half of the rows begin with a conversation, so that the distances of long ones are met.
    """
    rows, row, filled = [], np.zeros(ROW, dtype=np.uint16), 0
    for stream in streams:
        while len(stream):
            room = ROW - filled
            if len(stream) > room and filled > ROW // 2 and rng.random() < 0.5:
                row[filled:] = TOKEN_ID["<|endoftext|>"]
                filled, room = ROW, 0
            part = stream[:room]
            row[filled : filled + len(part)] = part
            filled, stream = filled + len(part), stream[len(part) :]
            if filled == ROW:
                rows.append(row)
                row, filled = np.zeros(ROW, dtype=np.uint16), 0
    return np.stack(rows)


def plain_text(rng, texts, size):
    """Documents up to `size` characters, parted by blank lines."""
    parts, total, at = [], 0, 0
    while total < size and at < len(texts):
        count = rng.randint(2, 6)
        parts.append(text_tasks.document(rng, texts[at : at + count]))
        total, at = total + len(parts[-1]) + 2, at + count
    return "\n\n".join(parts) + "\n"


def build_rows(tokenizer, texts, count, seed, tool_share, batch=20_000):
    """Training rows of `count` conversations; each batch has its own seed."""
    rows = []
    for start in range(0, count, batch):
        rng = random.Random(f"rows {seed} {start}")
        items = list(conversations(rng, texts, min(batch, count - start), tool_share))
        rows.append(pack(encode(tokenizer, items, rng), rng))
    return np.concatenate(rows)


def _worker(arguments):
    from tokenizers import Tokenizer

    path, texts, count, seed, tool_share = arguments
    tokenizer = Tokenizer.from_file(path)
    tool_tasks.use_pieces(tokenizer.get_vocab())
    return build_rows(tokenizer, texts, count, seed, tool_share)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", required=True)
    parser.add_argument("--smollm", required=True)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--conversations", type=int, default=600_000)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--texts", type=int, help="only so many of the samples")
    parser.add_argument("--tokenizer", type=Path, help="one made before; without it one is trained")
    parser.add_argument("--tool-share", type=float, default=TOOL_SHARE, help="of the conversations")
    parser.add_argument("--seed", default="", help="other rows from the same texts")
    flags = parser.parse_args()
    start = time.time()
    flags.out.mkdir(parents=True, exist_ok=True)
    parts = split(load_texts(flags.samples, flags.smollm, count=flags.texts))
    tokenizer_file = flags.out / "tokenizer.json"
    if flags.tokenizer:
        tokenizer_file.write_text(flags.tokenizer.read_text())
    else:
        rng = random.Random("tokenizer")
        items = list(conversations(rng, parts["train"], min(20_000, flags.conversations)))
        train_tokenizer((text for item in items for text, _ in to_pieces(rng, item)), tokenizer_file)
    print(f"tokenizer after {time.time() - start:.0f} s", flush=True)
    share = flags.conversations // flags.processes
    chunks = [parts["train"][i :: flags.processes] for i in range(flags.processes)]
    jobs = [(str(tokenizer_file), chunk, share, f"{flags.seed}{number}", flags.tool_share)
            for number, chunk in enumerate(chunks)]  # fmt: skip
    if flags.processes == 1:
        rows = _worker(jobs[0])
    else:
        import multiprocessing

        with multiprocessing.get_context("fork").Pool(flags.processes) as pool:
            rows = np.concatenate(pool.map(_worker, jobs))
    np.random.default_rng(1).shuffle(rows)
    token_file.write(flags.out / "rows.zst", rows.reshape(-1))
    (flags.out / "heldout.txt").write_text(plain_text(random.Random("heldout"), parts["heldout"], 80_000))
    (flags.out / "calibration.txt").write_text(plain_text(random.Random("calibration"), parts["calibration"], 60_000))
    (flags.out / "heldout_texts.json").write_text(json.dumps(parts["heldout"][:400]))
    learnt = (rows[:, 1:] >= LEARNT).mean()
    print(f"{len(rows)} rows, {rows.size} tokens, {learnt:.2f} learnt, {time.time() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
