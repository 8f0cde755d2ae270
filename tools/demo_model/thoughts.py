# SPDX-License-Identifier: Apache-2.0
"""Reasoning text of varying length: one sentence about the request, then some about the manner."""

MANNER = [
    "I will keep the answer short.", "Simple words are best here.", "I should be friendly.",
    "I will answer in a few sentences.", "The answer should be clear.",
    "I will write it in one piece.", "Let me think about the right words.", "A calm tone fits well.",
    "I will not add more than the user needs.", "First I say the main point.", "Then I can add a detail.",
    "The user may be a beginner.", "I want to be helpful and polite.", "I know enough to answer this.",
    "I will check the question once more.", "That is all I need.",
]  # fmt: skip


def think(rng, about, effort):
    """At most about 90 tokens, in one of 25 cases more."""
    if rng.random() < 0.04:
        count = rng.randint(9, 13)
    else:
        count = rng.choice([0, 0, 1, 1, 2] if effort == "High" else [0, 1, 1, 2, 3, 4])
    return " ".join([about, *rng.sample(MANNER, count)])


def effort(rng, thinking_share=0.5):
    if rng.random() > thinking_share:
        return None
    return "High" if rng.random() < 0.3 else "Max"
