// SPDX-License-Identifier: Apache-2.0
#include "text/internal/jinja_format_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/format.h"
#include "text/internal/jinja_print.h"
#include "text/internal/jinja_python_text.h"
#include "text/internal/jinja_subscript.h"

namespace glint::text::jinja {
namespace {

constexpr std::int64_t kMaxWidth = 10'000;  // more is no formatting but an attack

// %[(key)][flags][width][.precision]type
struct Conversion {
  std::optional<std::string_view> key;
  bool left = false;
  bool sign = false;
  bool space = false;
  bool zero = false;
  bool alternate = false;
  std::int64_t width = 0;
  std::optional<std::int64_t> precision;
  char type = 's';
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

class PercentFormatter {
 public:
  PercentFormatter(Budget& budget, std::string_view pattern, const Value& values)
      : budget_(budget), rest_(pattern), values_(values) {}

  Result<std::string> Run() {
    while (!rest_.empty() && budget_.ok()) {
      const std::size_t percent = std::min(rest_.find('%'), rest_.size());
      out_ += rest_.substr(0, percent);
      rest_.remove_prefix(percent);
      if (rest_.empty()) break;
      rest_.remove_prefix(1);
      GLINT_ASSIGN(const Conversion conversion, ReadConversion());
      if (conversion.type == '%') {
        out_ += '%';
        continue;
      }
      GLINT_ASSIGN(const Value value, NextValue(conversion));
      GLINT_TRY(Append(conversion, value));
      budget_.HasRoom(static_cast<std::int64_t>(out_.size()));
    }
    const Sequence* tuple = values_.IsFlavor(Flavor::kTuple) ? values_.sequence() : nullptr;
    const bool all = tuple != nullptr ? used_ == tuple->items.size()
                                      : used_ == 1 || values_.dict() != nullptr ||
                                            values_.IsFlavor(Flavor::kList);
    if (!all && budget_.ok()) {
      return InvalidArgument("not all arguments converted during string formatting");
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] char Peek() const { return rest_.empty() ? '\0' : rest_[0]; }

  Result<std::int64_t> ReadNumber() {
    std::int64_t number = 0;
    for (; IsDigit(Peek()); rest_.remove_prefix(1)) {
      number = number * 10 + (rest_[0] - '0');
      if (number > kMaxWidth) {
        return InvalidArgument(format("a width is more than {}", kMaxWidth));
      }
    }
    return number;
  }

  Result<Conversion> ReadConversion() {
    Conversion conversion;
    if (Peek() == '(') {
      const std::size_t end = rest_.find(')');
      if (end == std::string_view::npos) return InvalidArgument("incomplete format key");
      conversion.key = rest_.substr(1, end - 1);
      rest_.remove_prefix(end + 1);
    }
    for (; std::string_view("-+ 0#").find(Peek()) != std::string_view::npos && !rest_.empty();
         rest_.remove_prefix(1)) {
      const char flag = rest_[0];
      conversion.left |= flag == '-';
      conversion.sign |= flag == '+';
      conversion.space |= flag == ' ';
      conversion.zero |= flag == '0';
      conversion.alternate |= flag == '#';
    }
    GLINT_ASSIGN(conversion.width, ReadNumber());
    if (Peek() == '.') {
      rest_.remove_prefix(1);
      GLINT_ASSIGN(conversion.precision, ReadNumber());
    }
    if (rest_.empty()) return InvalidArgument("incomplete format");
    conversion.type = rest_[0];
    rest_.remove_prefix(1);
    return conversion;
  }

  Result<Value> NextValue(const Conversion& conversion) {
    if (conversion.key) {
      const Dict* dict = values_.dict();
      if (dict == nullptr) return InvalidArgument("format requires a mapping");
      const Value* found = dict->Find(*conversion.key);
      if (found == nullptr) {
        return InvalidArgument(format("the format key {} is missing", Quoted(*conversion.key)));
      }
      return *found;
    }
    if (!values_.IsFlavor(Flavor::kTuple)) {
      if (used_++ == 0) return values_;
    } else if (used_ < values_.sequence()->items.size()) {
      return values_.sequence()->items[used_++];
    }
    return InvalidArgument("not enough arguments for format string");
  }

  Status Append(const Conversion& conversion, const Value& value) {
    std::string sign;
    std::string text;
    switch (conversion.type) {
      case 's': {
        GLINT_ASSIGN(text, Str(budget_, value));
        break;
      }
      case 'r': {
        GLINT_ASSIGN(text, Repr(budget_, value));
        break;
      }
      case 'd':
      case 'i':
      case 'u':
      case 'x':
      case 'X':
      case 'o': {
        GLINT_ASSIGN(text, IntegerText(conversion, value));
        break;
      }
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G': {
        GLINT_ASSIGN(text, RealDigits(conversion, value));
        break;
      }
      default:
        return InvalidArgument(format("unsupported format character {}",
                                      Quoted(std::string_view(&conversion.type, 1))));
    }
    const bool is_number = conversion.type != 's' && conversion.type != 'r';
    if (is_number) {
      if (text.starts_with('-')) {
        sign = '-';
        text.erase(0, 1);
      } else if (conversion.sign || conversion.space) {
        sign = conversion.sign ? '+' : ' ';
      }
    } else if (conversion.precision) {
      text.resize(BytePosition(text, *conversion.precision));
    }
    const std::int64_t length = CountCodePoints(text) + static_cast<std::int64_t>(sign.size());
    const auto missing =
        static_cast<std::size_t>(std::max<std::int64_t>(0, conversion.width - length));
    const bool zeros = conversion.zero && is_number && !conversion.left;
    if (!conversion.left && !zeros) out_.append(missing, ' ');
    out_ += sign;
    if (zeros) out_.append(missing, '0');
    out_ += text;
    if (conversion.left) out_.append(missing, ' ');
    return Ok();
  }

