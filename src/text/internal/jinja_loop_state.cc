// SPDX-License-Identifier: Apache-2.0
#include "text/internal/jinja_loop_state.h"

#include "base/format.h"
#include "text/internal/jinja_compare.h"

namespace glint::text::jinja {

Result<std::unique_ptr<LoopState>> LoopState::Create(Budget& budget, const Value& iterable,
                                                     Condition condition) {
  std::unique_ptr<LoopState> loop(new LoopState());
  loop->iterable_ = iterable;
  loop->taken_ = &loop->own_taken_;
  loop->has_length_ = condition == nullptr && !iterable.IsFlavor(Flavor::kGenerator);
  loop->condition_ = std::move(condition);
  if (const Sequence* sequence = iterable.sequence()) {
    loop->items_ = &sequence->items;
    if (sequence->flavor == Flavor::kGenerator) loop->taken_ = &sequence->consumed;
  } else {
    GLINT_ASSIGN(loop->own_, Items(budget, iterable));
    loop->items_ = &loop->own_;
  }
  return loop;
}

Result<Value> LoopState::Take() {
  while (*taken_ < items_->size()) {
    const Value& item = (*items_)[(*taken_)++];
    if (condition_ == nullptr) return item;
    GLINT_ASSIGN(const bool passes, condition_(item));
    if (passes) return item;
  }
  const Sequence* sequence = iterable_.sequence();
  if (sequence != nullptr && sequence->failure) return *sequence->failure;
  return Value();
}

Status LoopState::Peek() {
  if (next_.is_missing()) {
    GLINT_ASSIGN(next_, Take());
  }
  return Ok();
}

Result<bool> LoopState::Next() {
  GLINT_TRY(Peek());
  if (next_.is_missing()) return false;
  previous_ = std::exchange(current_, std::exchange(next_, Value()));
  ++index_;
  return true;
}

Result<std::int64_t> LoopState::Length() {
  if (length_) return *length_;
  if (has_length_) {
    length_ = static_cast<std::int64_t>(items_->size());
    return *length_;
  }
  // All that is left is taken now, and becomes the items of the rest of the loop.
  std::vector<Value> rest;
  GLINT_TRY(Peek());
  if (!next_.is_missing()) rest.push_back(std::exchange(next_, Value()));
  while (true) {
    GLINT_ASSIGN(Value item, Take());
    if (item.is_missing()) break;
    rest.push_back(std::move(item));
  }
  own_ = std::move(rest);
  own_taken_ = 0;
  items_ = &own_;
  taken_ = &own_taken_;
  condition_ = nullptr;
  length_ = index_ + 1 + static_cast<std::int64_t>(own_.size());
  return *length_;
}

Result<Value> LoopState::Attribute(Budget& /*budget*/, std::string_view name) {
  if (name == "index") return Value(index_ + 1);
  if (name == "index0") return Value(index_);
  if (name == "first") return Value(index_ == 0);
  if (name == "depth") return Value(std::int64_t{1});
  if (name == "depth0") return Value(std::int64_t{0});
  if (name == "previtem") {
    return previous_.is_missing() ? Value(Undefined{"previtem", nullptr}) : previous_;
  }
  if (name == "last" || name == "nextitem") {
    GLINT_TRY(Peek());
    if (name == "last") return Value(next_.is_missing());
    return next_.is_missing() ? Value(Undefined{"nextitem", nullptr}) : next_;
  }
  if (name == "length" || name == "revindex" || name == "revindex0") {
    GLINT_ASSIGN(const std::int64_t length, Length());
    return Value(name == "length" ? length : length - index_ - (name == "revindex" ? 0 : 1));
  }
  if (name == "cycle" || name == "changed") {
    return InvalidArgument(format("loop.{} can only be called", name));
  }
  return Value();
}

Result<Value> LoopState::CallMethod(Budget& budget, std::string_view name,
                                    const Arguments& arguments) {
  const std::vector<Value>& given = arguments.positional;
  if (!arguments.keywords.empty()) {
    return InvalidArgument(format("loop.{} takes no arguments by name", name));
  }
  if (name == "cycle") {
    if (given.empty()) return InvalidArgument("no items for cycling given");
    return given[static_cast<std::size_t>(index_) % given.size()];
  }
  if (name != "changed") return InvalidArgument(format("loop has no method '{}'", name));
  const bool same = has_changed_ &&
                    std::equal(given.begin(), given.end(), changed_.begin(), changed_.end(),
                               [&](const Value& a, const Value& b) { return Equal(budget, a, b); });
  has_changed_ = true;
  changed_ = given;
  return Value(!same);
}

}  // namespace glint::text::jinja
