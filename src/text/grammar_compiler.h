// SPDX-License-Identifier: Apache-2.0
// From what a request asks of its output (a JSON schema, a regular expression, an EBNF grammar,
// tool calls) to a grammar that matchers follow.
//
// Every function fails with kInvalidArgument and the reason when the input is malformed, uses what
// is not supported, or passes a limit; nothing is ever ignored that would narrow the output. They
// are pure, block for milliseconds to at most about a second, and may run on any thread. What is
// supported: docs/decisions/0007-grammar.md and the comments here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/grammar.h"
#include "text/token_table.h"

namespace glint::text {

struct GrammarLimits {
  std::size_t input_bytes = 200'000;  // of a text, or of all strings of a schema
  std::int64_t schema_values = 100'000;
  std::int64_t rule_states = 40'000;    // of one rule; a pattern is one
  std::int64_t states = 200'000;        // of all rules together
  std::int64_t expressions = 500'000;   // what a schema or grammar is taken apart into
  std::int64_t work = 50'000'000;       // compile time: about half a second
  std::int64_t ahead_work = 3'000'000;  // masks made while compiling: about 30 ms
};

struct CompiledGrammarParts;  // internal/compiled_grammar.h

// Immutable but for a cache that locks itself: any number of matchers, on any threads.
class CompiledGrammar {
 public:
  explicit CompiledGrammar(std::unique_ptr<const CompiledGrammarParts> parts);
  ~CompiledGrammar();
  CompiledGrammar(const CompiledGrammar&) = delete;
  CompiledGrammar& operator=(const CompiledGrammar&) = delete;

  [[nodiscard]] std::int64_t state_count() const;

  // For this module.
  [[nodiscard]] const CompiledGrammarParts& parts() const { return *parts_; }

 private:
  std::unique_ptr<const CompiledGrammarParts> parts_;
};

using GrammarResult = Result<std::shared_ptr<const CompiledGrammar>>;

// JSON text that the schema (draft 2020-12, an object or a boolean) accepts.
// Keywords: type, properties, required, additionalProperties, items, prefixItems, minItems,
// maxItems, enum, const, anyOf, oneOf (provably disjoint), allOf, $ref and $defs (within the
// schema, recursive), minLength, maxLength, pattern, minimum, maximum, exclusiveMinimum,
// exclusiveMaximum, format (date-time, date, time, duration, uuid, email, ipv4, hostname).
// Annotations and unknown keywords are ignored; other assertions are refused by name.
GrammarResult CompileJsonSchema(std::shared_ptr<const TokenTable> table, const Json& schema,
                                const GrammarLimits& limits = {});

// Any JSON object.
GrammarResult CompileJsonObject(std::shared_ptr<const TokenTable> table,
                                const GrammarLimits& limits = {});

// Text that the whole expression matches. Characters, `.`, classes, \d \w \s \D \W \S, groups that
// may have names, `|`, `* + ? {m} {m,} {m,n}` with counts up to 1,000, lazy forms of them, `^` and
// `$` at the ends. No look-around, back references, \b, \p or flags.
GrammarResult CompileRegex(std::shared_ptr<const TokenTable> table, std::string_view pattern,
                           const GrammarLimits& limits = {});

// Text that the rule `root` matches, in GBNF: `name ::= expression` with "literals", [classes],
// `.`, ( ), `|`, repetitions as in CompileRegex, # comments. No left recursion.
GrammarResult CompileEbnf(std::shared_ptr<const TokenTable> table, std::string_view grammar,
                          const GrammarLimits& limits = {});

struct ToolGrammar {
  std::string name;
  const Json* parameters = nullptr;  // JSON schema of the arguments; null: the tool takes none
};

struct ToolCallOptions {
  std::int32_t max_calls = 0;  // 0: any number; a named tool choice has 1
  bool glm45_markup = false;   // GLM 4.5 and 4.6: newlines between the parts
};

// One or more calls of the tools (at least one tool), in GLM's markup: glm-architecture.md section
// 5.4. Declared arguments come in the order of the schema, the required ones always; others only
// where additionalProperties is there and allows them. A string argument is raw text, every other
// one JSON.
GrammarResult CompileToolCalls(std::shared_ptr<const TokenTable> table,
                               std::span<const ToolGrammar> tools, const ToolCallOptions& options,
                               const GrammarLimits& limits = {});

// A matcher at the start of a text. `end_tokens` are allowed where the text may end; after one of
// them nothing is. Ids outside the vocabulary are a bug.
std::unique_ptr<GrammarMatcher> MakeMatcher(std::shared_ptr<const CompiledGrammar> grammar,
                                            std::vector<std::int32_t> end_tokens);

// Allows every token until `token` was accepted, then what `inner` allows, from the next token on.
// Until then `forbidden` are not allowed (such as the end tokens, so that there is a text at all)
// and the text may not end.
std::unique_ptr<GrammarMatcher> ArmedAfter(std::int32_t token, std::int64_t vocabulary,
                                           std::vector<std::int32_t> forbidden,
                                           std::unique_ptr<GrammarMatcher> inner);

}  // namespace glint::text
