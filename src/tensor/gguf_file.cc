// SPDX-License-Identifier: Apache-2.0
#include "tensor/gguf_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "base/checked_math.h"
#include "base/format.h"
#include "tensor/block_format.h"
#include "tensor/internal/gguf_cursor.h"
#include "tensor/internal/gguf_types.h"

namespace glint::tensor {
namespace {

static_assert(std::endian::native == std::endian::little, "files are read as they lie in memory");

constexpr std::string_view kMagic = "GGUF";
constexpr std::uint32_t kNewestVersion = 3;
constexpr std::int64_t kDefaultAlignment = 32;
constexpr std::int64_t kLeastValueBytes = 8 + 1 + 4 + 1;           // length, key, type, a byte
constexpr std::int64_t kLeastTensorBytes = 8 + 1 + 4 + 8 + 4 + 8;  // with one dimension

// Bytes of a value that is no string; nullopt for strings and arrays.
std::optional<std::int64_t> BytesOf(GgufType type) {
  switch (type) {
    case GgufType::kU8:
    case GgufType::kI8:
    case GgufType::kBool:
      return 1;
    case GgufType::kU16:
    case GgufType::kI16:
      return 2;
    case GgufType::kU32:
    case GgufType::kI32:
    case GgufType::kF32:
      return 4;
    case GgufType::kU64:
    case GgufType::kI64:
    case GgufType::kF64:
      return 8;
    case GgufType::kString:
    case GgufType::kArray:
      return std::nullopt;
  }
  return std::nullopt;
}

bool IsKnown(std::uint32_t type) { return type <= static_cast<std::uint32_t>(GgufType::kF64); }

// Where the numbers of a tensor lie, before that is checked.
struct Place {
  std::uint64_t offset = 0;
  std::int64_t bytes = 0;
};

class HeaderReader {
 public:
  HeaderReader(std::span<const std::byte> file, std::string_view path)
      : file_(file), path_(path), cursor_(file) {}

  Result<GgufHeader> Read() {
    GLINT_TRY(ReadStart());
    for (std::int64_t i = 0; i < value_count_; ++i) GLINT_TRY(ReadValue(i));
    GLINT_TRY(ReadAlignment());
    std::vector<Place> places;
    places.reserve(static_cast<std::size_t>(tensor_count_));
    for (std::int64_t i = 0; i < tensor_count_; ++i) {
      GLINT_ASSIGN(const Place place, ReadTensor(i));
      places.push_back(place);
    }
    GLINT_TRY(PlaceTensors(places));
    return std::move(header_);
  }

 private:
  [[nodiscard]] Error Damaged(std::string_view what) const {
    return DataLoss(format("{}: {}", path_, what));
  }
  [[nodiscard]] Error Cut(std::string_view what) const {
    return Damaged(format("ends at byte {} inside {}: truncated?", file_.size(), what));
  }
  [[nodiscard]] std::string Tensor(std::string_view name, std::string_view what) const {
    return format("{}: tensor {}: {}", path_, Quoted(name, 200), what);
  }
  [[nodiscard]] std::string Key(std::string_view key, std::string_view what) const {
    return format("{}: key {}: {}", path_, Quoted(key, 200), what);
  }

  Status ReadStart() {
    const auto magic = cursor_.TakeBytes(kMagic.size());
    if (!magic || std::string_view(reinterpret_cast<const char*>(magic->data()), 4) != kMagic) {
      return Damaged("does not begin with \"GGUF\", is it a GGUF file?");
    }
    const auto version = cursor_.Take<std::uint32_t>();
    if (!version) return Cut("the version");
    const std::uint32_t low_half = *version & 0xFFFFU;
    if (*version != 0 && low_half == 0) {
      return InvalidArgument(
          format("{}: is big-endian, only little-endian GGUF is supported", path_));
    }
    if (*version < 2 || *version > kNewestVersion) {
      return InvalidArgument(
          format("{}: is GGUF version {}, versions 2 and 3 are supported", path_, *version));
    }
    header_.version = *version;
    GLINT_ASSIGN(tensor_count_, ReadCount("tensors", kLeastTensorBytes));
    GLINT_ASSIGN(value_count_, ReadCount("metadata values", kLeastValueBytes));
    header_.metadata.reserve(static_cast<std::size_t>(value_count_));
    header_.tensors.reserve(static_cast<std::size_t>(tensor_count_));
    return Ok();
  }

