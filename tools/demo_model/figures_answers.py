# SPDX-License-Identifier: Apache-2.0
"""figures_answers.py --words FILE [--smollm FILE.gguf]: tool calls, JSON and answers to held-out prompts."""

import math
import random
import re

import chat
import checkpoint
import prompts
import smollm
import talk
import text_tasks
import tool_tasks
from build_data import WORD, repeats
from completion import Completer, is_json, parse

EFFORTS = [None, "Max", "High"]
ANSWER_TEMPERATURE = 0.8  # that of generation_config.json, as top_p is


def tool_calls(completer, count, split):
    """Greedy. Right: well-formed, and the expected tools with the expected argument names."""
    rng, result = random.Random(f"tools {split}"), {"prompts": count, "right": 0, "values_too": 0, "failures": []}
    for index in range(count):
        tools, text, calls = tool_tasks.ask(rng, split)
        effort = EFFORTS[index % 3]
        conversation = {"messages": [chat.user(text)], "tools": [tool_tasks.declare(t) for t in tools], "effort": effort}
        answer, finished = completer.complete(chat.prompt(conversation), 240)
        parsed = parse(answer, bool(effort))
        names = [(name, sorted(arguments)) for name, arguments in parsed["calls"]]
        right = finished and parsed["well_formed"] and names == [(n, sorted(a)) for n, a in calls]
        told = [(n, {k: str(v) for k, v in a.items()}) for n, a in calls]
        result["right"] += right
        result["values_too"] += right and parsed["calls"] == told
        if not right:
            result["failures"].append({"user": text, "answer": answer, "expected": told})
    result["failures"] = result["failures"][:5]
    return result


def json_answers(completer, count):
    rng, result = random.Random("json eval"), {"prompts": count, "parse": 0, "equal": 0}
    for index in range(count):
        text, value = text_tasks.json_request(rng)
        effort = EFFORTS[index % 3]
        answer, _ = completer.complete(chat.prompt({"messages": [chat.user(text)], "effort": effort}), 160)
        good, found = is_json(parse(answer, bool(effort))["content"])
        result["parse"] += good
        result["equal"] += good and found == value
    return result


def answers(completer, count):
    """[(question, answer, finished)]: three of four from the prompt maker, the rest small talk."""
    rng, out = random.Random("answers eval"), []
    made = iter(prompts.make(count, seed=4711))
    for index in range(count):
        question = talk.exchange(rng)[0] if index % 4 == 3 else next(made)["user"]
        prompt = chat.prompt({"messages": [chat.user(question)], "effort": None})
        answer, finished = completer.complete(prompt, 300, ANSWER_TEMPERATURE, seed=index)
        out.append((question, answer, finished))
    return out


def known_words(path):
    return {line.strip().lower() for line in open(path, encoding="utf-8")}


def is_known(word, known):
    word = word.lower().strip("'")
    return word in known or re.sub(r"'s$|s'$", "", word) in known


def judge(found, known):
    words = [w for _, answer, _ in found for w in WORD.findall(answer) if w.strip("'")]
    missing = [w for w in words if not is_known(w, known)]
    grams = [(repeats(answer), len(WORD.findall(answer))) for _, answer, _ in found]
    weight = sum(size for _, size in grams)
    return {
        "answers": len(found), "finished": sum(f for _, _, f in found), "words": len(words),
        "in_word_list": 1 - len(missing) / len(words), "not_in_list": sorted(set(missing))[:40],
        "repeated_4grams": sum(share * size for share, size in grams) / weight,
    }  # fmt: skip


def teacher_perplexity(found, path):
    teacher = smollm.SmolLM(path)
    pairs = [teacher.negative_log_likelihood(answer) for _, answer, _ in found if answer.strip()]
    return math.exp(sum(n for n, _ in pairs) / sum(c for _, c in pairs))


def main():
    parser = checkpoint.parser(__doc__)
    parser.add_argument("--words", default="/usr/share/dict/american-english", help="word list, as of Debian's wamerican")
    parser.add_argument("--smollm", help="GGUF of SmolLM2-135M-Instruct, for the perplexity of the answers")
    parser.add_argument("--glint", help="the program, for greedy answers: quicker than transformers")
    parser.add_argument("--tools", type=int, default=200)
    parser.add_argument("--json", type=int, default=50)
    parser.add_argument("--answers", type=int, default=200)
    flags = checkpoint.parse(parser)
    completer = Completer(flags.folder, flags.glint)
    figures = {}
    if flags.tools:
        for split, name in (("known", "tools_of_known_words"), ("eval", "tools_of_unseen_words")):
            figures[name] = tool_calls(completer, flags.tools, split)
    if flags.json:
        figures["json"] = json_answers(completer, flags.json)
    if flags.answers:
        found = answers(completer, flags.answers)
        figures["answers"] = judge(found, known_words(flags.words))
        if flags.smollm:
            figures["answers"]["smollm2_perplexity"] = teacher_perplexity(found, flags.smollm)
        figures["answers"]["some"] = [{"user": q, "assistant": a} for q, a, _ in found[:10]]
    checkpoint.finish(flags, figures)


if __name__ == "__main__":
    main()
