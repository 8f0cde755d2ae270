// SPDX-License-Identifier: Apache-2.0
#include "tensor/safetensors_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "base/check.h"
#include "base/checked_math.h"
#include "base/format.h"
#include "base/json.h"
#include "base/utf8.h"
#include "tensor/internal/regular_file.h"
#include "tensor/safetensors.h"

namespace glint::tensor {
namespace {

constexpr std::size_t kDataAlignment = 64;
// A single write() is cut at 2 GiB by the kernel; smaller pieces also answer a signal sooner.
constexpr std::size_t kMaxWriteBytes = std::size_t{1} << 28;

std::optional<std::int64_t> ByteCount(const TensorSpec& tensor) {
  return CheckedMultiply(tensor.shape.ElementCount(), DTypeBytes(tensor.dtype));
}

Status CheckName(const std::string& name) {
  if (!IsUtf8(name)) return InvalidArgument(format("tensor name {} is no UTF-8", Quoted(name)));
  if (name == "__metadata__") return InvalidArgument("a tensor cannot be named __metadata__");
  return Ok();
}

Json EntryJson(const TensorSpec& tensor, std::int64_t begin, std::int64_t end) {
  Json::Array dims;
  for (int axis = 0; axis < tensor.shape.rank(); ++axis) dims.emplace_back(tensor.shape.dim(axis));
  return Json::Object{{"dtype", DTypeName(tensor.dtype)},
                      {"shape", std::move(dims)},
                      {"data_offsets", Json::Array{begin, end}}};
}

}  // namespace

Result<std::string> WriteSafetensorsHeader(std::span<const TensorSpec> tensors,
                                           const SafetensorsMetadata& metadata) {
  Json header = Json::Object{};
  if (!metadata.empty()) {
    Json::Object pairs;
    for (const auto& [key, text] : metadata) {
      if (!IsUtf8(key) || !IsUtf8(text)) {
        return InvalidArgument(format("metadata {} is no UTF-8", Quoted(key)));
      }
      pairs.emplace_back(key, text);
    }
    header.Add("__metadata__", std::move(pairs));
  }
  std::unordered_set<std::string_view> names;
  std::int64_t begin = 0;
  for (const TensorSpec& tensor : tensors) {
    GLINT_TRY(CheckName(tensor.name));
    if (!names.insert(tensor.name).second) {
      return InvalidArgument(format("tensor {} is given twice", Quoted(tensor.name, 200)));
    }
    const std::optional<std::int64_t> bytes = ByteCount(tensor);
    const std::optional<std::int64_t> end = bytes ? CheckedAdd(begin, *bytes) : std::nullopt;
    if (!end) {
      return InvalidArgument(
          format("tensor {} ends beyond 2^63 - 1 bytes", Quoted(tensor.name, 200)));
    }
    header.Add(tensor.name, EntryJson(tensor, begin, *end));
    begin = *end;
  }
  std::string text = header.Write();
  const std::size_t used = sizeof(std::uint64_t) + text.size();
  text.append((kDataAlignment - used % kDataAlignment) % kDataAlignment, ' ');
  if (text.size() > static_cast<std::size_t>(kMaxSafetensorsHeaderBytes)) {
    return InvalidArgument(format("header of {} bytes, at most {} are allowed", text.size(),
                                  kMaxSafetensorsHeaderBytes));
  }
  const std::uint64_t length = text.size();
  std::string bytes(sizeof(length), '\0');
  std::memcpy(bytes.data(), &length, sizeof(length));
  return bytes + text;
}

Result<SafetensorsWriter> SafetensorsWriter::Create(const std::filesystem::path& path,
                                                    std::vector<TensorSpec> tensors,
                                                    const SafetensorsMetadata& metadata) {
  const Result<std::string> header = WriteSafetensorsHeader(tensors, metadata);
  if (!header.ok()) {
    return Error{header.error().code, format("{}: {}", path.native(), header.error().message)};
  }
  SafetensorsWriter writer;
  writer.path_ = path;
  writer.tensors_ = std::move(tensors);
  std::filesystem::path partial = path;
  partial += ".partial";
  writer.descriptor_ = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (writer.descriptor_ < 0) return FileError(partial, "cannot create", errno);
  writer.partial_path_ = std::move(partial);
  auto total = static_cast<std::int64_t>(header.value().size());
  for (const TensorSpec& tensor : writer.tensors_) total += ByteCount(tensor).value_or(0);
  // Fails now instead of after hours. A file system that cannot reserve says so, and is let pass.
  if (::fallocate(writer.descriptor_, 0, 0, total) != 0 && errno != EOPNOTSUPP && errno != ENOSYS) {
    return FileError(path, "cannot reserve the file's size", errno);
  }
  GLINT_TRY(writer.WriteAll(header.value().data(), header.value().size()));
  return writer;
}

SafetensorsWriter::SafetensorsWriter(SafetensorsWriter&& other) noexcept
    : path_(std::move(other.path_)),
      partial_path_(std::exchange(other.partial_path_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)),
      tensors_(std::move(other.tensors_)),
      appended_(other.appended_) {}

SafetensorsWriter::~SafetensorsWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
  std::error_code ignored;
  if (!partial_path_.empty()) std::filesystem::remove(partial_path_, ignored);
}

Status SafetensorsWriter::WriteAll(const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = ::write(descriptor_, at, std::min(size, kMaxWriteBytes));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FileError(path_, "cannot write", errno);
    at += written;
    size -= static_cast<std::size_t>(written);
  }
  return Ok();
}

Status SafetensorsWriter::Append(std::span<const std::byte> data) {
  GLINT_CHECK(appended_ < tensors_.size(), "a tensor more than the header has");
  const TensorSpec& tensor = tensors_[appended_];
  GLINT_CHECK(ByteCount(tensor) == static_cast<std::int64_t>(data.size()), tensor.name);
  GLINT_TRY(WriteAll(data.data(), data.size()));
  ++appended_;
  return Ok();
}

Status SafetensorsWriter::Finish() {
  GLINT_CHECK(descriptor_ >= 0, "Finish is called once");
  GLINT_CHECK(appended_ == tensors_.size(), tensors_[appended_].name);
  // Some file systems report a full disk only here.
  if (::close(std::exchange(descriptor_, -1)) != 0) return FileError(path_, "cannot write", errno);
  std::error_code failure;
  std::filesystem::rename(partial_path_, path_, failure);
  if (failure) return FileError(path_, "cannot rename the partial file", failure.value());
  partial_path_.clear();
  return Ok();
}

}  // namespace glint::tensor
