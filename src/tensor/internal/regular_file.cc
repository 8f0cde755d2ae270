// SPDX-License-Identifier: Apache-2.0
#include "tensor/internal/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/format.h"

namespace glint::tensor {
namespace {

ErrorCode CodeOf(int number) {
  switch (number) {
    case ENOENT:
    case ENOTDIR:
      return ErrorCode::kNotFound;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOSPC:
    case EDQUOT:
    case EFBIG:  // over the limit of this process or file system
      return ErrorCode::kResourceExhausted;
    default:
      return ErrorCode::kInvalidArgument;
  }
}

}  // namespace

Error FileError(const std::filesystem::path& path, const char* what, int number) {
  const std::string reason = std::error_code(number, std::generic_category()).message();
  return {CodeOf(number), format("{}: {}: {}", path.native(), what, reason)};
}

Result<RegularFile> RegularFile::Open(const std::filesystem::path& path) {
  RegularFile file;
  file.descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file.descriptor_ < 0) return FileError(path, "cannot open", errno);
  struct stat facts = {};
  if (::fstat(file.descriptor_, &facts) != 0) return FileError(path, "cannot examine", errno);
  if (S_ISDIR(facts.st_mode)) {
    return InvalidArgument(format("{}: is a directory, must be a file", path.native()));
  }
  if (!S_ISREG(facts.st_mode)) {
    return InvalidArgument(format("{}: is a pipe or a device, must be a file", path.native()));
  }
  file.size_bytes_ = facts.st_size;
  return file;
}

RegularFile::RegularFile(RegularFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      size_bytes_(std::exchange(other.size_bytes_, 0)) {}

RegularFile& RegularFile::operator=(RegularFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_bytes_, other.size_bytes_);
  return *this;
}

RegularFile::~RegularFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace glint::tensor
