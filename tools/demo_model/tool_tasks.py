# SPDX-License-Identifier: Apache-2.0
"""Tool calls for tools that the prompt declares: 0 to 3 arguments, one or several calls.

Names are put together from parts, a share of them nonsense, so that names must be copied from the
prompt. The evaluation split uses nouns and argument names that training never sees.
"""

from chat import assistant, tool_result, user
from thoughts import effort, think
import words

VERBS = ["find", "get", "book", "order", "show", "check", "open", "start", "add", "send", "make", "save"]
NOUNS = {
    "train": ["hotel", "train", "table", "taxi", "ticket", "song", "movie", "recipe", "price", "report", "room",
              "weather", "route", "timer", "alarm", "note", "photo", "list", "message", "game", "doctor", "meal",
              "flight", "parcel", "lesson", "shop"],
    "eval": ["concert", "garden", "boat", "museum", "forecast", "letter", "bicycle", "teacher"],
}  # fmt: skip

# kind -> (names in training, names held out, phrases, what the description says)
KINDS = {
    "city": (["city", "place", "location", "town_name", "where", "target_city"], ["town", "city_name"],
             ["in {}", "near {}"], "The city"),
    "day": (["day", "date", "when", "start_day", "on_day"], ["weekday", "day_name"], ["on {}", "for {}"], "The day"),
    "person": (["name", "person", "guest", "user_name", "for_whom"], ["customer", "who"], ["for {}", "for my friend {}"],
               "The person"),
    "count": (["count", "number", "amount", "size", "how_many"], ["quantity", "total"],
              ["with number {}", "with a count of {}"], "The number"),
    "color": (["color", "shade", "paint", "main_color"], ["tint"], ["in {}", "with the color {}"], "The color"),
    "food": (["food", "dish", "item", "meal_name"], ["product"], ["with {}", "and {}"], "The food"),
    "month": (["month", "start_month", "month_name"], ["in_month"], ["in {}", "from {}"], "The month"),
}  # fmt: skip
VALUES = {
    "city": lambda rng: rng.choice(words.CITIES),
    "day": lambda rng: rng.choice(words.WEEKDAYS),
    "person": lambda rng: rng.choice(words.NAMES),
    "count": lambda rng: rng.randint(1, 99),
    "color": lambda rng: rng.choice(words.COLORS),
    "food": lambda rng: rng.choice(words.FOODS),
    "month": lambda rng: rng.choice(words.MONTHS),
}
RESULTS = ["done", "no result", "12", "open until 8", "sunny", "3 found", "ready", "it costs 20", "ok", "sold out"]


HELD_OUT = set(NOUNS["eval"]) | {part for kind in KINDS.values() for name in kind[1] for part in name.split("_")}


def _word_pool():
    """Words of all lists: names in tools may be anything."""
    lists = [value for value in vars(words).values() if isinstance(value, list)]
    pool = {word.lower() for entries in lists for entry in entries for word in entry.split()}
    return sorted(word for word in pool if word.isalpha() and len(word) > 2)


POOL = _word_pool()


def _nonsense(rng):
    """Random letters, half of them pronounceable."""
    if rng.random() < 0.5:
        return "".join(rng.choice("bcdfghjklmnprstvwxyz") + rng.choice("aeiou") for _ in range(rng.randint(2, 4)))
    return "".join(rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(rng.randint(3, 7)))


PIECES = []  # tokens of lower-case letters without a space: names are any combination of them


def use_pieces(vocabulary):
    """Has names made of the vocabulary's pieces from now on."""
    PIECES[:] = sorted(t for t in vocabulary if t.isascii() and t.isalpha() and t.islower())


def _any_word(rng):
    if PIECES and rng.random() < 0.5:
        return "".join(rng.choice(PIECES) for _ in range(rng.choice([1, 1, 2, 2, 3])))
    return rng.choice(POOL) if rng.random() < 0.6 else _nonsense(rng)


def _free_word(rng):
    """Never a word of the evaluation split."""
    while (word := _any_word(rng)) in HELD_OUT:
        pass
    return word


