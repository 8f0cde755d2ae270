// SPDX-License-Identifier: Apache-2.0
// Runs a template: one Renderer renders once.
//
// Errors carry no line: the line of the innermost statement or expression that failed is kept, and
// Run puts it in front of the message.
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "text/internal/jinja_budget.h"
#include "text/internal/jinja_loop_state.h"
#include "text/internal/jinja_nodes.h"

namespace glint::text::jinja {

// The variables of a scope that was entered.
struct Frame {
  const Scope* scope = nullptr;
  Frame* parent = nullptr;
  std::vector<Value> slots;
};

struct Macro {
  const Statement* definition = nullptr;
  Frame* frame = nullptr;  // where it was defined
};

class Renderer {
 public:
  struct Limits {
    Budget::Limits budget;
    std::int64_t output_bytes = 0;
    int depth = 0;  // of statements, expressions and macro calls in one another
  };
  // `now` is what strftime_now tells. The template outlives the renderer.
  Renderer(const Template& parsed, std::chrono::system_clock::time_point now, Limits limits)
      : template_(parsed), now_(now), limits_(limits), budget_(limits.budget) {}

  // The text; `variables` is an object. kInvalidArgument "line 3: ..." for what Python would raise,
  // for raise_exception, and when a limit is passed.
  Result<std::string> Run(const Json& variables);

 private:
  enum class Flow : std::uint8_t { kNext, kBreak, kContinue };

  // A frame that lives as long as the block that entered it, or as the renderer when a macro may
  // refer to it.
  class EnteredFrame {
   public:
    EnteredFrame(Renderer& renderer, const Scope& scope, Frame* parent);
    // A fresh one for the next turn of a loop.
    void Restart();
    Frame& operator*() { return *frame_; }

   private:
    Renderer& renderer_;
    Frame local_;
    Frame* frame_;
  };

  // Counts how deep the recursion is.
  class Descent {
   public:
    explicit Descent(Renderer& renderer) : renderer_(renderer) { ++renderer_.depth_; }
    Descent(const Descent&) = delete;
    Descent& operator=(const Descent&) = delete;
    ~Descent() { --renderer_.depth_; }

   private:
    Renderer& renderer_;
  };

  // jinja_render_statements.cc
  Result<Flow> Execute(const Body& body, Frame& frame);
  Result<Flow> Execute(const Statement& statement, Frame& frame);
  Result<Flow> Dispatch(const Statement& statement, Frame& frame);
  Result<Flow> ExecuteIf(const Statement& chain, Frame& frame);
  Result<Flow> ExecuteFor(const Statement& loop, Frame& frame);
  // `whole_turn`: some turn came to the end of the body. As in jinja2, `else` runs if none did,
  // even when `break` or `continue` was the reason.
  Result<Flow> ExecuteTurns(const Statement& statement, LoopState& loop, Frame& frame,
                            bool& whole_turn);
  Result<Flow> ExecuteSetBlock(const Statement& block, Frame& frame);
  Result<Flow> ExecuteFilterBlock(const Statement& block, Frame& frame);
  Result<Flow> ExecuteWith(const Statement& with, Frame& frame);
  Result<Flow> ExecuteCallBlock(const Statement& block, Frame& frame);
  // What a body prints.
  Result<Flow> Capture(const Body& body, Frame& frame, std::string& printed);
  Status Print(const Value& value);
  Status Assign(const Expression& target, const Value& value, Frame& frame);
  Status Unpack(const Expression& target, const Value& value, Frame& frame);
  Value DefineMacro(const Statement& definition, Frame& frame);

  // jinja_render_expressions.cc
  Result<Value> Evaluate(const Expression& expression, Frame& frame);
  Result<Value> DispatchExpression(const Expression& expression, Frame& frame);
  Result<Value> EvaluateName(const Expression& name, Frame& frame);
  Result<Value> EvaluateItems(const Expression& list, Frame& frame);
  Result<Value> EvaluateDict(const Expression& dict, Frame& frame);
  Result<Value> EvaluateSlice(const Expression& slice, Frame& frame);
  Result<Value> EvaluateConditional(const Expression& choice, Frame& frame);
  Result<Value> EvaluateLogic(const Expression& logic, Frame& frame);
  Result<Value> EvaluateConcat(const Expression& concat, Frame& frame);
  Result<Value> EvaluateCompare(const Expression& compare, Frame& frame);
  Result<bool> Compare(Comparison comparison, const Value& a, const Value& b);
  // `block_text` is the input of a filter block's innermost filter.
  Result<Value> EvaluateFilter(const Expression& filter, Frame& frame, const Value* block_text);
  Result<Value> EvaluateTest(const Expression& test, Frame& frame);

  // jinja_render_calls.cc
  // `caller`, if any, is handed on as the argument of that name.
  Result<Value> EvaluateCall(const Expression& call, Frame& frame, const Value* caller);
  Result<Arguments> EvaluateArguments(const Expression& call, Frame& frame);
  Result<Value> CallValue(const Value& callee, Arguments arguments);
  Result<Value> CallMacro(const Macro& macro, Arguments arguments);
  Status BindParameters(const Statement& definition, Arguments& arguments, Frame& frame);
  Status BindRest(const Statement& definition, Arguments& arguments, Frame& frame);
  Result<Value> CallBuiltin(Builtin builtin, const Arguments& arguments);
  Result<Value> MakeRange(const Arguments& arguments);
  Result<Value> MakeDict(const Arguments& arguments);
  Result<Value> MakeNamespace(const Arguments& arguments);
  Result<Value> FormatNow(const Arguments& arguments);

  // Takes the memory of something that lives until the end from the budget.
  void Keep(std::size_t bytes) { kept_.emplace_back(&budget_, bytes); }
  void StartSlots(Frame& frame);
  [[nodiscard]] Value FindVariable(std::string_view name) const;
  static Value& SlotOf(SlotRef slot, Frame& frame);
  // Notes the line of the first failure.
  Error At(int line, Error error);

  const Template& template_;
  std::chrono::system_clock::time_point now_;
  Limits limits_;
  Budget budget_;
  Value variables_;
  int depth_ = 0;
  std::optional<int> failed_line_;
  std::string* out_ = nullptr;  // where the current block prints

  // Of this rendering; Values point into them.
  std::deque<Namespace> namespaces_;
  std::deque<Macro> macros_;
  std::deque<Frame> frames_;
  std::deque<std::unique_ptr<LoopState>> loops_;
  std::deque<Held> kept_;  // the memory of those
};

}  // namespace glint::text::jinja
