# SPDX-License-Identifier: Apache-2.0
"""train.py: one piece of the training; resumes from weights alone.

The schedule is a matter of the fraction of the whole training, [--begin, --end] for this piece:
dense attention up to DENSE_UNTIL, then the selection of the indexer; the rate is constant up to
DECAY_FROM and then falls linearly.
"""

import argparse
import functools
import json
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

import token_file
from build_data import LEARNT, ROW
from config import CONFIG
from model import DemoModel
from optimizer import Optimizer

DENSE_UNTIL, DECAY_FROM, WARM_STEPS = 0.35, 0.5, 150
PROMPT_WEIGHT = 0.1  # of tokens that are only read
MTP_WEIGHT, RECYCLED_WEIGHT, BALANCE_RATE = 0.3, 0.15, 3e-3


def rate_factor(fraction, step):
    fall = 1.0 if fraction < DECAY_FROM else max(0.02, (1 - fraction) / (1 - DECAY_FROM))
    return fall * min(1.0, (step + 1) / WARM_STEPS)


def token_loss(hidden, head, targets, weight):
    """(weighted cross-entropy, logits)."""
    logits = F.linear(hidden, head)
    losses = F.cross_entropy(logits.float().flatten(0, 1), targets.flatten(), reduction="none")
    return (losses * weight.flatten()).sum() / weight.sum(), logits


def draft_loss(state, head, teacher, weight):
    """KL of the trunk's distribution one token later to the draft's, weighted mean; and agreement."""
    student = F.linear(state[:, :-1], head).float().log_softmax(-1)
    goal = teacher[:, 1:].detach().float().log_softmax(-1)
    loss = (goal.exp() * (goal - student)).sum(-1)
    agree = (student.argmax(-1) == goal.argmax(-1)).float()
    weight = weight[:, 1:]
    return (loss * weight).sum() / weight.sum(), (agree * weight).sum().detach() / weight.sum()


