// SPDX-License-Identifier: Apache-2.0
#include "text/internal/jinja_lexer.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "text/internal/jinja_python_text.h"
#include "text/internal/jinja_string_literal.h"

namespace glint::text::jinja {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameByte(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// \r\n and \r become \n, and one newline at the end goes.
std::string NormalizeNewlines(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] != '\r') {
      out += source[i];
      continue;
    }
    out += '\n';
    if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
  }
  if (out.ends_with('\n')) out.pop_back();
  return out;
}

class Lexer {
 public:
  explicit Lexer(std::string source) : source_(std::move(source)) {}

  Result<std::vector<Token>> Run() {
    while (at_ < source_.size()) {
      const std::size_t open = FindOpen(at_);
      if (open == std::string::npos) {
        AddData(Rest().size(), source_.size());
        break;
      }
      GLINT_TRY(ReadTag(open));
    }
    Add(TokenKind::kEnd, "");
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] std::string_view Rest() const { return std::string_view(source_).substr(at_); }
  [[nodiscard]] bool Follows(std::size_t position, std::string_view text) const {
    return position <= source_.size() &&
           std::string_view(source_).substr(position).starts_with(text);
  }

  // The next {{, {% or {#.
  [[nodiscard]] std::size_t FindOpen(std::size_t from) const {
    for (std::size_t at = source_.find('{', from); at != std::string::npos;
         at = source_.find('{', at + 1)) {
      if (Follows(at, "{{") || Follows(at, "{%") || Follows(at, "{#")) return at;
    }
    return std::string::npos;
  }

  void Add(TokenKind kind, std::string_view text) {
    tokens_.push_back({kind, std::string(text), line_});
  }

  // Moves past `end`, counting lines.
  void MoveTo(std::size_t end) {
    const std::string_view passed = std::string_view(source_).substr(at_, end - at_);
    line_ += static_cast<int>(std::count(passed.begin(), passed.end(), '\n'));
    line_start_ = passed.empty() ? line_start_ : passed.back() == '\n';
    at_ = end;
  }

  // The next `length` bytes are text; then goes to `end`.
  void AddData(std::size_t length, std::size_t end) {
    if (length > 0) Add(TokenKind::kData, Rest().substr(0, length));
    MoveTo(end);
  }

  // How much of the text before a tag stays. `sign` is the character after the delimiter.
  [[nodiscard]] std::size_t KeptBefore(std::size_t open, char sign, bool is_variable) const {
    const std::string_view text = std::string_view(source_).substr(at_, open - at_);
    if (sign == '-') return Strip(text, Side::kRight).size();
    if (sign == '+' || is_variable) return text.size();
    const std::size_t newline = text.rfind('\n');
    if (newline == std::string_view::npos && !line_start_) return text.size();
    const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
    return Strip(text.substr(start)).empty() ? start : text.size();
  }

  Status ReadTag(std::size_t open) {
    const char type = source_[open + 1];
    const char next = open + 2 < source_.size() ? source_[open + 2] : '\0';
    const char sign = next == '-' || next == '+' ? next : '\0';
    const std::size_t body = open + 2 + (sign == '\0' ? 0 : 1);
    const std::size_t raw_end = type == '%' ? RawBeginEnd(body) : 0;
    AddData(KeptBefore(open, sign, type == '{'), open);
    if (raw_end != 0) {
      MoveTo(raw_end);
      return ReadRaw();
    }
    if (type == '#') {
      MoveTo(body);
      return ReadComment();
    }
    Add(type == '{' ? TokenKind::kVariableBegin : TokenKind::kBlockBegin, "");
    MoveTo(body);
    return ReadCode(type == '{');
  }

  [[nodiscard]] std::size_t SkipSpace(std::size_t at) const {
    const std::string_view rest = std::string_view(source_).substr(at);
    return source_.size() - Strip(rest, Side::kLeft).size();
  }

  // Where {% raw %} ends when the tag whose inside starts at `body` is one, else 0.
  [[nodiscard]] std::size_t RawBeginEnd(std::size_t body) const {
    std::size_t at = SkipSpace(body);
    if (!Follows(at, "raw")) return 0;
    at = SkipSpace(at + 3);
    if (Follows(at, "%}")) return at + 2;
    return Follows(at, "-%}") ? SkipSpace(at + 3) : 0;
  }

