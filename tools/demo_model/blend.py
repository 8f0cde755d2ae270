# SPDX-License-Identifier: Apache-2.0
"""blend.py: the weighted mean of two sets of weights, here before and after the piece of tool calls.

Most of what that piece forgot comes back, most of what it learnt stays (Wortsman et al., "Robust
fine-tuning of zero-shot models", arXiv:2109.01903). The router's biases stay those of before, as they
were balanced on prose.
"""

import argparse

from safetensors.torch import load_file, save_file

ROUTER_BIAS = "e_score_correction_bias"


def load(paths):
    state = {}
    for path in paths:
        state |= load_file(path)
    return state


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", nargs="+", required=True)
    parser.add_argument("--after", nargs="+", required=True)
    parser.add_argument("--share", type=float, required=True, help="of `after`")
    parser.add_argument("--out", required=True)
    flags = parser.parse_args()
    before, after = load(flags.before), load(flags.after)
    blended = {n: before[n].float().lerp(after[n].float(), flags.share) for n in before}
    save_file(blended | {n: before[n].float() for n in before if n.endswith(ROUTER_BIAS)}, flags.out)


if __name__ == "__main__":
    main()
