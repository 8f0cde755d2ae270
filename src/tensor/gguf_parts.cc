// SPDX-License-Identifier: Apache-2.0
// A model that lies in several GGUF files.
#include <system_error>
#include <utility>

#include "base/format.h"
#include "tensor/gguf_file.h"

namespace glint::tensor {
namespace {

constexpr std::int64_t kMostParts = 99'999;  // five digits

// An integer of the metadata, whatever its width; `absent` when there is none.
Result<std::int64_t> ReadInteger(const GgufFile& file, std::string_view key, std::int64_t absent) {
  const GgufValue* value = file.header.Find(key);
  if (value == nullptr) return absent;
  const Json json = GgufMetadataJson({value, 1}, 0);
  const Json* found = json.Find(key);
  const auto number = found == nullptr ? std::nullopt : found->AsInt();
  if (!number || *number < 0) {
    return DataLoss(format("{}: key {}: must be an integer of at least 0",
                           file.file.path().native(), Quoted(key)));
  }
  return *number;
}

std::string PartSuffix(std::int64_t number, std::int64_t count) {
  return format("-{:05}-of-{:05}.gguf", number + 1, count);
}

Status CheckPart(const GgufFile& file, std::int64_t number, std::int64_t count) {
  GLINT_ASSIGN(const std::int64_t no, ReadInteger(file, "split.no", 0));
  GLINT_ASSIGN(const std::int64_t said, ReadInteger(file, "split.count", 1));
  if (no == number && said == count) return Ok();
  return DataLoss(format("{}: key \"split.no\": is part {} of {}, expected part {} of {}",
                         file.file.path().native(), no, said, number, count));
}

Status CheckTensorCount(const std::vector<GgufFile>& parts) {
  GLINT_ASSIGN(const std::int64_t said, ReadInteger(parts.front(), "split.tensors.count", -1));
  std::int64_t found = 0;
  for (const GgufFile& part : parts) {
    found += static_cast<std::int64_t>(part.header.tensors.size());
  }
  if (said == -1 || said == found) return Ok();
  return DataLoss(format("{}: key \"split.tensors.count\": is {}, the parts have {} tensors",
                         parts.front().file.path().native(), said, found));
}

}  // namespace

Result<std::vector<GgufFile>> OpenGgufParts(const std::filesystem::path& path) {
  GLINT_ASSIGN(GgufFile given, OpenGguf(path));
  GLINT_ASSIGN(const std::int64_t count, ReadInteger(given, "split.count", 1));
  std::vector<GgufFile> parts;
  if (count <= 1) {
    parts.push_back(std::move(given));
    return parts;
  }
  GLINT_ASSIGN(const std::int64_t number, ReadInteger(given, "split.no", 0));
  const std::string name = path.filename().native();
  const std::string suffix = PartSuffix(number, count);
  if (count > kMostParts || number >= count || !name.ends_with(suffix)) {
    return DataLoss(format("{}: key \"split.no\": is part {} of {}, so the name must end in {}",
                           path.native(), number, count, suffix));
  }
  const std::string stem = name.substr(0, name.size() - suffix.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const std::filesystem::path part = path.parent_path() / (stem + PartSuffix(i, count));
    GLINT_ASSIGN(GgufFile file, OpenGguf(part));
    GLINT_TRY(CheckPart(file, i, count));
    parts.push_back(std::move(file));
  }
  GLINT_TRY(CheckTensorCount(parts));
  return parts;
}

}  // namespace glint::tensor