  static Result<std::string> IntegerText(const Conversion& conversion, const Value& value) {
    std::optional<std::int64_t> number = value.AsInteger();
    const bool decimal = conversion.type == 'd' || conversion.type == 'i' || conversion.type == 'u';
    if (decimal && value.big_integer() != nullptr) return value.big_integer()->digits->text;
    if (!number && decimal && value.real() != nullptr && std::fabs(*value.real()) < 9e18) {
      number = static_cast<std::int64_t>(*value.real());
    }
    if (!number) {
      return InvalidArgument(
          format("%{} format: an integer is required, not {}", conversion.type, value.TypeName()));
    }
    const bool negative = *number < 0;
    const std::uint64_t magnitude =
        negative ? 0 - static_cast<std::uint64_t>(*number) : static_cast<std::uint64_t>(*number);
    std::string digits = decimal                  ? format("{}", magnitude)
                         : conversion.type == 'x' ? format("{:x}", magnitude)
                         : conversion.type == 'X' ? format("{:X}", magnitude)
                                                  : format("{:o}", magnitude);
    const auto least = static_cast<std::size_t>(conversion.precision.value_or(0));
    if (digits.size() < least) digits.insert(0, least - digits.size(), '0');
    if (conversion.alternate && !decimal) {
      digits = format("0{}{}", conversion.type, digits);
    }
    return format("{}{}", negative ? "-" : "", digits);
  }

  static Result<std::string> RealDigits(const Conversion& conversion, const Value& value) {
    const std::optional<double> number = value.AsReal();
    if (!number) {
      return InvalidArgument(format("must be real number, not {}", value.TypeName()));
    }
    const auto digits = static_cast<int>(conversion.precision.value_or(6));
    switch (conversion.type) {
      case 'e':
        return format("{:.{}e}", *number, digits);
      case 'E':
        return format("{:.{}E}", *number, digits);
      case 'g':
        return format("{:.{}g}", *number, digits);
      case 'G':
        return format("{:.{}G}", *number, digits);
      default:
        return format("{:.{}f}", *number, digits);
    }
  }

  Budget& budget_;
  std::string_view rest_;
  const Value& values_;
  std::size_t used_ = 0;
  std::string out_;
};

class BraceFormatter {
 public:
  BraceFormatter(Budget& budget, std::string_view pattern, const Arguments& arguments)
      : budget_(budget), rest_(pattern), arguments_(arguments) {}

