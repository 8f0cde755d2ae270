// SPDX-License-Identifier: Apache-2.0
// The matchers of text/grammar_compiler.h: masks against brute force, drafts, rollback, arming.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/json.h"
#include "text/grammar_compiler.h"
#include "text/internal/schema_check.h"
#include "text/test_grammar.h"
#include "text/test_schema_cases.h"

namespace glint::text {
namespace {

using Mask = std::vector<std::uint32_t>;

bool Has(std::span<const std::uint32_t> mask, std::int32_t token) {
  return (mask[static_cast<std::size_t>(token / 32)] >> (token % 32) & 1) != 0;
}

Mask MaskOf(const GrammarWorld& world, GrammarMatcher& matcher) {
  Mask mask(world.words());
  matcher.FillMasks({}, mask);
  return mask;
}

// A mask by trying each token.
Mask BruteForce(const GrammarWorld& world, GrammarMatcher& matcher) {
  Mask mask(world.words());
  for (std::int32_t token = 0; token < world.table->vocabulary(); ++token) {
    if (!matcher.Accept(token)) continue;
    matcher.Rollback(1);
    mask[static_cast<std::size_t>(token / 32)] |= std::uint32_t{1} << (token % 32);
  }
  return mask;
}

std::vector<std::int32_t> Allowed(const Mask& mask) {
  std::vector<std::int32_t> tokens;
  for (std::int32_t token = 0; token < static_cast<std::int32_t>(mask.size() * 32); ++token) {
    if (Has(mask, token)) tokens.push_back(token);
  }
  return tokens;
}

// Picks an allowed token; where a text goes on for long, one that brings its end nearer.
std::int32_t Pick(const Mask& mask, std::size_t length, std::mt19937& random) {
  const std::vector<std::int32_t> tokens = Allowed(mask);
  if (tokens.empty()) return -1;
  if (length > 40) {
    for (const char closing : {'"', ']', '}'}) {
      if (random() % 2 == 0 && Has(mask, closing)) return closing;
    }
    if (random() % 2 == 0) return tokens.back();  // an end token, if there is one
  }
  return tokens[random() % tokens.size()];
}

std::vector<std::shared_ptr<const CompiledGrammar>> ManyGrammars(const GrammarWorld& world) {
  std::vector<std::shared_ptr<const CompiledGrammar>> grammars;
  for (const auto& cases : {ScalarCases(), ContainerCases(), CombinedCases()}) {
    for (const SchemaCase& test : cases) {
      grammars.push_back(
          CompileJsonSchema(world.table, ParseJson(test.schema, "test").value()).value());
    }
  }
  for (const char* pattern : {"(a|ab)*c", "[^\"]*\"x", ".{3,9}", "(\xC3\xA9|e)+", "a*\n?"}) {
    grammars.push_back(CompileRegex(world.table, pattern).value());
  }
  for (const char* grammar :
       {"root ::= e\ne ::= t (\"+\" t)*\nt ::= \"a\" | \"abc\" | \"(\" e \")\"",
        "root ::= \"a\" root | \"b\" root | s\ns ::= [^x]* \"x\"",
        "root ::= (\"a\" | \"ab\" | \"abc\")* root2\nroot2 ::= \"\" | \"{\" root2 \"}\""}) {
    grammars.push_back(CompileEbnf(world.table, grammar).value());
  }
  return grammars;
}

TEST(Matcher, MasksAreWhatAcceptAllows) {
  std::mt19937 random(1);
  for (const GrammarWorld* world : {&BytesWorld(), &MergesWorld()}) {
    for (const auto& grammar : ManyGrammars(*world)) {
      const auto matcher = world->Match(grammar);
      for (std::size_t step = 0; step < 25; ++step) {
        const Mask mask = MaskOf(*world, *matcher);
        ASSERT_EQ(mask, BruteForce(*world, *matcher));
        EXPECT_EQ(Has(mask, world->Added("<|user|>")), matcher->CanEnd());
        const std::int32_t token = Pick(mask, step * 3, random);
        ASSERT_GE(token, 0) << "a dead end";
        ASSERT_TRUE(matcher->Accept(token));
        if (token >= world->Added("<|endoftext|>") && token <= world->Added("<|user|>")) break;
      }
    }
  }
}

TEST(Matcher, RollbackIsNeverHavingAccepted) {
  std::mt19937 random(2);
  const GrammarWorld& world = MergesWorld();
  for (const auto& grammar : ManyGrammars(world)) {
    const auto matcher = world.Match(grammar);
    std::vector<std::int32_t> accepted;
    for (int round = 0; round < 12; ++round) {
      const std::size_t ahead = random() % 8;
      for (std::size_t i = 0; i < ahead; ++i) {
        const std::int32_t token = Pick(MaskOf(world, *matcher), accepted.size(), random);
        if (token < 0) break;
        ASSERT_TRUE(matcher->Accept(token));
        accepted.push_back(token);
      }
      const std::size_t back = random() % (accepted.size() + 1);
      matcher->Rollback(static_cast<std::int64_t>(back));
      accepted.resize(accepted.size() - back);
      const auto fresh = world.Match(grammar);
      for (const std::int32_t token : accepted) ASSERT_TRUE(fresh->Accept(token));
      ASSERT_EQ(MaskOf(world, *matcher), MaskOf(world, *fresh));
      ASSERT_EQ(matcher->CanEnd(), fresh->CanEnd());
    }
  }
}

TEST(Matcher, DraftsGetTheMasksOfTheirPrefixes) {
  std::mt19937 random(3);
  const GrammarWorld& world = MergesWorld();
  const std::size_t words = world.words();
  for (const auto& grammar : ManyGrammars(world)) {
    const auto matcher = world.Match(grammar);
    std::vector<std::int32_t> draft;
    std::vector<Mask> expected;
    const auto other = world.Match(grammar);
    for (std::size_t i = 0; i < 6; ++i) {
      expected.push_back(MaskOf(world, *other));
      const std::int32_t token = Pick(expected.back(), 0, random);
      if (token < 0) break;
      ASSERT_TRUE(other->Accept(token));
      draft.push_back(token);
    }
    if (expected.size() == draft.size()) expected.push_back(MaskOf(world, *other));
    Mask masks((draft.size() + 1) * words, 0xFFFF'FFFF);
    matcher->FillMasks(draft, masks);
    for (std::size_t i = 0; i <= draft.size(); ++i) {
      EXPECT_TRUE(std::equal(expected[i].begin(), expected[i].end(),
                             masks.begin() + static_cast<std::ptrdiff_t>(i * words)));
    }
    EXPECT_EQ(MaskOf(world, *matcher), expected[0]) << "the state is as it was";
  }
}

TEST(Matcher, AfterAForbiddenDraftTokenMasksAreEmpty) {
  const GrammarWorld& world = BytesWorld();
  const auto matcher = world.Match(CompileRegex(world.table, "abc").value());
  const std::size_t words = world.words();
  Mask masks(4 * words, 0xFFFF'FFFF);
  matcher->FillMasks(std::vector<std::int32_t>{'a', 'x', 'c'}, masks);
  EXPECT_TRUE(Has(std::span(masks).subspan(0, words), 'a'));
  EXPECT_TRUE(Has(std::span(masks).subspan(words, words), 'b'));
  EXPECT_TRUE(std::all_of(masks.begin() + static_cast<std::ptrdiff_t>(2 * words), masks.end(),
                          [](std::uint32_t word) { return word == 0; }));
  EXPECT_TRUE(matcher->Accept('a'));
}

TEST(Matcher, NothingFollowsAnEndTokenAndItCanBeTakenBack) {
  const GrammarWorld& world = BytesWorld();
  const auto matcher = world.Match(CompileRegex(world.table, "a*").value());
  EXPECT_FALSE(matcher->Accept(world.Added("<|observation|>")));
  EXPECT_TRUE(matcher->Accept('a'));
  EXPECT_TRUE(matcher->Accept(world.Added("<|user|>")));
  EXPECT_TRUE(matcher->CanEnd());
  EXPECT_EQ(Allowed(MaskOf(world, *matcher)).size(), 0U);
  EXPECT_FALSE(matcher->Accept('a'));
  matcher->Rollback(2);
  EXPECT_EQ(Allowed(MaskOf(world, *matcher)).size(), 3U);
}

TEST(Matcher, UnusedIdsAreNeverAllowed) {
  const GrammarWorld& world = MergesWorld();
  const auto matcher = world.Match(CompileRegex(world.table, "[^]*").value());
  EXPECT_FALSE(matcher->Accept(world.tokenizer->size()));
  EXPECT_FALSE(matcher->Accept(-1));
  EXPECT_FALSE(matcher->Accept(world.Added("<think>")));
  EXPECT_LT(Allowed(MaskOf(world, *matcher)).back(), world.Added("<|assistant|>"));
}

// 100 texts for each schema of the cases: all of them end, parse and satisfy their schema.
TEST(Matcher, RandomTextsUnderMasksAreValid) {
  std::mt19937 random(4);
  const GrammarWorld& world = MergesWorld();
  for (const auto& cases : {ScalarCases(), ContainerCases(), CombinedCases()}) {
    for (const SchemaCase& test : cases) {
      if (test.schema.find("150") != std::string_view::npos) continue;  // long on purpose
      const Json schema = ParseJson(test.schema, "test").value();
      const auto grammar = CompileJsonSchema(world.table, schema).value();
      WorkBudget budget(100'000'000);
      SchemaChecker checker(schema, {}, budget);
      for (int run = 0; run < 20; ++run) {
        const auto matcher = world.Match(grammar);
        std::string text;
        for (std::size_t step = 0;; ++step) {
          ASSERT_LT(step, 20'000U) << test.schema;
          const std::int32_t token = Pick(MaskOf(world, *matcher), step, random);
          ASSERT_GE(token, 0) << test.schema << " is stuck after " << text;
          ASSERT_TRUE(matcher->Accept(token));
          if (token >= world.Added("<|endoftext|>")) break;
          text += world.tokenizer->Bytes(token);
        }
        const auto value = ParseJson(text, "text", {.depth = 5'000});
        ASSERT_TRUE(value.ok()) << test.schema << ": " << text;
        EXPECT_TRUE(checker.Satisfies(value.value(), schema).value())
            << test.schema << ": " << text;
      }
    }
  }
}

TEST(Matcher, ThreadsShareAGrammar) {
  const GrammarWorld& world = MergesWorld();
  const auto grammar =
      CompileJsonSchema(world.table,
                        ParseJson(R"({"type": "object", "properties": {"a": {"type": "string",
                                      "maxLength": 9}, "b": {"type": "array", "maxItems": 5}}})",
                                  "test")
                            .value(),
                        {.ahead_work = 0})
          .value();
  std::vector<std::jthread> threads;
  threads.reserve(4);
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&world, &grammar, seed] {
      std::mt19937 random(seed);
      for (int run = 0; run < 20; ++run) {
        const auto matcher = world.Match(grammar);
        for (std::size_t step = 0; step < 200; ++step) {
          const std::int32_t token = Pick(MaskOf(world, *matcher), step, random);
          if (token < 0) break;
          ASSERT_TRUE(matcher->Accept(token));
        }
      }
    });
  }
}

