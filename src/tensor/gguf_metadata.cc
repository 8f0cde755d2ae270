// SPDX-License-Identifier: Apache-2.0
// The metadata of a GGUF file as JSON.
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "tensor/gguf_file.h"
#include "tensor/internal/gguf_cursor.h"

namespace glint::tensor {
namespace {

// The parser has checked that every item is there.
template <typename Number>
Number Take(GgufCursor& cursor) {
  const auto value = cursor.Take<Number>();
  GLINT_CHECK(value.has_value(), "a checked item");
  return *value;
}

// JSON has no NaN: null, which no reader takes for a number.
Json FloatJson(float value) {
  if (!(value - value == 0)) return {};
  return Json(Json::Number{format("{}", value)});
}

Json ItemJson(GgufType type, GgufCursor& cursor) {
  switch (type) {
    case GgufType::kU8:
      return Json(std::uint64_t{Take<std::uint8_t>(cursor)});
    case GgufType::kI8:
      return Json(std::int64_t{Take<std::int8_t>(cursor)});
    case GgufType::kU16:
      return Json(std::uint64_t{Take<std::uint16_t>(cursor)});
    case GgufType::kI16:
      return Json(std::int64_t{Take<std::int16_t>(cursor)});
    case GgufType::kU32:
      return Json(std::uint64_t{Take<std::uint32_t>(cursor)});
    case GgufType::kI32:
      return Json(std::int64_t{Take<std::int32_t>(cursor)});
    case GgufType::kF32:
      return FloatJson(Take<float>(cursor));
    case GgufType::kBool:
      return Json(Take<std::uint8_t>(cursor) != 0);
    case GgufType::kU64:
      return Json(Take<std::uint64_t>(cursor));
    case GgufType::kI64:
      return Json(Take<std::int64_t>(cursor));
    case GgufType::kF64:
      return Json(Take<double>(cursor));
    case GgufType::kString: {
      const auto text = cursor.TakeString();
      GLINT_CHECK(text.has_value(), "a checked string");
      return Json(*text);
    }
    case GgufType::kArray:
      break;
  }
  CheckFailed("a known value type", "ItemJson");
}

}  // namespace

Json GgufMetadataJson(std::span<const GgufValue> metadata, std::int64_t most_items) {
  Json::Object members;
  for (const GgufValue& value : metadata) {
    GgufCursor cursor(value.bytes);
    if (!value.is_array) {
      members.emplace_back(value.key, ItemJson(value.type, cursor));
      continue;
    }
    if (value.count > most_items) continue;
    Json::Array items;
    items.reserve(static_cast<std::size_t>(value.count));
    for (std::int64_t i = 0; i < value.count; ++i) items.push_back(ItemJson(value.type, cursor));
    members.emplace_back(value.key, std::move(items));
  }
  return members;
}

}  // namespace glint::tensor
