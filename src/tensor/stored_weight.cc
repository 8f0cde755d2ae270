// SPDX-License-Identifier: Apache-2.0
#include "tensor/stored_weight.h"

#include <optional>

#include "base/check.h"
#include "base/format.h"

namespace glint::tensor {
namespace {

constexpr std::int64_t kFp8Block = 128;
constexpr std::int64_t kMxfp4Group = 32;

std::int64_t CeilDivide(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

bool IsPlainType(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF16 || dtype == DType::kBF16;
}

bool IsExponentType(DType dtype) { return dtype == DType::kU8 || dtype == DType::kF8E8M0; }

// A tensor beside the numbers that means a scheme which is recognised but not read.
struct UnreadScheme {
  const char* suffix;
  const char* scheme;
};

constexpr UnreadScheme kUnreadSchemes[] = {
    {"weight_scale_2", "NVFP4 (modelopt)"},
    {"weight_global_scale", "NVFP4 (compressed-tensors)"},
    {"weight_zero_point", "asymmetric zero points"},
    {"weight_g_idx", "activation order (g_idx)"},
    {"weight_offset", "Ascend (weight_offset)"},
    {"scale_bias", "Ascend w4a8"},
};

// Tensors that belong to a weight but that its values do not depend on.
constexpr const char* kUnneeded[] = {"weight_shape", "input_scale", "input_global_scale"};

// The search for one weight: its base name, and the matrix it must be.
class Finder {
 public:
  Finder(const Checkpoint& checkpoint, std::string_view base, Shape expected)
      : checkpoint_(checkpoint),
        base_(base),
        expected_(expected),
        rows_(expected.dim(0)),
        columns_(expected.rank() == 1 ? 1 : expected.dim(1)) {}

  Result<StoredWeight> Find() const {
    GLINT_TRY(RefuseUnreadSchemes());
    const StoredTensor* packed = Sibling("weight_packed");
    const StoredTensor* weight = Sibling("weight");
    if (packed != nullptr && weight != nullptr) {
      return DataLoss(format("{}: {} is there too, which of them counts is unclear",
                             checkpoint_.Describe(*packed), Quoted(weight->name, 200)));
    }
    if (packed != nullptr) {
      return packed->dtype == DType::kI32 ? Int4Group(*packed) : Packed4Bit(*packed);
    }
    if (weight == nullptr) {
      return NotFound(format("tensor {} is not in the checkpoint", Quoted(Name("weight"), 200)));
    }
    if (expected_.rank() == 1 && !IsPlainType(weight->dtype)) return Unknown(*weight);
    switch (weight->dtype) {
      case DType::kF32:
      case DType::kF16:
      case DType::kBF16:
        return Plain(*weight);
      case DType::kF8E4M3:
        return Fp8(*weight);
      case DType::kI8:
        return Int8(*weight);
      case DType::kU8:
        return Packed4Bit(*weight);
      default:
        return Unknown(*weight);
    }
  }

 private:
  [[nodiscard]] std::string Name(std::string_view suffix) const {
    return format("{}.{}", base_, suffix);
  }
  [[nodiscard]] const StoredTensor* Sibling(std::string_view suffix) const {
    return checkpoint_.Find(Name(suffix));
  }

  [[nodiscard]] Error Unread(const StoredTensor& tensor, std::string_view scheme) const {
    return InvalidArgument(
        format("{}: stored as {}, which cannot be read yet", checkpoint_.Describe(tensor), scheme));
  }
  [[nodiscard]] Error Unknown(const StoredTensor& tensor) const {
    return InvalidArgument(format("{}: {} {} is in no known way to store weights",
                                  checkpoint_.Describe(tensor), DTypeName(tensor.dtype),
                                  tensor.shape.Write()));
  }
  [[nodiscard]] Status CheckShape(const StoredTensor& tensor, Shape expected) const {
    if (tensor.shape == expected) return Ok();
    return DataLoss(format("{}: has shape {}, expected {}", checkpoint_.Describe(tensor),
                           tensor.shape.Write(), expected.Write()));
  }

  [[nodiscard]] Status RefuseUnreadSchemes() const {
    if (const StoredTensor* words = Sibling("qweight"); words != nullptr) {
      const bool awq = words->shape == Shape{columns_, rows_ / 8};
      const bool gptq = words->shape == Shape{columns_ / 8, rows_};
      return Unread(*words, awq == gptq ? "GPTQ or AWQ" : awq ? "AWQ" : "GPTQ");
    }
    for (const UnreadScheme& row : kUnreadSchemes) {
      if (const StoredTensor* tensor = Sibling(row.suffix); tensor != nullptr) {
        return Unread(*tensor, row.scheme);
      }
    }
    return Ok();
  }

  // The scale tensor, of whichever of the two names; two of them are one too many.
  [[nodiscard]] Result<const StoredTensor*> Scale() const {
    const StoredTensor* scale = Sibling("weight_scale");
    const StoredTensor* inverse = Sibling("weight_scale_inv");
    if (scale != nullptr && inverse != nullptr) {
      return DataLoss(format("{}: {} is there too, which of them counts is unclear",
                             checkpoint_.Describe(*scale), Quoted(inverse->name, 200)));
    }
    if (scale == nullptr && inverse == nullptr) {
      return NotFound(format("tensor {} (or {}) is not in the checkpoint",
                             Quoted(Name("weight_scale"), 200),
                             Quoted(Name("weight_scale_inv"), 200)));
    }
    return scale != nullptr ? scale : inverse;
  }

  [[nodiscard]] Status CheckRealScale(const StoredTensor& scale) const {
    if (scale.dtype == DType::kF32 || scale.dtype == DType::kBF16) return Ok();
    return InvalidArgument(format("{}: scales of type {} cannot be read yet, must be F32 or BF16",
                                  checkpoint_.Describe(scale), DTypeName(scale.dtype)));
  }

  [[nodiscard]] bool IsPerChannel(const StoredTensor& scale) const {
    return scale.shape == Shape{rows_, 1} || scale.shape == Shape{rows_};
  }

  [[nodiscard]] StoredWeight Make(WeightFormat format, const StoredTensor& numbers,
                                  const StoredTensor* scale) const {
    StoredWeight weight;
    weight.view = {format, rows_, columns_, numbers.View(), {}, 0};
    weight.tensors.push_back(numbers.name);
    if (scale != nullptr) {
      weight.view.scales = scale->View();
      weight.tensors.push_back(scale->name);
    }
    for (const char* suffix : kUnneeded) {
      if (Sibling(suffix) != nullptr) weight.tensors.push_back(Name(suffix));
    }
    return weight;
  }

  [[nodiscard]] Result<StoredWeight> Plain(const StoredTensor& numbers) const {
    GLINT_TRY(CheckShape(numbers, expected_));
    for (const char* suffix : {"weight_scale", "weight_scale_inv"}) {
      // Multiplying or not would both be a guess.
      if (const StoredTensor* scale = Sibling(suffix); scale != nullptr) return Unknown(*scale);
    }
    return Make(WeightFormat::kPlain, numbers, nullptr);
  }

  [[nodiscard]] Result<StoredWeight> Fp8(const StoredTensor& numbers) const {
    GLINT_TRY(CheckShape(numbers, expected_));
    GLINT_ASSIGN(const StoredTensor* scale, Scale());
    if (IsExponentType(scale->dtype) && scale->shape == Shape{rows_, CeilDivide(columns_, 32)}) {
      return Unread(*scale, "MXFP8");
    }
    GLINT_TRY(CheckRealScale(*scale));
    const Shape blocks = {CeilDivide(rows_, kFp8Block), CeilDivide(columns_, kFp8Block)};
    if (scale->shape == blocks) return Make(WeightFormat::kFp8Block, numbers, scale);
    if (IsPerChannel(*scale)) return Make(WeightFormat::kFp8Channel, numbers, scale);
    if (scale->shape.ElementCount() == 1) return Unread(*scale, "FP8 with one scale per tensor");
    return DataLoss(format("{}: has shape {}, expected {} (blocks) or [{}, 1] (channels)",
                           checkpoint_.Describe(*scale), scale->shape.Write(), blocks.Write(),
                           rows_));
  }

  [[nodiscard]] Result<StoredWeight> Int8(const StoredTensor& numbers) const {
    GLINT_ASSIGN(const StoredTensor* scale, Scale());
    if (numbers.shape == Shape{rows_, columns_ / 2} &&
        scale->shape == Shape{rows_, CeilDivide(columns_, 128)}) {
      return Unread(numbers, "W4AFP8 (4-bit numbers in I8)");
    }
    GLINT_TRY(CheckShape(numbers, expected_));
    GLINT_TRY(CheckRealScale(*scale));
    if (!IsPerChannel(*scale)) GLINT_TRY(CheckShape(*scale, {rows_, 1}));
    return Make(WeightFormat::kInt8Channel, numbers, scale);
  }

  [[nodiscard]] Result<StoredWeight> Int4Group(const StoredTensor& numbers) const {
    GLINT_TRY(CheckWeightShape());
    if (columns_ % 8 != 0) {
      return InvalidArgument(format("{}: a row of {} elements does not fill words of 8",
                                    checkpoint_.Describe(numbers), columns_));
    }
    GLINT_TRY(CheckShape(numbers, {rows_, columns_ / 8}));
    GLINT_ASSIGN(const StoredTensor* scale, Scale());
    GLINT_TRY(CheckRealScale(*scale));
    const std::int64_t groups = scale->shape.rank() == 2 ? scale->shape.dim(1) : 0;
    if (groups <= 0 || columns_ % groups != 0 || scale->shape.dim(0) != rows_) {
      return DataLoss(format("{}: has shape {}, expected [{}, {} / group]",
                             checkpoint_.Describe(*scale), scale->shape.Write(), rows_, columns_));
    }
    const std::int64_t group = columns_ / groups;
    if (group != 32 && group != 64 && group != 128) {
      return InvalidArgument(
          format("{}: one scale for {} columns cannot be read yet, must be 32, "
                 "64 or 128",
                 checkpoint_.Describe(*scale), group));
    }
    StoredWeight weight = Make(WeightFormat::kInt4Group, numbers, scale);
    // Element 8a + b in bits 4b.. of the little-endian word a is the same as bytes with the low
    // nibble first.
    weight.view.data = {DType::kU8, {rows_, columns_ / 2}, numbers.bytes.data()};
    weight.view.group = group;
    return weight;
  }

  // compressed-tensors says in weight_shape what the packed words cannot.
  [[nodiscard]] Status CheckWeightShape() const {
    const StoredTensor* shape = Sibling("weight_shape");
    if (shape == nullptr) return Ok();
    GLINT_TRY(CheckShape(*shape, {2}));
    const bool integer = shape->dtype == DType::kI64 || shape->dtype == DType::kI32;
    if (!integer) return Unknown(*shape);
    const TensorView view = shape->View();
    if (view.At(0) == static_cast<double>(rows_) && view.At(1) == static_cast<double>(columns_)) {
      return Ok();
    }
    return DataLoss(format("{}: says [{}, {}], expected {}", checkpoint_.Describe(*shape),
                           view.At(0), view.At(1), expected_.Write()));
  }

  // MXFP4, in its two spellings, or NVFP4, which only its scales tell apart.
  [[nodiscard]] Result<StoredWeight> Packed4Bit(const StoredTensor& numbers) const {
    if (numbers.dtype != DType::kU8) return Unknown(numbers);
    GLINT_ASSIGN(const StoredTensor* scale, Scale());
    if (scale->dtype == DType::kF8E4M3) return Unread(*scale, "NVFP4");
    if (!IsExponentType(scale->dtype)) return Unknown(*scale);
    if (columns_ % kMxfp4Group != 0) {
      return InvalidArgument(format("{}: a row of {} elements does not fill groups of 32",
                                    checkpoint_.Describe(numbers), columns_));
    }
    GLINT_TRY(CheckShape(numbers, {rows_, columns_ / 2}));
    GLINT_TRY(CheckShape(*scale, {rows_, columns_ / kMxfp4Group}));
    StoredWeight weight = Make(WeightFormat::kMxfp4, numbers, scale);
    weight.view.scales.dtype = DType::kF8E8M0;  // U8 in files from before the type had a name
    return weight;
  }

  const Checkpoint& checkpoint_;
  std::string_view base_;
  Shape expected_;
  std::int64_t rows_;
  std::int64_t columns_;
};

}  // namespace

Result<StoredWeight> FindStoredWeight(const Checkpoint& checkpoint, std::string_view base,
                                      Shape expected) {
  GLINT_CHECK(expected.rank() == 1 || expected.rank() == 2, "a weight is a vector or a matrix");
  GLINT_ASSIGN(StoredWeight weight, Finder(checkpoint, base, expected).Find());
  return weight;
}

Result<TensorView> FindPlainTensor(const Checkpoint& checkpoint, std::string_view name,
                                   Shape expected) {
  const StoredTensor* tensor = checkpoint.Find(name);
  if (tensor == nullptr) {
    return NotFound(format("tensor {} is not in the checkpoint", Quoted(name, 200)));
  }
  if (!IsPlainType(tensor->dtype)) {
    return InvalidArgument(format("{}: has type {}, must be F32, F16 or BF16",
                                  checkpoint.Describe(*tensor), DTypeName(tensor->dtype)));
  }
  if (tensor->shape != expected) {
    return DataLoss(format("{}: has shape {}, expected {}", checkpoint.Describe(*tensor),
                           tensor->shape.Write(), expected.Write()));
  }
  return tensor->View();
}

}  // namespace glint::tensor
