// SPDX-License-Identifier: Apache-2.0
// All tokens of a vocabulary as a trie over their bytes, laid out for one pass from front to back.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace glint::text {

// Nodes in depth-first order, a node before its children, children by byte. Node 0 is the root.
// Immutable after Build.
class TokenTrie {
 public:
  // (bytes, token id), in any order; bytes not empty. Several tokens may have the same bytes.
  static TokenTrie Build(std::vector<std::pair<std::string_view, std::int32_t>> tokens);

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(nodes_.size()); }
  [[nodiscard]] std::uint8_t byte(std::int32_t node) const { return At(node).byte; }
  [[nodiscard]] std::int32_t depth(std::int32_t node) const { return At(node).depth; }
  // One past the last node below `node`. Its first child is node + 1, if that is below End(node);
  // the sibling after a child is End(child).
  [[nodiscard]] std::int32_t End(std::int32_t node) const { return At(node).end; }
  [[nodiscard]] bool HasChildren(std::int32_t node) const { return At(node).end > node + 1; }
  // The tokens that end here.
  [[nodiscard]] std::span<const std::int32_t> Tokens(std::int32_t node) const {
    const auto first = static_cast<std::size_t>(At(node).first_token);
    return std::span(tokens_).subspan(first,
                                      static_cast<std::size_t>(At(node + 1).first_token) - first);
  }
  // All tokens in the order of their nodes, and the place there of the first at or behind `node`.
  [[nodiscard]] std::span<const std::int32_t> all_tokens() const { return tokens_; }
  [[nodiscard]] std::int32_t FirstToken(std::int32_t node) const { return At(node).first_token; }
  // All tokens at or below `node`.
  [[nodiscard]] std::span<const std::int32_t> TokensBelow(std::int32_t node) const {
    const auto first = static_cast<std::size_t>(At(node).first_token);
    return std::span(tokens_).subspan(first,
                                      static_cast<std::size_t>(At(End(node)).first_token) - first);
  }
  // Bytes of the longest token.
  [[nodiscard]] std::int32_t max_depth() const { return max_depth_; }

 private:
  struct Node {
    std::int32_t end = 0;
    std::int32_t first_token = 0;  // in tokens_; the next node's is where they stop
    std::uint16_t depth = 0;
    std::uint8_t byte = 0;
  };
  [[nodiscard]] const Node& At(std::int32_t node) const {
    return node < size() ? nodes_[static_cast<std::size_t>(node)] : sentinel_;
  }

  std::vector<Node> nodes_;
  Node sentinel_;  // what follows the last node
  std::vector<std::int32_t> tokens_;
  std::int32_t max_depth_ = 0;
};

}  // namespace glint::text
