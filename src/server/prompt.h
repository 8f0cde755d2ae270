// SPDX-License-Identifier: Apache-2.0
// From a request's fields to what the engine runs: the prompt's tokens, sampling, limits. Used by
// the HTTP routes and by `glint chat`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/requests.h"
#include "base/json.h"
#include "base/result.h"
#include "engine/generate.h"
#include "server/answer_text.h"
#include "server/served_model.h"

namespace glint::server {

// A request for the engine, and how its answer becomes text.
struct PreparedRequest {
  engine::GenerateRequest generate;  // without its id
  AnswerText::Options answer;
};

// Renders the conversation, with add_generation_prompt. kInvalidArgument: what the template or the
// messages make impossible, the model has no template, or the context cannot hold it.
Result<PreparedRequest> PrepareChat(const ServedModel& model, const api::ChatRequest& request);
Result<PreparedRequest> PrepareCompletion(const ServedModel& model,
                                          const api::CompletionRequest& request);
Result<PreparedRequest> PrepareSimple(const ServedModel& model, const api::SimpleRequest& request);

// The conversation as the model gets it.
Result<std::string> RenderChat(const ServedModel& model, const Json& messages, const Json& tools,
                               const Json& template_variables);

}  // namespace glint::server
