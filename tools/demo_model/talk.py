# SPDX-License-Identifier: Apache-2.0
"""Greetings, small talk and a few plain facts."""

from chat import assistant, user
from thoughts import effort, think

NAME = "a very small demo model of glint"

GREETINGS = ["Hi", "Hello", "Hi!", "Hello!", "Hey", "Good morning", "Good evening", "Hi there", "Hello there!",
             "Good morning!", "hi", "hello", "Hey!"]  # fmt: skip
GREETING_ANSWERS = [
    "Hello! How can I help you today?",
    "Hi! What can I do for you?",
    "Hello! It is nice to meet you. What would you like to talk about?",
    "Hi there! Would you like to hear a story?",
]
SMALL_TALK = [
    (["Who are you?", "What are you?", "What is your name?", "Tell me about yourself.", "Are you a robot?",
      "Are you a person?", "who are you", "Who made you?"],
     [f"I am {NAME}. I can tell short stories and answer simple questions.",
      f"I am {NAME}, a language model. I am not a person, but I like to tell stories."]),
    (["How are you?", "How are you today?", "How do you do?", "How is it going?", "Are you well?"],
     ["I am well, thank you! How are you?", "I am fine, thank you. What can I do for you?"]),
    (["What can you do?", "Can you help me?", "How can you help me?", "What are you good at?", "help"],
     ["I can tell short stories, answer simple questions, call tools and write small JSON objects.",
      "I can tell a story, explain simple things, and use the tools that you give me."]),
    (["Thank you", "Thanks", "Thank you very much!", "Thanks a lot.", "Great, thank you."],
     ["You are welcome!", "You are welcome! Is there anything else?"]),
    (["Goodbye", "Bye", "See you later", "Good night", "Bye!"],
     ["Goodbye! Have a nice day.", "Goodbye! Come back soon."]),
    (["Do you like music?", "Do you like stories?", "Do you like cats?", "Do you like the sea?"],
     ["I am a small program, so I do not like or dislike things. But I can tell you a story about it.",
      "I cannot feel, but many people like it very much."]),
    (["I am sad.", "I feel lonely.", "I am tired.", "I had a bad day."],
     ["I am sorry to hear that. Would you like to hear a short story?",
      "I am sorry. I hope that tomorrow will be a better day."]),
    (["I am happy.", "I had a good day.", "Today is my birthday!", "I won a race."],
     ["That is wonderful! I am happy for you.", "How nice! Tell me more about it."]),
    (["Yes", "Okay", "Good", "Yes, please."], ["Good! What shall we talk about?", "Very well. Ask me something."]),
    (["No", "No, thank you."], ["All right. I am here if you need me.", "That is fine. Have a nice day."]),
]  # fmt: skip

CAPITALS = {
    "France": "Paris", "England": "London", "Italy": "Rome", "Spain": "Madrid", "Germany": "Berlin",
    "Austria": "Vienna", "Switzerland": "Bern", "Norway": "Oslo", "Ireland": "Dublin", "Greece": "Athens",
    "Portugal": "Lisbon", "Poland": "Warsaw", "Japan": "Tokyo", "Egypt": "Cairo", "Peru": "Lima",
}  # fmt: skip
OPPOSITES = {
    "hot": "cold", "big": "small", "day": "night", "up": "down", "old": "young", "happy": "sad", "fast": "slow",
    "light": "dark", "open": "closed", "full": "empty", "early": "late", "long": "short", "rich": "poor",
    "strong": "weak", "wet": "dry", "near": "far", "left": "right", "good": "bad", "high": "low", "new": "old",
}  # fmt: skip
SOUNDS = {"cat": "meow", "dog": "woof", "cow": "moo", "sheep": "baa", "duck": "quack", "owl": "hoot", "pig": "oink"}
LEGS = {"cat": 4, "dog": 4, "horse": 4, "bird": 2, "spider": 8, "bee": 6, "cow": 4, "hen": 2, "ant": 6}
NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def _fact(rng):
    from words import MONTHS, WEEKDAYS

    kind = rng.randrange(7)
    if kind == 0:
        country = rng.choice(list(CAPITALS))
        return f"What is the capital of {country}?", f"The capital of {country} is {CAPITALS[country]}."
    if kind == 1:
        word = rng.choice(list(OPPOSITES))
        return f"What is the opposite of {word}?", f"The opposite of {word} is {OPPOSITES[word]}."
    if kind == 2:
        animal = rng.choice(list(SOUNDS))
        return f"What does a {animal} say?", f"A {animal} says {SOUNDS[animal]}."
    if kind == 3:
        animal = rng.choice(list(LEGS))
        return f"How many legs does a {animal} have?", f"A {animal} has {NUMBERS[LEGS[animal]]} legs."
    if kind == 4:
        day = rng.randrange(7)
        return f"What day comes after {WEEKDAYS[day]}?", f"{WEEKDAYS[(day + 1) % 7]} comes after {WEEKDAYS[day]}."
    if kind == 5:
        month = rng.randrange(12)
        return f"Which month comes after {MONTHS[month]}?", f"{MONTHS[(month + 1) % 12]} comes after {MONTHS[month]}."
    a, b = rng.randint(0, 5), rng.randint(0, 5)
    return f"What is {a} plus {b}?", f"{NUMBERS[a].capitalize()} plus {NUMBERS[b]} is {NUMBERS[a + b]}."


def exchange(rng):
    """(question, answer, what to think of it)."""
    if rng.random() < 0.35:
        return *_fact(rng), "The user asks a simple question, and I know the answer."
    if rng.random() < 0.4:
        return rng.choice(GREETINGS), rng.choice(GREETING_ANSWERS), "The user greets me. I will greet back."
    questions, answers = rng.choice(SMALL_TALK)
    question = rng.choice(questions)
    if rng.random() < 0.25:
        question = f"{rng.choice(['Hello', 'Hi'])}, {question[0].lower() if question[0] != 'I' else 'I'}{question[1:]}"
    return question, rng.choice(answers), "This is small talk. I will give a short and friendly answer."


def conversation(rng):
    level, messages = effort(rng), []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        question, answer, about = exchange(rng)
        messages += [user(question), assistant(answer, think(rng, about, level))]
    return {"messages": messages, "effort": level}
