// SPDX-License-Identifier: Apache-2.0
#include "text/internal/jinja_resolve_names.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/format.h"
#include "text/internal/jinja_lexer.h"

namespace glint::text::jinja {
namespace {

// What is known of a scope's names at one point of its text. Branches of an `if` each get a copy.
struct Symbols {
  std::map<std::string, int, std::less<>> slots;  // names that were seen so far
  std::set<std::string, std::less<>> stores;      // those that were assigned
};

// A scope while its names are gathered, and later while its nested scopes are.
class Frame {
 public:
  Frame(Scope& scope, Frame* parent) : scope_(scope), parent_(parent) {}

  [[nodiscard]] Frame* parent() const { return parent_; }
  Symbols& symbols() { return symbols_; }
  [[nodiscard]] bool Stores(std::string_view name) const { return symbols_.stores.contains(name); }

  [[nodiscard]] std::optional<SlotRef> Find(std::string_view name) const {
    int hops = 0;
    for (const Frame* frame = this; frame != nullptr; frame = frame->parent_, ++hops) {
      const auto found = frame->symbols_.slots.find(name);
      if (found != frame->symbols_.slots.end()) return SlotRef{hops, found->second};
    }
    return std::nullopt;
  }

  int Define(const std::string& name, Slot::Start start, SlotRef outer = {}) {
    const auto [place, is_new] = numbers_.try_emplace(name, static_cast<int>(scope_.slots.size()));
    if (is_new) scope_.slots.emplace_back();
    scope_.slots[static_cast<std::size_t>(place->second)] = {name, start, outer};
    symbols_.slots[name] = place->second;
    return place->second;
  }

  int DeclareParameter(const std::string& name) {
    symbols_.stores.insert(name);
    return Define(name, Slot::Start::kMissing);
  }

  void Load(const std::string& name) {
    if (!Find(name)) Define(name, Slot::Start::kVariable);
  }

  void Store(const std::string& name) {
    symbols_.stores.insert(name);
    if (symbols_.slots.contains(name)) return;
    DefineFromOuter(name, Slot::Start::kMissing);
  }

  // Joins what the branches of an `if` saw. A name that one of them assigned starts as what it
  // means outside, for the branch may not be taken.
  void Join(const Symbols& before, const std::vector<Symbols>& branches) {
    symbols_ = before;
    for (const Symbols& branch : branches) {
      symbols_.slots.insert(branch.slots.begin(), branch.slots.end());
      symbols_.stores.insert(branch.stores.begin(), branch.stores.end());
    }
    for (const std::string& name : symbols_.stores) {
      if (!before.stores.contains(name)) DefineFromOuter(name, Slot::Start::kVariable);
    }
  }

  void MarkCaptured() {
    for (Frame* frame = this; frame != nullptr; frame = frame->parent_) {
      frame->scope_.captured = true;
    }
  }

  [[nodiscard]] Scope& scope() const { return scope_; }

 private:
  void DefineFromOuter(const std::string& name, Slot::Start otherwise) {
    std::optional<SlotRef> outer = parent_ == nullptr ? std::nullopt : parent_->Find(name);
    if (outer) {
      ++outer->hops;
      Define(name, Slot::Start::kOuter, *outer);
    } else {
      Define(name, otherwise);
    }
  }

  Scope& scope_;
  Frame* parent_;
  Symbols symbols_;
  std::map<std::string, int, std::less<>> numbers_;  // of all names, seen in whatever branch
};

// First pass over one scope: which names it has. Goes into `if`, not into other blocks, whose
// scopes are their own.
class NameGatherer {
 public:
  explicit NameGatherer(Frame& frame) : frame_(frame) {}

  void Visit(const Body& body) {
    for (const auto& statement : body) Visit(*statement);
  }

