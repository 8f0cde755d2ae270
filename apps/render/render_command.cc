// SPDX-License-Identifier: Apache-2.0
#include "apps/render/render_command.h"

#include <cstdio>
#include <string_view>

#include "apps/model_template.h"
#include "apps/read_input.h"
#include "base/flags.h"
#include "base/format.h"
#include "base/log.h"
#include "text/chat_messages.h"

namespace glint {
namespace {

struct RenderFlags {
  std::string model;
  std::string messages;
  std::string tools;
  std::string kwargs;
  bool no_generation_prompt = false;
  bool json_lines = false;
  void Visit(FlagVisitor& visitor) {
    visitor.Positional(model, "MODEL", "a model folder or name, or a .jinja file");
    visitor.Flag(messages, "messages", "FILE",
                 "JSON array of messages as /v1/chat/completions takes them; - is stdin");
    visitor.Flag(tools, "tools", "FILE", "JSON array of tools");
    visitor.Flag(kwargs, "kwargs", "JSON",
                 "more variables of the template, such as {\"enable_thinking\": false}");
    visitor.Flag(no_generation_prompt, "no-generation-prompt", "",
                 "do not open the turn of the assistant");
    visitor.Flag(json_lines, "json-lines", "",
                 "each line of --messages is an object of all variables, taken as it is; prints a "
                 "JSON string, or {\"error\": ...}, for each");
  }
};

// Whether the program could be used like that; the message of wrong use.
Status CheckUse(const RenderFlags& flags) {
  if (flags.messages.empty()) return InvalidArgument("--messages FILE is required");
  if (flags.messages == "-" && flags.tools == "-") {
    return InvalidArgument("--messages and --tools cannot both be stdin");
  }
  if (flags.json_lines && !(flags.tools.empty() && flags.kwargs.empty())) {
    return InvalidArgument("--json-lines takes tools and kwargs from its lines, not from flags");
  }
  return Ok();
}

Status RenderLines(const ModelTemplate& model, std::string_view lines) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    GLINT_ASSIGN(const Json variables, ParseJson(line, "--messages"));
    const Result<std::string> text = model.chat_template->Render(variables);
    const Json answer =
        text.ok() ? Json(text.value()) : Json(Json::Object{{"error", Json(text.error().message)}});
    std::printf("%s\n", answer.Write().c_str());
  }
  return Ok();
}

Result<Json> ReadJson(const std::string& file) {
  GLINT_ASSIGN(const std::string text, ReadInput(file));
  return ParseJson(text, file == "-" ? "stdin" : file);
}

Status Render(const RenderFlags& flags) {
  GLINT_ASSIGN(const ModelTemplate model, OpenModelTemplate(flags.model));
  if (flags.json_lines) {
    GLINT_ASSIGN(const std::string lines, ReadInput(flags.messages));
    return RenderLines(model, lines);
  }
  GLINT_ASSIGN(const Json given, ReadJson(flags.messages));
  GLINT_ASSIGN(Json messages, text::PrepareMessages(given));
  Json tools;
  if (!flags.tools.empty()) {
    GLINT_ASSIGN(tools, ReadJson(flags.tools));
  }
  Json kwargs = model.special_tokens;
  if (!flags.kwargs.empty()) {
    GLINT_ASSIGN(const Json more, ParseJson(flags.kwargs, "--kwargs"));
    if (more.object() == nullptr) {
      return InvalidArgument(format("--kwargs is {}, must be an object", more.TypeName()));
    }
    for (const auto& [key, value] : *more.object()) kwargs.Add(key, value);
  }
  GLINT_ASSIGN(const Json variables, text::TemplateVariables(std::move(messages), std::move(tools),
                                                             !flags.no_generation_prompt, kwargs));
  GLINT_ASSIGN(const std::string prompt, model.chat_template->Render(variables));
  std::fwrite(prompt.data(), 1, prompt.size(), stdout);
  return Ok();
}

}  // namespace

int RunRender(const std::vector<std::string>& arguments) {
  RenderFlags flags;
  const CommandText text{
      .name = "glint render",
      .summary =
          "Prints the prompt that a model's chat template makes of messages: exactly the "
          "text that the tokenizer gets, without a line end of its own.",
      .examples =
          "  echo '[{\"role\": \"user\", \"content\": \"Hi\"}]' | glint render demo --messages -\n"
          "  glint render ./model --messages chat.json --tools tools.json\n"
          "  glint render template.jinja --messages chat.json --kwargs '{\"enable_thinking\": "
          "false}'"};
  FlagOutcome outcome = ParseFlags(text, arguments, flags);
  if (outcome.run) {
    if (const Status use = CheckUse(flags); !use.ok()) {
      outcome = {
          .run = false,
          .exit_code = 2,
          .text = format("glint render: {}\nTry 'glint render --help'.\n", use.error().message)};
    }
  }
  if (!outcome.run) {
    std::fputs(outcome.text.c_str(), outcome.exit_code == 0 ? stdout : stderr);
    return outcome.exit_code;
  }
  const Status status = Render(flags);
  if (status.ok()) return 0;
  LogError(status.error().message);
  return 1;
}

}  // namespace glint
