# SPDX-License-Identifier: Apache-2.0
"""record_test.py --out FILE: prompts longer than index_topk and what transformers continues them with.

Only prompts whose every choice has a margin above MIN_MARGIN, so that rounding cannot change one.
"""

import json

import checkpoint
import reference

PROMPTS, LENGTH, NEW, MIN_MARGIN = 2, 200, 12, 0.02


def main():
    flags = checkpoint.parse(checkpoint.parser(__doc__))
    _, tokenizer = checkpoint.load(flags.folder)
    ids, model, cases = checkpoint.heldout_ids(flags.folder, tokenizer), reference.load(flags.folder), []
    for start in range(0, len(ids) - LENGTH, LENGTH):
        tokens, margins = ids[start : start + LENGTH], []
        for _ in range(NEW):
            top = reference.logits(model, tokens)[-1].topk(2)
            margins.append((top.values[0] - top.values[1]).item())
            tokens.append(top.indices[0].item())
        if min(margins) > MIN_MARGIN:
            cases.append({"prompt": tokens[:LENGTH], "greedy": tokens[LENGTH:], "min_margin": round(min(margins), 4)})
        if len(cases) == PROMPTS:
            break
    flags.out.write_text("\n".join(json.dumps(case) for case in cases) + "\n")


if __name__ == "__main__":
    main()
