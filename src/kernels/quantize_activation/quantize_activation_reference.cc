// SPDX-License-Identifier: Apache-2.0
#include "kernels/quantize_activation/quantize_activation_reference.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "kernels/activation_reference.h"
#include "kernels/quantize_activation/quantize_activation_math.h"

namespace glint::kernels {
namespace {

// Returns the number that was stored.
float StoreCode(const QuantizedActivation& out, std::int64_t index, float value, float inverse) {
  if (out.dtype == tensor::DType::kI8) {
    return static_cast<std::int8_t*>(out.quantized)[index] = QuantizeInt8(value, inverse);
  }
  return tensor::E4M3ToFloat(static_cast<std::uint8_t*>(out.quantized)[index] =
                                 QuantizeE4M3(value, inverse));
}

}  // namespace

void QuantizeRowReference(std::span<const float> values, const QuantizedActivation& out,
                          std::int64_t row) {
  const float limit = out.dtype == tensor::DType::kI8 ? kInt8Limit : kE4M3Limit;
  const std::int64_t groups = out.columns / out.group;
  for (std::int64_t group = 0; group < groups; ++group) {
    const auto members = values.subspan(static_cast<std::size_t>(group * out.group),
                                        static_cast<std::size_t>(out.group));
    std::uint32_t largest = 0;
    for (const float value : members) largest = std::max(largest, MagnitudeBits(value));
    const GroupScale scale = ScaleOfGroup(largest, limit);
    out.scales[row * groups + group] = scale.scale;
    std::int64_t index = row * out.columns + group * out.group;
    float sum = 0;  // of I8 exact
    for (const float value : members) sum += StoreCode(out, index++, value, scale.inverse);
    if (out.sums != nullptr) out.sums[row * groups + group] = scale.scale * sum;
  }
}

void QuantizeActivationReference(const QuantizeActivationArgs& args) {
  std::vector<float> values(static_cast<std::size_t>(args.x.columns));
  for (std::int64_t row = 0; row < args.x.rows; ++row) {
    for (std::int64_t column = 0; column < args.x.columns; ++column) {
      values[static_cast<std::size_t>(column)] =
          static_cast<float>(LoadActivation(args.x, row, column));
    }
    QuantizeRowReference(values, args.out, row);
  }
}

}  // namespace glint::kernels