  // Where a closing delimiter at `at` ends: with - also the white space after it, without a sign
  // also a newline. 0 when there is none at `at`.
  [[nodiscard]] std::size_t CloseEnd(std::size_t at, std::string_view close) const {
    if (Follows(at, close)) {
      at += close.size();
      return at + (Follows(at, "\n") ? 1 : 0);
    }
    if (!Follows(at + 1, close)) return 0;
    if (source_[at] == '+') return at + 1 + close.size();
    return source_[at] == '-' ? SkipSpace(at + 1 + close.size()) : 0;
  }

  Status ReadComment() {
    for (std::size_t at = at_; at < source_.size(); ++at) {
      if (const std::size_t end = CloseEnd(at, "#}"); end != 0) {
        MoveTo(end);
        return Ok();
      }
    }
    return TemplateError(line_, "missing end of comment tag");
  }

  Status ReadRaw() {
    for (std::size_t open = source_.find("{%", at_); open != std::string::npos;
         open = source_.find("{%", open + 1)) {
      const char next = open + 2 < source_.size() ? source_[open + 2] : '\0';
      const char sign = next == '-' || next == '+' ? next : '\0';
      const std::size_t name = SkipSpace(open + 2 + (sign == '\0' ? 0 : 1));
      if (!Follows(name, "endraw")) continue;
      const std::size_t end = CloseEnd(SkipSpace(name + 6), "%}");
      if (end == 0) continue;
      AddData(KeptBefore(open, sign, false), end);
      return Ok();
    }
    return TemplateError(line_, "missing end of raw directive");
  }

  Status ReadCode(bool is_variable) {
    brackets_.clear();
    while (at_ < source_.size()) {
      if (brackets_.empty() && ReadClose(is_variable)) return Ok();
      GLINT_TRY(ReadToken());
    }
    return Ok();  // the parser sees the end of the template
  }

  bool ReadClose(bool is_variable) {
    std::size_t end = 0;
    if (!is_variable) {
      end = CloseEnd(at_, "%}");
    } else if (Follows(at_, "}}")) {
      end = at_ + 2;
    } else if (Follows(at_, "-}}")) {
      end = SkipSpace(at_ + 3);
    }
    if (end == 0) return false;
    Add(is_variable ? TokenKind::kVariableEnd : TokenKind::kBlockEnd, is_variable ? "}}" : "%}");
    MoveTo(end);
    return true;
  }

  Status ReadToken() {
    const std::size_t space = SkipSpace(at_);
    if (space != at_) {
      MoveTo(space);
      return Ok();
    }
    const char c = source_[at_];
    if (IsDigit(c)) return ReadNumber();
    if (IsNameByte(c)) {
      std::size_t end = at_;
      while (end < source_.size() && IsNameByte(source_[end])) ++end;
      Add(TokenKind::kName, std::string_view(source_).substr(at_, end - at_));
      MoveTo(end);
      return Ok();
    }
    if (c == '"' || c == '\'') return ReadString(c);
    return ReadOperator();
  }

  // Digits of one base, where single underscores may stand between two.
  [[nodiscard]] std::size_t DigitsEnd(std::size_t at, std::string_view digits) const {
    const auto is_digit = [&](std::size_t place) {
      return place < source_.size() && digits.find(source_[place]) != std::string_view::npos;
    };
    while (is_digit(at) || (at < source_.size() && source_[at] == '_' && is_digit(at + 1))) ++at;
    return at;
  }

