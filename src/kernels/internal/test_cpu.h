// SPDX-License-Identifier: Apache-2.0
// For tests of the CPU kernels: one operation on a device of some threads, and rows compared.
#pragma once

#include <cstdint>
#include <cstring>

#include "device/cpu/cpu_device.h"
#include "kernels/activation.h"
#include "kernels/internal/isa_fixture.h"
#include "kernels/isa.h"

namespace glint::kernels {

template <typename Args>
void RunOnCpu(void (*operation)(Isa, device::Stream&, const Args&), Isa isa, int threads,
              const Args& args) {
  const auto cpu = device::MakeCpuDevice(threads);
  operation(isa, *cpu->CreateStream(), args);
}

// True when row `a_row` of a has the bits of row `b_row` of b, both F32.
inline bool SameRow(const Activation& a, std::int64_t a_row, const Activation& b,
                    std::int64_t b_row) {
  return std::memcmp(static_cast<const float*>(a.data) + a_row * a.stride,
                     static_cast<const float*>(b.data) + b_row * b.stride,
                     static_cast<std::size_t>(a.columns) * sizeof(float)) == 0;
}
inline bool SameRows(const Activation& a, const Activation& b) {
  for (std::int64_t row = 0; row < a.rows; ++row) {
    if (!SameRow(a, row, b, row)) return false;
  }
  return true;
}

// Row `row` alone.
inline Activation RowOf(Activation view, std::int64_t row) {
  view.data = static_cast<float*>(view.data) + row * view.stride;
  view.rows = 1;
  return view;
}

}  // namespace glint::kernels
