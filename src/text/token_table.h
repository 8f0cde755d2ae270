// SPDX-License-Identifier: Apache-2.0
// What grammars need to know of a tokenizer: the bytes of all its tokens as a trie, and the token
// sets that all grammars share. Built once per tokenizer.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "text/tokenizer.h"

namespace glint::text {

struct TokenTableTables;  // internal/token_table_tables.h

// Immutable but for a cache that locks itself, so any thread may use it.
class TokenTable {
 public:
  // `vocabulary` is the number of logits, at least the tokenizer's size (kInvalidArgument
  // otherwise); ids from the tokenizer's size on are never allowed. Copies what it needs. Takes
  // about 0.2 s for 150,000 tokens.
  static Result<std::shared_ptr<const TokenTable>> Create(const Tokenizer& tokenizer,
                                                          std::int64_t vocabulary);
  ~TokenTable();
  TokenTable(const TokenTable&) = delete;
  TokenTable& operator=(const TokenTable&) = delete;

  [[nodiscard]] std::int64_t vocabulary() const;

  // For this module.
  [[nodiscard]] const TokenTableTables& tables() const { return *tables_; }

 private:
  explicit TokenTable(std::unique_ptr<const TokenTableTables> tables);

  std::unique_ptr<const TokenTableTables> tables_;
};

}  // namespace glint::text
