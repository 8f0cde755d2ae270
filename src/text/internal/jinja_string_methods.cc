// SPDX-License-Identifier: Apache-2.0
// Methods of str that change case or ends, split, join and fill.
#include <algorithm>
#include <array>

#include "base/format.h"
#include "text/internal/jinja_compare.h"
#include "text/internal/jinja_format_text.h"
#include "text/internal/jinja_methods.h"
#include "text/internal/jinja_python_text.h"

namespace glint::text::jinja {
namespace {

const std::string& Self(const Call& call) { return *call.input.string(); }

Result<Value> Made(const Call& call, std::string text) {
  return MakeString(&call.budget, std::move(text));
}

template <std::string (*kChange)(std::string_view)>
Result<Value> Changed(Call& call) {
  call.budget.SpendBytes(Self(call).size() * 8);
  return Made(call, kChange(Self(call)));
}

template <TextClass kClass>
Result<Value> Is(Call& call) {
  call.budget.SpendBytes(Self(call).size() * 8);
  return Value(IsOfClass(Self(call), kClass));
}

template <Side kSide>
Result<Value> Stripped(Call& call) {
  if (!call.Has(0) || call.bound[0].is_none()) {
    return Made(call, std::string(Strip(Self(call), kSide)));
  }
  GLINT_ASSIGN(const std::string_view set, call.String(0, ""));
  call.budget.SpendBytes(Self(call).size() * (set.size() / 8 + 1));
  return Made(call, std::string(StripSet(Self(call), set, kSide)));
}

Result<Value> Strings(const Call& call, const std::vector<std::string_view>& pieces) {
  std::vector<Value> items;
  items.reserve(pieces.size());
  for (const std::string_view piece : pieces) {
    items.push_back(MakeString(&call.budget, std::string(piece)));
  }
  call.budget.Spend(static_cast<std::int64_t>(pieces.size()));
  return MakeList(&call.budget, std::move(items));
}

std::vector<std::string_view> SplitAt(std::string_view text, std::string_view separator,
                                      std::int64_t most) {
  std::vector<std::string_view> pieces;
  while (most < 0 || static_cast<std::int64_t>(pieces.size()) < most) {
    const std::size_t at = text.find(separator);
    if (at == std::string_view::npos) break;
    pieces.push_back(text.substr(0, at));
    text.remove_prefix(at + separator.size());
  }
  pieces.push_back(text);
  return pieces;
}

std::vector<std::string_view> SplitAtFromRight(std::string_view text, std::string_view separator,
                                               std::int64_t most) {
  std::vector<std::string_view> pieces;
  while (most < 0 || static_cast<std::int64_t>(pieces.size()) < most) {
    const std::size_t at = text.rfind(separator);
    if (at == std::string_view::npos) break;
    pieces.push_back(text.substr(at + separator.size()));
    text = text.substr(0, at);
  }
  pieces.push_back(text);
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

// SplitSpace from the right: the first piece is what is left over.
std::vector<std::string_view> SplitSpaceFromRight(std::string_view text, std::int64_t most) {
  std::vector<std::string_view> pieces = SplitSpace(text, -1);
  if (most < 0 || static_cast<std::int64_t>(pieces.size()) <= most) return pieces;
  const auto rest = static_cast<std::ptrdiff_t>(pieces.size()) - most;
  const std::string_view& last = pieces[static_cast<std::size_t>(rest) - 1];
  const auto length = static_cast<std::size_t>(last.data() + last.size() - text.data());
  std::vector<std::string_view> out = {text.substr(0, length)};
  out.insert(out.end(), pieces.begin() + rest, pieces.end());
  return out;
}

template <bool kFromRight>
Result<Value> Split(Call& call) {
  GLINT_ASSIGN(const std::int64_t most, call.Integer(1, -1));
  const std::string_view text = Self(call);
  if (!call.Has(0) || call.bound[0].is_none()) {
    return Strings(call, kFromRight ? SplitSpaceFromRight(text, most) : SplitSpace(text, most));
  }
  GLINT_ASSIGN(const std::string_view separator, call.String(0, ""));
  if (separator.empty()) return InvalidArgument("empty separator");
  return Strings(
      call, kFromRight ? SplitAtFromRight(text, separator, most) : SplitAt(text, separator, most));
}

template <bool kFromRight>
Result<Value> Partition(Call& call) {
  GLINT_ASSIGN(const std::string_view separator, call.String(0, ""));
  if (separator.empty()) return InvalidArgument("empty separator");
  const std::string_view text = Self(call);
  const std::size_t at = kFromRight ? text.rfind(separator) : text.find(separator);
  std::array<std::string_view, 3> parts = {text, "", ""};
  if (at != std::string_view::npos) {
    parts = {text.substr(0, at), separator, text.substr(at + separator.size())};
  } else if (kFromRight) {
    std::swap(parts[0], parts[2]);
  }
  std::vector<Value> items;
  items.reserve(parts.size());
  for (const std::string_view part : parts) {
    items.push_back(MakeString(&call.budget, std::string(part)));
  }
  return MakeSequence(&call.budget, Flavor::kTuple, std::move(items));
}

Result<Value> SplitLinesMethod(Call& call) {
  return Strings(call, SplitLines(Self(call), call.Flag(0, false)));
}

Result<Value> Join(Call& call) {
  GLINT_ASSIGN(const std::vector<Value> items, Items(call.budget, call.bound[0]));
  std::string out;
  for (std::size_t i = 0; i < items.size() && call.budget.ok(); ++i) {
    const std::string* text = items[i].string();
    if (text == nullptr) {
      return InvalidArgument(
          format("sequence item {}: expected str instance, {} found", i, items[i].TypeName()));
    }
    if (i > 0) out += Self(call);
    out += *text;
    call.budget.HasRoom(static_cast<std::int64_t>(out.size()));
  }
  return Made(call, std::move(out));
}

enum class Fill : std::uint8_t { kLeft, kRight, kCenter };

// The text within `width` code points; Fill names the side where the text is.
Result<Value> Filled(Call& call, Fill place) {
  GLINT_ASSIGN(const std::int64_t width, call.Integer(0, 0));
  GLINT_ASSIGN(const std::string_view filling, call.String(1, " "));
  if (CountCodePoints(filling) != 1) {
    return InvalidArgument("the fill character must be exactly one character long");
  }
  const std::int64_t length = CountCodePoints(Self(call));
  const std::int64_t missing = width - length;
  if (missing <= 0 || !call.budget.HasRoom(width, static_cast<std::int64_t>(filling.size()))) {
    return call.input;
  }
  // CPython's rule for an odd rest.
  const std::int64_t left = place == Fill::kLeft    ? 0
                            : place == Fill::kRight ? missing
                                                    : missing / 2 + (missing & width & 1);
  std::string out;
  for (std::int64_t i = 0; i < left; ++i) out += filling;
  out += Self(call);
  for (std::int64_t i = left; i < missing; ++i) out += filling;
  return Made(call, std::move(out));
}

Result<Value> ZeroFilled(Call& call) {
  GLINT_ASSIGN(const std::int64_t width, call.Integer(0, 0));
  const std::string& text = Self(call);
  const std::int64_t missing = width - CountCodePoints(text);
  if (missing <= 0 || !call.budget.HasRoom(width)) return call.input;
  const std::size_t sign = text.starts_with('+') || text.starts_with('-') ? 1 : 0;
  return Made(call, text.substr(0, sign) + std::string(static_cast<std::size_t>(missing), '0') +
                        text.substr(sign));
}

Result<Value> Formatted(Call& call) {
  GLINT_ASSIGN(std::string text, FormatBraces(call.budget, Self(call), call.arguments));
  return Made(call, std::move(text));
}

constexpr std::array<Operation, 26> kMethods = {{
    {"upper", "/ ", Changed<Upper>},
    {"lower", "/ ", Changed<Lower>},
    {"title", "/ ", Changed<Title>},
    {"capitalize", "/ ", Changed<Capitalize>},
    {"strip", "/ chars", Stripped<Side::kBoth>},
    {"lstrip", "/ chars", Stripped<Side::kLeft>},
    {"rstrip", "/ chars", Stripped<Side::kRight>},
    {"split", "sep maxsplit", Split<false>},
    {"rsplit", "sep maxsplit", Split<true>},
    {"splitlines", "keepends", SplitLinesMethod},
    {"partition", "/ sep!", Partition<false>},
    {"rpartition", "/ sep!", Partition<true>},
    {"join", "/ iterable!", Join},
    {"ljust", "/ width! fillchar", [](Call& call) { return Filled(call, Fill::kLeft); }},
    {"rjust", "/ width! fillchar", [](Call& call) { return Filled(call, Fill::kRight); }},
    {"center", "/ width! fillchar", [](Call& call) { return Filled(call, Fill::kCenter); }},
    {"zfill", "/ width!", ZeroFilled},
    {"format", "*", Formatted},
    {"isalpha", "/ ", Is<TextClass::kAlpha>},
    {"isalnum", "/ ", Is<TextClass::kAlnum>},
    {"isdecimal", "/ ", Is<TextClass::kDecimal>},
    {"isdigit", "/ ", Is<TextClass::kDigit>},
    {"isnumeric", "/ ", Is<TextClass::kNumeric>},
    {"isspace", "/ ", Is<TextClass::kSpace>},
    {"islower", "/ ", Is<TextClass::kLower>},
    {"isupper", "/ ", Is<TextClass::kUpper>},
}};

}  // namespace

std::span<const Operation> StringMethods() { return kMethods; }

}  // namespace glint::text::jinja
