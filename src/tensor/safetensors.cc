// SPDX-License-Identifier: Apache-2.0
#include "tensor/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <tuple>
#include <unordered_set>

#include "base/checked_math.h"
#include "base/format.h"
#include "base/json.h"

namespace glint::tensor {
namespace {

static_assert(std::endian::native == std::endian::little, "files are read as they lie in memory");

constexpr std::int64_t kLengthBytes = 8;
// A tensor takes eight values, so this is a million tensors; it bounds the memory that a header of
// 100 MB of "[[[" can take.
constexpr JsonLimits kHeaderLimits = {.depth = 4, .values = 8'000'000};
constexpr std::string_view kMetadataName = "__metadata__";

// Where a message points: the file, and the tensor when there is one.
struct Where {
  std::string_view path;
  std::string_view tensor;

  [[nodiscard]] std::string Say(std::string_view what) const {
    return format("{}: tensor {}: {}", path, Quoted(tensor, 200), what);
  }
};

// The header's text; checks the length before anything is read.
Result<std::string_view> HeaderText(std::span<const std::byte> file, std::string_view path) {
  const auto size = static_cast<std::int64_t>(file.size());
  if (size < kLengthBytes) {
    return DataLoss(format("{}: is {} bytes, a safetensors file has at least 8", path, size));
  }
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), kLengthBytes);
  if (length > static_cast<std::uint64_t>(kMaxSafetensorsHeaderBytes)) {
    return InvalidArgument(format("{}: header of {} bytes, at most {} are allowed", path, length,
                                  kMaxSafetensorsHeaderBytes));
  }
  if (length > static_cast<std::uint64_t>(size - kLengthBytes)) {
    return DataLoss(
        format("{}: header of {} bytes in a file of {} bytes: truncated?", path, length, size));
  }
  const std::string_view text(reinterpret_cast<const char*>(file.data()) + kLengthBytes, length);
  if (text.empty() || text.front() != '{') {
    return DataLoss(format("{}: header is not a JSON object", path));
  }
  return text;
}

// The three fields of a tensor, each exactly once and nothing else.
struct Fields {
  const Json* dtype = nullptr;
  const Json* shape = nullptr;
  const Json* offsets = nullptr;
};

Result<Fields> FindFields(const Json& value, const Where& where) {
  if (value.object() == nullptr) {
    return DataLoss(where.Say(format("is {}, must be an object", value.TypeName())));
  }
  Fields fields;
  for (const auto& [key, field] : *value.object()) {
    const Json** slot = key == "dtype"          ? &fields.dtype
                        : key == "shape"        ? &fields.shape
                        : key == "data_offsets" ? &fields.offsets
                                                : nullptr;
    if (slot == nullptr) return DataLoss(where.Say(format("unknown field {}", Quoted(key))));
    if (*slot != nullptr) return DataLoss(where.Say(format("field {} twice", Quoted(key))));
    *slot = &field;
  }
  if (fields.dtype == nullptr) return DataLoss(where.Say("has no dtype"));
  if (fields.shape == nullptr) return DataLoss(where.Say("has no shape"));
  if (fields.offsets == nullptr) return DataLoss(where.Say("has no data_offsets"));
  return fields;
}

// Numbers from 0 to 2^63 - 1; `what` is the field.
Result<std::vector<std::int64_t>> ReadNumbers(const Json& value, const char* what,
                                              const Where& where) {
  if (value.array() == nullptr) {
    return DataLoss(where.Say(format("{} is {}, must be an array", what, value.TypeName())));
  }
  std::vector<std::int64_t> numbers;
  for (const Json& item : *value.array()) {
    const std::optional<std::int64_t> number = item.AsInt();
    if (!number || *number < 0) {
      return DataLoss(where.Say(format("{} holds {}, must be an integer from 0 to 2^63 - 1", what,
                                       Quoted(item.Write()))));
    }
    numbers.push_back(*number);
  }
  return numbers;
}

Result<DType> ReadDType(const Json& value, const Where& where) {
  if (value.string() == nullptr) {
    return DataLoss(where.Say(format("dtype is {}, must be a string", value.TypeName())));
  }
  const std::optional<DType> dtype = ParseDType(*value.string());
  if (!dtype) {
    return InvalidArgument(where.Say(format("unknown dtype {}", Quoted(*value.string()))));
  }
  return *dtype;
}

Result<Shape> ReadShape(const Json& value, const Where& where) {
  GLINT_ASSIGN(const std::vector<std::int64_t> dims, ReadNumbers(value, "shape", where));
  if (dims.size() > static_cast<std::size_t>(Shape::kMaxRank)) {
    return InvalidArgument(where.Say(
        format("shape has {} dimensions, at most {} are supported", dims.size(), Shape::kMaxRank)));
  }
  const std::optional<Shape> shape = Shape::FromFile(dims);
  if (!shape) {
    return DataLoss(
        where.Say(format("shape [{}] has more than 2^63 - 1 elements", fmt::join(dims, ", "))));
  }
  return *shape;
}

