# SPDX-License-Identifier: Apache-2.0
"""figures_conversations.py: ten fixed conversations, answered by the model, for the model card."""

import chat
import checkpoint
from completion import Completer, parse

WEATHER = {
    "name": "get_weather", "description": "Get the weather",
    "parameters": {"type": "object", "properties": {"city": {"type": "string", "description": "The city"}},
                   "required": ["city"]},
}  # fmt: skip
HOTEL = {
    "name": "book_hotel", "description": "Book a hotel",
    "parameters": {"type": "object", "properties": {
        "city": {"type": "string", "description": "The city"}, "day": {"type": "string", "description": "The day"}},
        "required": ["city", "day"]},
}  # fmt: skip

# (user texts, effort, tools, temperature); several texts are several turns
CONVERSATIONS = [
    (["Hi"], "Max", [], 0.0),
    (["Hello, who are you?"], None, [], 0.0),
    (["Tell me a story about a cat."], None, [], 0.8),
    (["Tell me a story about a fox named Tom.", "What was the name of the fox?", "Thank you!"], None, [], 0.8),
    (["Explain rain in simple words."], "High", [], 0.8),
    (["What is the capital of France?", "What day comes after Monday?"], "Max", [], 0.0),
    (["Get the weather in Paris."], "Max", [WEATHER, HOTEL], 0.0),
    (["Book a hotel in Rome on Friday and then get the weather in Rome."], None, [WEATHER, HOTEL], 0.0),
    (["Give me JSON with name Anna, age 7 and city Bern."], None, [], 0.0),
    (["Remember this. The code of Lily is KTR52. The code of Ben is PLA8.", "Tell me a story about a dog.",
      "What is the code of Lily?"], None, [], 0.0),
]  # fmt: skip


def hold(completer, texts, effort, tools, temperature, seed):
    """[{"user", "think", "assistant", "calls"}], one entry a turn."""
    messages, turns = [], []
    for text in texts:
        messages.append(chat.user(text))
        prompt = chat.prompt({"messages": messages, "tools": tools, "effort": effort})
        answer, finished = completer.complete(prompt, 300, temperature, seed)
        parsed = parse(answer, bool(effort))
        messages.append(chat.assistant(parsed["content"], parsed["think"], parsed["calls"]))
        turn = {"user": text, "think": parsed["think"], "assistant": parsed["content"], "calls": parsed["calls"]}
        turns.append({k: v for k, v in turn.items() if v} | ({} if finished else {"cut": True}))
    return turns


def main():
    parser = checkpoint.parser(__doc__)
    parser.add_argument("--glint", help="the program, for greedy turns")
    flags = checkpoint.parse(parser)
    completer = Completer(flags.folder, flags.glint)
    held = [hold(completer, *conversation, seed) for seed, conversation in enumerate(CONVERSATIONS)]
    checkpoint.finish(flags, held)


if __name__ == "__main__":
    main()
