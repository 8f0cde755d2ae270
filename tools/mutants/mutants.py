# SPDX-License-Identifier: Apache-2.0
"""mutants.py [NAME]: applies each mutation of mutants.toml to a copy of the tree, build/mutants,
and expects the tests that it names to pass before and to fail after."""
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
COPY = ROOT / "build/mutants"
LOG = ROOT / "build/mutants.log"


def run(*command):
    """True when the command, in the copy, exits with 0. Its output goes to the log."""
    with LOG.open("a") as log:
        return subprocess.run(command, cwd=COPY, stdin=subprocess.DEVNULL, stdout=log,
                              stderr=log).returncode == 0


def write(path, data):
    """Leaves a file alone that is right already, so that ninja does not build it again."""
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def copy_tree():
    files = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                           cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, files.split("\0")):
        if (ROOT / name).is_file():
            write(COPY / name, (ROOT / name).read_bytes())


def build(target):
    return run("cmake", "--build", "--preset", "dev", "--parallel", "2", "--target", target)


def tests_pass(mutant):
    return run("ctest", "--preset", "dev", "--no-tests=error", "--tests-regex", mutant["tests"])


def verdict(mutant):
    """None when a test noticed, else what is wrong."""
    path = COPY / mutant["file"]
    good = path.read_bytes()
    text, mutated = mutant["text"].encode(), mutant["mutated"].encode()
    if good.count(text) != 1:
        return f"its text stands {good.count(text)} times in {mutant['file']}, not once"
    if not build(mutant["target"]) or not tests_pass(mutant):
        return f"the tests do not pass without it, see {LOG.relative_to(ROOT)}"
    try:
        path.write_bytes(good.replace(text, mutated))
        if not build(mutant["target"]):
            return f"does not build, see {LOG.relative_to(ROOT)}"
        return "survived" if tests_pass(mutant) else None
    finally:
        path.write_bytes(good)


def main(names):
    mutants = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
    if names and names[0] not in mutants:
        print(f"run: no mutant named '{names[0]}', there are: {', '.join(mutants)}", file=sys.stderr)
        return 2
    LOG.parent.mkdir(exist_ok=True)
    LOG.write_text("")
    copy_tree()
    if not run("cmake", "--preset", "dev"):
        print(f"the copy cannot be configured, see {LOG.relative_to(ROOT)}")
        return 1
    failed = 0
    chosen = names or list(mutants)
    for name in chosen:
        start = time.monotonic()
        wrong = verdict(mutants[name])
        failed += wrong is not None
        print(f"mutant {name} {wrong or 'was noticed'} ({time.monotonic() - start:.0f} s)", flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
