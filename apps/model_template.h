// SPDX-License-Identifier: Apache-2.0
// The chat template of MODEL, wherever the model keeps it.
#pragma once

#include <memory>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "tensor/model_files.h"
#include "text/chat_template.h"

namespace glint {

struct ModelTemplate {
  std::unique_ptr<const text::ChatTemplate> chat_template;  // null: the model has none
  // bos_token and so on from tokenizer_config.json: variables of the template, an object.
  Json special_tokens = Json(Json::Object{});
};

// chat_template.jinja, or the field of tokenizer_config.json that older checkpoints have; of a GGUF
// file, its tokenizer.chat_template.
// kInvalidArgument when one of the two cannot be parsed.
Result<ModelTemplate> ReadModelTemplate(const tensor::ModelFiles& files);

// MODEL is a .jinja file, or a model as every sub-command takes it (tensor/model_files.h).
// kNotFound when it has no template.
Result<ModelTemplate> OpenModelTemplate(std::string_view model);

}  // namespace glint
