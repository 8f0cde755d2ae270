// SPDX-License-Identifier: Apache-2.0
// For the tests of this module: GGUF files, byte by byte, so that each field can be wrong.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/gguf_file.h"

namespace glint::tensor {

template <typename Number>
std::string RawNumber(Number value) {
  std::string bytes(sizeof(Number), '\0');
  std::memcpy(bytes.data(), &value, sizeof(Number));
  return bytes;
}

inline std::string RawString(std::string_view text) {
  return RawNumber<std::uint64_t>(text.size()) + std::string(text);
}

// A value of the metadata; `bytes` is what stands behind the type.
inline std::string RawValue(std::string_view key, std::uint32_t type, std::string_view bytes) {
  return RawString(key) + RawNumber(type) + std::string(bytes);
}
inline std::string RawValue(std::string_view key, GgufType type, std::string_view bytes) {
  return RawValue(key, static_cast<std::uint32_t>(type), bytes);
}

inline std::string RawArray(std::string_view key, std::uint32_t type, std::uint64_t count,
                            std::string_view items) {
  return RawValue(key, GgufType::kArray, RawNumber(type) + RawNumber(count) + std::string(items));
}
inline std::string RawArray(std::string_view key, GgufType type, std::uint64_t count,
                            std::string_view items) {
  return RawArray(key, static_cast<std::uint32_t>(type), count, items);
}

// A row of the tensor table. `dims` as in the file, fastest first.
inline std::string RawTensor(std::string_view name, const std::vector<std::uint64_t>& dims,
                             std::uint32_t type, std::uint64_t offset) {
  std::string row = RawString(name) + RawNumber(static_cast<std::uint32_t>(dims.size()));
  for (const std::uint64_t dim : dims) row += RawNumber(dim);
  return row + RawNumber(type) + RawNumber(offset);
}

// A whole file: the given values and rows, padding to 32, and `data`.
inline std::string RawGguf(const std::vector<std::string>& values,
                           const std::vector<std::string>& tensors, std::string_view data = "",
                           std::uint32_t version = 3) {
  std::string file = "GGUF" + RawNumber(version) + RawNumber<std::uint64_t>(tensors.size()) +
                     RawNumber<std::uint64_t>(values.size());
  for (const std::string& value : values) file += value;
  for (const std::string& tensor : tensors) file += tensor;
  file.resize((file.size() + 31) / 32 * 32, '\0');
  return file + std::string(data);
}

}  // namespace glint::tensor