class ArmedTest : public testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<GrammarMatcher> Make() const {
    return ArmedAfter(think_end_, world_.table->vocabulary(), {end_},
                      world_.Match(CompileRegex(world_.table, "ab").value()));
  }

  const GrammarWorld& world_ = BytesWorld();
  std::int32_t think_end_ = world_.Added("</think>");
  std::int32_t end_ = world_.Added("<|user|>");
};

TEST_F(ArmedTest, TheGrammarHoldsFromTheNextTokenOn) {
  const auto matcher = Make();
  EXPECT_TRUE(matcher->Accept('x'));
  EXPECT_TRUE(matcher->Accept(world_.Added("<tool_call>")));
  EXPECT_FALSE(matcher->Accept(end_));
  EXPECT_FALSE(matcher->CanEnd());
  const Mask free = MaskOf(world_, *matcher);
  EXPECT_EQ(Allowed(free).size(), static_cast<std::size_t>(world_.table->vocabulary()) - 1);
  EXPECT_FALSE(Has(free, end_));
  EXPECT_TRUE(matcher->Accept(think_end_));
  EXPECT_EQ(Allowed(MaskOf(world_, *matcher)), std::vector<std::int32_t>{'a'});
  EXPECT_FALSE(matcher->Accept('x'));
  EXPECT_TRUE(matcher->Accept('a'));
  EXPECT_FALSE(matcher->Accept(think_end_));
  EXPECT_TRUE(matcher->Accept('b'));
  EXPECT_TRUE(matcher->CanEnd());
}

