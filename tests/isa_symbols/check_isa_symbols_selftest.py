# SPDX-License-Identifier: Apache-2.0
"""check_isa_symbols.py must find a merged inline function in a real object, and only that."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from check_isa_symbols import breaks_in, main, nm

OWN = """namespace glint::kernels::avx2 {
template <typename T> [[gnu::noinline]] T Twice(T x) { return x + x; }
static inline int Local(int x) { return x + 1; }
int Entry(int x) { return Local(Twice(x)); }
}
"""
SHARED = """namespace glint::kernels {
[[gnu::noinline]] inline int Merged(int x) { return x * 3; }
namespace avx2 { int Other(int x) { return Merged(x); } }
}
"""


def compiled(folder, name, source):
    path = Path(folder) / f"{name}.o"
    command = [os.environ.get("CXX", "c++"), "-O2", "-x", "c++", "-c", "-", "-o", str(path)]
    subprocess.run(command, input=source, text=True, check=True)
    return str(path)


class SelfTest(unittest.TestCase):
    def test_takes_weak_symbols_of_the_namespace(self):
        with tempfile.TemporaryDirectory() as folder:
            own = compiled(folder, "own", OWN)
            self.assertIn(" W ", nm(own))  # or the test shows nothing
            self.assertEqual(breaks_in("avx2", nm(own)), [])
            self.assertEqual(main("avx2", own), 0)

    def test_names_an_inline_function_of_another_namespace(self):
        with tempfile.TemporaryDirectory() as folder:
            shared = compiled(folder, "shared", SHARED)
            self.assertEqual(breaks_in("avx2", nm(shared)), ["_ZN5glint7kernels6MergedEi"])
            self.assertEqual(main("avx2", shared), 1)

    def test_reads_objects_and_unique_symbols_too(self):
        output = "0 V _ZTIN5glint7kernels8baseline1AE\n10 u _ZGVZ1fvE1x\n20 T _ZN5glint1fEv\n"
        self.assertEqual(len(breaks_in("avx2", output)), 2)
        self.assertEqual(breaks_in("baseline", output), ["_ZGVZ1fvE1x"])

    def test_needs_an_object(self):
        self.assertEqual(main("avx2"), 1)


if __name__ == "__main__":
    unittest.main()
