// SPDX-License-Identifier: Apache-2.0
#include "text/internal/rule_compiler.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/format.h"
#include "text/internal/nfa.h"

namespace glint::text {
namespace {

using NodeSet = std::vector<std::int32_t>;  // ascending

struct NodeSetHash {
  std::size_t operator()(const NodeSet& nodes) const {
    std::uint64_t hash = 0x9E3779B97F4A7C15U;
    for (const std::int32_t node : nodes) {
      hash = (hash ^ static_cast<std::uint64_t>(node)) * 0xBF58476D1CE4E5B9U;
      hash ^= hash >> 29;
    }
    return static_cast<std::size_t>(hash);
  }
};

// What must be equal for two edges that are not of bytes to be the same symbol.
using Symbol = std::tuple<Edge::Kind, std::uint8_t, std::int32_t, std::int32_t, std::int32_t>;

Symbol SymbolOf(const Edge& edge) {
  return {edge.kind, edge.flags, edge.what, edge.counters.need, edge.counters.room};
}

void SortUnique(NodeSet& nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

// Empty edges followed, with marks instead of sets: one per construction.
class Closures {
 public:
  Closures(const Nfa& nfa, WorkBudget& budget)
      : nfa_(nfa), budget_(budget), marks_(nfa.nodes.size(), 0) {}

  // Everything reachable over empty edges, in ascending order.
  void Close(NodeSet& nodes) {
    ++mark_;
    for (const std::int32_t id : nodes) marks_[static_cast<std::size_t>(id)] = mark_;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto& empty = nfa_.nodes[static_cast<std::size_t>(nodes[i])].empty;
      if (!budget_.Spend(static_cast<std::int64_t>(empty.size()) + 1)) return;
      for (const std::int32_t to : empty) {
        if (std::exchange(marks_[static_cast<std::size_t>(to)], mark_) != mark_)
          nodes.push_back(to);
      }
    }
    SortUnique(nodes);
  }

 private:
  const Nfa& nfa_;
  WorkBudget& budget_;
  std::vector<std::uint32_t> marks_;
  std::uint32_t mark_ = 0;
};

class SubsetConstruction {
 public:
  SubsetConstruction(const Nfa& nfa, std::int64_t max_states, WorkBudget& budget)
      : nfa_(nfa), max_states_(max_states), budget_(budget), closures_(nfa, budget) {}

  // Nothing when a limit is passed.
  std::optional<Fragment> Run() {
    IdOf({0});
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      if (static_cast<std::int64_t>(sets_.size()) > max_states_ || budget_.empty()) return {};
      Expand(i);
    }
    return std::move(result_);
  }

 private:
  std::int32_t IdOf(NodeSet nodes) {
    closures_.Close(nodes);
    const auto [at, added] = ids_.try_emplace(nodes, static_cast<std::int32_t>(sets_.size()));
    if (added) {
      Fragment::State state;
      state.final = std::binary_search(nodes.begin(), nodes.end(), nfa_.accept);
      result_.states.push_back(std::move(state));
      sets_.push_back(std::move(nodes));
    }
    return at->second;
  }

  void Expand(std::size_t index) {
    std::map<std::uint8_t, std::vector<Edge>> bytes;  // by flags
    std::map<Symbol, std::pair<Edge, NodeSet>> symbols;
    for (const std::int32_t id : sets_[index]) {
      for (const Edge& edge : nfa_.nodes[static_cast<std::size_t>(id)].edges) {
        if (!budget_.Spend(4)) return;
        if (edge.kind == Edge::Kind::kBytes) {
          bytes[edge.flags].push_back(edge);
          continue;
        }
        auto& entry = symbols[SymbolOf(edge)];
        entry.first = edge;
        entry.second.push_back(edge.target);
      }
    }
    std::vector<Edge> edges;
    for (const auto& [flags, list] : bytes) ExpandBytes(list, edges);
    for (auto& [symbol, entry] : symbols) {
      SortUnique(entry.second);
      entry.first.target = IdOf(std::move(entry.second));
      edges.push_back(entry.first);
    }
    result_.states[index].edges = std::move(edges);
  }

  // Between two neighbouring borders all bytes have the same targets.
  void ExpandBytes(const std::vector<Edge>& list, std::vector<Edge>& edges) {
    std::array<bool, 257> border{};
    for (const Edge& edge : list) {
      border[edge.low] = true;
      border[edge.high + 1U] = true;
    }
    std::optional<std::size_t> begin;
    for (std::size_t at = 0; at < border.size(); ++at) {
      if (!border[at]) continue;
      if (begin) AddInterval(list, *begin, at - 1, edges);
      begin = at;
    }
  }

