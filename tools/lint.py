# SPDX-License-Identifier: Apache-2.0
"""lint.py FILE.cc...: clang-tidy over the files, two at a time, with the flags of build/release.

clang-tidy takes 10 to 60 s a file, so a file that was clean is not run again until its text after
the preprocessor, .clang-tidy or the tool changes. That memory is in the user's cache, shared by
all clones. Exits with 1 when there is a finding.
"""
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TOOL = "clang-tidy-19"
BUILD = Path("build/release")
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"), "glint/lint")
# Long loops and state machines are the nature of these.
COMPLEX = re.compile(r"(_cpu\.cc|_amx\.cc|_gpu\.\w+|_parse\.cc|_parser\.cc|/json\.cc)$")


# The analyzer's deep mode costs four times as much (24 s against 6 s for a file of 160 lines), which
# the whole tree does not fit into a check.
SHALLOW = [f"--extra-arg={word}" for word in ("-Xclang", "-analyzer-config", "-Xclang", "mode=shallow")]


# The commands are those of g++, which has warnings that clang does not know.
G_PLUS_PLUS = ["--extra-arg=-Wno-unknown-warning-option"]


def output(*command):
    return subprocess.run(command, capture_output=True, cwd=BUILD).stdout


def run(path, compile_command, rules):
    """True when the file is clean. Prints what is not."""
    options = ["--checks=-readability-function-cognitive-complexity"] * bool(COMPLEX.search(path))
    options += SHALLOW + G_PLUS_PLUS
    # Of the command only flags that change the text, and the absolute paths: includes, the file.
    flags = [word for word in shlex.split(compile_command)[1:] if re.match(r"-[DIOfis]|/", word)]
    text = output("clang++-19", *flags, "-E", "-P", "-C")
    key = hashlib.sha256(rules + repr(options).encode() + text).hexdigest()
    if text and (CACHE / key).exists():
        return True
    result = subprocess.run([TOOL, "-p", BUILD, "--quiet", *options, path], text=True,
                            capture_output=True)
    if result.returncode == 0:
        (CACHE / key).touch()
        return True
    print(result.stdout.replace(f"{Path.cwd()}/", "") or result.stderr, flush=True)
    return False


def main(paths):
    database = json.loads((BUILD / "compile_commands.json").read_text())
    commands = {os.path.relpath(entry["file"]): entry["command"] for entry in database}
    unknown = [path for path in paths if path not in commands]
    if unknown:
        print(f"lint: no target of the preset release compiles {', '.join(unknown)}")
    CACHE.mkdir(parents=True, exist_ok=True)
    rules = Path(".clang-tidy").read_bytes() + output(TOOL, "--version")
    with ThreadPoolExecutor(2) as pool:
        known = [path for path in paths if path not in unknown]
        clean = list(pool.map(lambda path: run(path, commands[path], rules), known))
    print(f"clang-tidy: {clean.count(True)} files clean, {clean.count(False)} with findings")
    return 1 if unknown or not all(clean) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
