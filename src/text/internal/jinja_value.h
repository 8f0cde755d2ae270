// SPDX-License-Identifier: Apache-2.0
// A value of a template: what Python's values are to jinja2, as far as chat templates meet them.
//
// Lists, dicts and strings never change once made (transformers renders in jinja2's immutable
// sandbox), so copies of a Value share them. Namespaces, macros and loops belong to the rendering
// (jinja_renderer.h) and Values point at them. What values do: jinja_compare.h, jinja_print.h,
// jinja_arithmetic.h, jinja_subscript.h, jinja_methods.h.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/json.h"
#include "text/internal/jinja_budget.h"

namespace glint::text::jinja {

class Value;
struct Namespace;
struct Macro;
class LoopState;
struct Operation;

// Levels of lists and dicts in one another, at most: bounds the recursion over a value.
inline constexpr int kMaxValueDepth = 200;

// A parameter that was not given, or a variable that was not assigned yet. Never seen by templates.
struct Missing {};
struct Undefined {
  std::string_view name;        // of a variable or attribute, part of the template; may be empty
  const char* owner = nullptr;  // type of the object without that attribute; null for a variable
};
struct None {};

struct Text {
  Text(Budget* budget, std::string text_in, bool markup_in)
      : text(std::move(text_in)), markup(markup_in), held(budget, sizeof(Text) + text.size()) {}
  const std::string text;  // UTF-8
  const bool markup;       // came from `safe` or `escape`
  const Held held;
};

// An integer beyond 64 bits, in digits.
struct BigInteger {
  std::shared_ptr<const Text> digits;
};

enum class Flavor : std::uint8_t {
  kList,
  kTuple,
  kRange,
  kDictItems,
  kDictKeys,
  kDictValues,
  kGenerator,  // what map, select and so on give: can be gone over once, has no length
};

struct Sequence {
  Sequence() = default;
  Sequence(Flavor flavor_in, std::vector<Value> items_in, Budget* budget);
  Flavor flavor = Flavor::kList;
  std::vector<Value> items;
  int depth = 1;                        // levels of values in it, with its own
  std::array<std::int64_t, 3> range{};  // start, stop and step of a kRange
  // What Python would raise when the items of a kGenerator are used up: it finds them one by one.
  std::optional<Error> failure;
  mutable std::size_t consumed = 0;  // items that were taken from a kGenerator
  Held held;
};

// Members in order of insertion, as Python has it.
class Dict {
 public:
  using Member = std::pair<Value, Value>;
  [[nodiscard]] const std::vector<Member>& members() const { return members_; }
  [[nodiscard]] int depth() const { return depth_; }
  // The value of a key, or null. Of the keys that cannot be in a dict: see IsHashable.
  [[nodiscard]] const Value* Find(const Value& key) const;
  [[nodiscard]] const Value* Find(std::string_view key) const;

 private:
  friend class DictBuilder;
  template <typename Same>
  [[nodiscard]] std::size_t Locate(std::size_t hash, const Same& same) const;
  void Index(std::size_t member);

  std::vector<Member> members_;
  std::vector<std::uint32_t> table_;  // open addressing: 1 + index into members, 0 is free
  int depth_ = 1;
  std::unique_ptr<const Held> held_;
};

struct BoundMethod;

// The functions that a template may call by name.
enum class Builtin : std::uint8_t { kRange, kDict, kNamespace, kRaiseException, kStrftimeNow };

class Value {
 public:
  Value() = default;  // Missing
  // NOLINTBEGIN(google-explicit-constructor): a function returns any of these as a Value
  Value(Undefined value) : held_(value) {}
  Value(None value) : held_(value) {}
  Value(bool value) : held_(value) {}
  Value(std::int64_t value) : held_(value) {}
  Value(double value) : held_(value) {}
  Value(Builtin value) : held_(value) {}
  Value(Namespace* value) : held_(value) {}
  Value(const Macro* value) : held_(value) {}
  Value(LoopState* value) : held_(value) {}
  Value(BigInteger value) : held_(std::move(value)) {}
  Value(std::shared_ptr<const Text> value) : held_(std::move(value)) {}
  Value(std::shared_ptr<const Sequence> value) : held_(std::move(value)) {}
  Value(std::shared_ptr<const Dict> value) : held_(std::move(value)) {}
  Value(std::shared_ptr<const BoundMethod> value) : held_(std::move(value)) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] bool is_missing() const { return std::holds_alternative<Missing>(held_); }
  [[nodiscard]] bool is_none() const { return std::holds_alternative<None>(held_); }
  [[nodiscard]] const Undefined* undefined() const { return std::get_if<Undefined>(&held_); }
  [[nodiscard]] const bool* boolean() const { return std::get_if<bool>(&held_); }
  [[nodiscard]] const std::int64_t* integer() const { return std::get_if<std::int64_t>(&held_); }
  [[nodiscard]] const BigInteger* big_integer() const { return std::get_if<BigInteger>(&held_); }
  [[nodiscard]] const double* real() const { return std::get_if<double>(&held_); }
  [[nodiscard]] const Text* text() const { return Pointee<Text>(); }
  [[nodiscard]] const std::string* string() const {
    const Text* found = text();
    return found == nullptr ? nullptr : &found->text;
  }
  [[nodiscard]] const Sequence* sequence() const { return Pointee<Sequence>(); }
  [[nodiscard]] const Dict* dict() const { return Pointee<Dict>(); }
  [[nodiscard]] const BoundMethod* method() const { return Pointee<BoundMethod>(); }
  [[nodiscard]] Namespace* name_space() const { return Raw<Namespace*>(); }
  [[nodiscard]] const Macro* macro() const { return Raw<const Macro*>(); }
  [[nodiscard]] LoopState* loop() const { return Raw<LoopState*>(); }
  [[nodiscard]] const Builtin* builtin() const { return std::get_if<Builtin>(&held_); }

