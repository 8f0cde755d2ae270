# SPDX-License-Identifier: Apache-2.0
"""Bulk sampling from SmolLM2: a fixed batch whose rows take the next prompt when they finish.

Prompts go through the same decoding step, token by token, so one step function (one CUDA graph)
does all. Every row's stream of tokens is recorded; rows are cut into samples afterwards.
"""

import time

import numpy as np
import torch

from smollm import END_OF_TURN

PROMPT_LENGTH = 96


class Sampler:
    def __init__(self, model, prompts, rows, length, temperature=0.55, top_k=40, penalty=1.05):
        """prompts: list of token lists, each at most PROMPT_LENGTH; used in order, cyclically.

        penalty divides the (positive) logit of a token that the answer already holds; a 4-gram that
        the answer already holds is never completed. Without both the small teacher loops.
        """
        device = model.device
        self.model, self.rows, self.length = model, rows, length
        self.temperature, self.top_k, self.penalty = temperature, top_k, penalty
        table = np.zeros((len(prompts), PROMPT_LENGTH), dtype=np.int64)
        for row, ids in enumerate(prompts):
            table[row, : len(ids)] = ids
        self.table = torch.from_numpy(table).to(device)
        self.lengths = torch.tensor([len(p) for p in prompts], device=device)
        self.cache = model.new_cache(rows, length)
        self.prompt = torch.arange(rows, device=device) % len(prompts)
        self.next_prompt = torch.tensor(rows, device=device)
        self.position = torch.zeros(rows, dtype=torch.long, device=device)
        self.token = self.table[self.prompt, 0].clone()
        self.answer = torch.zeros((rows, length), dtype=torch.long, device=device)

    def _discourage_repeats(self, logits):
        answer, row = self.answer, torch.arange(self.rows, device=logits.device)
        seen = logits.gather(1, answer)
        logits = logits.scatter(1, answer, torch.where(seen > 0, seen / self.penalty, seen))
        last = [answer[row, (self.position - back).clamp(min=0)][:, None] for back in (2, 1, 0)]
        match = (answer[:, :-3] == last[0]) & (answer[:, 1:-2] == last[1]) & (answer[:, 2:-1] == last[2])
        match &= (last[0] > 0) & (answer[:, 3:] > 0)
        return logits.scatter_add(1, answer[:, 3:], match * -1e4)

    def _sample(self, logits):
        """Gumbel-max over the top_k logits: no cumulative sum, no host read."""
        top = self._discourage_repeats(logits.float()).topk(self.top_k, -1)
        noise = -torch.empty_like(top.values).exponential_().log()
        return top.indices.gather(1, (top.values / self.temperature + noise).argmax(1, True))[:, 0]

    def advance(self):
        """One token for every row, in place. Returns the recorded (prompt, position, token)."""
        logits = self.model.step(self.token, self.position, self.cache)
        recorded = torch.stack([self.prompt, self.position, self.token])
        in_answer = self.position >= self.lengths[self.prompt]
        row = torch.arange(self.rows, device=logits.device)
        self.answer[row, self.position] = torch.where(in_answer, self.token, 0)
        following = self.position + 1
        forced = self.table[self.prompt, following.clamp(max=PROMPT_LENGTH - 1)]
        in_prompt = following < self.lengths[self.prompt]
        token = torch.where(in_prompt, forced, self._sample(logits))
        done = ~in_prompt & ((self.token == END_OF_TURN) & in_answer)
        done |= following >= self.length
        fresh = (self.next_prompt + done.long().cumsum(0) - 1) % len(self.table)
        self.next_prompt.add_(done.sum())
        self.prompt.copy_(torch.where(done, fresh, self.prompt))
        self.position.copy_(torch.where(done, 0, following))
        self.answer.mul_((~done).long()[:, None])
        self.token.copy_(torch.where(done, self.table[self.prompt, 0], token))
        return recorded


def _recorder(sampler, chunk):
    """A function that advances `chunk` steps and returns [chunk, 3, rows] on the host."""
    if sampler.model.device == "cpu":
        return lambda: torch.stack([sampler.advance() for _ in range(chunk)]).numpy()
    for _ in range(3):
        sampler.advance()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = sampler.advance()

    def run():
        record = torch.empty((chunk, *out.shape), dtype=torch.int32, device=out.device)
        for index in range(chunk):
            graph.replay()
            record[index].copy_(out)
        return record.cpu().numpy()

    return run


@torch.no_grad()
def collect(sampler, seconds, chunk=128):
    """Runs for about `seconds`; returns [(prompt index, answer tokens, finished)]."""
    run, records, start = _recorder(sampler, chunk), [], time.time()
    while time.time() - start < seconds:
        records.append(run())
        if len(records) % 10 == 1:
            rate = len(records) * chunk * sampler.rows / (time.time() - start)
            print(f"sampling: {time.time() - start:.0f} s, {rate:.0f} tokens/s", flush=True)
    stream = np.concatenate(records)
    lengths = sampler.lengths.cpu().numpy()
    samples = []
    for row in range(sampler.rows):
        prompt, position, token = stream[:, :, row].T
        starts = np.flatnonzero(position == 0)
        for begin, end in zip(starts, starts[1:]):
            answer = token[begin + lengths[prompt[begin]] : end]
            finished = len(answer) > 0 and answer[-1] == END_OF_TURN
            samples.append((int(prompt[begin]), answer[: len(answer) - finished], bool(finished)))
    return samples
