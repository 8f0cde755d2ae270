// SPDX-License-Identifier: Apache-2.0
// Whatever parses must be what its own description says: tensors inside the file, apart from each
// other and of the size of shape and type; metadata that becomes JSON item by item.
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "tensor/block_format.h"
#include "tensor/gguf_file.h"

namespace glint::tensor {
namespace {

void CheckTensors(std::span<const std::byte> file, const GgufHeader& header) {
  const std::byte* end = file.data() + header.data_begin;
  for (const GgufTensor& tensor : header.tensors) {
    GLINT_CHECK(tensor.data.data() >= end, tensor.name);
    end = tensor.data.data() + tensor.data.size();
    GLINT_CHECK(end <= file.data() + file.size(), tensor.name);
    BlockShape block{.elements = 1, .bytes = DTypeBytes(tensor.dtype)};
    if (tensor.format != WeightFormat::kPlain) block = *BlockOf(tensor.format);
    const std::int64_t bytes = tensor.shape.ElementCount() / block.elements * block.bytes;
    GLINT_CHECK(bytes == static_cast<std::int64_t>(tensor.data.size()), tensor.name);
  }
}

void CheckMetadata(const GgufHeader& header) {
  const Json all = GgufMetadataJson(header.metadata, INT64_MAX);
  GLINT_CHECK(all.object()->size() == header.metadata.size(), "every value is there");
  for (std::size_t i = 0; i < header.metadata.size(); ++i) {
    const GgufValue& value = header.metadata[i];
    const Json::Array* items = (*all.object())[i].second.array();
    GLINT_CHECK(value.is_array == (items != nullptr), value.key);
    if (items == nullptr) continue;
    GLINT_CHECK(value.count == static_cast<std::int64_t>(items->size()), value.key);
  }
}

}  // namespace
}  // namespace glint::tensor

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> file(reinterpret_cast<const std::byte*>(data), size);
  const auto header = glint::tensor::ParseGgufHeader(file, "fuzz");
  if (!header.ok()) return 0;
  glint::tensor::CheckTensors(file, header.value());
  glint::tensor::CheckMetadata(header.value());
  return 0;
}
