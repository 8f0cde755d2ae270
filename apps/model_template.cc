// SPDX-License-Identifier: Apache-2.0
#include "apps/model_template.h"

#include <filesystem>

#include "base/format.h"
#include "tensor/model_files.h"
#include "tensor/read_text_file.h"
#include "text/tokenizer_config.h"

namespace glint {
namespace {

using text::ChatTemplate;

Result<ModelTemplate> OpenFile(const std::filesystem::path& path, Json special_tokens) {
  GLINT_ASSIGN(std::string source, tensor::ReadTextFile(path, ChatTemplate::kMaxSourceBytes));
  ModelTemplate opened;
  GLINT_ASSIGN(opened.chat_template, ChatTemplate::Parse(std::move(source), path.native()));
  opened.special_tokens = std::move(special_tokens);
  return opened;
}

}  // namespace

Result<ModelTemplate> OpenModelTemplate(std::string_view model) {
  const std::filesystem::path path(model);
  if (path.extension() == ".jinja") return OpenFile(path, Json(Json::Object{}));
  GLINT_ASSIGN(const tensor::ModelFiles files, tensor::FindModelFiles(model));
  text::TokenizerConfig config;
  if (files.tokenizer_config) {
    GLINT_ASSIGN(const std::string json,
                 tensor::ReadTextFile(*files.tokenizer_config, tensor::kMaxConfigBytes));
    GLINT_ASSIGN(config, text::ParseTokenizerConfig(json, files.tokenizer_config->native()));
  }
  if (files.chat_template) {
    return OpenFile(*files.chat_template, std::move(config.special_tokens));
  }
  if (!config.chat_template) {
    return NotFound(
        format("{}: has no chat_template.jinja and no chat_template in "
               "tokenizer_config.json",
               files.path.native()));
  }
  ModelTemplate opened;
  GLINT_ASSIGN(opened.chat_template,
               ChatTemplate::Parse(std::move(*config.chat_template),
                                   files.tokenizer_config->native() + ": chat_template"));
  opened.special_tokens = std::move(config.special_tokens);
  return opened;
}

}  // namespace glint
