// SPDX-License-Identifier: Apache-2.0
// Methods of str that look for a part of it: find, count, startswith, replace and their kin.
#include <algorithm>
#include <array>
#include <optional>

#include "base/format.h"
#include "text/internal/jinja_methods.h"
#include "text/internal/jinja_python_text.h"
#include "text/internal/jinja_replace_text.h"

namespace glint::text::jinja {
namespace {

const std::string& Self(const Call& call) { return *call.input.string(); }

// The part of the text between the code points `start` and `stop` of a call, which are its
// parameters 1 and 2. Nothing when start is behind the end: then even "" is not found.
struct Part {
  std::string_view text;
  std::int64_t start = 0;  // code points before it
};

Result<std::int64_t> Bound(const Call& call, std::size_t index, std::int64_t fallback) {
  if (!call.Has(index) || call.bound[index].is_none()) return fallback;
  return call.Integer(index, fallback);
}

Result<std::optional<Part>> PartOf(const Call& call) {
  const std::string_view text = Self(call);
  call.budget.SpendBytes(text.size());
  if (!call.Has(1) && !call.Has(2)) return std::optional<Part>(Part{text, 0});
  const std::int64_t length = CountCodePoints(text);
  GLINT_ASSIGN(std::int64_t start, Bound(call, 1, 0));
  GLINT_ASSIGN(std::int64_t stop, Bound(call, 2, length));
  if (start < 0) start = std::max<std::int64_t>(start + length, 0);
  if (stop < 0) stop = std::max<std::int64_t>(stop + length, 0);
  stop = std::min(stop, length);
  if (start > stop) return std::optional<Part>();
  const std::size_t begin = BytePosition(text, start);
  const std::size_t size = BytePosition(text.substr(begin), stop - start);
  return std::optional<Part>(Part{text.substr(begin, size), start});
}

// Code point where parameter 0 is found, or -1.
Result<std::int64_t> Find(const Call& call, bool from_right) {
  GLINT_ASSIGN(const std::string_view wanted, call.String(0, ""));
  GLINT_ASSIGN(const std::optional<Part> part, PartOf(call));
  if (!part) return std::int64_t{-1};
  const std::size_t at = from_right ? part->text.rfind(wanted) : part->text.find(wanted);
  if (at == std::string_view::npos) return std::int64_t{-1};
  return part->start + CountCodePoints(part->text.substr(0, at));
}

template <bool kFromRight, bool kMustBeThere>
Result<Value> FindMethodOf(Call& call) {
  GLINT_ASSIGN(const std::int64_t at, Find(call, kFromRight));
  if (kMustBeThere && at < 0) return InvalidArgument("substring not found");
  return Value(at);
}

Result<Value> CountMethod(Call& call) {
  GLINT_ASSIGN(const std::string_view wanted, call.String(0, ""));
  GLINT_ASSIGN(const std::optional<Part> part, PartOf(call));
  if (!part) return Value(std::int64_t{0});
  return Value(CountParts(part->text, wanted));
}

template <bool kAtEnd>
Result<Value> Affix(Call& call) {
  GLINT_ASSIGN(const std::optional<Part> part, PartOf(call));
  const auto matches = [&](const Value& wanted) -> Result<bool> {
    const std::string* text = wanted.string();
    if (text == nullptr) {
      return InvalidArgument(format("{} first arg must be str or a tuple of str, not {}",
                                    kAtEnd ? "endswith" : "startswith", wanted.TypeName()));
    }
    if (!part) return false;
    return kAtEnd ? part->text.ends_with(*text) : part->text.starts_with(*text);
  };
  if (!call.bound[0].IsFlavor(Flavor::kTuple)) {
    GLINT_ASSIGN(const bool found, matches(call.bound[0]));
    return Value(found);
  }
  for (const Value& wanted : call.bound[0].sequence()->items) {
    GLINT_ASSIGN(const bool found, matches(wanted));
    if (found) return Value(true);
  }
  return Value(false);
}

template <bool kAtEnd>
Result<Value> WithoutAffix(Call& call) {
  GLINT_ASSIGN(const std::string_view affix, call.String(0, ""));
  std::string_view text = Self(call);
  if (!kAtEnd && text.starts_with(affix)) text.remove_prefix(affix.size());
  if (kAtEnd && text.ends_with(affix)) text.remove_suffix(affix.size());
  return MakeString(&call.budget, std::string(text));
}

Result<Value> ReplaceMethod(Call& call) {
  GLINT_ASSIGN(const std::string_view old_part, call.String(0, ""));
  GLINT_ASSIGN(const std::string_view new_part, call.String(1, ""));
  GLINT_ASSIGN(const std::int64_t most, call.Integer(2, -1));
  return MakeString(&call.budget, ReplaceParts(call.budget, Self(call), old_part, new_part, most));
}

constexpr std::array<Operation, 10> kMethods = {{
    {"find", "/ sub! start end", FindMethodOf<false, false>},
    {"rfind", "/ sub! start end", FindMethodOf<true, false>},
    {"index", "/ sub! start end", FindMethodOf<false, true>},
    {"rindex", "/ sub! start end", FindMethodOf<true, true>},
    {"count", "/ sub! start end", CountMethod},
    {"startswith", "/ prefix! start end", Affix<false>},
    {"endswith", "/ suffix! start end", Affix<true>},
    {"removeprefix", "/ prefix!", WithoutAffix<false>},
    {"removesuffix", "/ suffix!", WithoutAffix<true>},
    {"replace", "/ old! new! count", ReplaceMethod},
}};

}  // namespace

std::span<const Operation> StringSearchMethods() { return kMethods; }

}  // namespace glint::text::jinja
