// SPDX-License-Identifier: Apache-2.0
#include "text/internal/key_exclusion.h"

#include <cstdint>
#include <map>

#include "base/check.h"
#include "text/internal/code_points.h"
#include "text/internal/json_prelude.h"

namespace glint::text {
namespace {

// Part of a tree of names; `base` is where the prelude's rule is after the same bytes.
struct Node {
  std::map<std::uint8_t, std::int32_t> children;
  std::int32_t base = 0;
};

std::int32_t Follow(const Automaton& automaton, std::int32_t state, std::uint8_t byte) {
  const Automaton::State& s = automaton.states[static_cast<std::size_t>(state)];
  for (std::int32_t i = s.first_edge; i < s.end_edge; ++i) {
    const Edge& edge = automaton.edges[static_cast<std::size_t>(i)];
    if (edge.low <= byte && byte <= edge.high) return edge.target;
  }
  GLINT_CHECK(false, "the rule of keys takes each JSON string in its one spelling");
}

// The edges of the base, but for the bytes that go on in the tree. A string ends with its second
// quote: where the tree has one, a name is complete, and that edge is left out.
void AddEdges(const Node& node, const Automaton& prelude, Fragment::State& state) {
  const Automaton::State& base = prelude.states[static_cast<std::size_t>(node.base)];
  for (std::int32_t i = base.first_edge; i < base.end_edge; ++i) {
    Edge edge = prelude.edges[static_cast<std::size_t>(i)];
    edge.target = ~edge.target;
    const int last = edge.high;
    int from = edge.low;
    for (auto child = node.children.lower_bound(edge.low);
         child != node.children.end() && child->first <= last; ++child) {
      if (from < child->first) {
        edge.low = static_cast<std::uint8_t>(from);
        edge.high = static_cast<std::uint8_t>(child->first - 1);
        state.edges.push_back(edge);
      }
      from = child->first + 1;
    }
    if (from > last) continue;
    edge.low = static_cast<std::uint8_t>(from);
    edge.high = static_cast<std::uint8_t>(last);
    state.edges.push_back(edge);
  }
}

}  // namespace

Fragment KeysExcept(const std::vector<std::string>& names, const Automaton& prelude) {
  std::vector<Node> nodes = {{.children = {}, .base = prelude.rule_starts[kRuleKey]}};
  constexpr std::int32_t kForbidden = -1;
  for (const std::string& name : names) {
    const std::string text = SpellJson(name);
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
      const auto byte = static_cast<std::uint8_t>(text[i]);
      const auto child = nodes[at].children.find(byte);
      if (child != nodes[at].children.end()) {
        at = static_cast<std::size_t>(child->second);
        continue;
      }
      const auto next = static_cast<std::int32_t>(nodes.size());
      nodes[at].children.emplace(byte, next);
      nodes.push_back({.children = {}, .base = Follow(prelude, nodes[at].base, byte)});
      at = static_cast<std::size_t>(next);
    }
    nodes[at].children.emplace(static_cast<std::uint8_t>('"'), kForbidden);
  }
  Fragment result;
  result.states.reserve(nodes.size());
  for (const Node& node : nodes) {
    Fragment::State state;
    state.base = node.base;
    AddEdges(node, prelude, state);
    for (const auto& [byte, child] : node.children) {
      if (child == kForbidden) continue;
      state.edges.push_back({.low = byte, .high = byte, .target = child});
    }
    result.states.push_back(std::move(state));
  }
  return result;
}

}  // namespace glint::text
