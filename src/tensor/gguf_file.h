// SPDX-License-Identifier: Apache-2.0
// Reads the header of a GGUF file: its metadata, and names, types, shapes and places of its
// tensors.
//
// A file is the magic "GGUF", u32 version, u64 number of tensors, u64 number of metadata values,
// the values, the tensor table, padding to general.alignment, then the numbers. Versions 2 and 3,
// little-endian. As with safetensors, nothing is believed before it is checked, and a hostile
// header costs time and memory in proportion to its own size.
// Source: ggml-org/ggml docs/gguf.md; glm-architecture.md sections 3.4 and 3.7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "tensor/mapped_file.h"
#include "tensor/tensor_view.h"
#include "tensor/weight_view.h"

namespace glint::tensor {

// As numbered in files.
enum class GgufType : std::uint32_t {
  kU8,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kF32,
  kBool,
  kString,
  kArray,
  kU64,
  kI64,
  kF64,
};

// One value of the metadata, its bytes still as they lie in the file (and all checked).
struct GgufValue {
  std::string key;                   // unique in its file, 1 to kMaxGgufKeyBytes bytes
  GgufType type = GgufType::kU8;     // of the value, or of each item of an array; never kArray
  bool is_array = false;             // arrays of arrays are refused
  std::int64_t count = 1;            // items
  std::span<const std::byte> bytes;  // the items one after another; a string with its u64 length
};

struct GgufTensor {
  std::string name;                            // unique in its file, 1 to kMaxGgufNameBytes bytes
  DType dtype = DType::kF32;                   // kU8 for blocks
  WeightFormat format = WeightFormat::kPlain;  // kPlain: F32, F16 or BF16; else a block format
  Shape shape;  // in elements, slowest first as in Hugging Face files: dims reversed; rank 1 to 4
  std::span<const std::byte> data;  // all blocks or elements
};

struct GgufHeader {
  std::uint32_t version = 0;
  std::int64_t alignment = 0;       // of tensors, a power of two
  std::vector<GgufValue> metadata;  // in file order
  std::vector<GgufTensor> tensors;  // by place in the file
  std::int64_t data_begin = 0;      // bytes from the start of the file

  // Null when there is none. Linear.
  [[nodiscard]] const GgufValue* Find(std::string_view key) const;
};

inline constexpr std::int64_t kMaxGgufKeyBytes = 65'535;  // the format's limit
inline constexpr std::int64_t kMaxGgufNameBytes = 256;    // writers keep to 64
inline constexpr std::int64_t kMaxGgufAlignment = 1 << 20;

// Parses a whole file. Pure: `path` is only for messages, and spans point into `file`. kDataLoss
// when the file is damaged or inconsistent; kInvalidArgument when it is sound but what we do not
// read: version 1, big-endian, nested arrays, a tensor type without a format here. Each message
// names the path and, where there is one, the key or the tensor. O(n log n).
Result<GgufHeader> ParseGgufHeader(std::span<const std::byte> file, std::string_view path);

// A mapped file and its header; spans live as long as `file`, also when moved.
struct GgufFile {
  MappedFile file;
  GgufHeader header;
};

// Fails as MappedFile::Open and ParseGgufHeader do.
Result<GgufFile> OpenGguf(const std::filesystem::path& path);

// The files of a model whose first or any part is `path`: one, or NAME-00001-of-000NN.gguf and so
// on when its metadata says split.count > 1. In order; the metadata that counts is the first's.
// kNotFound names the part that is missing; kDataLoss when the parts contradict each other.
Result<std::vector<GgufFile>> OpenGgufParts(const std::filesystem::path& path);

// The metadata as one JSON object, keys in file order. Floats are written in the fewest digits that
// read back as the same float, so 1e-05 is that. Arrays of more than `most_items` items (a
// vocabulary) are left out.
Json GgufMetadataJson(std::span<const GgufValue> metadata, std::int64_t most_items);

}  // namespace glint::tensor
