// SPDX-License-Identifier: Apache-2.0
#include "server/prompt.h"

#include <algorithm>
#include <memory>
#include <random>
#include <utility>
#include <variant>

#include "base/format.h"
#include "text/chat_messages.h"
#include "text/output_parser.h"

namespace glint::server {
namespace {

// Numbers that nobody can guess and that differ between requests which give no seed.
std::uint64_t RandomSeed() {
  thread_local std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

std::int64_t Size(const std::vector<std::int32_t>& tokens) {
  return static_cast<std::int64_t>(tokens.size());
}

engine::SamplingParameters Sampling(const GenerationDefaults& defaults,
                                    const api::GenerationFields& fields) {
  const std::int64_t top_k = fields.top_k.value_or(defaults.top_k);
  return {.temperature = static_cast<float>(fields.temperature.value_or(defaults.temperature)),
          .top_p = static_cast<float>(fields.top_p.value_or(defaults.top_p)),
          .min_p = static_cast<float>(fields.min_p.value_or(defaults.min_p)),
          .top_k = static_cast<std::int32_t>(std::max<std::int64_t>(top_k, 0)),
          .seed = fields.seed ? *fields.seed : RandomSeed()};
}

// Fills in what is left of the context when the request does not say how much it wants.
Result<PreparedRequest> Prepare(const ServedModel& model, std::vector<std::int32_t> prompt,
                                const api::GenerationFields& fields) {
  const std::int64_t context = model.engine->options().max_context;
  const std::int64_t room = context - Size(prompt);
  if (prompt.empty()) return InvalidArgument("the prompt has no tokens");
  if (room < fields.max_tokens.value_or(1)) {
    return InvalidArgument(
        format("the prompt has {} tokens and {} are to follow, this model's context holds {}",
               prompt.size(), fields.max_tokens.value_or(1), context));
  }
  PreparedRequest prepared;
  prepared.generate.prompt = std::move(prompt);
  prepared.generate.sampling = Sampling(model.defaults, fields);
  prepared.generate.max_new_tokens = fields.max_tokens.value_or(room);
  if (!fields.ignore_eos) prepared.generate.end_tokens = model.defaults.end_tokens;
  prepared.generate.priority = static_cast<std::int32_t>(fields.priority);
  prepared.generate.cache_salt = fields.cache_salt;
  prepared.answer.stop = fields.stop;
  return prepared;
}

std::vector<std::int32_t> Encode(const ServedModel& model, std::string_view text) {
  return model.tokenizer->Encode(text, text::Tokenizer::AddedTokens::kMatch);
}

}  // namespace

Result<std::string> RenderChat(const ServedModel& model, const Json& messages, const Json& tools,
                               const Json& template_variables) {
  if (model.chat_template == nullptr) {
    return InvalidArgument("this model has no chat template; use /v1/completions");
  }
  GLINT_ASSIGN(Json prepared, text::PrepareMessages(messages));
  GLINT_ASSIGN(const Json variables,
               text::TemplateVariables(std::move(prepared), tools, true, template_variables));
  return model.chat_template->Render(variables);
}

Result<PreparedRequest> PrepareChat(const ServedModel& model, const api::ChatRequest& request) {
  GLINT_ASSIGN(const std::string text,
               RenderChat(model, request.messages, request.tools, request.template_variables));
  GLINT_ASSIGN(PreparedRequest prepared, Prepare(model, Encode(model, text), request.fields));
  prepared.answer.parse = true;
  prepared.answer.glm45_markup = model.glm45_markup;
  prepared.answer.starts_in_reasoning =
      text::EndsInOpenThink(prepared.generate.prompt, *model.tokenizer);
  if (!request.tools.is_null()) {
    prepared.answer.tools = std::make_shared<const Json>(request.tools);
  }
  return prepared;
}

Result<PreparedRequest> PrepareCompletion(const ServedModel& model,
                                          const api::CompletionRequest& request) {
  const auto* text = std::get_if<std::string>(&request.prompt);
  return Prepare(
      model,
      text != nullptr ? Encode(model, *text) : std::get<std::vector<std::int32_t>>(request.prompt),
      request.fields);
}

Result<PreparedRequest> PrepareSimple(const ServedModel& model, const api::SimpleRequest& request) {
  std::vector<std::int32_t> prompt = Encode(model, request.prompt);
  if (Size(prompt) >= request.max_length) {
    return InvalidArgument(format("max_length is {}, the prompt alone has {} tokens",
                                  request.max_length, prompt.size()));
  }
  api::GenerationFields fields;
  fields.temperature = request.temperature;
  // The default of max_length may lie beyond a small context.
  const std::int64_t context = model.engine->options().max_context;
  const std::int64_t length = std::min(request.max_length, std::max(context, Size(prompt) + 1));
  fields.max_tokens = length - Size(prompt);
  return Prepare(model, std::move(prompt), fields);
}

}  // namespace glint::server
