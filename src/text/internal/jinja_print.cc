// SPDX-License-Identifier: Apache-2.0
#include "text/internal/jinja_print.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/format.h"
#include "text/internal/jinja_compare.h"
#include "text/internal/jinja_python_text.h"

namespace glint::text::jinja {
namespace {

// Appends repr() of values to `out`. Stops without an error when the budget runs out.
class ReprWriter {
 public:
  ReprWriter(Budget& budget, std::string& out) : budget_(budget), out_(out) {}

  Status Write(const Value& value) {
    if (!budget_.Spend(1) || !budget_.HasRoom(static_cast<std::int64_t>(out_.size()))) return Ok();
    if (const Text* text = value.text()) {
      if (text->markup) out_ += "Markup(";
      WriteText(text->text);
      if (text->markup) out_ += ')';
    } else if (const Sequence* sequence = value.sequence()) {
      return WriteSequence(*sequence);
    } else if (const Dict* dict = value.dict()) {
      return WriteDict(*dict);
    } else if (value.undefined() != nullptr) {
      out_ += "Undefined";
    } else {
      return WriteScalar(value);
    }
    return Ok();
  }

  Status WriteScalar(const Value& value) {
    if (value.is_none()) {
      out_ += "None";
    } else if (const bool* boolean = value.boolean()) {
      out_ += *boolean ? "True" : "False";
    } else if (const std::int64_t* integer = value.integer()) {
      out_ += format("{}", *integer);
    } else if (const BigInteger* big = value.big_integer()) {
      out_ += big->digits->text;
    } else if (const double* real = value.real()) {
      out_ += RealText(*real);
    } else {
      return InvalidArgument(format("a value of type '{}' has no text to print", value.TypeName()));
    }
    return Ok();
  }

 private:
  void WriteText(std::string_view text) {
    const bool has_single = text.find('\'') != std::string_view::npos;
    const char quote = has_single && text.find('"') == std::string_view::npos ? '"' : '\'';
    out_ += quote;
    budget_.SpendBytes(text.size());
    for (const std::string_view sequence : CodePoints(text)) {
      const char32_t code = FirstCodePoint(sequence);
      if (code == static_cast<unsigned char>(quote) || code == '\\') {
        out_ += '\\';
        out_ += sequence;
      } else if (IsPrintable(code)) {
        out_ += sequence;
      } else {
        WriteEscape(code);
      }
    }
    out_ += quote;
  }

  void WriteEscape(char32_t code) {
    const auto number = static_cast<std::uint32_t>(code);
    if (code == '\n') {
      out_ += "\\n";
    } else if (code == '\r') {
      out_ += "\\r";
    } else if (code == '\t') {
      out_ += "\\t";
    } else if (code < 0x100) {
      out_ += format("\\x{:02x}", number);
    } else if (code < 0x10000) {
      out_ += format("\\u{:04x}", number);
    } else {
      out_ += format("\\U{:08x}", number);
    }
  }

  Status WriteSequence(const Sequence& sequence) {
    const auto items = [&]() -> Status {
      for (std::size_t i = 0; i < sequence.items.size(); ++i) {
        if (i > 0) out_ += ", ";
        GLINT_TRY(Write(sequence.items[i]));
      }
      return Ok();
    };
    switch (sequence.flavor) {
      case Flavor::kList:
        out_ += '[';
        GLINT_TRY(items());
        out_ += ']';
        return Ok();
      case Flavor::kTuple:
        out_ += '(';
        GLINT_TRY(items());
        out_ += sequence.items.size() == 1 ? ",)" : ")";
        return Ok();
      case Flavor::kRange:
        out_ += format("range({}, {}", sequence.range[0], sequence.range[1]);
        out_ += sequence.range[2] == 1 ? ")" : format(", {})", sequence.range[2]);
        return Ok();
      case Flavor::kGenerator:
        return InvalidArgument("a generator has no text to print (add |list)");
      default:
        out_ += sequence.flavor == Flavor::kDictItems  ? "dict_items(["
                : sequence.flavor == Flavor::kDictKeys ? "dict_keys(["
                                                       : "dict_values([";
        GLINT_TRY(items());
        out_ += "])";
        return Ok();
    }
  }