  // How many there are of what takes at least `least_bytes` each.
  Result<std::int64_t> ReadCount(const char* what, std::int64_t least_bytes) {
    const auto count = cursor_.Take<std::uint64_t>();
    if (!count) return Cut(format("the number of {}", what));
    const std::uint64_t most = cursor_.left() / static_cast<std::uint64_t>(least_bytes);
    if (*count > most) {
      return Damaged(format("says {} {}, the {} bytes that follow hold at most {}", *count, what,
                            cursor_.left(), most));
    }
    return static_cast<std::int64_t>(*count);
  }

  Status ReadValue(std::int64_t index) {
    GgufValue value;
    const std::string what = format("metadata value {}", index);
    GLINT_ASSIGN(value.key, ReadName(what, kMaxGgufKeyBytes));
    const auto type = cursor_.Take<std::uint32_t>();
    if (!type) return Cut(what);
    if (!IsKnown(*type))
      return Damaged(format("key {}: unknown value type {}", Quoted(value.key), *type));
    value.type = static_cast<GgufType>(*type);
    if (value.type == GgufType::kArray) GLINT_TRY(ReadArrayStart(value));
    GLINT_TRY(ReadItems(value));
    if (!keys_.insert(value.key).second) return DataLoss(Key(value.key, "is in the file twice"));
    header_.metadata.push_back(std::move(value));
    return Ok();
  }

  Result<std::string> ReadName(const std::string& what, std::int64_t most) {
    const std::size_t begin = cursor_.at();
    const auto name = cursor_.TakeString();
    if (!name) return Cut(format("the name of {}, which begins at byte {}", what, begin));
    if (name->empty() || static_cast<std::int64_t>(name->size()) > most) {
      return Damaged(
          format("the name of {} has {} bytes, must be 1 to {}", what, name->size(), most));
    }
    return std::string(*name);
  }

  Status ReadArrayStart(GgufValue& value) {
    const auto type = cursor_.Take<std::uint32_t>();
    const auto count = cursor_.Take<std::uint64_t>();
    if (!type || !count) return Cut(format("the array {}", Quoted(value.key, 200)));
    if (!IsKnown(*type)) return DataLoss(Key(value.key, format("unknown item type {}", *type)));
    value.type = static_cast<GgufType>(*type);
    if (value.type == GgufType::kArray) {
      return InvalidArgument(Key(value.key, "an array of arrays is not supported"));
    }
    const auto least = static_cast<std::uint64_t>(BytesOf(value.type).value_or(8));
    if (*count > cursor_.left() / least) {
      return DataLoss(
          Key(value.key, format("says {} items, the {} bytes that follow hold at most {}", *count,
                                cursor_.left(), cursor_.left() / least)));
    }
    value.is_array = true;
    value.count = static_cast<std::int64_t>(*count);
    return Ok();
  }

  Status ReadItems(GgufValue& value) {
    const std::size_t begin = cursor_.at();
    const std::optional<std::int64_t> each = BytesOf(value.type);
    if (each) {
      const auto bytes = cursor_.TakeBytes(static_cast<std::uint64_t>(value.count * *each));
      if (!bytes) return Cut(format("key {}", Quoted(value.key, 200)));
      value.bytes = *bytes;
      return value.type == GgufType::kBool ? CheckBools(value) : Ok();
    }
    for (std::int64_t i = 0; i < value.count; ++i) {
      if (!cursor_.TakeString()) return Cut(format("key {}, string {}", Quoted(value.key, 200), i));
    }
    value.bytes = file_.subspan(begin, cursor_.at() - begin);
    return Ok();
  }

