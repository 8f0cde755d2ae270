# SPDX-License-Identifier: Apache-2.0
"""check_layers.py [ROOT]: holds the tree to its layers and prints each break as file:line: rule.

The table of modules is cmake/modules.cmake; the build links by the same one. Exits with 1 when a
rule is broken.
"""
import re
import sys
from pathlib import Path

ROOTS = ("src", "apps", "tests", "benchmarks")
SUFFIXES = (".h", ".cc", ".cu")
MAX_LINES = 800
BAD_FOLDERS = {"util", "utils", "common", "misc", "helpers"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
VENDOR_NAME = re.compile(r"\b(cuda|hip|nccl|rccl)[A-Z_]")
VENDOR_IF = re.compile(r"^\s*#\s*(el)?if.*(__CUDA|__HIP|GLINT_GPU)")
VENDOR_FILES = ("src/device/gpu/port.h", "src/device/gpu/runtime.h")
VENDOR_FOLDERS = ("src/device/", "src/kernels/")
BASE_LIBRARIES = re.compile(r"^(nlohmann|CLI|spdlog)/")


def read_table(root):
    """Module -> modules it may include; module -> the headers of base it is restricted to."""
    text = re.sub(r"#.*", "", (root / "cmake/modules.cmake").read_text())
    table = {name: uses.split() for name, uses in re.findall(r'"([a-z]+):([^"]*)"', text)}
    headers = re.findall(r"set\(GLINT_BASE_HEADERS_([a-z]+)\s+([^)]*)\)", text)
    return table, {module: {f"base/{name}" for name in names.split()} for module, names in headers}


class Checker:
    def __init__(self, root):
        self.root = root
        self.table, self.base_headers = read_table(root)
        self.breaks = []

    def report(self, path, line, rule):
        self.breaks.append(f"{path}:{line}: {rule}")

    def check(self):
        self.check_table()
        for top in ROOTS:
            for path in sorted((self.root / top).rglob("*")):
                name = path.relative_to(self.root)
                if path.is_dir():
                    self.check_folder(name)
                elif path.suffix in SUFFIXES:
                    self.check_file(name, path.read_text().splitlines())
        return self.breaks

    def check_table(self):
        lower = set()
        for module, uses in self.table.items():
            for used in uses:
                if used not in lower:
                    self.report("cmake/modules.cmake", 1, f"{module} uses {used}, not a row above it")
            lower.add(module)

    def check_folder(self, name):
        if name.name in BAD_FOLDERS:
            self.report(name, 1, f"a folder may not be called {name.name}")
        if name.parts[0] != "src":
            return
        if name.parts[1] not in self.table:
            self.report(name, 1, f"{name.parts[1]} is no module of cmake/modules.cmake")
        if len(name.parts) > 3:
            self.report(name, 1, "more than one level below its module")

    def check_file(self, name, lines):
        if len(lines) > MAX_LINES and "generated" not in name.parts:
            self.report(name, len(lines), f"longer than {MAX_LINES} lines")
        if not any("SPDX-License-Identifier:" in line for line in lines[:3]):
            self.report(name, 1, "no SPDX line at the top")
        if name.suffix == ".h" and "#pragma once" not in lines:
            self.report(name, 1, "no #pragma once")
        for number, line in enumerate(lines, 1):
            found = INCLUDE.match(line)
            if found and found[1]:
                self.check_include(name, number, found[1])
            elif found:
                self.check_library(name, number, found[2])
            self.check_vendor(name, number, line.split("//")[0])

    def check_include(self, name, line, target):
        if not any((self.root / top / target).exists() for top in ("src", "")):
            self.report(name, line, f'"{target}" is no file of ours, from src/ or the root')
        used = target.split("/")[0]
        module = name.parts[1] if name.parts[0] == "src" else None
        if used in ROOTS and module:
            self.report(name, line, f"a module may not include {used}/")
        if used not in self.table or used == module:
            return
        if "internal" in target.split("/"):
            self.report(name, line, f'"{target}" is for {used} alone')
        if module not in self.table:
            return
        if used != "base" and used not in self.table[module]:
            self.report(name, line, f"{module} may not include {used}")
        allowed = self.base_headers.get(module)
        if used == "base" and allowed and target not in allowed:
            self.report(name, line, f"of base, {module} may include only {', '.join(sorted(allowed))}")

    def check_library(self, name, line, target):
        if BASE_LIBRARIES.match(target) and name.parts[:2] != ("src", "base"):
            self.report(name, line, f"<{target}> may be included in src/base only")

    def check_vendor(self, name, line, code):
        if VENDOR_NAME.search(code) and str(name) not in VENDOR_FILES:
            self.report(name, line, f"a vendor's name outside {' and '.join(VENDOR_FILES)}")
        if VENDOR_IF.match(code) and not str(name).startswith(VENDOR_FOLDERS):
            self.report(name, line, f"a vendor #if outside {' and '.join(VENDOR_FOLDERS)}")


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2]
    breaks = Checker(root).check()
    print("\n".join(breaks) or "layers: all rules hold")
    return 1 if breaks else 0


if __name__ == "__main__":
    sys.exit(main())
