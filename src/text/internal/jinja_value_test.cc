// SPDX-License-Identifier: Apache-2.0
#include "text/internal/jinja_value.h"

#include <gtest/gtest.h>

#include "text/internal/jinja_compare.h"

namespace glint::text::jinja {
namespace {

TEST(Dict, FindsItsKeysWhateverItsSize) {
  for (const std::int64_t size : {0, 1, 8, 9, 1000}) {
    DictBuilder builder;
    for (std::int64_t i = 0; i < size; ++i) {
      ASSERT_TRUE(builder.Set(Value(i), Value(-i)).ok());
      ASSERT_TRUE(builder.Set(MakeString(nullptr, std::to_string(i)), Value(i)).ok());
    }
    const Value dict = builder.Build(nullptr).value();
    ASSERT_EQ(dict.dict()->members().size(), static_cast<std::size_t>(2 * size));
    for (std::int64_t i = 0; i < size; ++i) {
      EXPECT_EQ(*dict.dict()->Find(Value(i))->integer(), -i);
      EXPECT_EQ(*dict.dict()->Find(std::to_string(i))->integer(), i);
    }
    EXPECT_EQ(dict.dict()->Find(Value(size)), nullptr);
    EXPECT_EQ(dict.dict()->Find(std::string_view("none")), nullptr);
  }
}

TEST(Dict, EqualNumbersAreOneKey) {
  DictBuilder builder;
  EXPECT_TRUE(builder.Set(Value(std::int64_t{1}), Value(true)).ok());
  EXPECT_TRUE(builder.Set(Value(1.0), Value(false)).ok());
  EXPECT_TRUE(builder.Set(Value(true), Value(None{})).ok());
  const Value dict = builder.Build(nullptr).value();
  ASSERT_EQ(dict.dict()->members().size(), 1U);
  EXPECT_TRUE(dict.dict()->members()[0].second.is_none());
}

TEST(Dict, ListsCannotBeKeys) {
  DictBuilder builder;
  EXPECT_FALSE(builder.Set(MakeList(nullptr, {}).value(), Value(true)).ok());
}

TEST(Value, NestingIsBounded) {
  Value value = MakeList(nullptr, {}).value();
  int levels = 1;
  while (true) {
    const auto deeper = MakeList(nullptr, {value});
    if (!deeper.ok()) break;
    value = deeper.value();
    ++levels;
  }
  EXPECT_EQ(levels, kMaxValueDepth);
}

TEST(Value, BigIntegersCompareByTheirDigits) {
  Budget budget({.steps = 1000, .live_bytes = 100'000});
  const auto number = [&](const char* text) {
    return FromJson(&budget, Json(Json::Number{text})).value();
  };
  const auto less = [&](const char* a, const char* b) {
    return Ordered(budget, Order::kLess, number(a), number(b)).value();
  };
  EXPECT_TRUE(less("99999999999999999998", "99999999999999999999"));
  EXPECT_TRUE(less("-99999999999999999999", "-99999999999999999998"));
  EXPECT_TRUE(less("-99999999999999999999", "99999999999999999998"));
  EXPECT_TRUE(less("99999999999999999999", "100000000000000000000"));
  EXPECT_TRUE(less("5", "99999999999999999999"));
  EXPECT_TRUE(Equal(budget, number("100000000000000000000"), Value(1e20)));
  EXPECT_FALSE(Equal(budget, number("9007199254740993"), Value(9007199254740992.0)));
}

TEST(Budget, ValuesGiveTheirMemoryBack) {
  Budget budget({.steps = 1'000'000, .live_bytes = 1000});
  for (int i = 0; i < 100; ++i) MakeString(&budget, std::string(500, 'x'));
  EXPECT_TRUE(budget.ok());
  const Value kept = MakeString(&budget, std::string(500, 'x'));
  EXPECT_TRUE(budget.ok());
  MakeString(&budget, std::string(500, 'x'));
  EXPECT_FALSE(budget.ok());
}

}  // namespace
}  // namespace glint::text::jinja
