// SPDX-License-Identifier: Apache-2.0
// A JSON value that keeps what most libraries lose: the order of keys, and the text of numbers,
// so that 123456789012345678901234567890, 1e15 and 1.0 come out as they went in.
//
// Reading is nlohmann-json's SAX parser underneath (strict RFC 8259, UTF-8 checked); the type and
// the writer are ours. Compact by design: a value is 32 bytes, an object is a vector of members.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace glint {

class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;  // in the order of the text; duplicate keys are kept
  struct Number {
    std::string text;  // as a JSON number is written
  };

  Json() = default;  // null
  // Implicit on purpose: building a reply reads as JSON does. A char pointer becomes text.
  Json(bool value) : value_(value) {}                    // NOLINT(google-explicit-constructor)
  Json(const char* text) : value_(std::string(text)) {}  // NOLINT(google-explicit-constructor)
  Json(std::string text) : value_(std::move(text)) {}    // NOLINT(google-explicit-constructor)
  Json(std::string_view text)                            // NOLINT(google-explicit-constructor)
      : value_(std::string(text)) {}
  Json(int value)  // NOLINT(google-explicit-constructor)
      : Json(static_cast<std::int64_t>(value)) {}
  Json(std::int64_t value);   // NOLINT(google-explicit-constructor)
  Json(std::uint64_t value);  // NOLINT(google-explicit-constructor)
  // Shortest text that reads back as the same double; NaN and infinities, which JSON cannot say,
  // become null.
  Json(double value);                                   // NOLINT(google-explicit-constructor)
  Json(Number number) : value_(std::move(number)) {}    // NOLINT(google-explicit-constructor)
  Json(Array items) : value_(std::move(items)) {}       // NOLINT(google-explicit-constructor)
  Json(Object members) : value_(std::move(members)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  [[nodiscard]] const bool* boolean() const { return std::get_if<bool>(&value_); }
  [[nodiscard]] const std::string* string() const { return std::get_if<std::string>(&value_); }
  [[nodiscard]] const Array* array() const { return std::get_if<Array>(&value_); }
  [[nodiscard]] const Object* object() const { return std::get_if<Object>(&value_); }
  [[nodiscard]] const Number* number() const { return std::get_if<Number>(&value_); }

  // The number as int64 when its text is an integer that fits ("1.0" and "1e3" are not), or as
  // the nearest double (overflow gives nullopt). nullopt when this is no number.
  [[nodiscard]] std::optional<std::int64_t> AsInt() const;
  [[nodiscard]] std::optional<double> AsDouble() const;

  // The member of an object by name, or null when there is none or this is no object. With
  // duplicate keys the last one counts, as in Python. Linear in the number of members: for an
  // object with many, walk object() instead.
  [[nodiscard]] const Json* Find(std::string_view key) const;

  // Adds a member to an object (this must be one, or null, which becomes one).
  void Add(std::string key, Json value);

  // Adds an item to an array (this must be one, or null, which becomes one).
  void Append(Json value);

  // "null", "a boolean", "a number", "a string", "an array", "an object": for error messages.
  [[nodiscard]] const char* TypeName() const;

  // The text, without spaces ("," and ":"), or indented by `indent` spaces a level; non-ASCII
  // stays as UTF-8.
  [[nodiscard]] std::string Write() const;
  [[nodiscard]] std::string WriteIndented(int indent = 2) const;

 private:
  std::variant<std::monostate, bool, Number, std::string, Array, Object> value_;
};

struct JsonLimits {
  int depth = 128;  // nested arrays and objects, at most
  std::size_t values =
      50'000'000;  // values in all, at most: bounds the memory that a text can take
};

// Parses all of `text` as one JSON value. `where` (a file or "request body") starts the message of
// the kInvalidArgument error, which also gives the byte position.
Result<Json> ParseJson(std::string_view text, std::string_view where, JsonLimits limits = {});

}  // namespace glint
