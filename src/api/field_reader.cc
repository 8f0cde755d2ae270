// SPDX-License-Identifier: Apache-2.0
#include "api/field_reader.h"

#include <cmath>

#include "base/format.h"

namespace glint::api {
namespace {

constexpr std::size_t kShownDigits = 40;  // of a number in a message

}  // namespace

const Json* FieldReader::Find(std::string_view name) const {
  const Json* value = object_.Find(name);
  return value == nullptr || value->is_null() ? nullptr : value;
}

void FieldReader::Fail(std::string_view name, std::string message) {
  if (!fault_) fault_ = RequestFault{std::move(message), std::string(name)};
}

void FieldReader::WrongType(std::string_view name, const Json& value, std::string_view wanted) {
  Fail(name, format("{} is {}, must be {}", name, value.TypeName(), wanted));
}

void FieldReader::Require(std::string_view name) {
  if (Find(name) == nullptr) Fail(name, format("{} is missing", name));
}

std::optional<std::string> FieldReader::Text(std::string_view name) {
  const Json* value = Find(name);
  if (value == nullptr) return std::nullopt;
  if (value->string() != nullptr) return *value->string();
  WrongType(name, *value, "a string");
  return std::nullopt;
}

std::optional<bool> FieldReader::Boolean(std::string_view name) {
  const Json* value = Find(name);
  if (value == nullptr) return std::nullopt;
  if (value->boolean() != nullptr) return *value->boolean();
  WrongType(name, *value, "a boolean");
  return std::nullopt;
}

std::optional<std::int64_t> FieldReader::Integer(std::string_view name, std::int64_t least,
                                                 std::int64_t most) {
  const Json* value = Find(name);
  if (value == nullptr) return std::nullopt;
  if (value->number() == nullptr) {
    WrongType(name, *value, "an integer");
    return std::nullopt;
  }
  std::optional<std::int64_t> integer = value->AsInt();
  // 16.0 and 1e3 are integers to most clients.
  const std::optional<double> number = value->AsDouble();
  if (!integer && number && std::trunc(*number) == *number && std::abs(*number) < 0x1p53) {
    integer = static_cast<std::int64_t>(*number);
  }
  if (!integer || *integer < least || *integer > most) {
    Fail(name, format("{} is {}, must be an integer from {} to {}", name,
                      value->number()->text.substr(0, kShownDigits), least, most));
    return std::nullopt;
  }
  return integer;
}

std::optional<double> FieldReader::Number(std::string_view name, double least, double most) {
  const Json* value = Find(name);
  if (value == nullptr) return std::nullopt;
  if (value->number() == nullptr) {
    WrongType(name, *value, "a number");
    return std::nullopt;
  }
  const std::optional<double> number = value->AsDouble();
  if (!number || !(*number >= least && *number <= most)) {
    Fail(name, format("{} is {}, must be {} to {}", name,
                      value->number()->text.substr(0, kShownDigits), least, most));
    return std::nullopt;
  }
  return number;
}

std::vector<std::string> FieldReader::Texts(std::string_view name, std::size_t most) {
  const Json* value = Find(name);
  if (value == nullptr) return {};
  std::vector<std::string> texts;
  if (value->string() != nullptr) {
    texts.push_back(*value->string());
  } else if (value->array() != nullptr) {
    if (value->array()->size() > most) {
      Fail(name, format("{} has {} strings, at most {}", name, value->array()->size(), most));
      return {};
    }
    texts.reserve(value->array()->size());
    for (const Json& item : *value->array()) {
      if (item.string() == nullptr) {
        WrongType(name, item, "a string or an array of strings");
        return {};
      }
      texts.push_back(*item.string());
    }
  } else {
    WrongType(name, *value, "a string or an array of strings");
  }
  for (const std::string& text : texts) {
    if (text.empty()) Fail(name, format("{} holds an empty string", name));
  }
  return texts;
}

}  // namespace glint::api
