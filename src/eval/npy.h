// SPDX-License-Identifier: Apache-2.0
// NumPy's array file, version 1.0: what `glint logits` writes and Python reads with numpy.load.
// Source: numpy.lib.format, "NPY format".
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace glint::eval {

// The bytes before the data of a `<f4` array [rows, columns] in C order; a multiple of 64 long.
std::string NpyHeader(std::int64_t rows, std::int64_t columns);

// Writes rows one piece after another; the file has its name only when it is complete. One thread.
class NpyWriter {
 public:
  // kUnavailable when the file cannot be made.
  static Result<NpyWriter> Create(const std::filesystem::path& path, std::int64_t rows,
                                  std::int64_t columns);
  NpyWriter(NpyWriter&& other) noexcept;
  NpyWriter& operator=(NpyWriter&&) = delete;
  NpyWriter(const NpyWriter&) = delete;
  NpyWriter& operator=(const NpyWriter&) = delete;
  ~NpyWriter();  // removes what was not finished

  // kResourceExhausted when the disk is full.
  Status Append(std::span<const float> values);
  // All rows must have been appended.
  Status Finish();

 private:
  NpyWriter() = default;
  std::filesystem::path path_;
  std::filesystem::path partial_;  // empty when there is nothing to remove
  int descriptor_ = -1;
  std::int64_t missing_ = 0;  // values
};

}  // namespace glint::eval
