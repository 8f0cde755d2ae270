// SPDX-License-Identifier: Apache-2.0
#include "text/internal/jinja_value.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "base/format.h"

namespace glint::text::jinja {
namespace {

constexpr std::size_t kIndexedMembers = 8;  // dicts up to this size are searched in order
constexpr double kInt64Limit = 9223372036854775808.0;  // 2^63

bool FitsInt64(double value) { return value >= -kInt64Limit && value < kInt64Limit; }

std::size_t HashText(std::string_view text) { return std::hash<std::string_view>{}(text); }

// Equal numbers of different types have equal hashes.
std::size_t HashReal(double value) {
  if (!std::isfinite(value) || std::trunc(value) != value) return std::hash<double>{}(value);
  if (FitsInt64(value)) return std::hash<std::int64_t>{}(static_cast<std::int64_t>(value));
  return HashText(format("{:.0f}", value));
}

std::size_t Hash(const Value& value) {
  if (const std::string* text = value.string()) return HashText(*text);
  if (const auto integer = value.AsInteger()) return std::hash<std::int64_t>{}(*integer);
  if (const BigInteger* big = value.big_integer()) return HashText(big->digits->text);
  if (const double* real = value.real()) return HashReal(*real);
  return std::hash<const void*>{}(value.identity());
}

bool EqualNumbers(const Value& a, const Value& b) {
  const auto x = a.AsInteger();
  const auto y = b.AsInteger();
  if (x && y) return *x == *y;
  const double* p = a.real();
  const double* q = b.real();
  if (p != nullptr && q != nullptr) return *p == *q;
  if (p != nullptr && y) {
    return FitsInt64(*p) && std::trunc(*p) == *p && static_cast<std::int64_t>(*p) == *y;
  }
  if (q != nullptr && x) return EqualNumbers(b, a);
  const BigInteger* big = a.big_integer();
  if (big == nullptr) return b.big_integer() != nullptr && EqualNumbers(b, a);
  if (b.big_integer() != nullptr) return big->digits->text == b.big_integer()->digits->text;
  return q != nullptr && std::isfinite(*q) && big->digits->text == format("{:.0f}", *q);
}

bool IsNumber(const Value& value) {
  return value.AsReal().has_value() || value.big_integer() != nullptr;
}

Result<Value> FromJsonNumber(Budget* budget, const std::string& text) {
  if (text.find_first_of(".eE") != std::string::npos) {
    return Value(std::strtod(text.c_str(), nullptr));
  }
  std::int64_t value = 0;
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure == std::errc()) return Value(value);
  return Value(BigInteger{std::make_shared<const Text>(budget, text, false)});
}

Result<Value> FromJsonAt(Budget* budget, const Json& json, int level) {
  if (level > kMaxValueDepth) {
    return InvalidArgument(format("a value is nested deeper than {} levels", kMaxValueDepth));
  }
  if (const bool* boolean = json.boolean()) return Value(*boolean);
  if (const std::string* text = json.string()) return MakeString(budget, *text);
  if (const Json::Number* number = json.number()) return FromJsonNumber(budget, number->text);
  if (const Json::Array* array = json.array()) {
    std::vector<Value> items;
    items.reserve(array->size());
    for (const Json& item : *array) {
      GLINT_ASSIGN(Value value, FromJsonAt(budget, item, level + 1));
      items.push_back(std::move(value));
    }
    return MakeList(budget, std::move(items));
  }
  if (const Json::Object* object = json.object()) {
    DictBuilder members;
    members.Reserve(object->size());
    for (const auto& [key, item] : *object) {
      GLINT_ASSIGN(Value value, FromJsonAt(budget, item, level + 1));
      GLINT_TRY(members.Set(MakeString(budget, key), std::move(value)));
    }
    return members.Build(budget);
  }
  return Value(None{});
}

}  // namespace

Sequence::Sequence(Flavor flavor_in, std::vector<Value> items_in, Budget* budget)
    : flavor(flavor_in),
      items(std::move(items_in)),
      held(budget, sizeof(Sequence) + items.size() * sizeof(Value)) {
  if (budget != nullptr) budget->Spend(static_cast<std::int64_t>(items.size()));
  for (const Value& item : items) depth = std::max(depth, item.depth() + 1);
}

template <typename Same>
std::size_t Dict::Locate(std::size_t hash, const Same& same) const {
  if (table_.empty()) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (same(members_[i].first)) return i;
    }
    return members_.size();
  }
  const std::size_t mask = table_.size() - 1;
  for (std::size_t place = hash & mask; table_[place] != 0; place = (place + 1) & mask) {
    const std::size_t member = table_[place] - 1;
    if (same(members_[member].first)) return member;
  }
  return members_.size();
}

void Dict::Index(std::size_t member) {
  if (members_.size() <= kIndexedMembers) return;
  if (table_.size() < 2 * members_.size()) {
    table_.assign(std::bit_ceil(4 * members_.size()), 0);
    member = 0;  // all again
  }
  const std::size_t mask = table_.size() - 1;
  for (; member < members_.size(); ++member) {
    std::size_t place = Hash(members_[member].first) & mask;
    while (table_[place] != 0) place = (place + 1) & mask;
    table_[place] = static_cast<std::uint32_t>(member + 1);
  }
}

const Value* Dict::Find(const Value& key) const {
  const std::size_t at =
      Locate(Hash(key), [&](const Value& held) { return EqualScalars(held, key); });
  return at == members_.size() ? nullptr : &members_[at].second;
}