class Trainer:
    def __init__(self, model, rows, flags):
        self.model, self.rows, self.flags = model, rows, flags
        self.device = rows.device
        self.token_loss, self.draft_loss = token_loss, draft_loss
        if flags.compile:
            torch._dynamo.config.suppress_errors = True
            torch._dynamo.config.recompile_limit = 64
            model.before = torch.compile(model.before, dynamic=False)
            model.after = torch.compile(model.after, dynamic=False)
            model.scores = torch.compile(model.scores, dynamic=False)
            self.token_loss = torch.compile(token_loss, dynamic=False)
            self.draft_loss = torch.compile(draft_loss, dynamic=False)
        self.optimizer = Optimizer(model)
        cuda = self.device.type == "cuda"
        self.autocast = functools.partial(torch.autocast, self.device.type, torch.bfloat16, enabled=cuda)

    def losses(self, batch, sparse):
        flags, model = self.flags, self.model
        tokens = (batch & (LEARNT - 1)).long()
        weight = torch.where(batch[:, 1:] >= LEARNT, 1.0, PROMPT_WEIGHT)
        inputs, targets = tokens[:, :-1], tokens[:, 1:]
        run = model.new_pass(inputs.shape[1], sparse, flags.teach_rows)
        hidden, index = model.trunk(inputs, run)
        main, logits = self.token_loss(hidden, model.lm_head.weight, targets, weight)
        state, mtp_index = model.mtp(hidden, targets, run)
        draft, agree = self.draft_loss(state, model.lm_head.weight, logits, weight)
        total = main + index + mtp_index + MTP_WEIGHT * draft
        part = max(1, len(batch) // 4)
        run.teach_rows = 0
        recycled, state = [], state[:part]
        for _ in range(2):
            state = torch.cat([hidden[:part, :1], state[:, :-1]], 1)
            state, _ = model.mtp(state, targets[:part], run)
            loss, again = self.draft_loss(state, model.lm_head.weight, logits[:part], weight[:part])
            total = total + RECYCLED_WEIGHT * loss
            recycled.append(again)
        numbers = torch.stack([main.detach(), draft.detach(), index.detach(), mtp_index.detach(), agree, *recycled])
        return total, numbers, run.loads

    @torch.no_grad()
    def balance(self, loads, factor):
        """Aux-loss-free: raises the bias of experts below the mean load, lowers that of the others."""
        sums = {}
        for layer, load in loads:
            if load is not None:
                sums[layer] = sums.get(layer, 0) + load
        for layer, load in sums.items():
            bias = self.model.model.layers[layer].mlp.gate.e_score_correction_bias
            bias.add_(torch.sign(load.mean() - load), alpha=BALANCE_RATE * factor)
        return torch.stack([load.min() / load.mean() for load in sums.values()]).min()

    def run(self):
        flags, start, step, log = self.flags, time.time(), 0, []
        generator = torch.Generator(device="cpu").manual_seed(flags.seed)
        order = torch.randperm(len(self.rows), generator=generator)
        at = 0
        while (elapsed := time.time() - start) < flags.seconds:
            fraction = flags.begin + (flags.end - flags.begin) * elapsed / flags.seconds
            if at + flags.batch > len(order):
                order, at = torch.randperm(len(self.rows), generator=generator), 0
            batch = self.rows[order[at : at + flags.batch].to(self.device)]
            at += flags.batch
            factor = rate_factor(fraction, step)
            with self.autocast():
                total, numbers, loads = self.losses(batch, fraction >= DENSE_UNTIL)
            total.backward()
            self.optimizer.step(factor)
            low = self.balance(loads, factor)
            if step % flags.log_every == 0:
                log.append([step, round(fraction, 4), round(elapsed, 1), *(round(x, 4) for x in numbers.tolist()),
                            round(low.item(), 3)])  # fmt: skip
                names = "main draft index mtp_index agree agree2 agree3 low_load".split()
                print(*log[-1][:3], *(f"{n} {x}" for n, x in zip(names, log[-1][3:])), flush=True)
            step += 1
        return {"steps": step, "tokens": step * flags.batch * (ROW - 1), "seconds": time.time() - start, "log": log}


def state_of(model):
    return {name: tensor.detach().float().cpu().contiguous() for name, tensor in model.state_dict().items()}


def write_shards(state, folder, limit=14 << 20):
    """BF16 copies (router bias F32) in files of at most `limit` bytes: what travels home."""
    shards, size = [{}], 0
    for name, tensor in state.items():
        tensor = tensor if "bias" in name else tensor.bfloat16()
        if size + tensor.nbytes > limit:
            shards.append({})
            size = 0
        shards[-1][name] = tensor
        size += tensor.nbytes
    for index, shard in enumerate(shards):
        save_file(shard, folder / f"weights-{index}.safetensors")


def load_weights(model, paths):
    state = {}
    for path in paths:
        state |= load_file(path)
    model.load_state_dict({name: tensor.float() for name, tensor in state.items()})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", required=True, help="rows.zst of build_data.py")
    parser.add_argument("--resume", nargs="*", default=[], help="safetensors of an earlier piece")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--begin", type=float, default=0.0)
    parser.add_argument("--end", type=float, default=1.0)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--length", type=int, default=ROW - 1)
    parser.add_argument("--teach-rows", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--log-every", type=int, default=50)
    flags = parser.parse_args()
    flags.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(flags.seed)
    torch.set_float32_matmul_precision("high")
    rows = torch.from_numpy(token_file.read(flags.rows).astype("int32").reshape(-1, ROW)).to(flags.device)
    model = DemoModel(CONFIG).to(flags.device)
    if flags.resume:
        load_weights(model, flags.resume)
    result = Trainer(model, rows[:, : flags.length + 1], flags).run()
    state = state_of(model)
    save_file(state, flags.out / "weights.safetensors")
    (flags.out / "home").mkdir(exist_ok=True)
    write_shards(state, flags.out / "home")
    (flags.out / "home" / f"log-{flags.begin}.json").write_text(json.dumps(result))
    print({k: v for k, v in result.items() if k != "log"}, flush=True)


if __name__ == "__main__":
    main()
