// SPDX-License-Identifier: Apache-2.0
#include "text/internal/nfa.h"

#include <utility>

namespace glint::text {
namespace {

const CodePointSet& EscapedSet() {
  static const CodePointSet set({{0, 0x1F}, {'"', '"'}, {'\\', '\\'}});
  return set;
}

class Construction {
 public:
  Construction(const GrammarBuilder& builder, std::int64_t max_nodes, WorkBudget& budget)
      : builder_(builder), max_nodes_(max_nodes), budget_(budget) {}

  Nfa Run(ExprId body) {
    const std::int32_t start = NewNode();
    nfa_.accept = Build(body, start);
    return std::move(nfa_);
  }

 private:
  std::int32_t NewNode() {
    if (static_cast<std::int64_t>(nfa_.nodes.size()) >= max_nodes_ || !budget_.Spend(4)) {
      nfa_.too_large = true;
      return 0;
    }
    nfa_.nodes.emplace_back();
    return static_cast<std::int32_t>(nfa_.nodes.size()) - 1;
  }

  Nfa::Node& node(std::int32_t id) { return nfa_.nodes[static_cast<std::size_t>(id)]; }
  void Connect(std::int32_t from, std::int32_t to) {
    if (from != to) node(from).empty.push_back(to);
  }
  void AddBytes(std::int32_t from, ByteRange range, std::uint8_t flags, std::int32_t to) {
    node(from).edges.push_back({.kind = Edge::Kind::kBytes,
                                .flags = flags,
                                .low = range.low,
                                .high = range.high,
                                .target = to});
  }

  // Adds the expression behind `from` and returns where it ends. Never adds an edge back to `from`,
  // so that alternatives may share it.
  std::int32_t Build(ExprId id, std::int32_t from) {
    if (!budget_.Spend(1)) nfa_.too_large = true;
    if (nfa_.too_large) return 0;
    const Expr& expr = builder_.expr(id);
    switch (expr.kind) {
      case Expr::Kind::kBytes:
        return Text(expr.text, expr.flags, from);
      case Expr::Kind::kClass:
        return Class(expr, from);
      case Expr::Kind::kToken:
      case Expr::Kind::kCall:
        return Symbol(expr, from);
      case Expr::Kind::kSequence:
        for (const ExprId child : expr.children) from = Build(child, from);
        return from;
      case Expr::Kind::kChoice: {
        const std::int32_t end = NewNode();
        for (const ExprId child : expr.children) Connect(Build(child, from), end);
        return end;
      }
      case Expr::Kind::kRepeat:
        return Repeat(expr, from);
      case Expr::Kind::kFragment:
        return Embed(expr.fragment, from);
      case Expr::Kind::kMembers:
        return Members(expr, from);
    }
    return from;
  }

  std::int32_t Text(std::string_view text, std::uint8_t flags, std::int32_t from) {
    for (const char c : text) {
      const auto byte = static_cast<std::uint8_t>(c);
      const std::int32_t to = NewNode();
      AddBytes(from, {byte, byte}, flags, to);
      from = to;
      flags = 0;
    }
    return from;
  }

  std::int32_t Symbol(const Expr& expr, std::int32_t from) {
    const std::int32_t to = NewNode();
    const bool call = expr.kind == Expr::Kind::kCall;
    node(from).edges.push_back({.kind = call ? Edge::Kind::kCall : Edge::Kind::kToken,
                                .flags = expr.flags,
                                .target = to,
                                .what = expr.a,
                                .counters = expr.counters});
    return to;
  }