  void AddInterval(const std::vector<Edge>& list, std::size_t low, std::size_t high,
                   std::vector<Edge>& edges) {
    NodeSet targets;
    if (!budget_.Spend(static_cast<std::int64_t>(list.size()) / 4 + 1)) return;
    for (const Edge& edge : list) {
      if (edge.low <= low && high <= edge.high) targets.push_back(edge.target);
    }
    if (targets.empty()) return;
    SortUnique(targets);
    Edge edge = list.front();
    edge.low = static_cast<std::uint8_t>(low);
    edge.high = static_cast<std::uint8_t>(high);
    edge.target = IdOf(std::move(targets));
    if (!edges.empty() && edges.back().flags == edge.flags && edges.back().high + 1 == edge.low &&
        edges.back().target == edge.target) {
      edges.back().high = edge.high;
    } else {
      edges.push_back(edge);
    }
  }

  const Nfa& nfa_;
  std::int64_t max_states_;
  WorkBudget& budget_;
  Closures closures_;
  std::unordered_map<NodeSet, std::int32_t, NodeSetHash> ids_;
  std::vector<NodeSet> sets_;
  Fragment result_;
};

// Keeps the nodes that edges lead to; each takes over the edges of all that it reaches for nothing.
std::optional<Fragment> WithoutEmptyEdges(const Nfa& nfa, const RuleLimits& limits,
                                          WorkBudget& budget) {
  Closures closures(nfa, budget);
  std::vector<std::int32_t> ids(nfa.nodes.size(), -1);
  NodeSet kept = {0};
  ids[0] = 0;
  Fragment result;
  std::int64_t edge_count = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    NodeSet nodes = {kept[i]};
    closures.Close(nodes);
    Fragment::State state;
    state.final = std::binary_search(nodes.begin(), nodes.end(), nfa.accept);
    for (const std::int32_t node : nodes) {
      for (Edge edge : nfa.nodes[static_cast<std::size_t>(node)].edges) {
        std::int32_t& id = ids[static_cast<std::size_t>(edge.target)];
        if (id < 0) {
          id = static_cast<std::int32_t>(kept.size());
          kept.push_back(edge.target);
        }
        edge.target = id;
        state.edges.push_back(edge);
      }
    }
    edge_count += static_cast<std::int64_t>(state.edges.size());
    if (edge_count > limits.max_edges || budget.empty()) return std::nullopt;
    result.states.push_back(std::move(state));
  }
  return result;
}

Error TooLarge(const RuleLimits& limits, const WorkBudget& budget) {
  if (budget.empty()) return InvalidArgument("the grammar takes too much work to compile");
  return InvalidArgument(
      format("a rule of the grammar needs more than {} states", limits.max_states));
}

// Where a byte leads in a deterministic automaton over bytes, or -1.
std::int32_t Follow(const Fragment& fragment, std::int32_t state, std::uint8_t byte) {
  if (state < 0) return -1;
  for (const Edge& edge : fragment.states[static_cast<std::size_t>(state)].edges) {
    if (edge.low <= byte && byte <= edge.high) return edge.target;
  }
  return -1;
}

// Takes out the states from which no end can be reached.
Fragment Trimmed(const Fragment& whole) {
  const std::size_t count = whole.states.size();
  std::vector<std::vector<std::int32_t>> before(count);
  NodeSet live;
  std::vector<std::int32_t> ids(count, -1);
  for (std::size_t i = 0; i < count; ++i) {
    for (const Edge& edge : whole.states[i].edges) {
      before[static_cast<std::size_t>(edge.target)].push_back(static_cast<std::int32_t>(i));
    }
    if (!whole.states[i].final) continue;
    ids[i] = 0;
    live.push_back(static_cast<std::int32_t>(i));
  }
  for (std::size_t i = 0; i < live.size(); ++i) {
    for (const std::int32_t from : before[static_cast<std::size_t>(live[i])]) {
      if (std::exchange(ids[static_cast<std::size_t>(from)], 0) < 0) live.push_back(from);
    }
  }
  Fragment result;
  if (count == 0 || ids[0] < 0) return result;
  std::int32_t next = 0;
  for (std::int32_t& id : ids) {
    if (id >= 0) id = next++;
  }
  result.states.reserve(static_cast<std::size_t>(next));
  for (std::size_t i = 0; i < count; ++i) {
    if (ids[i] < 0) continue;
    Fragment::State state;
    state.final = whole.states[i].final;
    for (Edge edge : whole.states[i].edges) {
      edge.target = ids[static_cast<std::size_t>(edge.target)];
      if (edge.target >= 0) state.edges.push_back(edge);
    }
    result.states.push_back(std::move(state));
  }
  return result;
}