  [[nodiscard]] Status CheckBools(const GgufValue& value) const {
    for (const std::byte byte : value.bytes) {
      if (std::to_integer<int>(byte) > 1) {
        return DataLoss(
            Key(value.key, format("a boolean is {}, must be 0 or 1", std::to_integer<int>(byte))));
      }
    }
    return Ok();
  }

  Status ReadAlignment() {
    header_.alignment = kDefaultAlignment;
    const GgufValue* value = header_.Find("general.alignment");
    if (value == nullptr) return Ok();
    if (value->type != GgufType::kU32 || value->is_array) {
      return DataLoss(Key(value->key, "must be one u32"));
    }
    const std::uint32_t alignment = GgufCursor(value->bytes).Take<std::uint32_t>().value_or(0);
    if (!std::has_single_bit(alignment) || alignment > kMaxGgufAlignment) {
      return DataLoss(Key(value->key, format("is {}, must be a power of two up to {}", alignment,
                                             kMaxGgufAlignment)));
    }
    header_.alignment = alignment;
    return Ok();
  }

  Result<Place> ReadTensor(std::int64_t index) {
    const std::string what = format("tensor {} of the table", index);
    GgufTensor tensor;
    GLINT_ASSIGN(tensor.name, ReadName(what, kMaxGgufNameBytes));
    GLINT_ASSIGN(const std::vector<std::int64_t> dims, ReadDims(tensor.name));
    const auto type_id = cursor_.Take<std::uint32_t>();
    const auto offset = cursor_.Take<std::uint64_t>();
    if (!type_id || !offset) return Cut(what);
    const GgmlType* type = FindGgmlType(*type_id);
    if (type == nullptr || !type->read) {
      const std::string shown = type == nullptr ? format("unknown type {}", *type_id)
                                                : format("type {} is not supported", type->name);
      return InvalidArgument(
          Tensor(tensor.name, format("{}, must be one of {}", shown, ReadGgmlTypes())));
    }
    tensor.dtype = type->dtype;
    tensor.format = type->format;
    const auto shape = Shape::FromFile(std::vector<std::int64_t>(dims.rbegin(), dims.rend()));
    if (!shape) {
      return DataLoss(Tensor(tensor.name, format("dimensions [{}] have more than 2^63 - 1 elements",
                                                 fmt::join(dims, ", "))));
    }
    tensor.shape = *shape;
    GLINT_ASSIGN(const std::int64_t bytes, TensorBytes(tensor, type->name, dims.front()));
    if (!names_.insert(tensor.name).second)
      return DataLoss(Tensor(tensor.name, "is in the file twice"));
    header_.tensors.push_back(std::move(tensor));
    return Place{*offset, bytes};
  }

  // As in the file: fastest first.
  Result<std::vector<std::int64_t>> ReadDims(const std::string& name) {
    const auto rank = cursor_.Take<std::uint32_t>();
    if (!rank) return Cut(format("tensor {}", Quoted(name, 200)));
    if (*rank < 1 || *rank > static_cast<std::uint32_t>(Shape::kMaxRank)) {
      return DataLoss(
          Tensor(name, format("has {} dimensions, must be 1 to {}", *rank, Shape::kMaxRank)));
    }
    std::vector<std::int64_t> dims;
    for (std::uint32_t i = 0; i < *rank; ++i) {
      const auto dim = cursor_.Take<std::uint64_t>();
      if (!dim) return Cut(format("tensor {}", Quoted(name, 200)));
      if (*dim == 0 || *dim > static_cast<std::uint64_t>(INT64_MAX)) {
        return DataLoss(Tensor(name, format("dimension {} is {}, must be 1 to 2^63 - 1", i, *dim)));
      }
      dims.push_back(static_cast<std::int64_t>(*dim));
    }
    return dims;
  }

