// SPDX-License-Identifier: Apache-2.0
// Filters whose input is a text, or made one.
#include <algorithm>
#include <array>

#include "base/format.h"
#include "text/internal/jinja_arithmetic.h"
#include "text/internal/jinja_filters.h"
#include "text/internal/jinja_format_text.h"
#include "text/internal/jinja_print.h"
#include "text/internal/jinja_python_text.h"
#include "text/internal/jinja_replace_text.h"

namespace glint::text::jinja {
namespace {

bool IsMarkup(const Value& value) { return value.text() != nullptr && value.text()->markup; }

// Text made of text keeps being markup.
Value Made(const Call& call, std::string text) {
  return MakeString(&call.budget, std::move(text), IsMarkup(call.input));
}

template <std::string (*kChange)(std::string_view)>
Result<Value> Changed(Call& call) {
  GLINT_ASSIGN(const std::string text, Str(call.budget, call.input));
  call.budget.SpendBytes(text.size() * 8);
  return Made(call, kChange(text));
}

// The filter `title`: words start after white space and after any of -({[<.
std::string TitleWords(std::string_view text) {
  const auto starts_word = [](char32_t code) {
    return IsSpace(code) || std::u32string_view(U"-({[<").find(code) != std::u32string_view::npos;
  };
  const std::u32string codes = Decode(text);
  std::string out;
  std::size_t at = 0;
  while (at < codes.size()) {
    std::size_t end = at;
    while (end < codes.size() && starts_word(codes[end]) == starts_word(codes[at])) ++end;
    const std::u32string_view run = std::u32string_view(codes).substr(at, end - at);
    out += Upper(Encode(run.substr(0, 1)));
    out += Lower(Encode(run.substr(1)));
    at = end;
  }
  return out;
}

Result<Value> Trim(Call& call) {
  GLINT_ASSIGN(const std::string text, Str(call.budget, call.input));
  if (!call.Has(0) || call.bound[0].is_none()) return Made(call, std::string(Strip(text)));
  GLINT_ASSIGN(const std::string_view set, call.String(0, ""));
  call.budget.SpendBytes(text.size() * (set.size() / 8 + 1));
  return Made(call, std::string(StripSet(text, set)));
}

Result<Value> Replace(Call& call) {
  GLINT_ASSIGN(const std::string text, Str(call.budget, call.input));
  GLINT_ASSIGN(const std::string old_part, Str(call.budget, call.bound[0]));
  GLINT_ASSIGN(const std::string new_part, Str(call.budget, call.bound[1]));
  std::int64_t most = -1;
  if (call.Has(2) && !call.bound[2].is_none()) {
    GLINT_ASSIGN(most, call.Integer(2, -1));
  }
  return MakeString(&call.budget, ReplaceParts(call.budget, text, old_part, new_part, most));
}

Result<Value> Indent(Call& call) {
  if (call.input.string() == nullptr) {
    return InvalidArgument(format("indent needs a string, not '{}'", call.input.TypeName()));
  }
  std::string indention;
  if (call.Has(0) && call.bound[0].string() != nullptr) {
    indention = *call.bound[0].string();
  } else {
    GLINT_ASSIGN(const std::int64_t width, call.Integer(0, 4));
    if (call.budget.HasRoom(width)) {
      indention.assign(static_cast<std::size_t>(std::max<std::int64_t>(width, 0)), ' ');
    }
  }
  const bool first = call.Flag(1, false);
  const bool blank = call.Flag(2, false);
  const std::string text = *call.input.string() + "\n";  // so that a last line end makes a line
  std::string out = first ? indention : "";
  bool is_first = true;
  for (const std::string_view line : SplitLines(text)) {
    if (!is_first) {
      out += '\n';
      if (blank || !line.empty()) out += indention;
    }
    is_first = false;
    out += line;
    if (!call.budget.HasRoom(static_cast<std::int64_t>(out.size()))) break;
  }
  return Made(call, std::move(out));
}

Result<Value> Center(Call& call) {
  GLINT_ASSIGN(const std::string text, Str(call.budget, call.input));
  GLINT_ASSIGN(const std::int64_t width, call.Integer(0, 80));
  const std::int64_t missing = width - CountCodePoints(text);
  if (missing <= 0 || !call.budget.HasRoom(width)) return Made(call, text);
  const std::int64_t left = missing / 2 + (missing & width & 1);
  return Made(call, std::string(static_cast<std::size_t>(left), ' ') + text +
                        std::string(static_cast<std::size_t>(missing - left), ' '));
}

Result<Value> Truncate(Call& call) {
  if (call.input.string() == nullptr) {
    return InvalidArgument(format("truncate needs a string, not '{}'", call.input.TypeName()));
  }
  GLINT_ASSIGN(const std::int64_t length, call.Integer(0, 255));
  GLINT_ASSIGN(const std::string_view end, call.String(2, "..."));
  std::int64_t leeway = 5;
  if (call.Has(3) && !call.bound[3].is_none()) {
    GLINT_ASSIGN(leeway, call.Integer(3, 5));
  }
  const std::int64_t kept = length - CountCodePoints(end);
  if (kept < 0 || leeway < 0) {
    return InvalidArgument(format("truncate to {} is shorter than its end", length));
  }
  const std::string& text = *call.input.string();
  if (CountCodePoints(text) <= length + leeway) return call.input;
  std::string out = text.substr(0, BytePosition(text, kept));
  if (!call.Flag(1, false)) out.resize(std::min(out.rfind(' '), out.size()));
  out += end;
  return Made(call, std::move(out));
}

Result<Value> WordCount(Call& call) {
  GLINT_ASSIGN(const std::string text, Str(call.budget, call.input));
  std::int64_t words = 0;
  bool within = false;
  for (const std::string_view code : CodePoints(text)) {
    const bool is_word = code == "_" || IsOfClass(code, TextClass::kAlnum);
    if (is_word && !within) ++words;
    within = is_word;
  }
  return Value(words);
}

Result<Value> Escape(Call& call) {
  if (IsMarkup(call.input)) return call.input;
  GLINT_ASSIGN(const std::string text, Str(call.budget, call.input));
  return MakeString(&call.budget, EscapeHtml(text), true);
}

Result<Value> Safe(Call& call) {
  GLINT_ASSIGN(std::string text, Str(call.budget, call.input));
  return MakeString(&call.budget, std::move(text), true);
}

Result<Value> ToString(Call& call) {
  if (call.input.text() != nullptr) return call.input;
  GLINT_ASSIGN(std::string text, Str(call.budget, call.input));
  return MakeString(&call.budget, std::move(text));
}

// value | format(a, b) is value % (a, b); with names, value % {...}.
Result<Value> Format(Call& call) {
  const Arguments& given = call.arguments;
  if (!given.positional.empty() && !given.keywords.empty()) {
    return InvalidArgument("format takes arguments by place or by name, not both");
  }
  Value values;
  if (given.keywords.empty()) {
    GLINT_ASSIGN(values, MakeSequence(&call.budget, Flavor::kTuple, given.positional));
  } else {
    DictBuilder members;
    for (const auto& [name, value] : given.keywords) {
      GLINT_TRY(members.Set(MakeString(&call.budget, std::string(name)), value));
    }
    GLINT_ASSIGN(values, members.Build(&call.budget));
  }
  GLINT_ASSIGN(const std::string pattern, Str(call.budget, call.input));
  GLINT_ASSIGN(std::string text, FormatPercent(call.budget, pattern, values));
  return Made(call, std::move(text));
}

constexpr std::array<Operation, 16> kFilters = {{
    {"upper", "", Changed<Upper>},
    {"lower", "", Changed<Lower>},
    {"capitalize", "", Changed<Capitalize>},
    {"title", "", Changed<TitleWords>},
    {"trim", "chars", Trim},
    {"replace", "old! new! count", Replace},
    {"indent", "width first blank", Indent},
    {"center", "width", Center},
    {"truncate", "length killwords end leeway", Truncate},
    {"wordcount", "", WordCount},
    {"escape", "", Escape},
    {"e", "", Escape},
    {"safe", "", Safe},
    {"string", "", ToString},
    {"format", "*", Format},
    {"forceescape", "",
     [](Call& call) -> Result<Value> {
       GLINT_ASSIGN(const std::string text, Str(call.budget, call.input));
       return MakeString(&call.budget, EscapeHtml(text), true);
     }},
}};

}  // namespace

std::span<const Operation> TextFilters() { return kFilters; }

}  // namespace glint::text::jinja
