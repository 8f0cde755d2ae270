// SPDX-License-Identifier: Apache-2.0
#include "text/tokenizer_config.h"

#include <array>
#include <iterator>
#include <utility>

#include "base/format.h"

namespace glint::text {
namespace {

// A list of {"name": ..., "template": ...}.
Result<std::optional<std::string>> DefaultTemplate(const Json::Array& named,
                                                   std::string_view where) {
  for (const Json& entry : named) {
    const Json* name = entry.Find("name");
    const Json* source = entry.Find("template");
    if (name == nullptr || name->string() == nullptr || source == nullptr ||
        source->string() == nullptr) {
      return InvalidArgument(
          format("{}: chat_template has an entry without name and template", where));
    }
    if (*name->string() == "default") return std::optional<std::string>(*source->string());
  }
  return InvalidArgument(format("{}: chat_template has no template named default", where));
}

// "<eos>", or {"content": "<eos>", ...} as tokens with options are written.
const std::string* TokenText(const Json& token) {
  if (token.string() != nullptr) return token.string();
  const Json* content = token.Find("content");
  return content == nullptr ? nullptr : content->string();
}

}  // namespace

Result<TokenizerConfig> ParseTokenizerConfig(std::string_view json, std::string_view where) {
  GLINT_ASSIGN(const Json root, ParseJson(json, where));
  if (root.object() == nullptr) {
    return InvalidArgument(format("{}: is {}, must be an object", where, root.TypeName()));
  }
  TokenizerConfig config;
  const Json* source = root.Find("chat_template");
  if (source != nullptr && source->array() != nullptr) {
    GLINT_ASSIGN(config.chat_template, DefaultTemplate(*source->array(), where));
  } else if (source != nullptr && source->string() != nullptr) {
    config.chat_template = *source->string();
  } else if (source != nullptr && !source->is_null()) {
    return InvalidArgument(
        format("{}: chat_template is {}, must be a string", where, source->TypeName()));
  }
  constexpr std::array<const char*, 7> kTokens = {
      "bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"};
  for (const char* name : kTokens) {
    const Json* token = root.Find(name);
    const std::string* text = token == nullptr ? nullptr : TokenText(*token);
    if (text != nullptr) config.special_tokens.Add(name, Json(*text));
  }
  return config;
}

Result<TokenizerConfig> ReadGgufTokenizerConfig(const Json& metadata, std::string_view where) {
  TokenizerConfig config;
  if (const Json* source = metadata.Find("tokenizer.chat_template")) {
    if (source->string() == nullptr) {
      return InvalidArgument(format("{}: key \"tokenizer.chat_template\": is {}, must be a string",
                                    where, source->TypeName()));
    }
    config.chat_template = *source->string();
  }
  const Json* tokens = metadata.Find("tokenizer.ggml.tokens");
  if (tokens == nullptr || tokens->array() == nullptr) return config;
  constexpr std::array<std::pair<const char*, const char*>, 4> kNames = {
      {{"bos", "bos_token"},
       {"eos", "eos_token"},
       {"unknown", "unk_token"},
       {"padding", "pad_token"}}};
  for (const auto& [gguf, name] : kNames) {
    const Json* id = metadata.Find(format("tokenizer.ggml.{}_token_id", gguf));
    const auto number = id == nullptr ? std::nullopt : id->AsInt();
    if (!number || *number < 0 || *number >= std::ssize(*tokens->array())) continue;
    const Json& token = (*tokens->array())[static_cast<std::size_t>(*number)];
    if (token.string() != nullptr) config.special_tokens.Add(name, token);
  }
  return config;
}

}  // namespace glint::text
