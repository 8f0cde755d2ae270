// SPDX-License-Identifier: Apache-2.0
#include "text/internal/token_trie.h"

#include <algorithm>
#include <limits>

namespace glint::text {

TokenTrie TokenTrie::Build(std::vector<std::pair<std::string_view, std::int32_t>> tokens) {
  // Depths are 16 bits; a token that long would never be sampled for good.
  std::erase_if(tokens, [](const auto& token) {
    return token.first.empty() || token.first.size() > std::numeric_limits<std::uint16_t>::max();
  });
  std::sort(tokens.begin(), tokens.end());
  TokenTrie trie;
  trie.nodes_.emplace_back();
  trie.tokens_.reserve(tokens.size());
  std::vector<std::size_t> path = {0};  // nodes of the token before, the root first
  std::string_view before;
  const auto close = [&](std::size_t depth) {
    while (path.size() > depth + 1) {
      trie.nodes_[path.back()].end = static_cast<std::int32_t>(trie.nodes_.size());
      path.pop_back();
    }
  };
  for (const auto& [bytes, id] : tokens) {
    const auto split = std::mismatch(bytes.begin(), bytes.end(), before.begin(), before.end());
    close(static_cast<std::size_t>(split.first - bytes.begin()));
    for (std::size_t depth = path.size(); depth <= bytes.size(); ++depth) {
      path.push_back(trie.nodes_.size());
      trie.nodes_.push_back({.first_token = static_cast<std::int32_t>(trie.tokens_.size()),
                             .depth = static_cast<std::uint16_t>(depth),
                             .byte = static_cast<std::uint8_t>(bytes[depth - 1])});
    }
    trie.tokens_.push_back(id);
    trie.max_depth_ = std::max(trie.max_depth_, static_cast<std::int32_t>(bytes.size()));
    before = bytes;
  }
  close(0);
  trie.nodes_[0].end = static_cast<std::int32_t>(trie.nodes_.size());
  trie.sentinel_.first_token = static_cast<std::int32_t>(trie.tokens_.size());
  return trie;
}

}  // namespace glint::text
