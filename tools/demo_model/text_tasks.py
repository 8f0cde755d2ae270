# SPDX-License-Identifier: Apache-2.0
"""Conversations and plain documents made from sampled texts: requests, questions, recall, JSON.

A text is {"kind", "user", "facts", "text"} (prompts.py, plus what was sampled).
"""

from chat import assistant, system, to_json, user
from prompts import article
from thoughts import effort, think
import words

ABOUT = {
    "story": "The user wants a story about {}.",
    "explain": "The user asks about {}.",
    "advice": "The user asks for advice about {}.",
    "describe": "The user wants a description of a place: {}.",
    "dialogue": "The user wants a conversation about {}.",
}


def _about(text):
    facts = text["facts"]
    subject = {"story": lambda: article(facts["hero"]), "dialogue": lambda: facts["topic"]}.get(
        text["kind"], lambda: next(iter(facts.values()))
    )
    return ABOUT[text["kind"]].format(subject())


def fact_question(rng, facts):
    """(question, answer, thought) about a story's certain facts."""
    hero, name = facts["hero"], facts["name"]
    thing = article(f"{facts['color']} {facts['object']}")
    return rng.choice([
        (f"What was the name of the {hero}?", f"The name of the {hero} was {name}.", f"The {hero} is {name}."),
        (f"Who was {name}?", f"{name} was {article(facts['adjective'] + ' ' + hero)}.", f"{name} is the {hero}."),
        (f"What color was the {facts['object']}?", f"The {facts['object']} was {facts['color']}.",
         f"The story speaks of {thing}."),
        (f"Which place is in the story of {name}?", f"The story of {name} has {article(facts['place'])} in it.",
         f"The place is {article(facts['place'])}."),
        (f"What thing is in the story of {name}?", f"There is {thing} in the story of {name}.", f"It is {thing}."),
    ])  # fmt: skip


def request(rng, texts):
    """One or more requests, each answered by a sampled text; stories may be asked about."""
    level, messages = effort(rng), []
    for text in texts:
        messages += [user(text["user"]), assistant(text["text"], think(rng, _about(text), level))]
        if text["kind"] == "story" and rng.random() < 0.4:
            for _ in range(rng.choice([1, 1, 2])):
                question, answer, thought = fact_question(rng, text["facts"])
                messages += [user(question), assistant(answer, think(rng, thought, level))]
    if rng.random() < 0.1:
        messages.insert(0, system(rng.choice(["You are a helpful assistant.", "Answer in simple words."])))
    return {"messages": messages, "effort": level}


def reading(rng, stories):
    """Questions about one of several stories in the prompt: the answer may lie far back."""
    level = effort(rng)
    joined = "\n\n".join(s["text"] for s in stories)
    story = rng.choice(stories)
    question, answer, thought = fact_question(rng, story["facts"])
    head = rng.choice(["Read this:\n\n", "Here is a text:\n\n", ""])
    messages = [user(f"{head}{joined}\n\n{question}"), assistant(answer, think(rng, thought, level))]
    return {"messages": messages, "effort": level}


def _code(rng):
    return "".join(rng.choice("ABCDEFGHKLMNPRSTUVWXYZ") for _ in range(3)) + str(rng.randint(10, 999))


def recall(rng, texts):
    """Code words near the beginning, other text between, then the question."""
    level = effort(rng)
    names = rng.sample(words.NAMES, rng.randint(1, 5))
    codes = {name: _code(rng) for name in names}
    lines = [f"The code of {name} is {code}." for name, code in codes.items()]
    filler = "\n\n".join(t["text"] for t in texts)
    name = rng.choice(names)
    form = rng.randrange(3)
    if form == 0:
        messages = [user(" ".join(lines) + "\n\n" + filler + f"\n\nWhat is the code of {name}?")]
    elif form == 1:
        messages = [user("Remember this. " + " ".join(lines)), assistant("I will remember it.")]
        for text in texts:
            messages += [user(text["user"]), assistant(text["text"])]
        messages.append(user(f"What is the code of {name}?"))
    else:
        messages = [user("\n".join(lines) + "\n" + filler + f"\n\nTell me the code of {name}.")]
    thought = f"The code of {name} is {codes[name]}."
    messages.append(assistant(f"The code of {name} is {codes[name]}.", think(rng, thought, level)))
    return {"messages": messages, "effort": level}


def repeat(rng, texts):
    """A text is to be repeated word for word, after others came between."""
    level = effort(rng)
    target = rng.randrange(len(texts))
    joined = "\n\n".join(f"Text {i + 1}: {t['text']}" for i, t in enumerate(texts))
    messages = [user(f"{joined}\n\nPlease repeat text {target + 1}."),
                assistant(texts[target]["text"], think(rng, f"I repeat text {target + 1}.", level))]  # fmt: skip
    return {"messages": messages, "effort": level}


JSON_FIELDS = {
    "name": lambda rng: rng.choice(words.NAMES), "city": lambda rng: rng.choice(words.CITIES),
    "age": lambda rng: rng.randint(3, 90), "color": lambda rng: rng.choice(words.COLORS),
    "animal": lambda rng: rng.choice(words.ANIMALS), "food": lambda rng: rng.choice(words.FOODS),
    "day": lambda rng: rng.choice(words.WEEKDAYS), "month": lambda rng: rng.choice(words.MONTHS),
    "count": lambda rng: rng.randint(1, 99), "object": lambda rng: rng.choice(words.OBJECTS),
    "happy": lambda rng: rng.random() < 0.5,
}  # fmt: skip


def _listed(items):
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1]


def json_request(rng):
    """(user text, value)."""
    if rng.random() < 0.25:
        kind = rng.choice(["color", "animal", "food", "city", "name", "object"])
        values = list(dict.fromkeys(JSON_FIELDS[kind](rng) for _ in range(rng.randint(2, 4))))
        ask = rng.choice(["Write a JSON list with {}.", "Answer in JSON: make a list of {}.", "Put {} into a JSON array."])
        return ask.format(_listed(values)), values
    fields = rng.sample(list(JSON_FIELDS), rng.randint(1, 4))
    value = {field: JSON_FIELDS[field](rng) for field in fields}
    told = _listed([f"{k} {v if not isinstance(v, bool) else str(v).lower()}" for k, v in value.items()])
    ask = rng.choice([
        "Write a JSON object with {}.", "Give me JSON with {}.", "Answer in JSON: {}.", "Make a JSON object of {}.",
        "Return only a JSON object with {}.",
    ])  # fmt: skip
    return ask.format(told), value


def json_task(rng):
    level = effort(rng)
    text, value = json_request(rng)
    about = rng.choice(["The user wants JSON.", "I will write JSON and nothing else.", "This must be valid JSON."])
    return {"messages": [user(text), assistant(to_json(value), think(rng, about, level))], "effort": level}


def document(rng, texts):
    """A plain document: texts one after the other; at times one comes again word for word."""
    parts = [t["text"] for t in texts]
    if len(parts) > 1 and rng.random() < 0.3:
        again = rng.randrange(len(parts) - 1)
        parts.append(f"{rng.choice(['Once more', 'Again', 'Here it is again'])}: {parts[again]}")
    return "\n\n".join(parts)
