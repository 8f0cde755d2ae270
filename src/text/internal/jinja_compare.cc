// SPDX-License-Identifier: Apache-2.0
#include "text/internal/jinja_compare.h"

#include <algorithm>

#include "base/format.h"
#include "text/internal/jinja_python_text.h"

namespace glint::text::jinja {
namespace {

template <typename T>
bool Holds(Order order, const T& a, const T& b) {
  switch (order) {
    case Order::kLess:
      return a < b;
    case Order::kLessEqual:
      return a <= b;
    case Order::kGreater:
      return a > b;
    case Order::kGreaterEqual:
      return a >= b;
  }
  return false;
}

const char* Sign(Order order) {
  constexpr const char* kSigns[] = {"<", "<=", ">", ">="};
  return kSigns[static_cast<std::size_t>(order)];
}

Error NoOrder(Order order, const Value& a, const Value& b) {
  return InvalidArgument(format("'{}' not supported between instances of '{}' and '{}'",
                                Sign(order), a.TypeName(), b.TypeName()));
}

// A number as a long double, whose 64 bits of mantissa (x86) hold every int64 exactly. A big
// integer's size is told by its sign and digits.
std::optional<long double> AsLongDouble(const Value& value) {
  if (const auto integer = value.AsInteger()) return static_cast<long double>(*integer);
  if (const double* real = value.real()) return static_cast<long double>(*real);
  if (const BigInteger* big = value.big_integer()) {
    return std::strtold(big->digits->text.c_str(), nullptr);
  }
  return std::nullopt;
}

// -1, 0 or 1.
int CompareDigits(const std::string& a, const std::string& b) {
  const bool a_negative = a.starts_with('-');
  if (a_negative != b.starts_with('-')) return a_negative ? -1 : 1;
  int magnitude = a.size() != b.size() ? (a.size() < b.size() ? -1 : 1) : a.compare(b);
  magnitude = std::clamp(magnitude, -1, 1);
  return a_negative ? -magnitude : magnitude;
}

Result<bool> OrderedSequences(Budget& budget, Order order, const Sequence& a, const Sequence& b) {
  const std::size_t both = std::min(a.items.size(), b.items.size());
  for (std::size_t i = 0; i < both; ++i) {
    if (!Equal(budget, a.items[i], b.items[i])) {
      if (!budget.ok()) return false;
      return Ordered(budget, order, a.items[i], b.items[i]);
    }
  }
  return Holds(order, a.items.size(), b.items.size());
}

bool EqualDicts(Budget& budget, const Dict& a, const Dict& b) {
  if (a.members().size() != b.members().size()) return false;
  return std::all_of(a.members().begin(), a.members().end(), [&](const Dict::Member& member) {
    const Value* other = b.Find(member.first);
    return other != nullptr && Equal(budget, member.second, *other);
  });
}

}  // namespace

bool Equal(Budget& budget, const Value& a, const Value& b) {
  if (!budget.Spend(1)) return false;
  const Sequence* x = a.sequence();
  const Sequence* y = b.sequence();
  if (x != nullptr && y != nullptr && x != y) {
    if (x->flavor != y->flavor || x->flavor > Flavor::kRange) return false;
    return std::equal(x->items.begin(), x->items.end(), y->items.begin(), y->items.end(),
                      [&](const Value& p, const Value& q) { return Equal(budget, p, q); });
  }
  if (a.dict() != nullptr && b.dict() != nullptr && a.dict() != b.dict()) {
    return EqualDicts(budget, *a.dict(), *b.dict());
  }
  if (a.string() != nullptr) budget.SpendBytes(a.string()->size());
  return EqualScalars(a, b);
}

Result<bool> Ordered(Budget& budget, Order order, const Value& a, const Value& b) {
  budget.Spend(1);
  if (a.string() != nullptr && b.string() != nullptr) {
    budget.SpendBytes(a.string()->size());
    return Holds(order, *a.string(), *b.string());  // UTF-8 sorts as its code points do
  }
  if (a.big_integer() != nullptr && b.big_integer() != nullptr) {
    return Holds(order, CompareDigits(a.big_integer()->digits->text, b.big_integer()->digits->text),
                 0);
  }
  const auto x = AsLongDouble(a);
  const auto y = AsLongDouble(b);
  if (x && y) return Holds(order, *x, *y);
  const Sequence* p = a.sequence();
  const Sequence* q = b.sequence();
  if (p != nullptr && q != nullptr && p->flavor == q->flavor && p->flavor <= Flavor::kTuple) {
    return OrderedSequences(budget, order, *p, *q);
  }
  return NoOrder(order, a, b);
}

Result<bool> Contains(Budget& budget, const Value& container, const Value& item) {
  if (const std::string* text = container.string()) {
    if (item.string() == nullptr) {
      return InvalidArgument(
          format("'in <string>' requires string as left operand, not {}", item.TypeName()));
    }
    budget.SpendBytes(text->size());
    return text->find(*item.string()) != std::string::npos;
  }
  if (const Dict* dict = container.dict()) {
    if (!IsHashable(item)) {
      return InvalidArgument(format("unhashable type: '{}'", item.TypeName()));
    }
    return dict->Find(item) != nullptr;
  }
  if (const Sequence* sequence = container.sequence()) {
    for (std::size_t i = sequence->consumed; i < sequence->items.size(); ++i) {
      if (sequence->flavor == Flavor::kGenerator) sequence->consumed = i + 1;
      if (Equal(budget, sequence->items[i], item)) return true;
    }
    if (sequence->failure) return *sequence->failure;
    return false;
  }
  if (container.undefined() != nullptr) return false;
  return InvalidArgument(format("argument of type '{}' is not iterable", container.TypeName()));
}

Result<std::int64_t> Length(const Value& value) {
  if (const std::string* text = value.string()) return CountCodePoints(*text);
  if (const Dict* dict = value.dict()) return static_cast<std::int64_t>(dict->members().size());
  if (value.undefined() != nullptr) return std::int64_t{0};
  const Sequence* sequence = value.sequence();
  if (sequence != nullptr && sequence->flavor != Flavor::kGenerator) {
    return static_cast<std::int64_t>(sequence->items.size());
  }
  return InvalidArgument(format("object of type '{}' has no len()", value.TypeName()));
}

Result<std::vector<Value>> Items(Budget& budget, const Value& value) {
  std::vector<Value> items;
  if (const Sequence* sequence = value.sequence()) {
    if (sequence->failure) return *sequence->failure;
    const auto begin = sequence->items.begin() + static_cast<std::ptrdiff_t>(sequence->consumed);
    if (!budget.HasRoom(sequence->items.end() - begin, sizeof(Value))) return items;
    items.assign(begin, sequence->items.end());
    if (sequence->flavor == Flavor::kGenerator) sequence->consumed = sequence->items.size();
  } else if (const Dict* dict = value.dict()) {
    if (!budget.HasRoom(static_cast<std::int64_t>(dict->members().size()), sizeof(Value))) {
      return items;
    }
    items.reserve(dict->members().size());
    for (const auto& [key, member] : dict->members()) items.push_back(key);
  } else if (const std::string* text = value.string()) {
    constexpr std::int64_t kBytesEach = sizeof(Value) + sizeof(Text) + 64;
    if (!budget.HasRoom(static_cast<std::int64_t>(text->size()), kBytesEach)) return items;
    for (const std::string_view code : CodePoints(*text)) {
      items.push_back(MakeString(&budget, std::string(code)));
    }
  } else if (value.undefined() == nullptr) {
    return InvalidArgument(format("'{}' object is not iterable", value.TypeName()));
  }
  budget.Spend(static_cast<std::int64_t>(items.size()));
  return items;
}

bool IsIterable(const Value& value) {
  return value.sequence() != nullptr || value.dict() != nullptr || value.string() != nullptr ||
         value.undefined() != nullptr;
}

}  // namespace glint::text::jinja
