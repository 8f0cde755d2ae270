// SPDX-License-Identifier: Apache-2.0
#include "text/token_table.h"

#include <utility>
#include <vector>

#include "base/check.h"
#include "base/format.h"
#include "text/internal/token_table_tables.h"

namespace glint::text {
namespace {

void CopyTokens(const Tokenizer& tokenizer, TokenTableTables& tables) {
  for (std::int32_t id = 0; id < tokenizer.size(); ++id) {
    tables.begins.push_back(static_cast<std::uint32_t>(tables.bytes.size()));
    tables.bytes += tokenizer.Bytes(id);
    tables.added.push_back(tokenizer.IsAdded(id));
    if (tokenizer.IsAdded(id)) tables.by_name.emplace(tokenizer.Bytes(id), id);
  }
  tables.begins.push_back(static_cast<std::uint32_t>(tables.bytes.size()));
  std::vector<std::pair<std::string_view, std::int32_t>> tokens;
  for (std::int32_t id = 0; id < tokenizer.size(); ++id) {
    if (!tables.IsAdded(id) && !tables.Bytes(id).empty()) tokens.emplace_back(tables.Bytes(id), id);
  }
  tables.trie = TokenTrie::Build(std::move(tokens));
}

}  // namespace

TokenTable::TokenTable(std::unique_ptr<const TokenTableTables> tables)
    : tables_(std::move(tables)) {}
TokenTable::~TokenTable() = default;

Result<std::shared_ptr<const TokenTable>> TokenTable::Create(const Tokenizer& tokenizer,
                                                             std::int64_t vocabulary) {
  if (vocabulary < tokenizer.size()) {
    return InvalidArgument(format("a vocabulary of {} is too small for the tokenizer's {} ids",
                                  vocabulary, tokenizer.size()));
  }
  auto tables = std::make_unique<TokenTableTables>();
  tables->vocabulary = vocabulary;
  CopyTokens(tokenizer, *tables);
  const auto end_of_value = tables->by_name.find("</arg_value>");
  tables->prelude = MakePrelude(end_of_value == tables->by_name.end() ? -1 : end_of_value->second);
  tables->prelude_sets = std::make_unique<TokenSets>(tables->trie, tables->prelude.automaton,
                                                     tables->words(), nullptr);
  // All of the prelude's: some tens of milliseconds that no request has to wait for.
  GLINT_CHECK(tables->prelude_sets->FindAhead(std::int64_t{1} << 40), "our own rules are simple");
  return std::shared_ptr<const TokenTable>(new TokenTable(std::move(tables)));
}

std::int64_t TokenTable::vocabulary() const { return tables_->vocabulary; }

}  // namespace glint::text
