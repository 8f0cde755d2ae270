// SPDX-License-Identifier: Apache-2.0
// Frames, variables and the start of a rendering.
#include "text/internal/jinja_renderer.h"

#include "base/format.h"
#include "text/internal/jinja_lexer.h"
#include "text/internal/jinja_resolve_names.h"

namespace glint::text::jinja {

Renderer::EnteredFrame::EnteredFrame(Renderer& renderer, const Scope& scope, Frame* parent)
    : renderer_(renderer), local_{&scope, parent, {}}, frame_(&local_) {
  Restart();
}

void Renderer::EnteredFrame::Restart() {
  if (local_.scope->captured) {
    renderer_.Keep(sizeof(Frame) + local_.scope->slots.size() * sizeof(Value));
    frame_ = &renderer_.frames_.emplace_back(Frame{local_.scope, local_.parent, {}});
  }
  renderer_.StartSlots(*frame_);
}

void Renderer::StartSlots(Frame& frame) {
  const std::vector<Slot>& slots = frame.scope->slots;
  frame.slots.assign(slots.size(), Value());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].start == Slot::Start::kVariable) frame.slots[i] = FindVariable(slots[i].name);
    if (slots[i].start == Slot::Start::kOuter) frame.slots[i] = SlotOf(slots[i].outer, frame);
  }
}

Value Renderer::FindVariable(std::string_view name) const {
  if (const Value* found = variables_.dict()->Find(name)) return *found;
  const std::optional<Builtin> builtin = FindBuiltin(name);
  return builtin ? Value(*builtin) : Value();
}

Value& Renderer::SlotOf(SlotRef slot, Frame& frame) {
  Frame* owner = &frame;
  for (int hops = slot.hops; hops > 0; --hops) owner = owner->parent;
  return owner->slots[static_cast<std::size_t>(slot.slot)];
}

Error Renderer::At(int line, Error error) {
  if (!failed_line_) failed_line_ = line;
  return error;
}

Result<std::string> Renderer::Run(const Json& variables) {
  GLINT_ASSIGN(variables_, FromJson(&budget_, variables));
  if (variables_.dict() == nullptr) {
    return InvalidArgument(
        format("the variables of a template are {}, must be an object", variables.TypeName()));
  }
  std::string printed;
  out_ = &printed;
  EnteredFrame root(*this, template_.scope, nullptr);
  const Result<Flow> flow = Execute(template_.body, *root);
  if (!flow.ok()) return TemplateError(failed_line_.value_or(1), flow.error().message);
  return printed;
}

}  // namespace glint::text::jinja