// The product of two automata, of the pairs that are reachable.
class Product {
 public:
  Product(const Fragment& a, const Fragment& b, Combination combination)
      : a_(a), b_(b), combination_(combination) {}

  std::optional<Fragment> Run(std::int64_t max_states, WorkBudget& budget) {
    if (a_.states.empty()) return Fragment{};
    IdOf(0, b_.states.empty() ? -1 : 0);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      if (static_cast<std::int64_t>(pairs_.size()) > max_states || !budget.Spend(256)) return {};
      Expand(i);
    }
    return Trimmed(result_);
  }

 private:
  std::int32_t IdOf(std::int32_t a, std::int32_t b) {
    const auto [at, added] =
        ids_.try_emplace(std::pair(a, b), static_cast<std::int32_t>(pairs_.size()));
    if (added) {
      pairs_.emplace_back(a, b);
      const bool in_b = b >= 0 && b_.states[static_cast<std::size_t>(b)].final;
      Fragment::State state;
      state.final = a_.states[static_cast<std::size_t>(a)].final &&
                    in_b == (combination_ == Combination::kBoth);
      result_.states.push_back(std::move(state));
    }
    return at->second;
  }

  void Expand(std::size_t index) {
    const auto [a, b] = pairs_[index];
    std::vector<Edge> edges;
    for (const Edge& edge : a_.states[static_cast<std::size_t>(a)].edges) {
      for (int byte = edge.low; byte <= edge.high; ++byte) {
        const std::int32_t b_target = Follow(b_, b, static_cast<std::uint8_t>(byte));
        if (b_target < 0 && combination_ == Combination::kBoth) continue;
        const std::int32_t target = IdOf(edge.target, b_target);
        if (!edges.empty() && edges.back().target == target && edges.back().high + 1 == byte) {
          edges.back().high = static_cast<std::uint8_t>(byte);
          continue;
        }
        edges.push_back({.low = static_cast<std::uint8_t>(byte),
                         .high = static_cast<std::uint8_t>(byte),
                         .target = target});
      }
    }
    result_.states[index].edges = std::move(edges);
  }

  const Fragment& a_;
  const Fragment& b_;
  Combination combination_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> ids_;
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs_;
  Fragment result_;
};

}  // namespace

Result<Fragment> CompileRule(const GrammarBuilder& builder, ExprId body, RuleForm form,
                             const RuleLimits& limits, WorkBudget& budget) {
  const Expr& expr = builder.expr(body);
  if (expr.kind == Expr::Kind::kFragment) return expr.fragment;
  const Nfa nfa = BuildNfa(builder, body, limits.max_states, budget);
  if (nfa.too_large) return TooLarge(limits, budget);
  if (form == RuleForm::kDeterministic) {
    auto result = SubsetConstruction(nfa, limits.max_states, budget).Run();
    if (!result) return TooLarge(limits, budget);
    return *std::move(result);
  }
  // Three times the size is what masks that need not be joined are worth.
  const auto size = static_cast<std::int64_t>(nfa.nodes.size());
  WorkBudget trial(std::int64_t{1'000} * size + 10'000);
  if (auto small = SubsetConstruction(nfa, 3 * size + 16, trial).Run()) return *std::move(small);
  auto result = WithoutEmptyEdges(nfa, limits, budget);
  if (!result) return TooLarge(limits, budget);
  return *std::move(result);
}

Result<Fragment> Combine(const Fragment& a, const Fragment& b, Combination combination,
                         const RuleLimits& limits, WorkBudget& budget) {
  auto result = Product(a, b, combination).Run(limits.max_states, budget);
  if (!result) return TooLarge(limits, budget);
  return *std::move(result);
}

bool Matches(const Fragment& fragment, std::string_view text) {
  if (fragment.states.empty()) return false;
  std::int32_t state = 0;
  for (const char c : text) state = Follow(fragment, state, static_cast<std::uint8_t>(c));
  return state >= 0 && fragment.states[static_cast<std::size_t>(state)].final;
}

}  // namespace glint::text
