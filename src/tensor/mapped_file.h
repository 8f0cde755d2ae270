// SPDX-License-Identifier: Apache-2.0
// A whole file as read-only memory. The kernel reads pages when they are touched, so opening a
// checkpoint of hundreds of gigabytes takes no time and no memory.
//
// The price: the size is taken once, at open. When somebody truncates the file while it is mapped,
// touching a page beyond the new end raises SIGBUS and ends the process; a read error of the disk
// does the same. Replace a model file by renaming a new one over it, never by writing into it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "base/result.h"

namespace glint::tensor {

// Thread-safe: the memory is only read. Moving keeps the addresses.
class MappedFile {
 public:
  // Maps all of `path`; an empty file gives empty bytes. kNotFound when there is no such file;
  // kInvalidArgument for a directory, a pipe, a device or an unreadable file; kResourceExhausted
  // when address space or descriptors run out. Each message names the path.
  static Result<MappedFile> Open(const std::filesystem::path& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  // Valid until the MappedFile that holds them is destroyed. Starts on a page.
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }  // as given to Open

 private:
  MappedFile() = default;

  std::filesystem::path path_;
  std::span<const std::byte> bytes_;
};

}  // namespace glint::tensor