// Reads one member of the header. `data` is the data buffer.
Result<SafetensorsEntry> ReadEntry(const std::string& name, const Json& value,
                                   std::span<const std::byte> data, std::string_view path) {
  const Where where = {path, name};
  GLINT_ASSIGN(const Fields fields, FindFields(value, where));
  SafetensorsEntry entry;
  entry.name = name;
  GLINT_ASSIGN(entry.dtype, ReadDType(*fields.dtype, where));
  GLINT_ASSIGN(entry.shape, ReadShape(*fields.shape, where));
  GLINT_ASSIGN(const std::vector<std::int64_t> offsets,
               ReadNumbers(*fields.offsets, "data_offsets", where));
  if (offsets.size() != 2) {
    return DataLoss(where.Say(format("data_offsets has {} numbers, must have 2", offsets.size())));
  }
  entry.begin = offsets[0];
  entry.end = offsets[1];
  const std::string range = format("data_offsets [{}, {})", entry.begin, entry.end);
  if (entry.begin > entry.end) return DataLoss(where.Say(range + " end before they begin"));
  if (entry.end > static_cast<std::int64_t>(data.size())) {
    return DataLoss(
        where.Say(format("{} reach beyond the data of {} bytes: truncated?", range, data.size())));
  }
  const std::optional<std::int64_t> bytes =
      CheckedMultiply(entry.shape.ElementCount(), DTypeBytes(entry.dtype));
  if (bytes != entry.end - entry.begin) {
    return DataLoss(
        where.Say(format("{} are {} bytes, but shape {} of {} does not take that many", range,
                         entry.end - entry.begin, entry.shape.Write(), DTypeName(entry.dtype))));
  }
  entry.data = data.subspan(static_cast<std::size_t>(entry.begin),
                            static_cast<std::size_t>(entry.end - entry.begin));
  return entry;
}

Status ReadMetadata(const Json& value, std::string_view path, SafetensorsHeader& header) {
  if (value.object() == nullptr) {
    return DataLoss(format("{}: __metadata__ is {}, must be an object", path, value.TypeName()));
  }
  for (const auto& [key, text] : *value.object()) {
    if (text.string() == nullptr) {
      return DataLoss(format("{}: __metadata__ {} is {}, must be a string", path, Quoted(key),
                             text.TypeName()));
    }
    if (!header.metadata.emplace(key, *text.string()).second) {
      return DataLoss(format("{}: __metadata__ has {} twice", path, Quoted(key)));
    }
  }
  return Ok();
}

// Sorts the entries, and makes sure that they fill `data_bytes` exactly.
Status CheckLayout(std::string_view path, std::int64_t data_bytes, SafetensorsHeader& header) {
  // By end too, so that an empty tensor comes before the one that starts where it lies; by name
  // last, so that the order does not depend on the sort.
  std::sort(header.entries.begin(), header.entries.end(), [](const auto& a, const auto& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  std::int64_t filled = 0;
  for (const SafetensorsEntry& entry : header.entries) {
    const Where where = {path, entry.name};
    if (entry.begin < filled) {
      return DataLoss(
          where.Say(format("data_offsets [{}, {}) overlap the tensor before, which ends "
                           "at {}",
                           entry.begin, entry.end, filled)));
    }
    if (entry.begin > filled) {
      return DataLoss(where.Say(format("data_offsets [{}, {}) leave a gap after byte {}",
                                       entry.begin, entry.end, filled)));
    }
    filled = entry.end;
  }
  if (filled != data_bytes) {
    return DataLoss(
        format("{}: {} bytes of data after the last tensor", path, data_bytes - filled));
  }
  return Ok();
}

}  // namespace

Result<SafetensorsHeader> ParseSafetensorsHeader(std::span<const std::byte> file,
                                                 std::string_view path) {
  GLINT_ASSIGN(const std::string_view text, HeaderText(file, path));
  const Result<Json> parsed = ParseJson(text, format("{}: header", path), kHeaderLimits);
  if (!parsed.ok()) return DataLoss(parsed.error().message);
  const Json::Object& members = *parsed.value().object();  // the text starts with '{'

  SafetensorsHeader header;
  header.data_begin = kLengthBytes + static_cast<std::int64_t>(text.size());
  const auto data = file.subspan(static_cast<std::size_t>(header.data_begin));
  header.entries.reserve(members.size());
  std::unordered_set<std::string_view> names;
  names.reserve(members.size());
  for (const auto& [name, value] : members) {
    if (!names.insert(name).second)
      return DataLoss(Where{path, name}.Say("is in the header twice"));
    if (name == kMetadataName) {
      GLINT_TRY(ReadMetadata(value, path, header));
      continue;
    }
    GLINT_ASSIGN(SafetensorsEntry entry, ReadEntry(name, value, data, path));
    header.entries.push_back(std::move(entry));
  }
  GLINT_TRY(CheckLayout(path, static_cast<std::int64_t>(data.size()), header));
  return header;
}

Result<SafetensorsFile> OpenSafetensors(const std::filesystem::path& path) {
  GLINT_ASSIGN(MappedFile file, MappedFile::Open(path));
  GLINT_ASSIGN(SafetensorsHeader header, ParseSafetensorsHeader(file.bytes(), path.native()));
  return SafetensorsFile{std::move(file), std::move(header)};
}

}  // namespace glint::tensor
