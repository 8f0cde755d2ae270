// SPDX-License-Identifier: Apache-2.0
// Calls: macros, methods, and the functions that every template has.
#include <algorithm>
#include <array>
#include <ctime>

#include "base/format.h"
#include "text/internal/jinja_arithmetic.h"
#include "text/internal/jinja_compare.h"
#include "text/internal/jinja_print.h"
#include "text/internal/jinja_renderer.h"
#include "text/internal/jinja_subscript.h"

namespace glint::text::jinja {
namespace {

constexpr std::int64_t kMaxRange = 100'000;  // of jinja2's sandbox

bool IsLoopMethod(std::string_view name) { return name == "cycle" || name == "changed"; }

}  // namespace

Result<Arguments> Renderer::EvaluateArguments(const Expression& call, Frame& frame) {
  Arguments arguments;
  arguments.positional.reserve(call.operands.size());
  for (std::size_t i = 1; i < call.operands.size(); ++i) {
    GLINT_ASSIGN(Value value, Evaluate(*call.operands[i], frame));
    arguments.positional.push_back(std::move(value));
  }
  arguments.keywords.reserve(call.keywords.size());
  for (const auto& [name, expression] : call.keywords) {
    GLINT_ASSIGN(Value value, Evaluate(*expression, frame));
    arguments.keywords.emplace_back(name, std::move(value));
  }
  return arguments;
}

Result<Value> Renderer::EvaluateCall(const Expression& call, Frame& frame, const Value* caller) {
  const Expression& target = *call.operands[0];
  Value callee;
  LoopState* loop = nullptr;
  if (target.kind == ExpressionKind::kAttribute) {
    GLINT_ASSIGN(const Value object, Evaluate(*target.operands[0], frame));
    loop = IsLoopMethod(target.name) ? object.loop() : nullptr;
    if (loop == nullptr) {
      GLINT_ASSIGN(callee, GetAttribute(budget_, object, target.name));
    }
  } else {
    GLINT_ASSIGN(callee, Evaluate(target, frame));
  }
  GLINT_ASSIGN(Arguments arguments, EvaluateArguments(call, frame));
  if (loop != nullptr) return loop->CallMethod(budget_, target.name, arguments);
  if (caller != nullptr) arguments.keywords.emplace_back("caller", *caller);
  return CallValue(callee, std::move(arguments));
}

Result<Value> Renderer::CallValue(const Value& callee, Arguments arguments) {
  if (const Macro* macro = callee.macro()) return CallMacro(*macro, std::move(arguments));
  if (const Builtin* builtin = callee.builtin()) return CallBuiltin(*builtin, arguments);
  if (const BoundMethod* method = callee.method()) {
    if (method->operation == nullptr) {
      return InvalidArgument(
          format("this method of '{}' objects is not supported", method->receiver.TypeName()));
    }
    return jinja::Run(*method->operation, budget_, method->receiver, arguments);
  }
  if (callee.undefined() != nullptr) return UndefinedError(*callee.undefined());
  return InvalidArgument(format("'{}' object is not callable", callee.TypeName()));
}

Result<Value> Renderer::CallMacro(const Macro& macro, Arguments arguments) {
  const Statement& definition = *macro.definition;
  EnteredFrame frame(*this, definition.scope, macro.frame);
  GLINT_TRY(BindParameters(definition, arguments, *frame));
  std::string printed;
  GLINT_ASSIGN(const Flow flow, Capture(definition.body, *frame, printed));
  static_cast<void>(flow);  // the parser lets no break leave a macro
  return MakeString(&budget_, std::move(printed));
}

Status Renderer::BindParameters(const Statement& definition, Arguments& arguments, Frame& frame) {
  const std::size_t given = arguments.positional.size();
  for (std::size_t i = 0; i < definition.parameters.size(); ++i) {
    const Expression& target = *definition.parameters[i].target;
    Value& slot = SlotOf(target.slot, frame);
    if (i < given) {
      slot = arguments.positional[i];
      continue;
    }
    const auto named = std::find_if(arguments.keywords.begin(), arguments.keywords.end(),
                                    [&](const auto& one) { return one.first == target.name; });
    if (named == arguments.keywords.end()) continue;
    slot = std::move(named->second);
    arguments.keywords.erase(named);
  }
  GLINT_TRY(BindRest(definition, arguments, frame));
  for (const Parameter& parameter : definition.parameters) {
    Value& slot = SlotOf(parameter.target->slot, frame);
    if (!slot.is_missing()) continue;
    Value value(Undefined{parameter.target->name, nullptr});
    if (parameter.value != nullptr) {
      GLINT_ASSIGN(value, Evaluate(*parameter.value, frame));
    }
    slot = std::move(value);
  }
  return Ok();
}

// What no parameter took: caller, kwargs and varargs where the macro uses them, else an error.
Status Renderer::BindRest(const Statement& definition, Arguments& arguments, Frame& frame) {
  auto& keywords = arguments.keywords;
  if (definition.caller_slot >= 0) {
    Value& slot = frame.slots[static_cast<std::size_t>(definition.caller_slot)];
    slot = Value(Undefined{"caller", nullptr});
    const auto caller = std::find_if(keywords.begin(), keywords.end(),
                                     [](const auto& one) { return one.first == "caller"; });
    if (caller != keywords.end()) {
      slot = std::move(caller->second);
      keywords.erase(caller);
    }
  }
  if (definition.kwargs_slot >= 0) {
    DictBuilder members;
    for (auto& [name, value] : keywords) {
      GLINT_TRY(members.Set(MakeString(&budget_, std::string(name)), std::move(value)));
    }
    GLINT_ASSIGN(frame.slots[static_cast<std::size_t>(definition.kwargs_slot)],
                 members.Build(&budget_));
  } else if (!keywords.empty()) {
    return InvalidArgument(
        format("macro '{}' takes no argument named '{}'", definition.name, keywords[0].first));
  }
  const std::size_t taken = std::min(definition.parameters.size(), arguments.positional.size());
  const auto rest = arguments.positional.begin() + static_cast<std::ptrdiff_t>(taken);
  if (definition.varargs_slot >= 0) {
    GLINT_ASSIGN(frame.slots[static_cast<std::size_t>(definition.varargs_slot)],
                 MakeSequence(&budget_, Flavor::kTuple, {rest, arguments.positional.end()}));
  } else if (rest != arguments.positional.end()) {
    return InvalidArgument(format("macro '{}' takes at most {} arguments, got {}", definition.name,
                                  definition.parameters.size(), arguments.positional.size()));
  }
  return Ok();
}

Result<Value> Renderer::CallBuiltin(Builtin builtin, const Arguments& arguments) {
  switch (builtin) {
    case Builtin::kRange:
      return MakeRange(arguments);
    case Builtin::kDict:
      return MakeDict(arguments);
    case Builtin::kNamespace:
      return MakeNamespace(arguments);
    case Builtin::kStrftimeNow:
      return FormatNow(arguments);
    case Builtin::kRaiseException:
      break;
  }
  if (arguments.positional.size() + arguments.keywords.size() != 1) {
    return InvalidArgument("raise_exception takes one argument");
  }
  GLINT_ASSIGN(const std::string message,
               Str(budget_, arguments.positional.empty() ? arguments.keywords[0].second
                                                         : arguments.positional[0]));
  return InvalidArgument(message);
}

Result<Value> Renderer::MakeRange(const Arguments& arguments) {
  const std::vector<Value>& given = arguments.positional;
  if (given.empty() || given.size() > 3 || !arguments.keywords.empty()) {
    return InvalidArgument("range takes one to three integers");
  }
  std::array<std::int64_t, 3> range = {0, 0, 1};
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto number = given[i].AsInteger();
    if (!number) {
      return InvalidArgument(
          format("'{}' object cannot be interpreted as an integer", given[i].TypeName()));
    }
    range[given.size() == 1 ? 1 : i] = *number;
  }
  const auto [start, stop, step] = range;
  if (step == 0) return InvalidArgument("range() arg 3 must not be zero");
  std::vector<Value> items;
  std::int64_t value = start;
  while (step > 0 ? value < stop : value > stop) {
    if (static_cast<std::int64_t>(items.size()) >= kMaxRange) {
      return InvalidArgument(format("range too big: more than {} numbers", kMaxRange));
    }
    items.push_back(Value(value));
    if (__builtin_add_overflow(value, step, &value)) break;
  }
  auto sequence = std::make_shared<Sequence>(Flavor::kRange, std::move(items), &budget_);
  sequence->range = range;
  return Value(std::shared_ptr<const Sequence>(std::move(sequence)));
}