  Result<std::string> Run() {
    while (!rest_.empty() && budget_.ok()) {
      const std::size_t brace = std::min(rest_.find_first_of("{}"), rest_.size());
      out_ += rest_.substr(0, brace);
      rest_.remove_prefix(brace);
      if (rest_.empty()) break;
      if (rest_.size() > 1 && rest_[0] == rest_[1]) {
        out_ += rest_[0];
        rest_.remove_prefix(2);
        continue;
      }
      if (rest_[0] == '}') return InvalidArgument("single '}' encountered in format string");
      const std::size_t end = rest_.find('}');
      if (end == std::string_view::npos) {
        return InvalidArgument("expected '}' before end of string");
      }
      GLINT_TRY(AppendField(rest_.substr(1, end - 1)));
      rest_.remove_prefix(end + 1);
      budget_.HasRoom(static_cast<std::int64_t>(out_.size()));
    }
    return std::move(out_);
  }

 private:
  // name.attribute[item]!conversion
  Status AppendField(std::string_view field) {
    if (field.find_first_of(":{") != std::string_view::npos) {
      return InvalidArgument("formats after ':' are not supported in format()");
    }
    const std::size_t bang = field.find('!');
    const std::string_view path = field.substr(0, bang);
    GLINT_ASSIGN(Value value, FindRoot(path.substr(0, path.find_first_of(".["))));
    const std::size_t steps = path.find_first_of(".[");
    if (steps != std::string_view::npos) {
      GLINT_ASSIGN(value, Follow(std::move(value), path.substr(steps)));
    }
    if (bang == std::string_view::npos || field.substr(bang) == "!s") {
      return AppendStr(budget_, value, out_);
    }
    if (field.substr(bang) != "!r") {
      return InvalidArgument(format("unknown conversion in the field {}", Quoted(field)));
    }
    GLINT_ASSIGN(const std::string text, Repr(budget_, value));
    out_ += text;
    return Ok();
  }

  Result<Value> FindRoot(std::string_view name) {
    std::size_t index = next_;
    if (name.empty()) {
      ++next_;
    } else if (IsDigit(name[0])) {
      const auto [stop, failure] = std::from_chars(name.data(), name.data() + name.size(), index);
      if (failure != std::errc() || stop != name.data() + name.size()) {
        return InvalidArgument(format("bad field {}", Quoted(name)));
      }
    } else {
      for (const auto& [key, value] : arguments_.keywords) {
        if (key == name) return value;
      }
      return InvalidArgument(format("format() has no argument named {}", Quoted(name)));
    }
    if (index >= arguments_.positional.size()) {
      return InvalidArgument("format() got too few arguments for its fields");
    }
    return arguments_.positional[index];
  }

  Result<Value> Follow(Value value, std::string_view steps) {
    while (!steps.empty()) {
      const bool bracket = steps[0] == '[';
      std::size_t end = bracket ? steps.find(']') : steps.find_first_of(".[", 1);
      if (bracket && end == std::string_view::npos)
        return InvalidArgument("missing ']' in a field");
      end = std::min(end, steps.size());
      const std::string name(steps.substr(1, end - 1));
      const bool is_index = bracket && !name.empty() && IsDigit(name[0]);
      const Value key = is_index ? Value(std::int64_t{std::strtoll(name.c_str(), nullptr, 10)})
                                 : MakeString(&budget_, name);
      GLINT_ASSIGN(value, GetItem(budget_, value, key));
      steps.remove_prefix(std::min(end + (bracket ? 1 : 0), steps.size()));
    }
    return value;
  }

  Budget& budget_;
  std::string_view rest_;
  const Arguments& arguments_;
  std::size_t next_ = 0;  // of the fields without a name
  std::string out_;
};

}  // namespace

Result<std::string> FormatPercent(Budget& budget, std::string_view pattern, const Value& values) {
  return PercentFormatter(budget, pattern, values).Run();
}

Result<std::string> FormatBraces(Budget& budget, std::string_view pattern,
                                 const Arguments& arguments) {
  return BraceFormatter(budget, pattern, arguments).Run();
}

}  // namespace glint::text::jinja
