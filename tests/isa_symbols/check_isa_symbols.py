# SPDX-License-Identifier: Apache-2.0
"""No object file of one instruction set's kernels may define a symbol that the linker could take
for the whole program: it would run on CPUs that lack the instructions. Weak symbols are allowed in
the set's own namespace only.

check_isa_symbols.py ISA OBJECT...
"""
import re
import subprocess
import sys

WEAK = re.compile(r"^[0-9a-f]* *([WVu]) (\S+)$")  # defined weak function, weak object, unique


def breaks_in(isa, nm_output):
    """The symbols in an output of `nm --defined-only`, mangled, that break the rule."""
    scope = f"5glint7kernels{len(isa)}{isa}"
    # A function or variable of the namespace, a table of its types, or a static inside its function.
    own = re.compile(rf"^_Z(?:T[VTISHW]|G[VR])?(?:Z)?N[VKr]*{scope}")
    weak = (WEAK.match(line) for line in nm_output.splitlines())
    return [match[2] for match in weak if match and not own.match(match[2])]


def nm(path):
    command = ["nm", "--defined-only", path]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main(isa, *paths):
    if not paths:
        print("isa_symbols: no object files given")
        return 1
    count = 0
    for path in paths:
        for symbol in breaks_in(isa, nm(path)):
            count += 1
            print(f"{path}: {symbol} is weak and not in glint::kernels::{isa}")
    if count == 0:
        print(f"isa_symbols: {len(paths)} objects of {isa} keep to their namespace")
    return 1 if count else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
