// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa.h"

namespace glint::kernels {

const char* IsaName(Isa isa) { return IsaEntry(isa, "baseline", "avx2", "avx512"); }

std::optional<Isa> ParseIsa(std::string_view name) {
  for (const Isa isa : kIsas) {
    if (name == IsaName(isa)) return isa;
  }
  return std::nullopt;
}

bool IsaRuns(Isa isa) {
  if (isa == Isa::kBaseline) return true;
  const bool avx2 = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
                    __builtin_cpu_supports("f16c") != 0;
  if (isa == Isa::kAvx2 || !avx2) return avx2;
  // The operating system must save the wide registers, too: the compiler's function asks for it.
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512vnni") != 0;
}

Isa DetectIsa() {
  Isa best = Isa::kBaseline;
  for (const Isa isa : kIsas) {
    if (IsaRuns(isa)) best = isa;
  }
  return best;
}

}  // namespace glint::kernels