def _free_name(rng):
    """An argument's name of one or two free words."""
    return _free_word(rng) if rng.random() < 0.6 else f"{_free_word(rng)}_{_free_word(rng)}"


def make_tool(rng, split):
    """{"name", "description", "arguments": [(name, kind)], "verb", "noun"}.

    split: "train"; "known" has only common words that training has, in new prompts; "eval" has nouns
    and argument names that training never has.
    """
    verb, noun = rng.choice(VERBS), rng.choice(NOUNS["eval" if split == "eval" else "train"])
    if split == "train" and rng.random() < 0.7:
        noun = _free_word(rng)
    if split == "train" and rng.random() < 0.3:
        verb = _free_word(rng)
    name = rng.choice([f"{verb}_{noun}", f"{verb}_{noun}", f"{verb}_the_{noun}", f"{noun}_{verb}"])
    kinds = rng.sample(list(KINDS), rng.choice([0, 1, 1, 2, 2, 3]))
    arguments, used = [], set()
    for kind in kinds:
        trained, held_out, _, _ = KINDS[kind]
        argument = rng.choice(held_out if split == "eval" and rng.random() < 0.5 else trained)
        if split == "train" and rng.random() < 0.7:
            argument = _free_name(rng)
        if argument not in used:
            used.add(argument)
            arguments.append((argument, kind))
    description = f"{verb.capitalize()} {rng.choice(['a', 'the'])} {noun}"
    return {"name": name, "description": description, "arguments": arguments, "verb": verb, "noun": noun}


def declare(tool):
    properties = {
        name: {"type": "integer" if kind == "count" else "string", "description": KINDS[kind][3]}
        for name, kind in tool["arguments"]
    }
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {"name": tool["name"], "description": tool["description"], "parameters": parameters}


def _request(rng, tool):
    """(words of the user, arguments of the call)."""
    text, arguments = f"{tool['verb']} {rng.choice(['a', 'the'])} {tool['noun']}", {}
    for name, kind in tool["arguments"]:
        value = VALUES[kind](rng)
        arguments[name] = value
        text += " " + rng.choice(KINDS[kind][2]).format(value)
    return text, arguments


def _distinct_tools(rng, split, count):
    tools = {}
    while len(tools) < count:
        tool = make_tool(rng, split)
        if all((tool["verb"], tool["noun"]) != (t["verb"], t["noun"]) for t in tools.values()):
            tools[tool["name"]] = tool
    return list(tools.values())


def ask(rng, split):
    """(tools, user text, expected calls [(name, arguments)])."""
    tools = _distinct_tools(rng, split, rng.choice([1, 2, 2, 3, 3, 4]))
    count = rng.choice([1, 1, 1, 1, 2, 2, 3])
    requests, calls = [], []
    for _ in range(count):
        tool = rng.choice(tools)
        text, arguments = _request(rng, tool)
        if (tool["name"], arguments) not in calls:
            requests.append(text)
            calls.append((tool["name"], arguments))
    start = rng.choice(["Please {}.", "{}.", "Can you {}?", "I want you to {}.", "Could you {}, please?"])
    text = start.format(" and then ".join(requests))
    return tools, text[0].upper() + text[1:], calls


def conversation(rng, split="train"):
    level = effort(rng)
    tools, text, calls = ask(rng, split)
    names = " and ".join(dict.fromkeys(name for name, _ in calls))
    about = rng.choice([f"I need to call {names}.", f"The user wants me to use {names}.", f"The right tool is {names}."])
    messages = [user(text), assistant("", think(rng, about, level), calls)]
    if rng.random() < 0.4:
        results = [rng.choice(RESULTS) for _ in calls]
        messages += [tool_result(result) for result in results]
        said = " and ".join(results)
        answer = rng.choice([f"The answer is: {said}.", f"I used the tool. It says: {said}.", f"Here is the result: {said}."])
        messages.append(assistant(answer, think(rng, "The tool gave a result.", level)))
    return {"messages": messages, "tools": [declare(tool) for tool in tools], "effort": level}