  std::int32_t Class(const Expr& expr, std::int32_t from) {
    const std::int32_t end = NewNode();
    CodePointSet plain = expr.set;
    if (expr.spelling == Spelling::kJson) {
      plain = plain.Minus(EscapedSet());
      for (std::uint32_t c = 0; c <= '\\'; ++c) {
        if (!EscapedSet().Contains(c) || !expr.set.Contains(c)) continue;
        Connect(Text(JsonEscape(c), expr.flags, from), end);
      }
    }
    // Sequences share what follows a byte when it is the same.
    std::map<std::vector<std::pair<int, int>>, std::int32_t> tails;
    for (const CodePointRange& range : plain.ranges()) {
      for (const auto& sequence : Utf8Sequences(range)) {
        if (nfa_.too_large) return 0;
        std::int32_t to = end;
        std::vector<std::pair<int, int>> tail;
        for (std::size_t i = sequence.size(); i-- > 1;) {
          tail.emplace_back(sequence[i].low, sequence[i].high);
          const auto [at, added] = tails.try_emplace(tail, 0);
          if (added) {
            at->second = NewNode();
            AddBytes(at->second, sequence[i], 0, to);
          }
          to = at->second;
        }
        AddBytes(from, sequence[0], expr.flags, to);
      }
    }
    return end;
  }

  std::int32_t Repeat(const Expr& expr, std::int32_t from) {
    const ExprId child = expr.children[0];
    for (std::int32_t i = 0; i < expr.a && !nfa_.too_large; ++i) from = Build(child, from);
    const std::int32_t end = NewNode();
    if (expr.b < 0) {
      const std::int32_t loop = NewNode();
      Connect(from, loop);
      Connect(Build(child, loop), loop);
      Connect(loop, end);
      return end;
    }
    for (std::int32_t i = expr.a; i < expr.b && !nfa_.too_large; ++i) {
      Connect(from, end);
      from = Build(child, from);
    }
    Connect(from, end);
    return end;
  }

  std::int32_t Embed(const Fragment& fragment, std::int32_t from) {
    const std::int32_t end = NewNode();
    if (fragment.states.empty()) return end;
    std::vector<std::int32_t> ids(fragment.states.size());
    for (std::int32_t& id : ids) id = NewNode();
    if (nfa_.too_large) return 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Fragment::State& state = fragment.states[i];
      Nfa::Node& copy = node(ids[i]);
      copy.edges = state.edges;
      for (Edge& edge : copy.edges) {
        if (edge.target >= 0) edge.target = ids[static_cast<std::size_t>(edge.target)];
      }
      if (state.final) Connect(ids[i], end);
    }
    Connect(from, ids[0]);
    return end;
  }

  // Two ways run side by side: with no member so far, and with some, which need a separator. They
  // share the members.
  std::int32_t Members(const Expr& expr, std::int32_t from) {
    std::int32_t none = NewNode();
    std::int32_t some = NewNode();
    Connect(from, none);
    bool some_reachable = false;
    const auto member = [&](ExprId child, std::int32_t after) {
      const std::int32_t begin = NewNode();
      Connect(none, begin);
      if (some_reachable) Connect(Build(expr.a, some), begin);
      Connect(Build(child, begin), after);
    };
    for (std::size_t i = 0; i < expr.children.size() && !nfa_.too_large; ++i) {
      const std::int32_t next_none = NewNode();
      const std::int32_t next_some = NewNode();
      member(expr.children[i], next_some);
      if (expr.optional[i]) {
        Connect(none, next_none);
        Connect(some, next_some);
      }
      none = next_none;
      some = next_some;
      some_reachable = true;
    }
    if (expr.b >= 0) {
      some_reachable = true;
      member(expr.b, some);
    }
    const std::int32_t end = NewNode();
    Connect(none, end);
    Connect(some, end);
    return end;
  }

  const GrammarBuilder& builder_;
  std::int64_t max_nodes_;
  WorkBudget& budget_;
  Nfa nfa_;
};

}  // namespace

Nfa BuildNfa(const GrammarBuilder& builder, ExprId body, std::int64_t max_nodes,
             WorkBudget& budget) {
  return Construction(builder, max_nodes, budget).Run(body);
}

}  // namespace glint::text