  [[nodiscard]] Result<std::int64_t> TensorBytes(const GgufTensor& tensor, const char* type,
                                                 std::int64_t row) const {
    BlockShape block{.elements = 1, .bytes = DTypeBytes(tensor.dtype)};
    if (tensor.format != WeightFormat::kPlain) block = *BlockOf(tensor.format);
    if (row % block.elements != 0) {
      return DataLoss(Tensor(
          tensor.name,
          format("rows of {} elements do not fill blocks of {} ({})", row, block.elements, type)));
    }
    const auto bytes = CheckedMultiply(tensor.shape.ElementCount() / block.elements, block.bytes);
    if (!bytes) {
      return DataLoss(Tensor(tensor.name, format("shape {} of {} has more than 2^63 - 1 bytes",
                                                 tensor.shape.Write(), type)));
    }
    return *bytes;
  }

  // Gives every tensor its bytes, and makes sure that no two share one.
  Status PlaceTensors(const std::vector<Place>& places) {
    const auto alignment = static_cast<std::uint64_t>(header_.alignment);
    const std::uint64_t begin = (cursor_.at() + alignment - 1) / alignment * alignment;
    header_.data_begin = static_cast<std::int64_t>(begin);
    const std::uint64_t size = begin < file_.size() ? file_.size() - begin : 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      GgufTensor& tensor = header_.tensors[i];
      const auto [offset, bytes] = places[i];
      if (offset % alignment != 0) {
        return DataLoss(Tensor(tensor.name, format("offset {} is no multiple of the alignment {}",
                                                   offset, alignment)));
      }
      if (offset > size || static_cast<std::uint64_t>(bytes) > size - offset) {
        return DataLoss(
            Tensor(tensor.name,
                   format("offset {} and {} bytes reach beyond the data of {} bytes: truncated?",
                          offset, bytes, size)));
      }
      tensor.data =
          file_.subspan(static_cast<std::size_t>(begin + offset), static_cast<std::size_t>(bytes));
    }
    return CheckOverlap();
  }

  Status CheckOverlap() {
    std::vector<GgufTensor>& tensors = header_.tensors;
    std::sort(tensors.begin(), tensors.end(), [](const GgufTensor& a, const GgufTensor& b) {
      return std::make_tuple(a.data.data(), std::string_view(a.name)) <
             std::make_tuple(b.data.data(), std::string_view(b.name));
    });
    for (std::size_t i = 1; i < tensors.size(); ++i) {
      const GgufTensor& before = tensors[i - 1];
      if (tensors[i].data.data() >= before.data.data() + before.data.size()) continue;
      return DataLoss(Tensor(tensors[i].name, format("its bytes overlap those of tensor {}",
                                                     Quoted(before.name, 200))));
    }
    return Ok();
  }

  std::span<const std::byte> file_;
  std::string_view path_;
  GgufCursor cursor_;
  GgufHeader header_;
  std::int64_t tensor_count_ = 0;
  std::int64_t value_count_ = 0;
  std::unordered_set<std::string> keys_;
  std::unordered_set<std::string> names_;
};

}  // namespace

const GgufValue* GgufHeader::Find(std::string_view key) const {
  const auto found = std::find_if(metadata.begin(), metadata.end(),
                                  [key](const GgufValue& value) { return value.key == key; });
  return found == metadata.end() ? nullptr : &*found;
}

Result<GgufHeader> ParseGgufHeader(std::span<const std::byte> file, std::string_view path) {
  return HeaderReader(file, path).Read();
}

Result<GgufFile> OpenGguf(const std::filesystem::path& path) {
  GLINT_ASSIGN(MappedFile file, MappedFile::Open(path));
  GLINT_ASSIGN(GgufHeader header, ParseGgufHeader(file.bytes(), path.native()));
  return GgufFile{std::move(file), std::move(header)};
}

}  // namespace glint::tensor
