// SPDX-License-Identifier: Apache-2.0
#include "kernels/argument_checks.h"

#include <cstddef>

#include "base/format.h"
#include "tensor/block_format.h"
#include "tensor/interleaved.h"

namespace glint::kernels {
namespace {

using tensor::DType;
using tensor::DTypeName;
using tensor::WeightFormat;

constexpr std::int64_t kFp8Block = 128;
constexpr std::int64_t kMxfp4Group = 32;
constexpr std::int64_t kSubBlock = 32;  // of GGUF's block formats, but:
constexpr std::int64_t kQ6KSubBlock = 16;

std::int64_t CeilDivide(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

Error Invalid(ArgumentName name, std::string_view what) {
  return InvalidArgument(format("{}: {} {}", name.operation, name.argument, what));
}

Status CheckShape(ArgumentName name, std::int64_t rows, std::int64_t columns,
                  std::int64_t want_rows, std::int64_t want_columns) {
  if (rows != want_rows || columns != want_columns) {
    return Invalid(name,
                   format("is [{}, {}], must be [{}, {}]", rows, columns, want_rows, want_columns));
  }
  if (rows < 0 || columns <= 0) {
    return Invalid(name, format("is [{}, {}], must not be empty", rows, columns));
  }
  return Ok();
}

bool IsPlainDType(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kBF16 || dtype == DType::kF16;
}

// What the data of a matrix must be; for kPlain any of three.
DType DataDType(const tensor::WeightView& weight, DType plain) {
  if (weight.layout == tensor::WeightLayout::kInterleaved8) return DType::kU8;
  switch (weight.format) {
    case WeightFormat::kPlain:
      return plain;
    case WeightFormat::kFp8Block:
    case WeightFormat::kFp8Channel:
      return DType::kF8E4M3;
    case WeightFormat::kInt8Channel:
      return DType::kI8;
    default:
      return DType::kU8;
  }
}

std::int64_t ScaleCount(const tensor::WeightView& weight) {
  if (weight.layout == tensor::WeightLayout::kInterleaved8 &&
      weight.format != WeightFormat::kInt8Channel) {
    return 0;  // in the blocks
  }
  switch (weight.format) {
    case WeightFormat::kPlain:
      return 0;
    case WeightFormat::kFp8Block:
      return CeilDivide(weight.rows, kFp8Block) * CeilDivide(weight.columns, kFp8Block);
    case WeightFormat::kFp8Channel:
    case WeightFormat::kInt8Channel:
      return weight.rows;
    case WeightFormat::kInt4Group:
      return weight.rows * (weight.columns / weight.group);
    case WeightFormat::kMxfp4:
      return weight.rows * (weight.columns / kMxfp4Group);
    default:
      return 0;
  }
}

// Columns that share a scale; 1 where every column could.
std::int64_t ScaleColumns(const tensor::WeightView& weight) {
  switch (weight.format) {
    case WeightFormat::kFp8Block:
      return kFp8Block;
    case WeightFormat::kInt4Group:
      return weight.group;
    case WeightFormat::kMxfp4:
      return kMxfp4Group;
    case WeightFormat::kQ6K:
      return kQ6KSubBlock;
    default:
      return tensor::BlockOf(weight.format).has_value() ? kSubBlock : 1;
  }
}

// The group divides the columns of a format that packs two numbers a byte.
Status CheckGroup(ArgumentName name, const tensor::WeightView& weight) {
  if (weight.format == WeightFormat::kInt4Group && weight.group != 32 && weight.group != 64 &&
      weight.group != 128) {
    return Invalid(name, format("has group {}, must be 32, 64 or 128", weight.group));
  }
  if (weight.layout == tensor::WeightLayout::kInterleaved8) {
    const auto block = tensor::InterleavedBlockOf(weight.format, weight.group);
    if (block && weight.rows % tensor::kInterleavedRows == 0 &&
        weight.columns % block->columns == 0) {
      return Ok();
    }
    return Invalid(name, format("is {} [{}, {}], which is not interleaved",
                                WeightFormatName(weight.format), weight.rows, weight.columns));
  }
  const auto block = tensor::BlockOf(weight.format);
  const std::int64_t group = weight.format == WeightFormat::kInt4Group ? weight.group
                             : weight.format == WeightFormat::kMxfp4   ? kMxfp4Group
                             : block                                   ? block->elements
                                                                       : 1;
  if (weight.columns % group != 0) {
    return Invalid(name,
                   format("has {} columns, must be a multiple of group {}", weight.columns, group));
  }
  return Ok();
}

Status CheckScales(ArgumentName name, const tensor::WeightView& weight) {
  const std::int64_t want = ScaleCount(weight);
  if (want == 0) return Ok();
  const bool is_e8m0 = weight.scales.dtype == DType::kF8E8M0;
  const bool is_float = weight.scales.dtype == DType::kF32 || weight.scales.dtype == DType::kBF16;
  if (!is_e8m0 && (!is_float || weight.format == WeightFormat::kMxfp4)) {
    return Invalid(name, format("has {} scales, which {} has not", DTypeName(weight.scales.dtype),
                                WeightFormatName(weight.format)));
  }
  if (weight.scales.shape.ElementCount() != want) {
    return Invalid(name,
                   format("has {} scales, must be {}", weight.scales.shape.ElementCount(), want));
  }
  return Ok();
}

std::uintptr_t Address(const MemoryBlock& block) {
  return reinterpret_cast<std::uintptr_t>(block.data);
}

std::uintptr_t End(const MemoryBlock& block) {
  return Address(block) +
         static_cast<std::uintptr_t>((block.rows - 1) * block.stride_bytes + block.row_bytes);
}

}  // namespace

Status CheckPointer(ArgumentName name, const void* pointer) {
  if (pointer == nullptr) return Invalid(name, "is null");
  return Ok();
}

Status CheckPositive(ArgumentName name, std::int64_t value) {
  if (value <= 0) return Invalid(name, format("is {}, must be > 0", value));
  return Ok();
}

Status CheckActivation(ArgumentName name, const Activation& view, std::int64_t rows,
                       std::int64_t columns) {
  GLINT_TRY(CheckPointer(name, view.data));
  if (view.dtype != DType::kF32 && view.dtype != DType::kBF16) {
    return Invalid(name, format("is {}, must be F32 or BF16", DTypeName(view.dtype)));
  }
  GLINT_TRY(CheckShape(name, view.rows, view.columns, rows, columns));
  if (view.stride < view.columns) {
    return Invalid(name, format("has stride {}, must be at least {}", view.stride, view.columns));
  }
  return Ok();
}

Status CheckQuantized(ArgumentName name, const QuantizedActivation& view, std::int64_t rows,
                      std::int64_t columns) {
  GLINT_TRY(CheckPointer(name, view.quantized));
  if (view.scales == nullptr) return Invalid(name, "has no scales");
  if (view.dtype != DType::kI8 && view.dtype != DType::kF8E4M3) {
    return Invalid(name, format("is {}, must be I8 or F8_E4M3", DTypeName(view.dtype)));
  }
  GLINT_TRY(CheckShape(name, view.rows, view.columns, rows, columns));
  if (view.group <= 0 || view.columns % view.group != 0) {
    return Invalid(name,
                   format("has group {}, must divide its {} columns", view.group, view.columns));
  }
  return Ok();
}

Status CheckWeightForm(ArgumentName name, const tensor::WeightView& weight, std::int64_t rows,
                       std::int64_t columns) {
  GLINT_TRY(CheckShape(name, weight.rows, weight.columns, rows, columns));
  if (weight.rows == 0) return Invalid(name, "has no rows");
  GLINT_TRY(CheckGroup(name, weight));
  const DType want = DataDType(weight, weight.data.dtype);
  if (weight.data.dtype != want || (weight.format == WeightFormat::kPlain && !IsPlainDType(want))) {
    return Invalid(name, format("holds {}, which {} does not", DTypeName(weight.data.dtype),
                                WeightFormatName(weight.format)));
  }
  const std::int64_t elements = rows * tensor::DataPerRow(weight);
  if (weight.data.shape.ElementCount() != elements) {
    return Invalid(
        name, format("holds {} elements, must be {}", weight.data.shape.ElementCount(), elements));
  }
  return CheckScales(name, weight);
}

Status CheckWeight(ArgumentName name, const tensor::WeightView& weight, std::int64_t rows,
                   std::int64_t columns) {
  GLINT_TRY(CheckPointer(name, weight.data.data));
  GLINT_TRY(CheckWeightForm(name, weight, rows, columns));
  if (ScaleCount(weight) > 0 && weight.scales.data == nullptr) {
    return Invalid(name, "has no scales");
  }
  return Ok();
}

Status CheckInput(std::string_view operation, const Activation& x,
                  const QuantizedActivation& quantized_x, std::int64_t columns) {
  if (x.data != nullptr && quantized_x.quantized != nullptr) {
    return InvalidArgument(format("{}: x and quantized_x are both given", operation));
  }
  if (x.data != nullptr) return CheckActivation({operation, "x"}, x, x.rows, columns);
  if (quantized_x.quantized == nullptr) {
    return InvalidArgument(format("{}: x and quantized_x are both null", operation));
  }
  return CheckQuantized({operation, "quantized_x"}, quantized_x, quantized_x.rows, columns);
}

Status CheckGroupsFit(ArgumentName name, const tensor::WeightView& weight,
                      const QuantizedActivation& quantized_x) {
  const std::int64_t columns = ScaleColumns(weight);
  const std::int64_t group = quantized_x.group;
  if (quantized_x.quantized == nullptr || columns % group == 0 || group % columns == 0) {
    return Ok();
  }
  return Invalid(
      name, format("has a scale per {} columns, which does not fit groups of {}", columns, group));
}

Status CheckVector(ArgumentName name, const tensor::WeightView& vector, std::int64_t rows) {
  if (vector.format != WeightFormat::kPlain) {
    return Invalid(name, format("is {}, must be plain", WeightFormatName(vector.format)));
  }
  return CheckWeight(name, vector, rows, 1);
}

MemoryBlock BlockOf(std::string_view argument, const Activation& view) {
  const std::int64_t bytes = tensor::DTypeBytes(view.dtype);
  return {argument, view.data, view.rows, view.columns * bytes, view.stride * bytes};
}

MemoryBlock ValuesOf(std::string_view argument, const QuantizedActivation& view) {
  return BlockOf(argument, view.quantized, view.rows * view.columns);
}

MemoryBlock ScalesOf(std::string_view argument, const QuantizedActivation& view) {
  const std::int64_t groups = view.group > 0 ? view.columns / view.group : 0;
  return BlockOf(argument, view.scales,
                 view.rows * groups * static_cast<std::int64_t>(sizeof(float)));
}

MemoryBlock BlockOf(std::string_view argument, const void* data, std::int64_t bytes) {
  return {argument, data, 1, bytes, bytes};
}

bool ShareMemory(const MemoryBlock& a, const MemoryBlock& b) {
  for (const MemoryBlock* block : {&a, &b}) {
    if (block->data == nullptr || block->rows <= 0 || block->row_bytes <= 0) return false;
  }
  if (End(a) <= Address(b) || End(b) <= Address(a)) return false;
  if (a.stride_bytes != b.stride_bytes) return true;
  const MemoryBlock& low = Address(a) <= Address(b) ? a : b;
  const MemoryBlock& high = Address(a) <= Address(b) ? b : a;
  const auto offset = static_cast<std::int64_t>((Address(high) - Address(low)) %
                                                static_cast<std::uintptr_t>(low.stride_bytes));
  return offset < low.row_bytes || offset + high.row_bytes > low.stride_bytes;
}

Status CheckDisjoint(std::string_view operation, std::span<const MemoryBlock> written,
                     std::span<const MemoryBlock> read) {
  const auto shared = [&](const MemoryBlock& a, const MemoryBlock& b) {
    return InvalidArgument(
        format("{}: {} shares memory with {}", operation, a.argument, b.argument));
  };
  for (std::size_t i = 0; i < written.size(); ++i) {
    for (const MemoryBlock& other : written.subspan(i + 1)) {
      if (ShareMemory(written[i], other)) return shared(written[i], other);
    }
    for (const MemoryBlock& other : read) {
      if (ShareMemory(written[i], other)) return shared(written[i], other);
    }
  }
  return Ok();
}

}  // namespace glint::kernels
