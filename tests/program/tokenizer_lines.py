# SPDX-License-Identifier: Apache-2.0
"""Lines of mixed text for the comparison of tokenizers, the same in every run."""
import random

LETTERS = [
    "the", "Hello", "world", "naïve", "Größe", "straße", "ŒUVRE", "İstanbul", "ﬁne", "ǅ", "ª", "ſ",
    "слово", "Ответ", "λόγος", "Ὀδυσσεύς", "שָׁלוֹם", "مَرْحَبًا", "नमस्ते", "हिन्दी", "สวัสดี", "བོད", "ᠮᠣᠩᠭᠣᠯ",
    "你好", "世界", "服务器", "模型", "日本語", "ひらがな", "カタカナ", "ｶﾀｶﾅ", "한국어", "각", "𠀀𠮷", "𝒳𝓎", "ℵ",
]
EMOJI = ["😀", "👍🏽", "👩‍💻", "👨‍👩‍👧‍👦", "🏳️‍🌈", "🇨🇭🇯🇵", "1️⃣", "❤️", "☺", "🫠", "🧑🏿‍🚀", "\u200d", "\ufe0f"]
NUMBERS = ["0", "7", "42", "999", "1234567", "3.14159", "1e-9", "0x7fFF", "١٢٣٤", "१२३४५", "²³", "Ⅻ", "½",
           "①②③④", "〇一二", "𝟘𝟙𝟚𝟛", "1,000,000", "12:30:59"]
SPACES = [" ", "  ", "    ", "\t", "\t\t ", "\n", "\n\n", "\r\n", "\r\n\r\n", "\r", " \n", "\n ", " \r\n\t",
          "\u00a0", "\u3000", "\u1680", "\u2028", "\u2029", "\u0085", "\u202f ", "\v", "\f", " \u2003\n"]
CONTROLS = [chr(c) for c in (*range(1, 9), *range(14, 32), 127, 0x80, 0x9F)] + [
    "\0", "\u180e", "\u200b", "\u200e", "\u202e", "\u2060", "\ufeff", "\ufffd", "\uffff", "\U0010ffff",
    "\ue000", "\u00ad", "\U000e0041"]
MARKS = ["\u0301", "\u0308\u0301", "e\u0301", "n\u0303a", "\u20dd", "Z͑ͫ̓", "\u093f", "\u0e34", "\u3099", "あ\u3099"]
CODE = ["def f(x):\n    return x**2\n", "for (int i=0;i<n;++i) {", "}\n\n\n", "a->b::c[i] &= ~0xFF;",
        "<html lang=\"en\">", "</div>\n", "{\"k\": [1, null, true]}", "SELECT * FROM t;--", "$HOME/.bashrc",
        "https://example.org/a?b=c&d=%20#e", "#include <vector>\r\n", "///", "\\n\\u00e9", "/* ... */", "=>", "!!!"]
CONTRACTIONS = ["it's", "IT'S", "don't", "we'LL", "I'd", "they've", "you're", "I'm", "'ſ", "'tis", "'S", "’s",
                "'sx", "''s", "rock'n'roll", "'\u017fx", "o'\u212a", "'ll'll"]
ADDED = ["<|user|>", "<|assistant|>", "<think>", "</think>", "<tool_call>", "</arg_value>", "[gMASK]<sop>",
         "/nothink", "<|endoftext|>", "[MASK]", "<|observation|>\n"]
NEARLY = ["<|user|", "<|User|>", "< |user|>", "<think", "<<think>>", "<|user<|user|>|>", "/nothinking",
          "[gMASK", "<tool_call><", "</ think>", "<|use\u200br|>", "＜｜user｜＞"]
GROUPS = [LETTERS, LETTERS, EMOJI, NUMBERS, SPACES, SPACES, CONTROLS, MARKS, CODE, CONTRACTIONS, NEARLY]


def in_ranges(code_point, ranges):
    return any(low <= code_point <= high for low, high in ranges)


def random_characters(rng, but_not):
    """Any characters at all, of one part of Unicode or of all of it."""
    low, high = rng.choice([(0, 0x7F), (0x80, 0x24F), (0x300, 0x1FFF), (0x2000, 0x2BFF), (0x2E80, 0xD7FF),
                            (0xE000, 0xFFFF), (0x10000, 0x1FFFF), (0x20000, 0x3FFFF), (0, 0x10FFFF)])
    drawn = (rng.randint(low, high) for _ in range(rng.randint(1, 20)))
    return "".join(chr(c) for c in drawn if not 0xD800 <= c < 0xE000 and not in_ranges(c, but_not))


def long_runs():
    """One pre-token, or one run of spaces, of some thousand characters."""
    for unit in ("a", "A", " ", "\n", "\r\n", "\t", "=", "<", "5", "é", "你", "😀", "\u0301", "\0", "'s", " a"):
        yield unit * 3000
        yield "x" + unit * 1001 + "y"


def lines(but_not, count=2600):
    """`but_not`: ranges of code points that are not drawn at random."""
    rng = random.Random(20)
    yield ""
    yield from long_runs()
    for group in (*GROUPS, ADDED):
        yield from group
    for _ in range(count):
        parts = []
        for _ in range(rng.randint(1, 25)):
            chance = rng.random()
            if chance < 0.05:
                parts.append(random_characters(rng, but_not))
            elif chance < 0.10:
                parts.append(rng.choice(ADDED))
            elif chance < 0.12:
                parts.append(rng.choice(SPACES) * rng.randint(2, 300))
            elif chance < 0.14:
                parts.append(str(rng.randrange(10 ** rng.randint(1, 30))))
            else:
                parts.append(rng.choice(rng.choice(GROUPS)))
            if rng.random() < 0.4:
                parts.append(" ")
        yield "".join(parts)