const Value* Dict::Find(std::string_view key) const {
  const std::size_t at = Locate(HashText(key), [&](const Value& held) {
    const std::string* text = held.string();
    return text != nullptr && *text == key;
  });
  return at == members_.size() ? nullptr : &members_[at].second;
}

std::optional<std::int64_t> Value::AsInteger() const {
  if (const std::int64_t* value = integer()) return *value;
  if (const bool* value = boolean()) return *value ? 1 : 0;
  return std::nullopt;
}

std::optional<double> Value::AsReal() const {
  if (const double* value = real()) return *value;
  if (const auto value = AsInteger()) return static_cast<double>(*value);
  return std::nullopt;
}

bool Value::IsFlavor(Flavor flavor) const {
  const Sequence* found = sequence();
  return found != nullptr && found->flavor == flavor;
}

int Value::depth() const {
  if (const Sequence* found = sequence()) return found->depth;
  if (const Dict* found = dict()) return found->depth();
  if (const BoundMethod* found = method()) return found->receiver.depth() + 1;
  return 0;
}

const void* Value::identity() const {
  return std::visit(
      [](const auto& held) -> const void* {
        using Alternative = std::decay_t<decltype(held)>;
        if constexpr (std::is_pointer_v<Alternative>) {
          return held;
        } else if constexpr (requires { held.get(); }) {
          return held.get();
        } else {
          return nullptr;
        }
      },
      held_);
}

const char* Value::TypeName() const {
  if (const Sequence* found = sequence()) {
    constexpr const char* kNames[] = {"list",      "tuple",       "range",    "dict_items",
                                      "dict_keys", "dict_values", "generator"};
    return kNames[static_cast<std::size_t>(found->flavor)];
  }
  constexpr const char* kNames[] = {"missing", "Undefined", "NoneType", "bool",        "int",
                                    "float",   "int",       "str",      "list",        "dict",
                                    "method",  "Namespace", "Macro",    "LoopContext", "function"};
  return kNames[held_.index()];
}

bool Value::IsTrue() const {
  if (is_missing() || undefined() != nullptr || is_none()) return false;
  if (const bool* value = boolean()) return *value;
  if (const std::int64_t* value = integer()) return *value != 0;
  if (const double* value = real()) return *value != 0;
  if (const std::string* value = string()) return !value->empty();
  if (const Sequence* value = sequence()) {
    return value->flavor == Flavor::kGenerator || !value->items.empty();
  }
  if (const Dict* value = dict()) return !value->members().empty();
  return true;
}

const Value* Namespace::Find(std::string_view name) const {
  for (const auto& [key, value] : attributes) {
    if (key == name) return &value;
  }
  return nullptr;
}

void Namespace::Set(std::string_view name, Value value) {
  for (auto& [key, held] : attributes) {
    if (key == name) {
      held = std::move(value);
      return;
    }
  }
  attributes.emplace_back(name, std::move(value));
}

Value MakeString(Budget* budget, std::string text, bool markup) {
  return Value(std::make_shared<const Text>(budget, std::move(text), markup));
}

Result<Value> MakeSequence(Budget* budget, Flavor flavor, std::vector<Value> items) {
  auto sequence = std::make_shared<const Sequence>(flavor, std::move(items), budget);
  if (sequence->depth > kMaxValueDepth) {
    return InvalidArgument(format("a value is nested deeper than {} levels", kMaxValueDepth));
  }
  return Value(std::move(sequence));
}

Result<Value> MakeList(Budget* budget, std::vector<Value> items) {
  return MakeSequence(budget, Flavor::kList, std::move(items));
}

bool IsHashable(const Value& value) {
  return value.sequence() == nullptr && value.dict() == nullptr;
}

bool EqualScalars(const Value& a, const Value& b) {
  const std::string* text = a.string();
  if (text != nullptr) return b.string() != nullptr && *text == *b.string();
  if (IsNumber(a)) return IsNumber(b) && EqualNumbers(a, b);
  if (a.undefined() != nullptr) return b.undefined() != nullptr;
  if (a.is_none()) return b.is_none();
  if (a.builtin() != nullptr) return b.builtin() != nullptr && *a.builtin() == *b.builtin();
  return a.identity() != nullptr && a.identity() == b.identity();
}

Status DictBuilder::Put(Value key, Value value, bool replaces) {
  if (!IsHashable(key)) return InvalidArgument(format("unhashable type: '{}'", key.TypeName()));
  Dict& dict = *dict_;
  dict.depth_ = std::max(dict.depth_, value.depth() + 1);
  const std::size_t at =
      dict.Locate(Hash(key), [&](const Value& held) { return EqualScalars(held, key); });
  if (at < dict.members_.size()) {
    if (replaces) dict.members_[at].second = std::move(value);
  } else {
    dict.members_.emplace_back(std::move(key), std::move(value));
    dict.Index(at);
  }
  return Ok();
}

Result<Value> DictBuilder::Build(Budget* budget) {
  if (dict_->depth_ > kMaxValueDepth) {
    return InvalidArgument(format("a value is nested deeper than {} levels", kMaxValueDepth));
  }
  if (budget != nullptr) budget->Spend(static_cast<std::int64_t>(dict_->members_.size()));
  dict_->held_ = std::make_unique<const Held>(
      budget, sizeof(Dict) + dict_->members_.size() * sizeof(Dict::Member) +
                  dict_->table_.size() * sizeof(std::uint32_t));
  return Value(std::shared_ptr<const Dict>(std::move(dict_)));
}

Result<Value> FromJson(Budget* budget, const Json& json) { return FromJsonAt(budget, json, 1); }

}  // namespace glint::text::jinja
