// SPDX-License-Identifier: Apache-2.0
// Writes a safetensors file tensor by tensor, so that a converter need not hold it in memory.
//
// The header comes first in the file, so names, types and shapes must be known before the numbers.
// The file appears under its name only when it is complete: until then it is PATH.partial.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "tensor/tensor_view.h"

namespace glint::tensor {

struct TensorSpec {
  std::string name;  // UTF-8
  DType dtype = DType::kF32;
  Shape shape;
};

using SafetensorsMetadata = std::map<std::string, std::string, std::less<>>;

// The bytes in front of the data: the length and the JSON, padded with spaces so that the data
// starts at a multiple of 64. kInvalidArgument for a name that is used twice, is no UTF-8 or is
// "__metadata__", and for sizes beyond 2^63 - 1 bytes or a header beyond the format's limit.
Result<std::string> WriteSafetensorsHeader(std::span<const TensorSpec> tensors,
                                           const SafetensorsMetadata& metadata = {});

// One thread. Destroying an unfinished writer removes the partial file.
class SafetensorsWriter {
 public:
  // Reserves the whole size on disk and writes the header. An existing partial file is overwritten.
  // kResourceExhausted when the disk is too full, otherwise as WriteSafetensorsHeader, or
  // kNotFound / kInvalidArgument when the file cannot be made.
  static Result<SafetensorsWriter> Create(const std::filesystem::path& path,
                                          std::vector<TensorSpec> tensors,
                                          const SafetensorsMetadata& metadata = {});

  SafetensorsWriter(SafetensorsWriter&& other) noexcept;
  SafetensorsWriter& operator=(SafetensorsWriter&&) = delete;
  SafetensorsWriter(const SafetensorsWriter&) = delete;
  SafetensorsWriter& operator=(const SafetensorsWriter&) = delete;
  ~SafetensorsWriter();

  // Adds all numbers of the next tensor, in the order of `tensors`. Another number of bytes than
  // its shape and type take, or a tensor too many, is a bug. kResourceExhausted when the disk is
  // full; the writer can then only be destroyed.
  Status Append(std::span<const std::byte> data);

  // Closes the file and gives it its name, replacing a file that has it. A missing tensor, or
  // calling twice, is a bug.
  Status Finish();

 private:
  SafetensorsWriter() = default;
  Status WriteAll(const void* data, std::size_t size);

  std::filesystem::path path_;
  std::filesystem::path partial_path_;  // empty when there is no partial file to remove
  int descriptor_ = -1;
  std::vector<TensorSpec> tensors_;
  std::size_t appended_ = 0;  // tensors
};

}  // namespace glint::tensor