TEST_F(ArmedTest, ArmingInsideADraft) {
  const auto matcher = Make();
  const std::size_t words = world_.words();
  const std::vector<std::int32_t> draft = {'x', think_end_, 'a', 'x'};
  Mask masks((draft.size() + 1) * words);
  matcher->FillMasks(draft, masks);
  const auto at = [&](std::size_t i) {
    return Allowed(Mask(masks.begin() + static_cast<std::ptrdiff_t>(i * words),
                        masks.begin() + static_cast<std::ptrdiff_t>((i + 1) * words)));
  };
  EXPECT_GT(at(0).size(), 250U);
  EXPECT_GT(at(1).size(), 250U);
  EXPECT_EQ(at(2), std::vector<std::int32_t>{'a'});
  EXPECT_EQ(at(3), std::vector<std::int32_t>{'b'});
  EXPECT_EQ(at(4).size(), 0U);
  // The last token of a draft arms; a forbidden one leaves nothing.
  Mask two(2 * words);
  matcher->FillMasks(std::vector{think_end_}, two);
  EXPECT_EQ(Allowed(Mask(two.begin() + static_cast<std::ptrdiff_t>(words), two.end())),
            std::vector<std::int32_t>{'a'});
  matcher->FillMasks(std::vector{end_}, two);
  EXPECT_TRUE(Allowed(Mask(two.begin() + static_cast<std::ptrdiff_t>(words), two.end())).empty());
}

TEST_F(ArmedTest, RollbackDisarms) {
  const auto matcher = Make();
  for (const std::int32_t token : {std::int32_t{'x'}, think_end_, std::int32_t{'a'}}) {
    ASSERT_TRUE(matcher->Accept(token));
  }
  matcher->Rollback(1);
  EXPECT_EQ(Allowed(MaskOf(world_, *matcher)), std::vector<std::int32_t>{'a'});
  EXPECT_TRUE(matcher->Accept('a'));
  matcher->Rollback(2);
  EXPECT_TRUE(matcher->Accept('z'));
  EXPECT_TRUE(matcher->Accept(think_end_));
  EXPECT_FALSE(matcher->Accept('z'));
  matcher->Rollback(3);
  EXPECT_TRUE(matcher->Accept('y'));
}

}  // namespace
}  // namespace glint::text
