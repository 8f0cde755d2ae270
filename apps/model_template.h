// SPDX-License-Identifier: Apache-2.0
// The chat template of MODEL, wherever the model keeps it.
#pragma once

#include <memory>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "text/chat_template.h"

namespace glint {

struct ModelTemplate {
  std::unique_ptr<const text::ChatTemplate> chat_template;
  // bos_token and so on from tokenizer_config.json: variables of the template, an object.
  Json special_tokens;
};

// MODEL is a .jinja file, or a model as every sub-command takes it (tensor/model_files.h): its
// chat_template.jinja counts before the template in its tokenizer_config.json. kNotFound when there
// is neither; kInvalidArgument when the template cannot be parsed.
Result<ModelTemplate> OpenModelTemplate(std::string_view model);

}  // namespace glint
