// SPDX-License-Identifier: Apache-2.0
#include "apps/model_template.h"

#include <filesystem>
#include <utility>

#include "apps/model_tokenizer.h"
#include "base/format.h"
#include "tensor/read_text_file.h"
#include "text/tokenizer_config.h"

namespace glint {
namespace {

using text::ChatTemplate;

Result<std::unique_ptr<const ChatTemplate>> ReadFile(const std::filesystem::path& path) {
  GLINT_ASSIGN(std::string source, tensor::ReadTextFile(path, ChatTemplate::kMaxSourceBytes));
  return ChatTemplate::Parse(std::move(source), path.native());
}

}  // namespace

Result<ModelTemplate> ReadModelTemplate(const tensor::ModelFiles& files) {
  ModelTemplate model;
  text::TokenizerConfig config;
  std::string config_name;
  if (files.kind == tensor::ModelKind::kGgufFile) {
    config_name = files.path.native() + ": key \"tokenizer.chat_template\"";
    GLINT_ASSIGN(const Json metadata, ReadGgufMetadata(files));
    GLINT_ASSIGN(config, text::ReadGgufTokenizerConfig(metadata, files.path.native()));
    model.special_tokens = std::move(config.special_tokens);
  } else if (files.tokenizer_config) {
    config_name = files.tokenizer_config->native() + ": chat_template";
    const std::string& where = files.tokenizer_config->native();
    GLINT_ASSIGN(const std::string json,
                 tensor::ReadTextFile(*files.tokenizer_config, tensor::kMaxConfigBytes));
    GLINT_ASSIGN(config, text::ParseTokenizerConfig(json, where));
    model.special_tokens = std::move(config.special_tokens);
  }
  if (files.chat_template) {
    GLINT_ASSIGN(model.chat_template, ReadFile(*files.chat_template));
  } else if (config.chat_template) {
    GLINT_ASSIGN(model.chat_template,
                 ChatTemplate::Parse(std::move(*config.chat_template), config_name));
  }
  return model;
}

Result<ModelTemplate> OpenModelTemplate(std::string_view model) {
  const std::filesystem::path path(model);
  if (path.extension() == ".jinja") {
    ModelTemplate opened;
    GLINT_ASSIGN(opened.chat_template, ReadFile(path));
    return opened;
  }
  GLINT_ASSIGN(const tensor::ModelFiles files, tensor::FindModelFiles(model));
  GLINT_ASSIGN(ModelTemplate opened, ReadModelTemplate(files));
  if (opened.chat_template == nullptr) {
    return NotFound(files.kind == tensor::ModelKind::kGgufFile
                        ? format("{}: has no key \"tokenizer.chat_template\"", files.path.native())
                        : format("{}: has no chat_template.jinja and no chat_template in "
                                 "tokenizer_config.json",
                                 files.path.native()));
  }
  return opened;
}

}  // namespace glint