// dict(mapping or pairs, name=value, ...)
Result<Value> Renderer::MakeDict(const Arguments& arguments) {
  DictBuilder members;
  if (arguments.positional.size() > 1) {
    return InvalidArgument("dict expected at most 1 argument");
  }
  for (const Value& source : arguments.positional) {
    if (const Dict* dict = source.dict()) {
      for (const auto& [key, value] : dict->members()) GLINT_TRY(members.Set(key, value));
      continue;
    }
    GLINT_ASSIGN(const std::vector<Value> pairs, Items(budget_, source));
    for (const Value& item : pairs) {
      GLINT_ASSIGN(const std::vector<Value> pair, Items(budget_, item));
      if (pair.size() != 2) return InvalidArgument("dict needs pairs of a key and a value");
      GLINT_TRY(members.Set(pair[0], pair[1]));
    }
  }
  for (const auto& [name, value] : arguments.keywords) {
    GLINT_TRY(members.Set(MakeString(&budget_, std::string(name)), value));
  }
  return members.Build(&budget_);
}

Result<Value> Renderer::MakeNamespace(const Arguments& arguments) {
  GLINT_ASSIGN(const Value members, MakeDict(arguments));
  Keep(sizeof(Namespace) + members.dict()->members().size() * sizeof(Value));
  Namespace& names = namespaces_.emplace_back();
  for (const auto& [key, value] : members.dict()->members()) {
    if (const std::string* name = key.string()) names.Set(*name, value);
  }
  return Value(&names);
}

Result<Value> Renderer::FormatNow(const Arguments& arguments) {
  const std::string* pattern =
      arguments.positional.size() == 1 ? arguments.positional[0].string() : nullptr;
  if (pattern == nullptr || !arguments.keywords.empty()) {
    return InvalidArgument("strftime_now takes one string");
  }
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now_);
  std::tm local{};
  localtime_r(&seconds, &local);
  if (pattern->empty()) return MakeString(&budget_, "");
  std::string text(pattern->size() * 8 + 128, '\0');
  if (!budget_.HasRoom(static_cast<std::int64_t>(text.size()))) return Value(Undefined{});
  text.resize(std::strftime(text.data(), text.size(), pattern->c_str(), &local));
  return MakeString(&budget_, std::move(text));
}

}  // namespace glint::text::jinja