  Status ReadNumber() {
    constexpr std::string_view kDecimal = "0123456789";
    std::size_t end = DigitsEnd(at_, kDecimal);
    const std::size_t whole_end = end;
    const bool after_dot = at_ > 0 && source_[at_ - 1] == '.';
    if (!after_dot && Follows(end, ".") && DigitsEnd(end + 1, kDecimal) > end + 1 &&
        source_[end + 1] != '_') {
      end = DigitsEnd(end + 1, kDecimal);
    }
    if (!after_dot && (Follows(end, "e") || Follows(end, "E"))) {
      const std::size_t sign = end + 1;
      const std::size_t digits = sign + (Follows(sign, "+") || Follows(sign, "-") ? 1 : 0);
      if (DigitsEnd(digits, kDecimal) > digits && source_[digits] != '_') {
        end = DigitsEnd(digits, kDecimal);
      }
    }
    if (end > whole_end) {
      AddNumber(TokenKind::kReal, end);
      return Ok();
    }
    return ReadInteger();
  }

  Status ReadInteger() {
    struct Base {
      std::string_view prefix;
      std::string_view digits;
    };
    constexpr std::array<Base, 3> kBases = {
        {{"xX", "0123456789abcdefABCDEF"}, {"oO", "01234567"}, {"bB", "01"}}};
    for (const Base& base : kBases) {
      if (source_[at_] != '0' || at_ + 1 >= source_.size() ||
          base.prefix.find(source_[at_ + 1]) == std::string_view::npos) {
        continue;
      }
      const std::size_t end = DigitsEnd(at_ + 2, base.digits);
      if (end > at_ + 2) {
        AddNumber(TokenKind::kInteger, end);
        return Ok();
      }
    }
    AddNumber(TokenKind::kInteger,
              DigitsEnd(at_, source_[at_] == '0' ? std::string_view("0") : "0123456789"));
    return Ok();
  }

  void AddNumber(TokenKind kind, std::size_t end) {
    std::string text = source_.substr(at_, end - at_);
    std::erase(text, '_');
    Add(kind, text);
    MoveTo(end);
  }

  Status ReadString(char quote) {
    std::size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != quote) end += source_[end] == '\\' ? 2 : 1;
    if (end >= source_.size()) {
      return TemplateError(line_, "a string has no end");
    }
    const auto text = ResolveEscapes(std::string_view(source_).substr(at_ + 1, end - at_ - 1));
    if (!text.ok()) return TemplateError(line_, text.error().message);
    Add(TokenKind::kString, text.value());
    MoveTo(end + 1);
    return Ok();
  }

  Status ReadOperator() {
    constexpr std::array<std::string_view, 26> kOperators = {
        "**", "//", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[",
        "]",  "(",  ")",  "{",  "}",  ">",  "<", "=", ".", ":", "|", ",", ";"};
    for (const std::string_view sign : kOperators) {
      if (!Follows(at_, sign)) continue;
      GLINT_TRY(Balance(sign[0]));
      Add(TokenKind::kOperator, sign);
      MoveTo(at_ + sign.size());
      return Ok();
    }
    return TemplateError(
        line_, format("unexpected character {}", Quoted(CodePoints(Rest().substr(0, 4)).front())));
  }

  // Inside brackets }} and %} are not the end of the tag.
  Status Balance(char sign) {
    if (sign == '(' || sign == '[' || sign == '{') {
      brackets_ += sign == '(' ? ')' : sign == '[' ? ']' : '}';
    } else if (sign == ')' || sign == ']' || sign == '}') {
      if (brackets_.empty() || brackets_.back() != sign) {
        return TemplateError(line_, format("unexpected '{}'", sign));
      }
      brackets_.pop_back();
    }
    return Ok();
  }

  const std::string source_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_start_ = true;  // what was passed last ends a line
  std::string brackets_;    // that close the open ones, innermost last
  std::vector<Token> tokens_;
};

}  // namespace

std::string Describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::kEnd:
      return "end of template";
    case TokenKind::kData:
      return "text";
    case TokenKind::kVariableBegin:
      return "'{{'";
    case TokenKind::kBlockBegin:
      return "'{%'";
    case TokenKind::kName:
      return format("name '{}'", token.text);
    case TokenKind::kString:
      return format("string {}", Quoted(token.text));
    default:
      return format("'{}'", token.text);
  }
}

Error TemplateError(int line, std::string_view message) {
  return InvalidArgument(format("line {}: {}", line, message));
}

Result<std::vector<Token>> Tokenize(std::string_view source) {
  return Lexer(NormalizeNewlines(source)).Run();
}

}  // namespace glint::text::jinja
