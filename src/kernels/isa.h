// SPDX-License-Identifier: Apache-2.0
// The instruction sets that CPU kernels are built for. A *_cpu.cc file is compiled once for each
// (glint_isa_sources in cmake/glint.cmake); its entries take one plain struct and lie in a
// namespace of the set's name. Which one runs is chosen once, when the table of operations is.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace glint::kernels {

enum class Isa : std::uint8_t {
  kBaseline,  // what every x86-64 CPU has
  kAvx2,      // AVX2, FMA and F16C
  kAvx512,    // kAvx2 and AVX-512 F, BW, DQ, VL and VNNI: Ice Lake, Sapphire Rapids, Zen 4
};
inline constexpr Isa kIsas[] = {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512};  // the best one last

const char* IsaName(Isa isa);  // "baseline", "avx2", "avx512"
std::optional<Isa> ParseIsa(std::string_view name);

// True when this machine can run it.
bool IsaRuns(Isa isa);
// The best that this machine can run.
Isa DetectIsa();

// The entry of `isa` out of one for each: IsaEntry(isa, baseline::F, avx2::F, avx512::F).
template <typename Entry>
Entry IsaEntry(Isa isa, Entry baseline, Entry avx2, Entry avx512) {
  if (isa == Isa::kAvx512) return avx512;
  return isa == Isa::kAvx2 ? avx2 : baseline;
}

}  // namespace glint::kernels

// Declares `void Function(const Args*)` once for each instruction set; inside glint::kernels.
#define GLINT_ISA_ENTRY(Function, Args) \
  namespace baseline {                  \
  void Function(const Args* args);      \
  }                                     \
  namespace avx2 {                      \
  void Function(const Args* args);      \
  }                                     \
  namespace avx512 {                    \
  void Function(const Args* args);      \
  }
