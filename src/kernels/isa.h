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
  kAmx,       // kAvx512 and the tiles of bytes and of BF16: Sapphire Rapids and later Xeons
};
// The best one last.
inline constexpr Isa kIsas[] = {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512, Isa::kAmx};

const char* IsaName(Isa isa);  // "baseline", "avx2", "avx512", "amx"
std::optional<Isa> ParseIsa(std::string_view name);

// True when this machine can run it.
bool IsaRuns(Isa isa);
// The best that this machine can run.
Isa DetectIsa();

// The entry of `isa` out of one for each: IsaEntry(isa, baseline::F, avx2::F, avx512::F, amx::F).
template <typename Entry>
Entry IsaEntry(Isa isa, Entry baseline, Entry avx2, Entry avx512, Entry amx) {
  if (isa >= Isa::kAvx512) return isa == Isa::kAmx ? amx : avx512;
  return isa == Isa::kAvx2 ? avx2 : baseline;
}
// Of a function that makes nothing of tiles.
template <typename Entry>
Entry IsaEntry(Isa isa, Entry baseline, Entry avx2, Entry avx512) {
  return IsaEntry(isa, baseline, avx2, avx512, avx512);
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

// The same for a function of a *_amx.cc file.
#define GLINT_AMX_ENTRY(Function, Args) \
  namespace amx {                       \
  void Function(const Args* args);      \
  }