  Status WriteDict(const Dict& dict) {
    out_ += '{';
    bool first = true;
    for (const auto& [key, value] : dict.members()) {
      if (!first) out_ += ", ";
      first = false;
      GLINT_TRY(Write(key));
      out_ += ": ";
      GLINT_TRY(Write(value));
    }
    out_ += '}';
    return Ok();
  }

  Budget& budget_;
  std::string& out_;
};

class JsonWriter {
 public:
  JsonWriter(Budget& budget, const JsonStyle& style) : budget_(budget), style_(style) {}

  Status Write(const Value& value, int level) {
    if (!budget_.Spend(1) || !budget_.HasRoom(static_cast<std::int64_t>(out_.size()))) return Ok();
    if (const std::string* text = value.string()) {
      WriteText(*text);
      return Ok();
    }
    const Sequence* sequence = value.sequence();
    if (sequence != nullptr && sequence->flavor <= Flavor::kTuple) {
      return WriteItems(sequence->items, level);
    }
    if (const Dict* dict = value.dict()) return WriteMembers(*dict, level);
    const std::optional<std::string> scalar = Scalar(value);
    if (!scalar) {
      return InvalidArgument(
          format("Object of type {} is not JSON serializable", value.TypeName()));
    }
    out_ += *scalar;
    return Ok();
  }

  std::string Take() { return std::move(out_); }

 private:
  static std::optional<std::string> Scalar(const Value& value) {
    if (value.is_none()) return "null";
    if (const bool* boolean = value.boolean()) return *boolean ? "true" : "false";
    if (const std::int64_t* integer = value.integer()) return format("{}", *integer);
    if (const BigInteger* big = value.big_integer()) return big->digits->text;
    const double* real = value.real();
    if (real == nullptr) return std::nullopt;
    if (std::isnan(*real)) return "NaN";
    if (std::isinf(*real)) return *real > 0 ? "Infinity" : "-Infinity";
    return RealText(*real);
  }

  void NewLine(int level) {
    if (!style_.indent) return;
    out_ += '\n';
    for (int i = 0; i < level; ++i) {
      if (!budget_.HasRoom(static_cast<std::int64_t>(out_.size() + style_.indent->size()))) return;
      out_ += *style_.indent;
    }
  }

  Status WriteItems(const std::vector<Value>& items, int level) {
    out_ += '[';
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out_ += style_.item_separator;
      NewLine(level + 1);
      GLINT_TRY(Write(items[i], level + 1));
    }
    if (!items.empty()) NewLine(level);
    out_ += ']';
    return Ok();
  }

