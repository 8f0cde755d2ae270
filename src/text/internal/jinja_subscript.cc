// SPDX-License-Identifier: Apache-2.0
#include "text/internal/jinja_subscript.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/format.h"
#include "text/internal/jinja_arithmetic.h"
#include "text/internal/jinja_loop_state.h"
#include "text/internal/jinja_methods.h"
#include "text/internal/jinja_python_text.h"

namespace glint::text::jinja {
namespace {

// Python's attribute of the object, or Missing. Sandboxed ones are Undefined.
Result<Value> PythonAttribute(Budget& budget, const Value& object, std::string_view name) {
  if (const Namespace* names = object.name_space()) {
    const Value* found = names->Find(name);
    return found == nullptr ? Value() : *found;
  }
  if (LoopState* loop = object.loop()) return loop->Attribute(budget, name);
  const FoundMethod found = FindMethod(object, name);
  if (!found.exists) return Value();
  if (found.unsafe) return Value(Undefined{name, object.TypeName()});
  return Value(std::make_shared<const BoundMethod>(BoundMethod{object, found.operation}));
}

std::optional<std::size_t> Place(std::int64_t index, std::int64_t length) {
  if (index < 0) index += length;
  if (index < 0 || index >= length) return std::nullopt;
  return static_cast<std::size_t>(index);
}

// The item, or Missing.
Value PythonItem(Budget& budget, const Value& object, const Value& index) {
  if (const Dict* dict = object.dict()) {
    const Value* found = IsHashable(index) ? dict->Find(index) : nullptr;
    return found == nullptr ? Value() : *found;
  }
  const auto number = index.AsInteger();
  if (!number) return {};
  if (const Text* text = object.text()) {
    budget.SpendBytes(text->text.size());
    const auto place = Place(*number, CountCodePoints(text->text));
    if (!place) return {};
    const std::size_t at = BytePosition(text->text, static_cast<std::int64_t>(*place));
    const std::string_view rest = std::string_view(text->text).substr(at);
    return MakeString(&budget, std::string(rest.substr(0, BytePosition(rest, 1))), text->markup);
  }
  const Sequence* sequence = object.sequence();
  if (sequence == nullptr || sequence->flavor > Flavor::kRange) return {};
  const auto place = Place(*number, static_cast<std::int64_t>(sequence->items.size()));
  return place ? sequence->items[*place] : Value();
}

struct SliceBounds {
  std::int64_t start = 0;
  std::int64_t step = 1;
  std::int64_t count = 0;
};

Result<std::optional<std::int64_t>> SliceBound(const Value& bound) {
  if (bound.is_missing() || bound.is_none()) return std::optional<std::int64_t>();
  if (const std::optional<std::int64_t> value = bound.AsInteger()) return value;
  if (const BigInteger* big = bound.big_integer()) {
    constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
    return std::optional<std::int64_t>(big->digits->text.starts_with('-') ? -kFar : kFar);
  }
  return InvalidArgument("slice indices must be integers or None");
}

// As slice.indices() of Python.
Result<SliceBounds> ResolveSlice(const Value& start, const Value& stop, const Value& step,
                                 std::int64_t length) {
  GLINT_ASSIGN(const auto given_start, SliceBound(start));
  GLINT_ASSIGN(const auto given_stop, SliceBound(stop));
  GLINT_ASSIGN(const auto given_step, SliceBound(step));
  SliceBounds bounds;
  // A step longer than the text reaches one item, whatever its length.
  bounds.step = std::clamp(given_step.value_or(1), -length - 1, length + 1);
  if (given_step.value_or(1) == 0) return InvalidArgument("slice step cannot be zero");
  const bool backwards = bounds.step < 0;
  const std::int64_t lowest = backwards ? -1 : 0;
  const std::int64_t highest = backwards ? length - 1 : length;
  const auto place = [&](std::optional<std::int64_t> given, std::int64_t otherwise) {
    if (!given) return otherwise;
    return *given < 0 ? std::max(*given + length, lowest) : std::min(*given, highest);
  };
  bounds.start = place(given_start, backwards ? highest : lowest);
  const std::int64_t end = place(given_stop, backwards ? lowest : highest);
  if (!backwards && bounds.start < end) bounds.count = (end - bounds.start - 1) / bounds.step + 1;
  if (backwards && bounds.start > end) bounds.count = (bounds.start - end - 1) / -bounds.step + 1;
  return bounds;
}

std::string SliceText(const std::string& text, const SliceBounds& bounds) {
  if (bounds.step == 1) {
    const std::size_t begin = BytePosition(text, bounds.start);
    const std::string_view rest = std::string_view(text).substr(begin);
    return std::string(rest.substr(0, BytePosition(rest, bounds.count)));
  }
  const std::vector<std::string_view> codes = CodePoints(text);
  std::string out;
  for (std::int64_t i = 0; i < bounds.count; ++i) {
    out += codes[static_cast<std::size_t>(bounds.start + i * bounds.step)];
  }
  return out;
}

}  // namespace

Result<Value> GetAttribute(Budget& budget, const Value& object, std::string_view name) {
  if (object.undefined() != nullptr) return UndefinedError(*object.undefined());
  GLINT_ASSIGN(Value attribute, PythonAttribute(budget, object, name));
  if (!attribute.is_missing()) return attribute;
  if (const Dict* dict = object.dict()) {
    if (const Value* found = dict->Find(name)) return *found;
  }
  return Value(Undefined{name, object.TypeName()});
}

Result<Value> GetItem(Budget& budget, const Value& object, const Value& index) {
  if (object.undefined() != nullptr) return UndefinedError(*object.undefined());
  Value item = PythonItem(budget, object, index);
  if (!item.is_missing()) return item;
  if (const std::string* name = index.string()) {
    GLINT_ASSIGN(item, PythonAttribute(budget, object, *name));
    if (!item.is_missing() && item.undefined() == nullptr) return item;
  }
  return Value(Undefined{"", nullptr});
}

Result<Value> GetSlice(Budget& budget, const Value& object, const Value& start, const Value& stop,
                       const Value& step) {
  if (object.undefined() != nullptr) return UndefinedError(*object.undefined());
  if (const Text* text = object.text()) {
    budget.SpendBytes(text->text.size());
    GLINT_ASSIGN(const SliceBounds bounds,
                 ResolveSlice(start, stop, step, CountCodePoints(text->text)));
    return MakeString(&budget, SliceText(text->text, bounds), text->markup);
  }
  const Sequence* sequence = object.sequence();
  if (sequence == nullptr || sequence->flavor > Flavor::kRange) {
    return InvalidArgument(format("'{}' object cannot be sliced", object.TypeName()));
  }
  GLINT_ASSIGN(const SliceBounds bounds,
               ResolveSlice(start, stop, step, static_cast<std::int64_t>(sequence->items.size())));
  std::vector<Value> items;
  items.reserve(static_cast<std::size_t>(bounds.count));
  for (std::int64_t i = 0; i < bounds.count; ++i) {
    items.push_back(sequence->items[static_cast<std::size_t>(bounds.start + i * bounds.step)]);
  }
  const Flavor flavor = sequence->flavor == Flavor::kTuple ? Flavor::kTuple : Flavor::kList;
  return MakeSequence(&budget, flavor, std::move(items));
}

}  // namespace glint::text::jinja
