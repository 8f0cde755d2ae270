// SPDX-License-Identifier: Apache-2.0
// The inside of text/token_table.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/internal/json_prelude.h"
#include "text/internal/token_sets.h"
#include "text/internal/token_trie.h"

namespace glint::text {

struct TokenTableTables {
  std::int64_t vocabulary = 0;
  std::string bytes;                                      // of all tokens, one after the other
  std::vector<std::uint32_t> begins;                      // by id, and one past the last
  std::vector<bool> added;                                // by id
  std::unordered_map<std::string, std::int32_t> by_name;  // added tokens
  TokenTrie trie;                                         // of tokens that are not added
  Prelude prelude;
  std::unique_ptr<TokenSets> prelude_sets;  // locks itself

  [[nodiscard]] std::int64_t words() const { return (vocabulary + 31) / 32; }
  // Empty for an id that is none.
  [[nodiscard]] std::string_view Bytes(std::int32_t id) const {
    if (id < 0 || id >= static_cast<std::int32_t>(added.size())) return {};
    const auto at = static_cast<std::size_t>(id);
    return std::string_view(bytes).substr(begins[at], begins[at + 1] - begins[at]);
  }
  [[nodiscard]] bool IsAdded(std::int32_t id) const {
    return id >= 0 && id < static_cast<std::int32_t>(added.size()) &&
           added[static_cast<std::size_t>(id)];
  }
};

}  // namespace glint::text
