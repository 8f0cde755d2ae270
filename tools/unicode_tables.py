# SPDX-License-Identifier: Apache-2.0
"""unicode_tables.py: writes src/text/generated/unicode_tables.cc, what Python's str says of each
code point, for the string methods and repr() of the template interpreter.

The facts come from the running Python's own str methods (see UNIDATA in the output), so the
interpreter answers as that Python does.
"""
import sys
import unicodedata
from pathlib import Path

OUT = Path(__file__).parents[1] / "src/text/generated/unicode_tables.cc"
CODE_POINTS = [chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c <= 0xDFFF]


def case_ignorable(c):
    """Skipped when str.lower() decides whether a capital sigma ends its word."""
    return ("AΣ" + c + "A").lower()[1] == "σ" and ("AΣ" + c).lower()[1] == "ς"


PROPERTIES = {
    "Printable": str.isprintable,
    "Alpha": str.isalpha,
    "Decimal": str.isdecimal,
    "Digit": str.isdigit,
    "Numeric": str.isnumeric,
    "Lower": str.islower,
    "Upper": str.isupper,
    "Title": lambda c: c.istitle() and not c.isupper(),
    "CaseIgnorable": case_ignorable,
}
MAPPINGS = {"Upper": str.upper, "Lower": str.lower, "Title": str.title}


def ranges(holds):
    """[first, last] of each run of code points for which `holds` is true."""
    runs = []
    for c in filter(holds, CODE_POINTS):
        if runs and runs[-1][1] == ord(c) - 1:
            runs[-1][1] = ord(c)
        else:
            runs.append([ord(c), ord(c)])
    return runs


def mapping(function):
    """Runs [first, last, stride, delta] of single code points, and the (from, to) of the others."""
    runs, others = [], []
    for c in CODE_POINTS:
        to = function(c)
        if to == c:
            continue
        if len(to) > 1:
            others.append((ord(c), to))
            continue
        code, delta = ord(c), ord(to) - ord(c)
        last = runs[-1] if runs else None
        if last and last[3] == delta and last[0] == last[1] and code - last[1] in (1, 2):
            last[1], last[2] = code, code - last[0]
        elif last and last[3] == delta and code - last[1] == last[2]:
            last[1] = code
        else:
            runs.append([code, code, 1, delta])
    return runs, others


def rows(items, width=100):
    """The items as lines of at most `width` columns."""
    lines, line = [], "   "
    for item in items:
        if len(line) + len(item) + 2 > width:
            lines.append(line)
            line = "   "
        line += f" {item},"
    return "\n".join(lines + [line])


def utf8(text):
    return '"' + "".join(f"\\x{byte:02x}" for byte in text.encode()) + '"'


def main():
    parts = []
    for name, holds in PROPERTIES.items():
        items = [f"{{0x{first:X}, 0x{last:X}}}" for first, last in ranges(holds)]
        parts.append(f"constexpr CodeRange k{name}[] = {{\n{rows(items)}\n}};\n")
    for name, function in MAPPINGS.items():
        runs, others = mapping(function)
        items = [f"{{0x{run[0]:X}, 0x{run[1]:X}, {run[2]}, {run[3]}}}" for run in runs]
        parts.append(f"constexpr CaseRange kTo{name}[] = {{\n{rows(items)}\n}};\n")
        items = [f"{{0x{code:X}, {utf8(to)}}}" for code, to in others]
        parts.append(f"constexpr CaseString kTo{name}Strings[] = {{\n{rows(items)}\n}};\n")
    for name in PROPERTIES:
        parts.append(f"std::span<const CodeRange> {name}Ranges() {{ return k{name}; }}")
    for name in MAPPINGS:
        parts.append(f"CaseMap {name}Map() {{ return {{kTo{name}, kTo{name}Strings}}; }}")
    head = f"""// Made by tools/unicode_tables.py (UNIDATA {unicodedata.unidata_version}). Do not edit.
// SPDX-License-Identifier: Apache-2.0
// clang-format off
#include "text/internal/jinja_unicode_tables.h"

namespace glint::text::jinja {{
namespace {{
"""
    tables = len(PROPERTIES) + 2 * len(MAPPINGS)
    body = "\n".join(parts[:tables]) + "\n}  // namespace\n\n" + "\n".join(parts[tables:])
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(head + body + "\n}  // namespace glint::text::jinja\n")


if __name__ == "__main__":
    main()
