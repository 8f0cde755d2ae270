// SPDX-License-Identifier: Apache-2.0
#include "base/format.h"
#include "text/internal/jinja_arithmetic.h"
#include "text/internal/jinja_compare.h"
#include "text/internal/jinja_print.h"
#include "text/internal/jinja_renderer.h"

namespace glint::text::jinja {

Result<Renderer::Flow> Renderer::Execute(const Body& body, Frame& frame) {
  for (const auto& statement : body) {
    GLINT_ASSIGN(const Flow flow, Execute(*statement, frame));
    if (flow != Flow::kNext) return flow;
  }
  return Flow::kNext;
}

Result<Renderer::Flow> Renderer::Execute(const Statement& statement, Frame& frame) {
  const Descent descent(*this);
  budget_.Spend(1);
  Result<Flow> flow = budget_.ok() ? Dispatch(statement, frame) : Result<Flow>(Flow::kNext);
  if (!flow.ok()) return At(statement.line, flow.error());
  if (const Status within = budget_.Check(); !within.ok()) {
    return At(statement.line, within.error());
  }
  return flow;
}

Result<Renderer::Flow> Renderer::Dispatch(const Statement& statement, Frame& frame) {
  switch (statement.kind) {
    case StatementKind::kText:
      GLINT_TRY(Print(Value(Undefined{})));
      out_->append(statement.name);
      return Flow::kNext;
    case StatementKind::kOutput: {
      GLINT_ASSIGN(const Value value, Evaluate(*statement.expressions[0], frame));
      GLINT_TRY(Print(value));
      return Flow::kNext;
    }
    case StatementKind::kIf:
      return ExecuteIf(statement, frame);
    case StatementKind::kFor:
      return ExecuteFor(statement, frame);
    case StatementKind::kSet: {
      GLINT_ASSIGN(const Value value, Evaluate(*statement.expressions[0], frame));
      GLINT_TRY(Assign(*statement.target, value, frame));
      return Flow::kNext;
    }
    case StatementKind::kSetBlock:
      return ExecuteSetBlock(statement, frame);
    case StatementKind::kMacro:
      GLINT_TRY(Assign(*statement.target, DefineMacro(statement, frame), frame));
      return Flow::kNext;
    case StatementKind::kCallBlock:
      return ExecuteCallBlock(statement, frame);
    case StatementKind::kFilterBlock:
      return ExecuteFilterBlock(statement, frame);
    case StatementKind::kWith:
      return ExecuteWith(statement, frame);
    case StatementKind::kGeneration: {
      EnteredFrame inner(*this, statement.scope, &frame);
      return Execute(statement.body, *inner);
    }
    case StatementKind::kBreak:
      return Flow::kBreak;
    case StatementKind::kContinue:
      return Flow::kContinue;
  }
  return Flow::kNext;
}

Status Renderer::Print(const Value& value) {
  GLINT_TRY(AppendStr(budget_, value, *out_));
  if (static_cast<std::int64_t>(out_->size()) > limits_.output_bytes) {
    return InvalidArgument(format("the template prints more than {}",
                                  HumanBytes(static_cast<double>(limits_.output_bytes))));
  }
  return Ok();
}

Result<Renderer::Flow> Renderer::ExecuteIf(const Statement& chain, Frame& frame) {
  for (const Branch& branch : chain.branches) {
    if (branch.condition != nullptr) {
      GLINT_ASSIGN(const Value condition, Evaluate(*branch.condition, frame));
      if (!condition.IsTrue()) continue;
    }
    return Execute(branch.body, frame);
  }
  return Flow::kNext;
}

Result<Renderer::Flow> Renderer::ExecuteFor(const Statement& statement, Frame& frame) {
  GLINT_ASSIGN(const Value iterable, Evaluate(*statement.expressions[0], frame));
  EnteredFrame test(*this, statement.test_scope, &frame);
  LoopState::Condition condition;
  if (statement.expressions[1] != nullptr) {
    condition = [&, test_frame = &*test](const Value& item) -> Result<bool> {
      GLINT_TRY(Assign(*statement.target, item, *test_frame));
      GLINT_ASSIGN(const Value passes, Evaluate(*statement.expressions[1], *test_frame));
      return passes.IsTrue();
    };
  }
  GLINT_ASSIGN(std::unique_ptr<LoopState> owned,
               LoopState::Create(budget_, iterable, std::move(condition)));
  LoopState& loop = *owned;
  if (statement.scope.captured) {
    Keep(sizeof(LoopState));
    loops_.push_back(std::move(owned));
  }
  bool whole_turn = false;
  GLINT_ASSIGN(const Flow flow, ExecuteTurns(statement, loop, frame, whole_turn));
  loop.Finish();
  if (whole_turn || statement.else_body.empty()) return flow;
  EnteredFrame otherwise(*this, statement.else_scope, &frame);
  return Execute(statement.else_body, *otherwise);
}

Result<Renderer::Flow> Renderer::ExecuteTurns(const Statement& statement, LoopState& loop,
                                              Frame& frame, bool& whole_turn) {
  std::optional<EnteredFrame> turn;
  while (true) {
    GLINT_ASSIGN(const bool has_item, loop.Next());
    if (!has_item) return Flow::kNext;
    budget_.Spend(1);
    GLINT_TRY(budget_.Check());
    if (turn) {
      turn->Restart();
    } else {
      turn.emplace(*this, statement.scope, &frame);
    }
    Frame& inner = **turn;
    GLINT_TRY(Assign(*statement.target, loop.current(), inner));
    if (statement.loop_slot >= 0) {
      inner.slots[static_cast<std::size_t>(statement.loop_slot)] = Value(&loop);
    }
    GLINT_ASSIGN(const Flow flow, Execute(statement.body, inner));
    if (flow == Flow::kBreak) return Flow::kNext;
    whole_turn |= flow == Flow::kNext;
  }
}

Result<Renderer::Flow> Renderer::Capture(const Body& body, Frame& frame, std::string& printed) {
  std::string* const outer = std::exchange(out_, &printed);
  Result<Flow> flow = Execute(body, frame);
  out_ = outer;
  return flow;
}

// A loop's `break` that leaves a block drops what the block has printed.
Result<Renderer::Flow> Renderer::ExecuteSetBlock(const Statement& block, Frame& frame) {
  EnteredFrame inner(*this, block.scope, &frame);
  std::string printed;
  GLINT_ASSIGN(const Flow flow, Capture(block.body, *inner, printed));
  if (flow != Flow::kNext) return flow;
  Value value = MakeString(&budget_, std::move(printed));
  if (!block.expressions.empty()) {
    GLINT_ASSIGN(value, EvaluateFilter(*block.expressions[0], *inner, &value));
  }
  GLINT_TRY(Assign(*block.target, value, frame));
  return Flow::kNext;
}

Result<Renderer::Flow> Renderer::ExecuteFilterBlock(const Statement& block, Frame& frame) {
  EnteredFrame inner(*this, block.scope, &frame);
  std::string printed;
  GLINT_ASSIGN(const Flow flow, Capture(block.body, *inner, printed));
  if (flow != Flow::kNext) return flow;
  const Value text = MakeString(&budget_, std::move(printed));
  GLINT_ASSIGN(const Value filtered, EvaluateFilter(*block.expressions[0], *inner, &text));
  GLINT_TRY(Print(filtered));
  return Flow::kNext;
}

Result<Renderer::Flow> Renderer::ExecuteWith(const Statement& with, Frame& frame) {
  EnteredFrame inner(*this, with.scope, &frame);
  for (const Parameter& assignment : with.parameters) {
    GLINT_ASSIGN(const Value value, Evaluate(*assignment.value, frame));
    GLINT_TRY(Assign(*assignment.target, value, *inner));
  }
  return Execute(with.body, *inner);
}

Result<Renderer::Flow> Renderer::ExecuteCallBlock(const Statement& block, Frame& frame) {
  const Value caller = DefineMacro(block, frame);
  GLINT_ASSIGN(const Value printed, EvaluateCall(*block.expressions[0], frame, &caller));
  GLINT_TRY(Print(printed));
  return Flow::kNext;
}

Value Renderer::DefineMacro(const Statement& definition, Frame& frame) {
  Keep(sizeof(Macro));
  return Value(&std::as_const(macros_.emplace_back(Macro{&definition, &frame})));
}

Status Renderer::Assign(const Expression& target, const Value& value, Frame& frame) {
  switch (target.kind) {
    case ExpressionKind::kTuple:
      return Unpack(target, value, frame);
    case ExpressionKind::kAttributeOf: {
      GLINT_ASSIGN(const Value object, EvaluateName(*target.operands[0], frame));
      Namespace* names = object.name_space();
      if (names == nullptr) {
        return InvalidArgument(
            format("cannot assign attribute '{}' on non-namespace object", target.name));
      }
      names->Set(target.name, value);
      return Ok();
    }
    default:
      SlotOf(target.slot, frame) = value;
      return Ok();
  }
}

Status Renderer::Unpack(const Expression& target, const Value& value, Frame& frame) {
  GLINT_ASSIGN(const std::vector<Value> items, Items(budget_, value));
  if (items.size() != target.operands.size()) {
    return InvalidArgument(
        format("cannot unpack {} values into {} names", items.size(), target.operands.size()));
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    GLINT_TRY(Assign(*target.operands[i], items[i], frame));
  }
  return Ok();
}

}  // namespace glint::text::jinja
