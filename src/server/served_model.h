// SPDX-License-Identifier: Apache-2.0
// The one model that a server serves, as its routes need it: names, text both ways, an engine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace glint::server {

// Of generation_config.json: what a request gets that does not say otherwise.
struct GenerationDefaults {
  double temperature = 1;
  double top_p = 1;
  double min_p = 0;
  std::int64_t top_k = 0;
  std::vector<std::int32_t> end_tokens;
};

// `json` of generation_config.json; empty text: no file. `config_end_tokens` of config.json count
// where the file names none. Fields of other programs are skipped; wrong types and values out of
// range are kInvalidArgument, `where` first.
Result<GenerationDefaults> ParseGenerationDefaults(
    std::string_view json, std::string_view where,
    const std::vector<std::int64_t>& config_end_tokens);

// Whether the template writes tool calls as GLM 4.5 and 4.6 do, a newline around each value: asked
// of the template itself, by a conversation with a call in it.
bool UsesGlm45Markup(const text::ChatTemplate& chat_template);

// Thread-safe as its parts are; they must outlive it.
struct ServedModel {
  std::vector<std::string> names;  // at least one; the first is what replies say
  std::int64_t created = 0;        // seconds since 1970
  const text::Tokenizer* tokenizer = nullptr;
  const text::ChatTemplate* chat_template = nullptr;  // null: no chat
  bool glm45_markup = false;                          // UsesGlm45Markup of the template
  GenerationDefaults defaults;
  engine::Engine* engine = nullptr;
};

}  // namespace glint::server
