// SPDX-License-Identifier: Apache-2.0
// The input is a template; what parses is rendered with a fixed conversation. The limits are small,
// so that a template that works on and on is cut off soon.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/utf8.h"
#include "text/internal/jinja_parser.h"
#include "text/internal/jinja_renderer.h"

namespace {

constexpr const char* kVariables = R"({
  "messages": [
    {"role": "system", "content": "S"}, {"role": "user", "content": " Héllo\n\"w'örld\" 你 "},
    {"role": "assistant", "content": "<think>a</think>b", "reasoning_content": null,
     "tool_calls": [{"function": {"name": "f", "arguments": {"a": "s", "b": [1, 2.5, null, true],
                                                             "items": {}}}}]},
    {"role": "tool", "content": [{"type": "text", "text": "t"}, "u"]}],
  "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
  "add_generation_prompt": true, "s": "aBc é", "n": -3, "f": 1e16, "l": [3, 1, 2],
  "big": 123456789012345678901234567890, "d": {"b": 1, "a": "x"}})";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using glint::text::jinja::ParseTemplate;
  using glint::text::jinja::Renderer;
  static const glint::Json variables = glint::ParseJson(kVariables, "fuzz").value();
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  if (size > 20'000 || !glint::IsUtf8(source)) return 0;
  const auto parsed = ParseTemplate(source);
  if (!parsed.ok()) return 0;
  const Renderer::Limits limits = {.budget = {.steps = 100'000, .live_bytes = 4'000'000},
                                   .output_bytes = 1'000'000,
                                   .depth = 400};
  const auto text = Renderer(parsed.value(), {}, limits).Run(variables);
  // What is printed is text: strings of the input and of the template are.
  if (text.ok()) GLINT_CHECK(glint::IsUtf8(text.value()), text.value());
  return 0;
}
