// SPDX-License-Identifier: Apache-2.0
#include "eval/npy.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/format.h"

namespace glint::eval {
namespace {

std::string ErrnoText() { return std::generic_category().message(errno); }

Status WriteAll(int descriptor, const void* data, std::size_t size,
                const std::filesystem::path& path) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = write(descriptor, at, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      return ResourceExhausted(format("{}: {}", path.string(), ErrnoText()));
    }
    at += written;
    size -= static_cast<std::size_t>(written);
  }
  return Ok();
}

}  // namespace

std::string NpyHeader(std::int64_t rows, std::int64_t columns) {
  constexpr std::size_t kPreamble = 10;  // magic, version, length of the text
  std::string text =
      format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  while ((kPreamble + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  const auto length = static_cast<std::uint16_t>(text.size());
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(length & 0xFF);
  header += static_cast<char>(length >> 8);
  return header + text;
}

Result<NpyWriter> NpyWriter::Create(const std::filesystem::path& path, std::int64_t rows,
                                    std::int64_t columns) {
  NpyWriter writer;
  writer.path_ = path;
  writer.missing_ = rows * columns;
  const std::filesystem::path partial = path.string() + ".partial";
  writer.descriptor_ = open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (writer.descriptor_ < 0) {
    return Unavailable(format("{}: {}", partial.string(), ErrnoText()));
  }
  writer.partial_ = partial;
  const std::string header = NpyHeader(rows, columns);
  GLINT_TRY(WriteAll(writer.descriptor_, header.data(), header.size(), partial));
  return writer;
}

NpyWriter::NpyWriter(NpyWriter&& other) noexcept
    : path_(std::move(other.path_)),
      partial_(std::exchange(other.partial_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      missing_(other.missing_) {}

NpyWriter::~NpyWriter() {
  if (descriptor_ >= 0) close(descriptor_);
  std::error_code ignored;
  if (!partial_.empty()) std::filesystem::remove(partial_, ignored);
}

Status NpyWriter::Append(std::span<const float> values) {
  missing_ -= static_cast<std::int64_t>(values.size());
  GLINT_CHECK(missing_ >= 0, "values beyond the array's shape");
  return WriteAll(descriptor_, values.data(), values.size_bytes(), partial_);
}

Status NpyWriter::Finish() {
  GLINT_CHECK(missing_ == 0 && descriptor_ >= 0, "all values of the array");
  if (close(std::exchange(descriptor_, -1)) != 0) {
    return ResourceExhausted(format("{}: {}", partial_.string(), ErrnoText()));
  }
  std::error_code failure;
  std::filesystem::rename(partial_, path_, failure);
  if (failure) return Unavailable(format("{}: {}", path_.string(), failure.message()));
  partial_.clear();
  return Ok();
}

}  // namespace glint::eval
