# SPDX-License-Identifier: Apache-2.0
"""Generation with transformers (or glint, if greedy), and the parser of glm-architecture 5.4 for what comes out."""

import json
import re
import subprocess

import torch

import reference
from checkpoint import FOLDER
from config import EOS_IDS
from tokenizers import Tokenizer

CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.S)
PAIR = re.compile(r"<arg_key>(.*?)</arg_key><arg_value>(.*?)</arg_value>", re.S)


class Completer:
    def __init__(self, folder=FOLDER, glint=None):
        """glint: the program, which takes the greedy completions over; its logits agree with transformers'."""
        self.folder, self.glint, self.model = folder, glint, reference.load(folder)
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))

    @torch.no_grad()
    def complete(self, prompt, limit=200, temperature=0.0, seed=0):
        """(text, finished): the tokens up to an end token, which is left out."""
        ids = self.tokenizer.encode(prompt, add_special_tokens=False).ids
        if self.glint and not temperature:
            out = self._greedy_by_glint(ids, limit)
        else:
            out = self._generate(ids, limit, temperature, seed)
        finished = out[-1] in EOS_IDS
        return self.tokenizer.decode(out[: len(out) - finished], skip_special_tokens=False), finished

    def _greedy_by_glint(self, ids, limit):
        command = [self.glint, "logits", self.folder, "--ids", " ".join(map(str, ids)), "--greedy", str(limit),
                   "--dtype", "f32", "--threads", "1"]  # fmt: skip
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        out = [int(word) for word in text.split()]
        end = next((i for i, token in enumerate(out) if token in EOS_IDS), len(out) - 1)
        return out[: end + 1]

    def _generate(self, ids, limit, temperature, seed):
        torch.manual_seed(seed)
        ids = torch.tensor([ids])
        sampling = {"do_sample": True, "temperature": temperature, "top_p": 0.95, "top_k": 0} if temperature else {
            "do_sample": False, "temperature": None, "top_p": None}  # fmt: skip
        return self.model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=limit, eos_token_id=EOS_IDS,
                                   pad_token_id=EOS_IDS[0], **sampling)[0, ids.shape[1] :].tolist()  # fmt: skip


def parse(text, thinking):
    """{"think", "content", "calls": [(name, {argument: text})], "well_formed"}."""
    think = ""
    if thinking:
        cut = min((i for i in (text.find("</think>"), text.find("<tool_call>")) if i >= 0), default=-1)
        if cut < 0:
            return {"think": text, "content": "", "calls": [], "well_formed": False}
        think, text = text[:cut], text[cut:].removeprefix("</think>")
    calls, good = [], True
    for body in CALL.findall(text):
        name, pairs = body.split("<arg_key>")[0], PAIR.findall(body)
        rest = PAIR.sub("", body)
        good &= rest == name and "<" not in name
        calls.append((name.strip(), dict(pairs)))
    content = CALL.sub("", text)
    good &= not any(mark in content for mark in ("<tool_call>", "</tool_call>", "<arg_", "</arg_"))
    return {"think": think, "content": content.strip(), "calls": calls, "well_formed": good}


def is_json(text):
    try:
        return True, json.loads(text)
    except ValueError:
        return False, None


