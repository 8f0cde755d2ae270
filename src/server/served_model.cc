// SPDX-License-Identifier: Apache-2.0
#include "server/served_model.h"

#include <limits>
#include <optional>

#include "base/format.h"
#include "base/json.h"

namespace glint::server {
namespace {

constexpr std::int64_t kMostTokens = std::numeric_limits<std::int32_t>::max();

Status ReadNumber(const Json& config, const char* name, double least, double most, double& to) {
  const Json* value = config.Find(name);
  if (value == nullptr || value->is_null()) return Ok();
  const std::optional<double> number = value->AsDouble();
  if (!number || *number < least || *number > most) {
    return InvalidArgument(format("{} must be a number from {} to {}", name, least, most));
  }
  to = *number;
  return Ok();
}

Status AddEndToken(const Json& value, std::vector<std::int32_t>& to) {
  const std::optional<std::int64_t> id = value.AsInt();
  if (!id || *id < 0 || *id > kMostTokens) {
    return InvalidArgument("eos_token_id must be a token id or an array of them");
  }
  to.push_back(static_cast<std::int32_t>(*id));
  return Ok();
}

Status ReadEndTokens(const Json& config, std::vector<std::int32_t>& to) {
  const Json* value = config.Find("eos_token_id");
  if (value == nullptr || value->is_null()) return Ok();
  if (value->array() == nullptr) return AddEndToken(*value, to);
  for (const Json& one : *value->array()) GLINT_TRY(AddEndToken(one, to));
  return Ok();
}

Status ReadAll(const Json& config, GenerationDefaults& to) {
  if (config.object() == nullptr) return InvalidArgument("must be an object");
  GLINT_TRY(ReadNumber(config, "temperature", 0, 100, to.temperature));
  GLINT_TRY(ReadNumber(config, "top_p", 0, 1, to.top_p));
  GLINT_TRY(ReadNumber(config, "min_p", 0, 1, to.min_p));
  double top_k = 0;
  GLINT_TRY(ReadNumber(config, "top_k", -1, static_cast<double>(kMostTokens), top_k));
  to.top_k = static_cast<std::int64_t>(top_k);
  const Json* sampled = config.Find("do_sample");
  if (sampled != nullptr && sampled->boolean() != nullptr && !*sampled->boolean()) {
    to.temperature = 0;
  }
  return ReadEndTokens(config, to.end_tokens);
}

}  // namespace

bool UsesGlm45Markup(const text::ChatTemplate& chat_template) {
  const Result<Json> probe = ParseJson(
      R"({"messages": [{"role": "user", "content": "u"}, {"role": "assistant", "content": "",
          "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": {"k": "v"}}}]},
          {"role": "user", "content": "u"}]})",
      "probe");
  const Result<std::string> text = chat_template.Render(probe.value());
  return text.ok() && text.value().find("</arg_key>\n<arg_value>") != std::string::npos;
}

Result<GenerationDefaults> ParseGenerationDefaults(
    std::string_view json, std::string_view where,
    const std::vector<std::int64_t>& config_end_tokens) {
  GenerationDefaults defaults;
  if (!json.empty()) {
    GLINT_ASSIGN(const Json config, ParseJson(json, where));
    const Status status = ReadAll(config, defaults);
    if (!status.ok()) return InvalidArgument(format("{}: {}", where, status.error().message));
  }
  if (defaults.end_tokens.empty()) {
    for (const std::int64_t id : config_end_tokens) {
      defaults.end_tokens.push_back(static_cast<std::int32_t>(id));
    }
  }
  return defaults;
}

}  // namespace glint::server
