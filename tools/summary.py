# SPDX-License-Identifier: Apache-2.0
"""summary.py FOLDER...: counts what steps.sh left in the folders and prints one closing line.

A folder holds `steps`, lines of "EXIT_CODE NAME" or "skipped NAME", and NAME.xml (JUnit) for the
steps that ran tests. Exits with 1 when something failed or nothing passed.
"""
import sys
import xml.etree.ElementTree as xml
from collections import Counter
from pathlib import Path


def outcome(case):
    """passed, failed or skipped. A test that ctest could not start is a failure."""
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    skipped = case.find("skipped")
    if skipped is None:
        return "passed"
    chosen = case.get("status") != "notrun" or skipped.get("message", "").startswith("SKIP_")
    return "skipped" if chosen else "failed"


def count_step(folder, code, name):
    if code == "skipped":
        return Counter(skipped=1)
    report = folder / f"{name}.xml"
    if not report.exists():
        # A build is what the other steps stand on: it counts when it fails.
        return Counter(failed=1) if code != "0" else Counter(passed=not name.startswith("build "))
    counts = Counter(outcome(case) for case in xml.parse(report).iter("testcase"))
    if not counts["failed"] and (code != "0" or not counts):
        counts["failed"] = 1
    return counts


def main(folders):
    total = Counter()
    for folder in map(Path, folders):
        steps = folder / "steps"
        lines = steps.read_text().splitlines() if steps.exists() else [f"1 {folder.name}"]
        for line in lines:
            total += count_step(folder, *line.split(" ", 1))
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    return 1 if total["failed"] or not total["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
