# SPDX-License-Identifier: Apache-2.0
"""Prompts for SmolLM2: what is asked of it, how its answer must begin, and what we know of it.

A forced beginning keeps stories simple and puts facts into them (name, place, object, colour) that
question tasks can ask for later.
"""

import random

import words

PROMPT_SEED = 20261130


def article(phrase):
    return ("an " if phrase[0] in "aeiou" else "a ") + phrase


def _story(rng):
    hero = rng.choice(words.ANIMALS if rng.random() < 0.6 else words.PEOPLE)
    facts = {
        "hero": hero,
        "name": rng.choice(words.NAMES),
        "adjective": rng.choice(words.ADJECTIVES),
        "place": rng.choice(words.PLACES),
        "color": rng.choice(words.COLORS),
        "object": rng.choice(words.OBJECTS),
        "plot": rng.choice(words.PLOTS),
    }
    who = article(f"{facts['adjective']} {hero}")
    ask = (
        f"Write a short story about {who} named {facts['name']} who {facts['plot']}."
    )
    thing = article(f"{facts['color']} {facts['object']}")
    where = article(facts["place"])
    begin = rng.choice([
        f"Once upon a time, there was {who} named {facts['name']}. {facts['name']} lived in {where} and had {thing}.",
        f"There was once {who} called {facts['name']}, who lived in {where}. One day, {facts['name']} found {thing}.",
        f"{facts['name']} was {who}. Every day, {facts['name']} walked through the {facts['place']} with {thing}.",
        f"In {where}, there lived {who} named {facts['name']}. One morning, {facts['name']} saw {thing}.",
    ])
    user = rng.choice([
        f"Tell me a story about {article(hero)}.",
        f"Tell me a story about {article(hero)} named {facts['name']}.",
        f"Write a short story about {who}.",
        f"Please tell me a story about {article(hero)} and {thing}.",
        f"I would like to hear a story about {who} named {facts['name']}.",
        f"Can you tell me a short story about {article(hero)} who {facts['plot']}?",
    ])
    return {"kind": "story", "ask": ask, "begin": begin, "user": user, "facts": facts}


def _explain(rng):
    thing = rng.choice(words.THINGS)
    form, ask = rng.choice([
        ("What is {}?", "Explain in two or three simple sentences what {} is."),
        ("Tell me about {}.", "Tell a child about {} in three sentences."),
        ("Explain {} in simple words.", "Explain {} in simple words, in one short paragraph."),
        ("Why do people talk about {}?", "Say in three simple sentences why {} matters to people."),
        ("Can you describe {}?", "Describe {} in one short paragraph "),
        ("What can you tell me about {}?", "Write a short paragraph with simple facts about {}."),
    ])
    name = thing[0].upper() + thing[1:]
    begin = rng.choice([f"{name} is", f"{name} is", f"{name} can be", ""])
    if thing in ("clouds", "bones", "muscles", "dreams", "clothes", "the eyes", "the ears", "day and night"):
        begin = rng.choice([f"{name} are", ""])
    return {"kind": "explain", "ask": ask.format(thing), "begin": begin, "user": form.format(thing),
            "facts": {"thing": thing}}


def _advice(rng):
    activity = rng.choice(words.ACTIVITIES)
    form, ask = rng.choice([
        ("Give me some advice about {}.", "Give short advice about {} in three simple sentences."),
        ("How do I get better at {}?", "Say in three short sentences how to get better at {}."),
        ("What should I know about {}?", "Say in one short paragraph what to know about {}."),
        ("Do you have any tips for {}?", "Give three short tips for {}, in one paragraph without a list."),
    ])
    return {"kind": "advice", "ask": ask.format(activity), "begin": "", "user": form.format(activity),
            "facts": {"activity": activity}}


def _describe(rng):
    place, adjective = rng.choice(words.PLACES), rng.choice(words.ADJECTIVES)
    season = rng.choice(["spring", "summer", "autumn", "winter", "the morning", "the evening", "the rain"])
    ask = f"Describe {article(place)} in {season} in four sentences."
    begin = rng.choice([f"In {season}, the {place} is", f"The {place} is {adjective} in {season}.", ""])
    user = rng.choice([f"Describe {article(place)} in {season}.", f"What is {article(place)} like in {season}?"])
    return {"kind": "describe", "ask": ask, "begin": begin, "user": user, "facts": {"place": place}}


def _dialogue(rng):
    one, two = rng.sample(words.PEOPLE, 2)
    first, second = rng.sample(words.NAMES, 2)
    topic = rng.choice(words.DIALOGUE_TOPICS)
    ask = (
        f"Write a short dialogue between {article(one)} named {first} and {article(two)} "
        f"named {second} about {topic}."
    )
    begin = f'{first}: {rng.choice(["Hello", "Good morning", "Hi", "Good evening"])}, {second}.'
    user = rng.choice([
        f"Write a conversation between {article(one)} and {article(two)} about {topic}.",
        f"Write a dialogue between {first} and {second} about {topic}.",
    ])
    return {"kind": "dialogue", "ask": ask, "begin": begin, "user": user,
            "facts": {"first": first, "second": second, "topic": topic}}


KINDS = [(_story, 48), (_explain, 24), (_advice, 8), (_describe, 8), (_dialogue, 12)]


def make(count, seed=PROMPT_SEED):
    """`count` prompts; the same list for the same seed, and a shorter list is its beginning."""
    rng = random.Random(seed)
    makers, weights = zip(*KINDS)
    return [rng.choices(makers, weights)[0](rng) for _ in range(count)]
