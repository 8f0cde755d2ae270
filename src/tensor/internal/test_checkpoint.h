// SPDX-License-Identifier: Apache-2.0
// For the tests of this module: shards with chosen tensors.
#pragma once

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "base/check.h"
#include "tensor/checkpoint.h"
#include "tensor/internal/test_folder.h"
#include "tensor/safetensors_writer.h"

namespace glint::tensor {

struct TestTensor {
  std::string name;
  DType dtype = DType::kF32;
  Shape shape;
  std::vector<std::byte> bytes = {};  // all zero when empty
};

// The bytes of some numbers.
template <typename T>
std::vector<std::byte> BytesOf(const std::vector<T>& numbers) {
  std::vector<std::byte> bytes(numbers.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

inline void WriteShard(const std::filesystem::path& path, std::vector<TestTensor> tensors) {
  std::vector<TensorSpec> specs;
  specs.reserve(tensors.size());
  for (const TestTensor& tensor : tensors) {
    specs.push_back({tensor.name, tensor.dtype, tensor.shape});
  }
  auto writer = SafetensorsWriter::Create(path, specs);
  GLINT_CHECK(writer.ok(), writer.error().message);
  for (TestTensor& tensor : tensors) {
    const TensorView view = {tensor.dtype, tensor.shape, nullptr};
    tensor.bytes.resize(static_cast<std::size_t>(view.ByteCount()));
    const Status appended = writer.value().Append(tensor.bytes);
    GLINT_CHECK(appended.ok(), appended.error().message);
  }
  const Status finished = writer.value().Finish();
  GLINT_CHECK(finished.ok(), finished.error().message);
}

// A checkpoint of one file; the folder may go before it.
inline Checkpoint MakeCheckpoint(const std::vector<TestTensor>& tensors) {
  const TestFolder folder;
  WriteShard(folder.path() / "model.safetensors", tensors);
  Result<Checkpoint> checkpoint = Checkpoint::Open(folder.path());
  GLINT_CHECK(checkpoint.ok(), checkpoint.error().message);
  return std::move(checkpoint).value();
}

}  // namespace glint::tensor