  void Visit(const Statement& statement) {
    switch (statement.kind) {
      case StatementKind::kIf:
        return VisitIf(statement);
      case StatementKind::kFor:
        return Load(statement.expressions[0]);
      case StatementKind::kMacro:
        return frame_.Store(statement.name);
      case StatementKind::kWith:
        for (const Parameter& assignment : statement.parameters) Load(assignment.value);
        return;
      default:
        for (const ExpressionPtr& expression : statement.expressions) Load(expression);
        if (statement.target != nullptr) Assign(*statement.target, false);
    }
  }

  void Load(const ExpressionPtr& expression) {
    if (expression == nullptr) return;
    if (expression->kind == ExpressionKind::kName) frame_.Load(expression->name);
    for (const ExpressionPtr& operand : expression->operands) Load(operand);
    for (const auto& [name, value] : expression->keywords) Load(value);
  }

  void Assign(const Expression& target, bool is_parameter) {
    if (target.kind == ExpressionKind::kAttributeOf) {
      frame_.Load(target.operands[0]->name);
    } else if (target.kind == ExpressionKind::kTuple) {
      for (const ExpressionPtr& item : target.operands) Assign(*item, is_parameter);
    } else if (is_parameter) {
      frame_.DeclareParameter(target.name);
    } else {
      frame_.Store(target.name);
    }
  }

 private:
  // The first branch, the `elif` ones together, and `else` are each looked at from the same start.
  void VisitIf(const Statement& chain) {
    const Branch& first = chain.branches[0];
    Load(first.condition);
    const Symbols before = frame_.symbols();
    std::vector<Symbols> seen;
    const auto note = [&] { seen.push_back(std::exchange(frame_.symbols(), before)); };
    Visit(first.body);
    note();
    const bool has_else = chain.branches.back().condition == nullptr;
    const std::size_t elif_end = chain.branches.size() - (has_else ? 1 : 0);
    for (std::size_t i = 1; i < elif_end; ++i) {
      Load(chain.branches[i].condition);
      const Symbols before_body = frame_.symbols();
      Visit(chain.branches[i].body);
      const Symbols body = frame_.symbols();
      frame_.Join(before_body, {body});
    }
    note();
    if (has_else) Visit(chain.branches.back().body);
    note();
    frame_.Join(before, seen);
  }

  Frame& frame_;
};

// Whether a name is read in a block, or in what is nested in it.
class NameFinder {
 public:
  explicit NameFinder(std::string_view name) : name_(name) {}

  [[nodiscard]] bool In(const Body& body) const {
    return std::any_of(body.begin(), body.end(), [&](const auto& part) { return In(*part); });
  }

 private:
  [[nodiscard]] bool In(const Statement& statement) const {
    const auto in_parameter = [&](const Parameter& one) { return In(one.value); };
    const auto in_branch = [&](const Branch& one) { return In(one.condition) || In(one.body); };
    return std::any_of(statement.expressions.begin(), statement.expressions.end(),
                       [&](const ExpressionPtr& one) { return In(one); }) ||
           std::any_of(statement.parameters.begin(), statement.parameters.end(), in_parameter) ||
           std::any_of(statement.branches.begin(), statement.branches.end(), in_branch) ||
           In(statement.body) || In(statement.else_body);
  }

  [[nodiscard]] bool In(const ExpressionPtr& expression) const {
    if (expression == nullptr) return false;
    if (expression->kind == ExpressionKind::kName && expression->name == name_) return true;
    return std::any_of(expression->operands.begin(), expression->operands.end(),
                       [&](const ExpressionPtr& one) { return In(one); }) ||
           std::any_of(expression->keywords.begin(), expression->keywords.end(),
                       [&](const auto& one) { return In(one.second); });
  }

  std::string_view name_;
};

// Second pass: gathers each scope, then writes slots into its expressions and goes into the blocks.
class Resolver {
 public:
  Status ResolveRoot(Template& parsed) {
    Frame root(parsed.scope, nullptr);
    NameGatherer(root).Visit(parsed.body);
    return Resolve(parsed.body, root);
  }

