# SPDX-License-Identifier: Apache-2.0
"""Each rule of check_layers.py must speak up on a tiny tree that breaks it, and only then."""
import tempfile
import unittest
from pathlib import Path

from check_layers import Checker

TABLE = """# "ghost: base"
set(GLINT_MODULE_TABLE "base:" "sched:" "tensor:" "device: tensor" "kernels: device tensor")
set(GLINT_BASE_HEADERS_sched result.h ids.h)
"""
SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
HEADER = SPDX + "#pragma once\n"
TREE = {
    "cmake/modules.cmake": TABLE,
    "src/base/result.h": HEADER,
    "src/base/log.h": HEADER,
    "src/base/internal/ring.h": HEADER,
    "src/base/log.cc": SPDX + '#include "base/internal/ring.h"\n#include <spdlog/spdlog.h>\n',
    "src/sched/plan_test.cc": SPDX + '#include <gtest/gtest.h>\n#include "base/result.h"\n',
    "src/tensor/view.h": HEADER + '#include "base/log.h"  // not <CLI/CLI.hpp>, not cudaMalloc\n',
    "src/device/gpu/port.h": HEADER + "#if defined(__HIPCC__)\nhipStream_t stream;\n#endif\n",
    "src/kernels/rms_norm/rms_norm.cc": SPDX + '#include "tensor/view.h"\n#ifdef GLINT_GPU\n#endif\n',
    "src/kernels/generated/table.h": HEADER + "\n" * 900,
    "apps/main.cc": SPDX + '#include "apps/main.h"\n#include "tensor/view.h"\n',
    "apps/main.h": HEADER,
}


def breaks(changes):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**TREE, **changes}.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return Checker(Path(folder)).check()


class EachRule(unittest.TestCase):
    def expect(self, name, text, message):
        self.assertEqual(breaks({name: text}), [message])

    def test_a_good_tree_is_silent(self):
        self.assertEqual(breaks({}), [])

    def test_module_table(self):
        self.expect("src/tensor/a.cc", SPDX + '\n#include "device/gpu/port.h"\n',
                    "src/tensor/a.cc:3: tensor may not include device")

    def test_what_a_used_module_uses_is_not_granted(self):
        self.expect("cmake/modules.cmake", TABLE.replace("device tensor", "device"),
                    "src/kernels/rms_norm/rms_norm.cc:2: kernels may not include tensor")

    def test_table_has_one_direction(self):
        self.expect("cmake/modules.cmake", TABLE.replace("sched:", "sched: tensor"),
                    "cmake/modules.cmake:1: sched uses tensor, not a row above it")

    def test_test_files_are_as_their_module(self):
        self.expect("src/sched/a_test.cc", SPDX + '#include "base/log.h"\n',
                    "src/sched/a_test.cc:2: of base, sched may include only "
                    "base/ids.h, base/result.h")

    def test_internal(self):
        for name in ("src/tensor/a.cc", "apps/a.cc", "benchmarks/a.cc"):
            self.expect(name, SPDX + '#include "base/internal/ring.h"\n',
                        f'{name}:2: "base/internal/ring.h" is for base alone')

    def test_modules_know_nothing_of_the_program(self):
        self.expect("src/base/a.cc", SPDX + '#include "apps/main.h"\n',
                    "src/base/a.cc:2: a module may not include apps/")

    def test_unknown_include(self):
        self.expect("src/base/a.cc", SPDX + '#include "log.h"\n',
                    'src/base/a.cc:2: "log.h" is no file of ours, from src/ or the root')

    def test_unknown_module(self):
        self.expect("src/ghost/a.cc", SPDX,
                    "src/ghost:1: ghost is no module of cmake/modules.cmake")

    def test_folder_names(self):
        self.expect("src/base/util/a.cc", SPDX, "src/base/util:1: a folder may not be called util")
        self.expect("tests/helpers/a.cc", SPDX, "tests/helpers:1: a folder may not be called helpers")

    def test_depth(self):
        self.expect("src/device/gpu/deep/a.cc", SPDX,
                    "src/device/gpu/deep:1: more than one level below its module")

    def test_length(self):
        self.expect("src/base/a.cc", SPDX + "\n" * 800,
                    "src/base/a.cc:801: longer than 800 lines")

    def test_first_lines(self):
        self.expect("src/base/a.h", SPDX, "src/base/a.h:1: no #pragma once")
        self.expect("src/base/a.h", "#pragma once\n", "src/base/a.h:1: no SPDX line at the top")

    def test_vendor_names(self):
        for name in ("cudaMalloc", "hipMalloc", "ncclComm_t", "rccl_x"):
            self.expect("src/kernels/a.cu", SPDX + f"void* a = {name};\n",
                        "src/kernels/a.cu:2: a vendor's name outside src/device/gpu/port.h and "
                        "src/device/gpu/runtime.h")

    def test_vendor_if(self):
        for test in ("#ifdef GLINT_GPU", "# if defined(__CUDACC__)", "#elif __HIP_PLATFORM_AMD__"):
            self.expect("src/tensor/a.cc", SPDX + f"{test}\n",
                        "src/tensor/a.cc:2: a vendor #if outside src/device/ and src/kernels/")

    def test_libraries(self):
        for library in ("nlohmann/json.hpp", "CLI/CLI.hpp", "spdlog/spdlog.h"):
            self.expect("apps/a.cc", SPDX + f"#include <{library}>\n",
                        f"apps/a.cc:2: <{library}> may be included in src/base only")


if __name__ == "__main__":
    unittest.main()
