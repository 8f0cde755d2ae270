// SPDX-License-Identifier: Apache-2.0
#include "spec/weight_plan.h"

#include "base/check.h"

namespace glint::spec {
namespace {

constexpr StorageFormat kFormats[] = {StorageFormat::kBf16, StorageFormat::kFp8,
                                      StorageFormat::kInt8, StorageFormat::kW4A8,
                                      StorageFormat::kMxfp4};
constexpr const char* kFormatNames[] = {"bf16", "fp8", "int8", "w4a8", "mxfp4"};

constexpr std::int64_t kFp8Block = 128;
constexpr std::int64_t kMxfp4Group = 32;
constexpr std::int64_t kInt4ShapeBytes = 16;  // weight_shape, I64[2]

std::int64_t CeilDivide(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

bool IsQuantisable(TensorRole role) {
  switch (role) {
    case TensorRole::kAttention:
    case TensorRole::kIndexer:
    case TensorRole::kDenseMlp:
    case TensorRole::kExpert:
    case TensorRole::kSharedExpert:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::span<const StorageFormat> AllStorageFormats() { return kFormats; }

const char* StorageFormatName(StorageFormat format) {
  return kFormatNames[static_cast<int>(format)];
}

std::optional<StorageFormat> ParseStorageFormat(std::string_view name) {
  for (const StorageFormat format : kFormats) {
    if (name == StorageFormatName(format)) return format;
  }
  return std::nullopt;
}

std::int64_t Int4GroupSize(std::int64_t columns) {
  for (const std::int64_t group : {128, 64, 32}) {
    if (columns % group == 0) return group;
  }
  return 0;
}

TensorStorage ChooseStorage(const TensorGroup& tensor, StorageFormat format) {
  if (tensor.role == TensorRole::kRouterBias) return TensorStorage::kF32;
  const bool vocabulary =
      tensor.role == TensorRole::kEmbedding || tensor.role == TensorRole::kLmHead;
  if (vocabulary && format == StorageFormat::kW4A8) return TensorStorage::kInt8Channel;
  if (!IsQuantisable(tensor.role)) return TensorStorage::kBf16;
  switch (format) {
    case StorageFormat::kBf16:
      return TensorStorage::kBf16;
    case StorageFormat::kFp8:
      return TensorStorage::kFp8Block;
    case StorageFormat::kInt8:
      return TensorStorage::kInt8Channel;
    case StorageFormat::kW4A8:
      return Int4GroupSize(tensor.columns) > 0 ? TensorStorage::kInt4Group
                                               : TensorStorage::kInt8Channel;
    case StorageFormat::kMxfp4:
      return tensor.columns % kMxfp4Group == 0 ? TensorStorage::kMxfp4 : TensorStorage::kBf16;
  }
  CheckFailed("known format", "ChooseStorage");
}

std::int64_t StoredBytesEach(const TensorGroup& tensor, TensorStorage storage) {
  const std::int64_t elements = tensor.ElementsEach();
  switch (storage) {
    case TensorStorage::kF32:
      return 4 * elements;
    case TensorStorage::kBf16:
      return 2 * elements;
    case TensorStorage::kFp8Block:
      return elements +
             4 * CeilDivide(tensor.rows, kFp8Block) * CeilDivide(tensor.columns, kFp8Block);
    case TensorStorage::kInt8Channel:
      return elements + 2 * tensor.rows;
    case TensorStorage::kInt4Group:
      return elements / 2 + 2 * tensor.rows * (tensor.columns / Int4GroupSize(tensor.columns)) +
             kInt4ShapeBytes;
    case TensorStorage::kMxfp4:
      return elements / 2 + elements / kMxfp4Group;
  }
  CheckFailed("known storage", "StoredBytesEach");
}

std::int64_t ModelBytes(const ModelSpec& model, StorageFormat format) {
  std::int64_t bytes = 0;
  for (const TensorGroup& tensor : ListTensors(model)) {
    bytes += tensor.copies * StoredBytesEach(tensor, ChooseStorage(tensor, format));
  }
  return bytes;
}

std::int64_t ActiveBytes(const ModelSpec& model, StorageFormat format) {
  std::int64_t bytes = 0;
  for (const TensorGroup& tensor : ListTensors(model)) {
    if (tensor.mtp || !tensor.active) continue;
    const std::int64_t copies =
        tensor.role == TensorRole::kExpert ? model.moe->top_k : tensor.copies;
    bytes += copies * StoredBytesEach(tensor, ChooseStorage(tensor, format));
  }
  return bytes;
}

}  // namespace glint::spec
