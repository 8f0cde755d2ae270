// SPDX-License-Identifier: Apache-2.0
#include "kernels/internal/operation_check.h"

#include <cmath>

#include "tensor/block_format.h"

namespace glint::kernels {
namespace {

bool IsRowType(tensor::DType dtype) {
  return dtype == tensor::DType::kF32 || dtype == tensor::DType::kBF16;
}

}  // namespace

void OperationCheck::Positive(const char* name, std::int64_t value) {
  That(value > 0, "{} is {}, must be > 0", name, value);
}

void OperationCheck::Present(const char* name, const void* pointer, std::int64_t rows) {
  That(pointer != nullptr || rows == 0, "{} is null", name);
}

void OperationCheck::Tables(const BatchTables& tables) {
  That(tables.row_count >= 0, "row_count is {}, must be >= 0", tables.row_count);
  Present("row_sequence", tables.row_sequence, tables.row_count);
  Present("row_position", tables.row_position, tables.row_count);
  Present("page_table", tables.page_table, tables.row_count);
  Positive("max_pages", tables.max_pages);
  Positive("page_tokens", tables.page_tokens);
}

void OperationCheck::Rows(const char* name, const Activation& activation, std::int64_t rows,
                          std::int64_t columns) {
  That(IsRowType(activation.dtype), "{} is {}, must be F32 or BF16", name,
       tensor::DTypeName(activation.dtype));
  That(activation.rows == rows, "{} has {} rows, must be {}", name, activation.rows, rows);
  That(activation.columns == columns, "{} has {} columns, must be {}", name, activation.columns,
       columns);
  That(activation.stride >= columns, "{} has stride {}, must be >= {}", name, activation.stride,
       columns);
  Present(name, activation.data, rows);
}

void OperationCheck::Vector(const char* name, const tensor::WeightView& weight, std::int64_t rows) {
  That(weight.format == tensor::WeightFormat::kPlain, "{} is {}, must be plain", name,
       tensor::WeightFormatName(weight.format));
  Matrix(name, weight, rows, 1);
}

void OperationCheck::Matrix(const char* name, const tensor::WeightView& weight, std::int64_t rows,
                            std::int64_t columns) {
  That(weight.rows == rows && weight.columns == columns, "{} is [{}, {}], must be [{}, {}]", name,
       weight.rows, weight.columns, rows, columns);
  That(weight.data.data != nullptr, "{} is null", name);
  That(weight.format == tensor::WeightFormat::kPlain || weight.scales.data != nullptr ||
           tensor::BlockOf(weight.format).has_value() ||
           weight.layout == tensor::WeightLayout::kInterleaved8,
       "{} is {} without scales", name, tensor::WeightFormatName(weight.format));
}

void OperationCheck::Cache(const char* name, const CacheView& cache, const BatchTables& tables,
                           std::int64_t width) {
  That(IsRowType(cache.dtype), "{} is {}, must be F32 or BF16", name,
       tensor::DTypeName(cache.dtype));
  That(cache.width == width, "{} has width {}, must be {}", name, cache.width, width);
  That(cache.page_tokens == tables.page_tokens, "{} has pages of {} tokens, the tables of {}", name,
       cache.page_tokens, tables.page_tokens);
  Present(name, cache.data, tables.row_count);
}

void OperationCheck::Rope(const RopeView& rope, std::int64_t most) {
  That(rope.width > 0 && rope.width % 2 == 0 && rope.width <= most,
       "rope width is {}, must be even, > 0 and <= {}", rope.width, most);
  That(rope.inverse_frequency != nullptr, "inverse_frequency is null");
}

void OperationCheck::Epsilon(float epsilon) {
  That(epsilon > 0 && std::isfinite(epsilon), "epsilon is {}, must be > 0", epsilon);
}

void OperationCheck::Scale(float scale) {
  That(scale > 0 && std::isfinite(scale), "scale is {}, must be > 0", scale);
}

Status OperationCheck::status() const {
  if (error_.has_value()) return InvalidArgument(*error_);
  return Ok();
}

}  // namespace glint::kernels
