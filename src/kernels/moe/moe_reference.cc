// SPDX-License-Identifier: Apache-2.0
#include "kernels/moe/moe_reference.h"

#include <cstddef>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "kernels/activation_reference.h"
#include "kernels/quantize_activation/quantize_activation_reference.h"
#include "kernels/silu_mul/silu_mul_reference.h"

namespace glint::kernels {
namespace {

using Row = std::vector<double>;

Row LoadInput(const MoeArgs& args, std::int64_t row) {
  Row values;
  values.reserve(static_cast<std::size_t>(args.out.columns));
  for (std::int64_t column = 0; column < args.out.columns; ++column) {
    values.push_back(args.x.data != nullptr ? LoadActivation(args.x, row, column)
                                            : LoadActivation(args.quantized_x, row, column));
  }
  return values;
}

Row Product(const tensor::WeightView& weight, const Row& x) {
  Row out;
  out.reserve(static_cast<std::size_t>(weight.rows));
  for (std::int64_t n = 0; n < weight.rows; ++n) {
    double sum = 0;
    for (std::int64_t k = 0; k < weight.columns; ++k) {
      sum += x[static_cast<std::size_t>(k)] * tensor::WeightElement(weight, n, k);
    }
    out.push_back(sum);
  }
  return out;
}

void RoundToBf16(Row& values) {
  for (double& value : values) {
    value = tensor::Bf16ToFloat(tensor::FloatToBf16(static_cast<float>(value)));
  }
}

void QuantizeAndBack(Row& values, tensor::DType dtype, std::int64_t group) {
  const auto columns = static_cast<std::int64_t>(values.size());
  std::vector<std::byte> codes(values.size());
  std::vector<float> scales(static_cast<std::size_t>(columns / group));
  const QuantizedActivation view = {codes.data(), scales.data(), dtype, 1, columns, group};
  QuantizeRowReference(std::vector<float>(values.begin(), values.end()), view, 0);
  for (std::int64_t i = 0; i < columns; ++i) {
    values[static_cast<std::size_t>(i)] = LoadActivation(view, 0, i);
  }
}

Row Intermediate(const MoeArgs& args, const ExpertView& expert, const Row& x) {
  Row values = Product(expert.gate, x);
  const Row up = Product(expert.up, x);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = SiluMulExact(values[i], up[i]);
  if (args.intermediate_dtype == tensor::DType::kBF16) {
    RoundToBf16(values);
  } else if (args.intermediate_dtype != tensor::DType::kF32) {
    QuantizeAndBack(values, args.intermediate_dtype, args.intermediate_group);
  }
  return values;
}

void MoeRow(const MoeArgs& args, std::int64_t row) {
  const Row x = LoadInput(args, row);
  Row sum(x.size());
  for (std::int64_t slot = row * args.top_k; slot < (row + 1) * args.top_k; ++slot) {
    const std::int64_t id = args.expert_ids[slot];
    if (id == -1) continue;
    GLINT_CHECK(id >= 0 && id < args.expert_count,
                format("expert {} of {} in row {}", id, args.expert_count, row));
    const ExpertView& expert = args.experts[id];
    const Status fits = CheckExpert(args.form, expert);
    GLINT_CHECK(fits.ok(), format("expert {}: {}", id, fits.error().message));
    const Row y = Product(expert.down, Intermediate(args, expert, x));
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] += static_cast<double>(args.expert_weights[slot]) * y[i];
    }
  }
  for (std::int64_t column = 0; column < args.out.columns; ++column) {
    const double addend =
        args.addend.data == nullptr ? 0.0 : LoadActivation(args.addend, row, column);
    StoreActivation(args.out, row, column, sum[static_cast<std::size_t>(column)] + addend);
  }
}

}  // namespace

void MoeReference(const MoeArgs& args) {
  for (std::int64_t row = 0; row < args.out.rows; ++row) MoeRow(args, row);
}

}  // namespace glint::kernels
