// SPDX-License-Identifier: Apache-2.0
// For tests of grammars: two small tokenizers with their tables, and what a grammar says of a text.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "text/grammar.h"
#include "text/grammar_compiler.h"
#include "text/test_tokenizer.h"
#include "text/token_table.h"
#include "text/tokenizer.h"

namespace glint::text {

struct GrammarWorld {
  std::unique_ptr<const Tokenizer> tokenizer;
  std::shared_ptr<const TokenTable> table;

  [[nodiscard]] std::int32_t Added(std::string_view name) const {
    return *tokenizer->AddedTokenId(name);
  }
  // The vocabulary has some ids that no token has.
  [[nodiscard]] std::size_t words() const {
    return static_cast<std::size_t>(table->vocabulary() + 31) / 32;
  }
  [[nodiscard]] std::unique_ptr<GrammarMatcher> Match(
      std::shared_ptr<const CompiledGrammar> grammar) const {
    return MakeMatcher(std::move(grammar), {Added("<|user|>"), Added("<|endoftext|>")});
  }
};

inline GrammarWorld MakeGrammarWorld(const TestTokenizerOptions& options) {
  GrammarWorld world;
  world.tokenizer = MakeTestTokenizer(options);
  world.table = TokenTable::Create(*world.tokenizer, world.tokenizer->size() + 9).value();
  return world;
}

// Each byte is a token.
inline const GrammarWorld& BytesWorld() {
  static const GrammarWorld world = MakeGrammarWorld({});
  return world;
}

// Tokens that straddle whatever a grammar has borders between, and halves of characters.
inline const GrammarWorld& MergesWorld() {
  static const GrammarWorld world = MakeGrammarWorld(
      {.merges = {{"\"", ":"},       {"\":", " "},     {"\"", ","},      {",", " "},
                  {", ", "\""},      {"{", "\""},      {"\"", "}"},      {"}", "}"},
                  {"\n", " "},       {"\n ", " "},     {"\n  ", " "},    {"\n   ", " "},
                  {"[", "1"},        {"[", "\""},      {"]", "}"},       {"]", ","},
                  {"1", "2"},        {"12", "3"},      {"0", ","},       {"0", "}"},
                  {"t", "r"},        {"tr", "ue"},     {"u", "e"},       {"n", "ull"},
                  {"u", "l"},        {"ul", "l"},      {"a", "b"},       {"ab", "c"},
                  {"n", "a"},        {"na", "m"},      {"nam", "e"},     {"name", "\""},
                  {"\"", "name\""},  {"\xC3", "\xA9"}, {"\xE4", "\xB8"}, {"\xE4\xB8", "\xAD"},
                  {"\xF0", "\x9F"},  {"\x9F", "\x98"}, {"\\", "n"},      {"\\", "u"},
                  {"\\", "\""},      {"a", "\""},      {"a\"", ","},     {"a\",", " "},
                  {"a\", ", "\""},   {" ", " "},       {"  ", "  "},     {"    ", "    "},
                  {"-", "1"},        {"1", "."},       {"1.", "0"},      {"e", "+"},
                  {"x", "\xC3\xA9"}, {"\"", "\xE4"},   {"b", "\":"},     {"c", "}"},
                  {"\"", "\""},      {"\"\"", "}"},    {"[", "]"},       {"{", "}"}}});
  return world;
}

// Whether the tokens, and an end token behind them, are accepted.
inline bool AcceptsTokens(const GrammarWorld& world, std::shared_ptr<const CompiledGrammar> grammar,
                          const std::vector<std::int32_t>& tokens) {
  const auto matcher = world.Match(std::move(grammar));
  for (const std::int32_t token : tokens) {
    if (!matcher->Accept(token)) return false;
  }
  return matcher->CanEnd() && matcher->Accept(world.Added("<|user|>"));
}

inline bool AcceptsText(const GrammarWorld& world, std::shared_ptr<const CompiledGrammar> grammar,
                        std::string_view text) {
  return AcceptsTokens(world, std::move(grammar),
                       world.tokenizer->Encode(text, Tokenizer::AddedTokens::kIgnore));
}

}  // namespace glint::text