 private:
  Status Resolve(Body& body, Frame& frame) {
    for (const auto& statement : body) GLINT_TRY(Resolve(*statement, frame));
    return Ok();
  }

  Status Resolve(Statement& statement, Frame& frame) {
    switch (statement.kind) {
      case StatementKind::kFor:
        return ResolveFor(statement, frame);
      case StatementKind::kMacro:
      case StatementKind::kCallBlock:
        return ResolveFunction(statement, frame);
      case StatementKind::kWith:
        return ResolveWith(statement, frame);
      case StatementKind::kSetBlock:
      case StatementKind::kFilterBlock:
      case StatementKind::kGeneration:
        return ResolveBlock(statement, frame);
      default:
        break;
    }
    for (Branch& branch : statement.branches) {
      GLINT_TRY(Resolve(branch.condition, frame));
      GLINT_TRY(Resolve(branch.body, frame));
    }
    GLINT_TRY(Resolve(statement.target, frame));
    for (const ExpressionPtr& expression : statement.expressions) {
      GLINT_TRY(Resolve(expression, frame));
    }
    return Ok();
  }

  Status Resolve(const ExpressionPtr& expression, Frame& frame) {
    if (expression == nullptr) return Ok();
    if (expression->kind == ExpressionKind::kName) {
      const std::optional<SlotRef> found = frame.Find(expression->name);
      GLINT_CHECK(found.has_value(), expression->name);  // the gatherer has been here
      expression->slot = *found;
    }
    if (expression->kind == ExpressionKind::kCall) GLINT_TRY(CheckFunction(*expression, frame));
    const bool is_attribute = expression->kind == ExpressionKind::kAttribute ||
                              expression->kind == ExpressionKind::kAttributeOf;
    for (const ExpressionPtr& operand : expression->operands) {
      if (operand == nullptr) continue;
      GLINT_TRY(Resolve(operand, frame));
      // `loop` itself may be kept somewhere; loop.index may not.
      if (operand->kind == ExpressionKind::kName && operand->name == "loop" && !is_attribute) {
        frame.MarkCaptured();
      }
    }
    for (const auto& [name, value] : expression->keywords) GLINT_TRY(Resolve(value, frame));
    return Ok();
  }

  // A function by name must be one that can exist: a builtin, or something assigned.
  static Status CheckFunction(const Expression& call, const Frame& frame) {
    const Expression& callee = *call.operands[0];
    if (callee.kind != ExpressionKind::kName || FindBuiltin(callee.name)) return Ok();
    const std::optional<SlotRef> found = frame.Find(callee.name);
    const Frame* owner = &frame;
    for (int hops = found->hops; hops > 0; --hops) owner = owner->parent();
    const Slot& slot = owner->scope().slots[static_cast<std::size_t>(found->slot)];
    if (slot.start != Slot::Start::kVariable || owner->Stores(callee.name)) return Ok();
    return TemplateError(callee.line, format("unknown function '{}'", callee.name));
  }

  static bool AssignsLoop(const Statement& statement);

  Status ResolveFor(Statement& loop, Frame& frame) {
    if (AssignsLoop(loop)) {
      return TemplateError(loop.line, "cannot assign to the special variable 'loop' in a loop");
    }
    GLINT_TRY(Resolve(loop.expressions[0], frame));
    // The target comes first in both scopes, so that its slots are the same ones.
    Frame body(loop.scope, &frame);
    NameGatherer gatherer(body);
    gatherer.Assign(*loop.target, true);
    if (NameFinder("loop").In(loop.body)) loop.loop_slot = body.DeclareParameter("loop");
    gatherer.Visit(loop.body);
    GLINT_TRY(Resolve(loop.target, body));
    GLINT_TRY(Resolve(loop.body, body));
    if (loop.expressions[1] != nullptr) {
      Frame test(loop.test_scope, &frame);
      NameGatherer test_gatherer(test);
      test_gatherer.Assign(*loop.target, true);
      test_gatherer.Load(loop.expressions[1]);
      GLINT_TRY(Resolve(loop.expressions[1], test));
    }
    Frame otherwise(loop.else_scope, &frame);
    NameGatherer(otherwise).Visit(loop.else_body);
    return Resolve(loop.else_body, otherwise);
  }

