// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace glint::kernels {
namespace {

bool RunsAvx2() {
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
         __builtin_cpu_supports("f16c") != 0;
}

// The operating system must save the wide registers, too: the compiler's function asks for it.
bool RunsAvx512() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512vnni") != 0;
}

// Linux gives the tiles' state to a process that asks for it, for all its threads
// (Documentation/arch/x86/xstate.rst).
bool MayUseTiles() {
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // XFEATURE_XTILEDATA
  static const bool granted = syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  return granted;
}

bool RunsAmx() {
  return __builtin_cpu_supports("amx-tile") != 0 && __builtin_cpu_supports("amx-int8") != 0 &&
         __builtin_cpu_supports("amx-bf16") != 0 && MayUseTiles();
}

}  // namespace

const char* IsaName(Isa isa) { return IsaEntry(isa, "baseline", "avx2", "avx512", "amx"); }

std::optional<Isa> ParseIsa(std::string_view name) {
  for (const Isa isa : kIsas) {
    if (name == IsaName(isa)) return isa;
  }
  return std::nullopt;
}

bool IsaRuns(Isa isa) {
  return isa == Isa::kBaseline ||
         (RunsAvx2() && (isa < Isa::kAvx512 || RunsAvx512()) && (isa < Isa::kAmx || RunsAmx()));
}

Isa DetectIsa() {
  Isa best = Isa::kBaseline;
  for (const Isa isa : kIsas) {
    if (IsaRuns(isa)) best = isa;
  }
  return best;
}

}  // namespace glint::kernels
