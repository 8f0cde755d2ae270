// SPDX-License-Identifier: Apache-2.0
// The value type and its writer; the parser is json_parse.cc.
#include "base/json.h"

#include <charconv>
#include <cmath>

#include "base/check.h"
#include "base/format.h"

namespace glint {
namespace {

void WriteString(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

// Depth is bounded by the parser's limit, and by the writer's own code for values that we build.
class Writer {
 public:
  explicit Writer(int indent) : indent_(indent) {}  // 0: on one line

  void Write(const Json& value, int level) {
    if (const bool* boolean = value.boolean()) {
      out_ += *boolean ? "true" : "false";
    } else if (const std::string* string = value.string()) {
      WriteString(*string, out_);
    } else if (const Json::Number* number = value.number()) {
      out_ += number->text;
    } else if (const Json::Array* items = value.array()) {
      out_ += '[';
      for (std::size_t i = 0; i < items->size(); ++i) {
        Separate(i > 0, level + 1);
        Write((*items)[i], level + 1);
      }
      Close(!items->empty(), level, ']');
    } else if (const Json::Object* members = value.object()) {
      out_ += '{';
      for (std::size_t i = 0; i < members->size(); ++i) {
        Separate(i > 0, level + 1);
        WriteString((*members)[i].first, out_);
        out_ += indent_ > 0 ? ": " : ":";
        Write((*members)[i].second, level + 1);
      }
      Close(!members->empty(), level, '}');
    } else {
      out_ += "null";
    }
  }

  std::string Take() { return std::move(out_); }

 private:
  void NewLine(int level) {
    if (indent_ == 0) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(indent_) * static_cast<std::size_t>(level), ' ');
  }
  void Separate(bool comma, int level) {
    if (comma) out_ += ',';
    NewLine(level);
  }
  void Close(bool filled, int level, char bracket) {
    if (filled) NewLine(level);
    out_ += bracket;
  }

  int indent_;
  std::string out_;
};

}  // namespace

Json::Json(std::int64_t value) : value_(Number{format("{}", value)}) {}
Json::Json(std::uint64_t value) : value_(Number{format("{}", value)}) {}
Json::Json(double value) {
  if (std::isfinite(value)) value_ = Number{format("{}", value)};
}

std::optional<std::int64_t> Json::AsInt() const {
  const Number* held = number();
  if (held == nullptr) return std::nullopt;
  std::int64_t value = 0;
  const char* end = held->text.data() + held->text.size();
  const auto [stop, failure] = std::from_chars(held->text.data(), end, value);
  if (failure != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<double> Json::AsDouble() const {
  const Number* held = number();
  if (held == nullptr) return std::nullopt;
  double value = 0;
  const char* end = held->text.data() + held->text.size();
  const auto [stop, failure] = std::from_chars(held->text.data(), end, value);
  if (stop != end) return std::nullopt;
  // from_chars reports underflow as out of range too; a tiny number is zero, a huge one is not.
  if (failure == std::errc::result_out_of_range) {
    value = std::strtod(held->text.c_str(), nullptr);
  } else if (failure != std::errc()) {
    return std::nullopt;
  }
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

const Json* Json::Find(std::string_view key) const {
  const Object* members = object();
  if (members == nullptr) return nullptr;
  for (auto member = members->rbegin(); member != members->rend(); ++member) {
    if (member->first == key) return &member->second;
  }
  return nullptr;
}

void Json::Add(std::string key, Json value) {
  if (is_null()) value_ = Object{};
  auto* members = std::get_if<Object>(&value_);
  GLINT_CHECK(members != nullptr, key);
  members->emplace_back(std::move(key), std::move(value));
}

void Json::Append(Json value) {
  if (is_null()) value_ = Array{};
  auto* items = std::get_if<Array>(&value_);
  GLINT_CHECK(items != nullptr, "Append to a value that is no array");
  items->push_back(std::move(value));
}

const char* Json::TypeName() const {
  constexpr const char* kNames[] = {"null",     "a boolean", "a number",
                                    "a string", "an array",  "an object"};
  return kNames[value_.index()];
}

std::string Json::Write() const {
  Writer writer(0);
  writer.Write(*this, 0);
  return writer.Take();
}

std::string Json::WriteIndented(int indent) const {
  Writer writer(indent);
  writer.Write(*this, 0);
  return writer.Take();
}

}  // namespace glint
