// SPDX-License-Identifier: Apache-2.0
// What of tokenizer_config.json a chat template needs: older models keep the template itself in it,
// and templates may print the special tokens. The tokenizer proper is tokenizer.json.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace glint::text {

struct TokenizerConfig {
  std::optional<std::string> chat_template;
  // bos_token, eos_token and so on: an object of strings, to be variables of the template.
  Json special_tokens = Json(Json::Object{});
};

// `where` names the file in errors, kInvalidArgument. Of several named templates the one called
// "default" counts.
Result<TokenizerConfig> ParseTokenizerConfig(std::string_view json, std::string_view where);

// The same of a GGUF file's metadata, an object of all its keys: tokenizer.chat_template, and the
// texts of the tokens that tokenizer.ggml.bos_token_id and so on name.
Result<TokenizerConfig> ReadGgufTokenizerConfig(const Json& metadata, std::string_view where);

}  // namespace glint::text