  Status WriteMembers(const Dict& dict, int level) {
    std::vector<const Dict::Member*> members;
    members.reserve(dict.members().size());
    for (const Dict::Member& member : dict.members()) members.push_back(&member);
    if (style_.sort_keys) GLINT_TRY(SortByKey(members));
    out_ += '{';
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i > 0) out_ += style_.item_separator;
      NewLine(level + 1);
      GLINT_TRY(WriteKey(members[i]->first));
      out_ += style_.key_separator;
      GLINT_TRY(Write(members[i]->second, level + 1));
    }
    if (!members.empty()) NewLine(level);
    out_ += '}';
    return Ok();
  }

  Status SortByKey(std::vector<const Dict::Member*>& members) {
    std::optional<Error> failure;
    std::stable_sort(members.begin(), members.end(), [&](const auto* a, const auto* b) {
      const Result<bool> less = Ordered(budget_, Order::kLess, a->first, b->first);
      if (!less.ok()) failure = less.error();
      return less.ok() && less.value();
    });
    if (failure) return *failure;
    return Ok();
  }

  Status WriteKey(const Value& key) {
    if (const std::string* text = key.string()) {
      WriteText(*text);
      return Ok();
    }
    const std::optional<std::string> scalar = Scalar(key);
    if (!scalar) {
      return InvalidArgument(
          format("keys must be str, int, float, bool or None, not {}", key.TypeName()));
    }
    WriteText(*scalar);
    return Ok();
  }

  void WriteText(std::string_view text) {
    budget_.SpendBytes(text.size());
    out_ += '"';
    for (std::size_t at = 0; at < text.size(); ++at) {
      const char c = text[at];
      const auto byte = static_cast<unsigned char>(c);
      if (byte >= 0x7F && style_.ensure_ascii) {
        WriteEscaped(FirstCodePoint(text.substr(at)));
        while (at + 1 < text.size() &&
               (static_cast<unsigned char>(text[at + 1]) & 0xC0U) == 0x80U) {
          ++at;
        }
      } else if (byte < 0x20 || c == '"' || c == '\\') {
        WriteControl(c);
      } else {
        out_ += c;
      }
    }
    out_ += '"';
  }

  void WriteControl(char c) {
    constexpr std::string_view kControls = "\"\\\n\r\t\b\f";
    constexpr std::string_view kLetters = "\"\\nrtbf";
    const std::size_t found = kControls.find(c);
    if (found == std::string_view::npos) {
      WriteEscaped(static_cast<unsigned char>(c));
    } else {
      out_ += '\\';
      out_ += kLetters[found];
    }
  }

  // \uXXXX, or a pair of surrogates.
  void WriteEscaped(char32_t code) {
    auto number = static_cast<std::uint32_t>(code);
    if (number >= 0x10000) {
      number -= 0x10000;
      out_ += format("\\u{:04x}", 0xD800U + (number >> 10U));
      number = 0xDC00U + (number & 0x3FFU);
    }
    out_ += format("\\u{:04x}", number);
  }

  Budget& budget_;
  const JsonStyle& style_;
  std::string out_;
};

}  // namespace

std::string RealText(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  // Shortest digits as "d.ddde+XX"; only where the point goes is Python's own.
  std::array<char, 40> buffer{};
  const auto written =
      std::to_chars(buffer.begin(), buffer.end(), value, std::chars_format::scientific);
  std::string_view text(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data()));
  std::string sign;
  if (text.starts_with('-')) {
    sign = "-";
    text.remove_prefix(1);
  }
  const std::size_t e = text.find('e');
  const bool negative_exponent = text[e + 1] == '-';
  int exponent = 0;
  std::from_chars(text.data() + e + 2, text.data() + text.size(), exponent);
  if (negative_exponent) exponent = -exponent;
  std::string digits(text.substr(0, 1));
  if (e > 2) digits += text.substr(2, e - 2);
  if (exponent < -4 || exponent >= 16) {
    const std::string fraction = digits.size() > 1 ? "." + digits.substr(1) : "";
    return format("{}{}{}e{}{:02d}", sign, digits[0], fraction, exponent < 0 ? '-' : '+',
                  std::abs(exponent));
  }
  if (exponent < 0) {
    return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  }
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) return sign + digits + std::string(whole - digits.size(), '0') + ".0";
  return sign + digits.substr(0, whole) + "." + digits.substr(whole);
}

Status AppendStr(Budget& budget, const Value& value, std::string& out) {
  if (const std::string* text = value.string()) {
    out += *text;
    return Ok();
  }
  if (value.undefined() != nullptr || value.is_missing()) return Ok();
  return ReprWriter(budget, out).Write(value);
}

Result<std::string> Str(Budget& budget, const Value& value) {
  std::string out;
  GLINT_TRY(AppendStr(budget, value, out));
  return out;
}

Result<std::string> Repr(Budget& budget, const Value& value) {
  std::string out;
  GLINT_TRY(ReprWriter(budget, out).Write(value));
  return out;
}

Result<std::string> DumpJson(Budget& budget, const Value& value, const JsonStyle& style) {
  JsonWriter writer(budget, style);
  GLINT_TRY(writer.Write(value, 0));
  return writer.Take();
}

}  // namespace glint::text::jinja