  Status ResolveFunction(Statement& function, Frame& frame) {
    if (function.kind == StatementKind::kMacro) GLINT_TRY(Resolve(function.target, frame));
    if (function.kind == StatementKind::kCallBlock) {
      GLINT_TRY(Resolve(function.expressions[0], frame));
    }
    frame.MarkCaptured();
    Frame body(function.scope, &frame);
    NameGatherer gatherer(body);
    for (const Parameter& parameter : function.parameters) {
      gatherer.Assign(*parameter.target, true);
    }
    for (const Parameter& parameter : function.parameters) gatherer.Load(parameter.value);
    const auto declare = [&](const char* name, int& slot) {
      const bool is_parameter = body.symbols().slots.contains(name);
      if (!is_parameter && NameFinder(name).In(function.body)) slot = body.DeclareParameter(name);
    };
    declare("caller", function.caller_slot);
    declare("kwargs", function.kwargs_slot);
    declare("varargs", function.varargs_slot);
    gatherer.Visit(function.body);
    for (const Parameter& parameter : function.parameters) {
      GLINT_TRY(Resolve(parameter.target, body));
      GLINT_TRY(Resolve(parameter.value, body));
    }
    return Resolve(function.body, body);
  }

  Status ResolveWith(Statement& with, Frame& frame) {
    for (const Parameter& assignment : with.parameters) GLINT_TRY(Resolve(assignment.value, frame));
    Frame body(with.scope, &frame);
    NameGatherer gatherer(body);
    for (const Parameter& assignment : with.parameters) gatherer.Assign(*assignment.target, true);
    gatherer.Visit(with.body);
    for (const Parameter& assignment : with.parameters) GLINT_TRY(Resolve(assignment.target, body));
    return Resolve(with.body, body);
  }

  // A block whose filter, if any, runs in the block's scope.
  Status ResolveBlock(Statement& block, Frame& frame) {
    GLINT_TRY(Resolve(block.target, frame));
    Frame body(block.scope, &frame);
    NameGatherer gatherer(body);
    for (const ExpressionPtr& filter : block.expressions) gatherer.Load(filter);
    gatherer.Visit(block.body);
    for (const ExpressionPtr& filter : block.expressions) GLINT_TRY(Resolve(filter, body));
    return Resolve(block.body, body);
  }
};

bool Names(const Expression& target, std::string_view name) {
  if (target.kind == ExpressionKind::kName) return target.name == name;
  return target.kind == ExpressionKind::kTuple &&
         std::any_of(target.operands.begin(), target.operands.end(),
                     [&](const ExpressionPtr& item) { return Names(*item, name); });
}

// Whether a block assigns a name anywhere inside.
bool Assigns(const Body& body, std::string_view name);

bool Assigns(const Statement& statement, std::string_view name) {
  const auto in_branch = [&](const Branch& branch) { return Assigns(branch.body, name); };
  return (statement.target != nullptr && Names(*statement.target, name)) ||
         Assigns(statement.body, name) || Assigns(statement.else_body, name) ||
         std::any_of(statement.branches.begin(), statement.branches.end(), in_branch);
}

bool Assigns(const Body& body, std::string_view name) {
  return std::any_of(body.begin(), body.end(),
                     [&](const auto& statement) { return Assigns(*statement, name); });
}

bool Resolver::AssignsLoop(const Statement& statement) { return Assigns(statement, "loop"); }

}  // namespace

Status ResolveNames(Template& parsed) { return Resolver().ResolveRoot(parsed); }

std::optional<Builtin> FindBuiltin(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {"range", "dict", "namespace",
                                                      "raise_exception", "strftime_now"};
  const auto* const found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Builtin>(found - kNames.begin());
}

}  // namespace glint::text::jinja
