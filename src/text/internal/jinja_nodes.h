// SPDX-License-Identifier: Apache-2.0
// A parsed template. Trees never change once scopes are resolved (jinja_resolve_names.h), so any
// number of threads may render one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "text/internal/jinja_operation.h"
#include "text/internal/jinja_value.h"

namespace glint::text::jinja {

// Levels of expressions and statements in one another, at most: bounds every recursion over the
// tree.
inline constexpr int kMaxTreeDepth = 200;

// Where a variable lives: `hops` frames out from the frame that the expression runs in.
struct SlotRef {
  int hops = 0;
  int slot = -1;
};

// A variable of a scope, and what it starts as when the scope is entered.
struct Slot {
  enum class Start : std::uint8_t {
    kMissing,   // assigned in the scope, or set when it is entered (a parameter)
    kVariable,  // the render variable or global of that name
    kOuter,     // the value that an outer scope's variable has at that time
  };
  std::string name;
  Start start = Start::kMissing;
  SlotRef outer{};  // of kOuter, counted from this scope
};

// The variables of the template, of a loop body, a macro and so on.
struct Scope {
  std::vector<Slot> slots;
  // A macro defined inside, or `loop` used as a value: the frame must outlive its block.
  bool captured = false;
};

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

enum class ExpressionKind : std::uint8_t {
  kConstant,     // constant
  kName,         // name, slot
  kAttributeOf,  // as a target: attribute `name` of the namespace operands[0]
  kList,         // operands
  kTuple,        // operands
  kDict,         // operands: key, value, key, value ...
  kAttribute,    // operands[0].name
  kItem,         // operands[0][operands[1]]
  kSlice,        // operands[0][operands[1]:operands[2]:operands[3]], the last three may be null
  kCall,         // operands[0](operands[1...], keywords)
  kFilter,       // operands[0] | name(operands[1...], keywords); in a filter block [0] is null
  kTest,         // operands[0] is name(operands[1...], keywords)
  kConditional,  // operands[1] if operands[0] else operands[2], which may be null
  kAnd,
  kOr,
  kNot,
  kNegative,
  kPositive,
  kBinary,   // operands[0] name operands[1], name is + - * / // % **
  kConcat,   // operands[0] ~ operands[1] ~ ...
  kCompare,  // operands[0] comparisons[0] operands[1] comparisons[1] ...
};

enum class Comparison : std::uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,
  kNotIn,
};

struct Expression {
  ExpressionKind kind = ExpressionKind::kConstant;
  int line = 1;
  int depth = 1;  // levels of expressions in it, with its own
  std::string name;
  Value constant;
  std::vector<ExpressionPtr> operands;
  std::vector<std::pair<std::string, ExpressionPtr>> keywords;
  std::vector<Comparison> comparisons;
  const Operation* operation = nullptr;  // of kFilter and kTest
  SlotRef slot;                          // of kName
};

struct Statement;
using Body = std::vector<std::unique_ptr<Statement>>;

enum class StatementKind : std::uint8_t {
  kText,         // name is the text
  kOutput,       // expressions[0]
  kIf,           // branches; one without a condition is else
  kFor,          // target in expressions[0] if expressions[1], which may be null; body, else_body
  kSet,          // target = expressions[0]
  kSetBlock,     // target; body; expressions: the filter, if any
  kMacro,        // name, target, parameters; body
  kCallBlock,    // parameters; expressions[0] is the call; body
  kFilterBlock,  // expressions[0] is the filter; body
  kWith,         // parameters are targets and their values; body
  kGeneration,   // body, in a scope of its own
  kBreak,
  kContinue,
};

struct Branch {
  ExpressionPtr condition;  // null: else
  Body body;
};

struct Parameter {
  ExpressionPtr target;
  ExpressionPtr value;  // default value; may be null
};

struct Statement {
  StatementKind kind = StatementKind::kText;
  int line = 1;
  std::string name;
  ExpressionPtr target;
  std::vector<ExpressionPtr> expressions;
  std::vector<Parameter> parameters;
  std::vector<Branch> branches;
  Body body;
  Body else_body;
  Scope scope;       // of the body
  Scope test_scope;  // of a loop's condition
  Scope else_scope;  // of else_body
  // Slots in `scope` of what loops and macros set by themselves; -1 where the body does not use it.
  int loop_slot = -1;
  int caller_slot = -1;
  int varargs_slot = -1;
  int kwargs_slot = -1;
};

struct Template {
  Body body;
  Scope scope;
};

}  // namespace glint::text::jinja
