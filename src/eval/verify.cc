// SPDX-License-Identifier: Apache-2.0
#include "eval/verify.h"

#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "base/format.h"
#include "tensor/block_format.h"
#include "tensor/dtype.h"

namespace glint::eval {
namespace {

// Index of the first element whose exponent bits (and for E4M3 the mantissa too) are all set, which
// is what infinity and NaN look like; nullopt when there is none. Memory need not be aligned.
template <typename Bits>
std::optional<std::int64_t> FirstMasked(const std::byte* data, std::int64_t count, Bits mask) {
  constexpr std::int64_t kBlock = 4096;  // elements between two looks at the result
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    const std::int64_t end = std::min(count, begin + kBlock);
    bool found = false;
    for (std::int64_t i = begin; i < end; ++i) {
      Bits bits;
      std::memcpy(&bits, data + i * static_cast<std::int64_t>(sizeof(Bits)), sizeof(Bits));
      found |= (bits & mask) == mask;
    }
    if (!found) continue;
    for (std::int64_t i = begin; i < end; ++i) {
      Bits bits;
      std::memcpy(&bits, data + i * static_cast<std::int64_t>(sizeof(Bits)), sizeof(Bits));
      if ((bits & mask) == mask) return i;
    }
  }
  return std::nullopt;
}

// The blocks of a GGUF file: what they decode to.
std::optional<std::int64_t> FirstNonFiniteInBlocks(const tensor::StoredTensor& tensor) {
  const tensor::BlockShape block = *tensor::BlockOf(tensor.format);
  std::vector<float> numbers(static_cast<std::size_t>(block.elements));
  const std::byte* at = tensor.bytes.data();
  for (std::int64_t i = 0; i < tensor.shape.ElementCount(); i += block.elements) {
    tensor::DecodeBlock(tensor.format, at, numbers.data());
    at += block.bytes;
    for (std::size_t n = 0; n < numbers.size(); ++n) {
      if (!std::isfinite(numbers[n])) return i + static_cast<std::int64_t>(n);
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> FirstNonFinite(const tensor::StoredTensor& tensor) {
  if (tensor.format != tensor::WeightFormat::kPlain) return FirstNonFiniteInBlocks(tensor);
  const std::int64_t count = tensor.shape.ElementCount();
  switch (tensor.dtype) {
    case tensor::DType::kBF16:
      return FirstMasked<std::uint16_t>(tensor.bytes.data(), count, 0x7F80);
    case tensor::DType::kF16:
      return FirstMasked<std::uint16_t>(tensor.bytes.data(), count, 0x7C00);
    case tensor::DType::kF32:
      return FirstMasked<std::uint32_t>(tensor.bytes.data(), count, 0x7F800000);
    case tensor::DType::kF8E4M3:
      return FirstMasked<std::uint8_t>(tensor.bytes.data(), count, 0x7F);
    default:
      return std::nullopt;  // every bit pattern of an integer is a number
  }
}

}  // namespace

Status VerifyTensors(const tensor::Checkpoint& checkpoint, const model::CheckpointWeights& weights,
                     const VerifyProgress& progress) {
  for (const model::LocatedWeight& located : weights.located) {
    const std::string& name = located.stored.tensors.front();
    GLINT_TRY(tensor::CheckScales(located.stored, checkpoint.Describe(*checkpoint.Find(name))));
  }
  std::int64_t done = 0;
  for (const tensor::StoredTensor& tensor : checkpoint.tensors()) {
    if (const auto bad = FirstNonFinite(tensor)) {
      return DataLoss(format("{}: element {} of {} is not a finite number",
                             checkpoint.Describe(tensor), *bad, tensor.shape.Write()));
    }
    done += static_cast<std::int64_t>(tensor.bytes.size());
    progress(done);
  }
  return Ok();
}

}  // namespace glint::eval
