// SPDX-License-Identifier: Apache-2.0
// A regular file, open for reading: what mapping a file and reading it whole share.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.h"

namespace glint::tensor {

// Owns the descriptor.
class RegularFile {
 public:
  // kNotFound when there is no such file; kInvalidArgument for a directory, a pipe or a device, and
  // for a file that may not be read; kResourceExhausted when too many files are open. Never waits
  // for a pipe's other end. Each message names the path.
  static Result<RegularFile> Open(const std::filesystem::path& path);

  RegularFile(RegularFile&& other) noexcept;
  RegularFile& operator=(RegularFile&& other) noexcept;
  RegularFile(const RegularFile&) = delete;
  RegularFile& operator=(const RegularFile&) = delete;
  ~RegularFile();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::int64_t size_bytes() const { return size_bytes_; }  // when it was opened

 private:
  RegularFile() = default;

  int descriptor_ = -1;
  std::int64_t size_bytes_ = 0;
};

// The error of a system call that failed with `number` on `path`: "PATH: what: reason".
Error FileError(const std::filesystem::path& path, const char* what, int number);

}  // namespace glint::tensor
