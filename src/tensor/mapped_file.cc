// SPDX-License-Identifier: Apache-2.0
#include "tensor/mapped_file.h"

#include <sys/mman.h>

#include <cerrno>
#include <utility>

#include "tensor/internal/regular_file.h"

namespace glint::tensor {

Result<MappedFile> MappedFile::Open(const std::filesystem::path& path) {
  GLINT_ASSIGN(const RegularFile file, RegularFile::Open(path));
  MappedFile mapped;
  mapped.path_ = path;
  const auto size = static_cast<std::size_t>(file.size_bytes());
  if (size == 0) return mapped;  // mmap refuses a length of zero
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.descriptor(), 0);
  if (address == MAP_FAILED) return FileError(path, "cannot map", errno);
  mapped.bytes_ = {static_cast<const std::byte*>(address), size};
  return mapped;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)), bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  // munmap wants a pointer to non-const; the pages are not written.
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace glint::tensor