  // The integer of an int or a bool, as Python's arithmetic takes both.
  [[nodiscard]] std::optional<std::int64_t> AsInteger() const;
  // The number of an int, bool or float.
  [[nodiscard]] std::optional<double> AsReal() const;
  [[nodiscard]] bool IsFlavor(Flavor flavor) const;
  // 0 for what is no list or dict.
  [[nodiscard]] int depth() const;
  // Address of what a string, list, dict and so on shares with its copies; null for the others.
  [[nodiscard]] const void* identity() const;
  // Python's name of the type: "str", "dict", "NoneType".
  [[nodiscard]] const char* TypeName() const;
  [[nodiscard]] bool IsTrue() const;

 private:
  template <typename T>
  [[nodiscard]] const T* Pointee() const {
    const auto* held = std::get_if<std::shared_ptr<const T>>(&held_);
    return held == nullptr ? nullptr : held->get();
  }
  template <typename T>
  [[nodiscard]] T Raw() const {
    const T* held = std::get_if<T>(&held_);
    return held == nullptr ? nullptr : *held;
  }

  std::variant<Missing, Undefined, None, bool, std::int64_t, double, BigInteger,
               std::shared_ptr<const Text>, std::shared_ptr<const Sequence>,
               std::shared_ptr<const Dict>, std::shared_ptr<const BoundMethod>, Namespace*,
               const Macro*, LoopState*, Builtin>
      held_;
};

struct BoundMethod {
  Value receiver;
  const Operation* operation = nullptr;  // null for one that Python has and we do not
};

// Attributes in the order in which they were first set. Of one rendering; Values point at it.
struct Namespace {
  std::vector<std::pair<std::string, Value>> attributes;
  [[nodiscard]] const Value* Find(std::string_view name) const;
  void Set(std::string_view name, Value value);
};

// `budget` is null for constants of a template.
Value MakeString(Budget* budget, std::string text, bool markup = false);
// A value deeper than kMaxValueDepth is an error.
Result<Value> MakeSequence(Budget* budget, Flavor flavor, std::vector<Value> items);
Result<Value> MakeList(Budget* budget, std::vector<Value> items);

// False for lists, dicts and tuples: those cannot be keys. (Tuples can in Python.)
bool IsHashable(const Value& value);

// Equality as keys have it: 1 == 1.0 == True; for what IsHashable, and by identity for the others.
bool EqualScalars(const Value& a, const Value& b);

// Takes members one by one. A key that is there keeps its place; Set gives it the new value, Add
// leaves it the old one.
class DictBuilder {
 public:
  void Reserve(std::size_t members) { dict_->members_.reserve(members); }
  Status Set(Value key, Value value) { return Put(std::move(key), std::move(value), true); }
  Status Add(Value key, Value value) { return Put(std::move(key), std::move(value), false); }
  Result<Value> Build(Budget* budget);

 private:
  Status Put(Value key, Value value, bool replaces);
  std::shared_ptr<Dict> dict_ = std::make_shared<Dict>();
};

// Numbers with a fraction or exponent become floats, integers beyond 64 bits keep their digits.
Result<Value> FromJson(Budget* budget, const Json& json);

}  // namespace glint::text::jinja
