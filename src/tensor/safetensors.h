// SPDX-License-Identifier: Apache-2.0
// Reads the header of a safetensors file: names, types, shapes and where the numbers lie.
//
// A file is a little-endian u64 N, N bytes of JSON {name: {dtype, shape, data_offsets: [begin,
// end)}}, then the data buffer, which the tensors fill without gap, overlap or rest. Nothing about
// a file is believed before it is checked; a hostile header costs time and memory in proportion to
// its own size. Numbers may start at any address: no alignment is promised.
// Source: github.com/huggingface/safetensors, README "Format"; glm-architecture.md, section 3.1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tensor/mapped_file.h"
#include "tensor/tensor_view.h"

namespace glint::tensor {

// The limit of the reference implementation.
inline constexpr std::int64_t kMaxSafetensorsHeaderBytes = 100'000'000;

struct SafetensorsEntry {
  std::string name;  // UTF-8, unique in its file; control characters are possible
  DType dtype = DType::kF32;
  Shape shape;                      // a dimension may be 0
  std::int64_t begin = 0;           // bytes from the start of the data buffer
  std::int64_t end = 0;             // end - begin is elements times element size
  std::span<const std::byte> data;  // the same range, in the bytes that were parsed
};

struct SafetensorsHeader {
  std::vector<SafetensorsEntry> entries;                     // by begin: in file order
  std::map<std::string, std::string, std::less<>> metadata;  // "__metadata__"; empty without one
  std::int64_t data_begin = 0;                               // bytes from the start of the file
};

// Parses a whole file. Pure: `path` is only for messages, and the entries' data points into `file`.
// kDataLoss when the file is damaged or inconsistent, kInvalidArgument when it is sound but holds
// what we cannot represent (dtype, more than four dimensions, a header over the limit). Each
// message names the path and, where there is one, the tensor. O(n log n) in the number of tensors.
Result<SafetensorsHeader> ParseSafetensorsHeader(std::span<const std::byte> file,
                                                 std::string_view path);

// A mapped file and its header; the entries' data lives as long as `file`, also when moved.
struct SafetensorsFile {
  MappedFile file;
  SafetensorsHeader header;
};

// Fails as MappedFile::Open and ParseSafetensorsHeader do.
Result<SafetensorsFile> OpenSafetensors(const std::filesystem::path& path);

}  // namespace glint::tensor
