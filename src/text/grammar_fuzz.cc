// SPDX-License-Identifier: Apache-2.0
// Whatever is compiled: it is refused, or its masks are what Accept allows, and what a schema's
// grammar lets end satisfies the schema. The first byte of the input selects the front end (schema,
// regular expression, EBNF, tool), the second seeds the choice of tokens; the rest is the grammar.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/json.h"
#include "text/grammar_compiler.h"
#include "text/internal/schema_check.h"
#include "text/test_grammar.h"

namespace {

using glint::Json;
using glint::text::GrammarLimits;
using glint::text::GrammarResult;
using glint::text::GrammarWorld;

constexpr int kSteps = 30;

// Small, so that an input takes milliseconds.
constexpr GrammarLimits kLimits = {.input_bytes = 4'000,
                                   .schema_values = 1'000,
                                   .rule_states = 2'000,
                                   .states = 20'000,
                                   .expressions = 20'000,
                                   .work = 1'000'000,
                                   .ahead_work = 20'000};

GrammarResult Compile(const GrammarWorld& world, unsigned kind, std::string_view text,
                      const Json& json) {
  switch (kind) {
    case 0:
      return CompileJsonSchema(world.table, json, kLimits);
    case 1:
      return CompileRegex(world.table, text, kLimits);
    case 2:
      return CompileEbnf(world.table, text, kLimits);
    default: {
      const glint::text::ToolGrammar tools[] = {{"f", &json}, {"g", nullptr}};
      return CompileToolCalls(world.table, tools, {.glm45_markup = kind == 4}, kLimits);
    }
  }
}

// Goes along a text that the masks allow; returns it if it ended.
std::string Walk(const GrammarWorld& world, const GrammarResult& grammar, std::uint32_t random,
                 bool& ended) {
  const auto matcher = world.Match(grammar.value());
  std::vector<std::uint32_t> mask(world.words());
  std::string text;
  for (int step = 0; step < kSteps && !ended; ++step) {
    matcher->FillMasks({}, mask);
    std::vector<std::int32_t> allowed;
    for (std::int32_t token = 0; token < world.table->vocabulary(); ++token) {
      const bool in_mask = (mask[static_cast<std::size_t>(token / 32)] >> (token % 32) & 1) != 0;
      if (in_mask) allowed.push_back(token);
      const bool accepted = matcher->Accept(token);
      if (accepted) matcher->Rollback(1);
      GLINT_CHECK(in_mask == accepted, "a mask is what Accept allows");
    }
    if (allowed.empty()) return {};
    random = random * 1'103'515'245 + 12'345;
    const std::int32_t token =
        matcher->CanEnd() ? allowed.back() : allowed[(random >> 16) % allowed.size()];
    GLINT_CHECK(matcher->Accept(token), "allowed");
    ended = token == world.Added("<|user|>");
    if (!ended) text += world.tokenizer->Bytes(token);
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const GrammarWorld& world = glint::text::MergesWorld();
  const unsigned kind = data[0] % 5U;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  Json json;
  if (kind == 0 || kind >= 3) {
    auto parsed = glint::ParseJson(text, "fuzz");
    if (!parsed.ok()) return 0;
    json = std::move(parsed).value();
  }
  const GrammarResult grammar = Compile(world, kind, text, json);
  if (!grammar.ok()) return 0;
  bool ended = false;
  const std::string written = Walk(world, grammar, data[1], ended);
  if (kind != 0 || !ended) return 0;
  const auto value = glint::ParseJson(written, "written");
  GLINT_CHECK(value.ok(), written);
  glint::text::WorkBudget budget(100'000'000);
  glint::text::SchemaChecker checker(json, {}, budget);
  const auto satisfied = checker.Satisfies(value.value(), json);
  GLINT_CHECK(satisfied.ok() && satisfied.value(), written);
  return 0;
}
