// SPDX-License-Identifier: Apache-2.0
#include "text/chat_template.h"

#include "base/format.h"
#include "base/utf8.h"
#include "text/internal/jinja_parser.h"
#include "text/internal/jinja_renderer.h"

namespace glint::text {
namespace {

class JinjaTemplate : public ChatTemplate {
 public:
  JinjaTemplate(jinja::Template parsed, std::string where)
      : parsed_(std::move(parsed)), where_(std::move(where)) {}

  [[nodiscard]] Result<std::string> Render(
      const Json& variables, std::chrono::system_clock::time_point now) const override {
    const jinja::Renderer::Limits limits = {
        .budget = {.steps = kMaxSteps, .live_bytes = kMaxLiveBytes},
        .output_bytes = kMaxOutputBytes,
        .depth = kMaxDepth};
    Result<std::string> text = jinja::Renderer(parsed_, now, limits).Run(variables);
    if (!text.ok()) return Error{text.error().code, format("{}: {}", where_, text.error().message)};
    return text;
  }

 private:
  const jinja::Template parsed_;
  const std::string where_;
};

}  // namespace

Result<std::unique_ptr<const ChatTemplate>> ChatTemplate::Parse(std::string_view source,
                                                                std::string_view where) {
  if (static_cast<std::int64_t>(source.size()) > kMaxSourceBytes) {
    return InvalidArgument(
        format("{}: {} bytes, a template may have {}", where, source.size(), kMaxSourceBytes));
  }
  if (!IsUtf8(source)) return InvalidArgument(format("{}: is not UTF-8", where));
  Result<jinja::Template> parsed = jinja::ParseTemplate(source);
  if (!parsed.ok()) {
    return InvalidArgument(format("{}: {}", where, parsed.error().message));
  }
  return std::unique_ptr<const ChatTemplate>(
      std::make_unique<JinjaTemplate>(std::move(parsed).value(), std::string(where)));
}

}  // namespace glint::text
