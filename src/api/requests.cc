// SPDX-License-Identifier: Apache-2.0
#include "api/requests.h"

#include <limits>
#include <utility>

#include "base/format.h"

namespace glint::api {
namespace {

constexpr std::size_t kMostStops = 16;  // OpenAI allows 4, vLLM does not limit
constexpr std::int64_t kMostTokens = std::numeric_limits<std::int32_t>::max();
constexpr double kMostTemperature = 100;  // above 2 it is noise, but vLLM takes it

RequestFault NotAnObject(const Json& body) {
  return {format("the body is {}, must be an object", body.TypeName()), ""};
}

// A known field that may only have the values that ask for nothing.
void RefuseUnless(FieldReader& reader, std::string_view name, bool asks_for_nothing) {
  if (reader.Find(name) != nullptr && !asks_for_nothing) {
    reader.Fail(name, format("{} is not supported yet", name));
  }
}

bool IsFalse(const Json* value) {
  return value != nullptr && value->boolean() != nullptr && !*value->boolean();
}
bool IsInteger(const Json* value, std::int64_t wanted) {
  return value != nullptr && value->AsInt() == wanted;
}
bool IsEmptyObject(const Json* value) {
  return value != nullptr && value->object() != nullptr && value->object()->empty();
}

void RefuseWhatIsNotServed(FieldReader& reader) {
  RefuseUnless(reader, "n", IsInteger(reader.Find("n"), 1));
  RefuseUnless(reader, "best_of", IsInteger(reader.Find("best_of"), 1));
  RefuseUnless(reader, "logprobs", IsFalse(reader.Find("logprobs")));
  RefuseUnless(reader, "top_logprobs", IsInteger(reader.Find("top_logprobs"), 0));
  RefuseUnless(reader, "echo", IsFalse(reader.Find("echo")));
  RefuseUnless(reader, "suffix", false);
  RefuseUnless(reader, "logit_bias", IsEmptyObject(reader.Find("logit_bias")));
  for (const char* name : {"presence_penalty", "frequency_penalty"}) {
    const std::optional<double> penalty = reader.Number(name, -2, 2);
    RefuseUnless(reader, name, penalty.value_or(1) == 0);
  }
  const std::optional<double> repetition = reader.Number("repetition_penalty", 0, 1000);
  RefuseUnless(reader, "repetition_penalty", repetition.value_or(0) == 1);
  for (const char* name :
       {"structured_outputs", "guided_json", "guided_regex", "guided_grammar", "guided_choice"}) {
    RefuseUnless(reader, name, false);
  }
}

GenerationFields ReadFields(FieldReader& reader) {
  GenerationFields fields;
  fields.model = reader.Text("model").value_or("");
  fields.temperature = reader.Number("temperature", 0, kMostTemperature);
  fields.top_p = reader.Number("top_p", 0, 1);
  fields.min_p = reader.Number("min_p", 0, 1);
  fields.top_k = reader.Integer("top_k", -1, kMostTokens);
  const auto seed = reader.Integer("seed", std::numeric_limits<std::int64_t>::min(),
                                   std::numeric_limits<std::int64_t>::max());
  if (seed) fields.seed = static_cast<std::uint64_t>(*seed);
  fields.max_tokens = reader.Integer("max_tokens", 1, kMostTokens);
  fields.stop = reader.Texts("stop", kMostStops);
  fields.ignore_eos = reader.Boolean("ignore_eos").value_or(false);
  fields.priority =
      reader.Integer("priority", std::numeric_limits<std::int32_t>::min(), kMostTokens).value_or(0);
  fields.cache_salt = reader.Text("cache_salt").value_or("");
  fields.stream = reader.Boolean("stream").value_or(false);
  if (const Json* options = reader.Find("stream_options")) {
    if (options->object() == nullptr) {
      reader.Fail("stream_options",
                  format("stream_options is {}, must be an object", options->TypeName()));
    }
    FieldReader inner(*options);
    fields.include_usage = inner.Boolean("include_usage").value_or(false);
    if (inner.fault()) reader.Fail("stream_options", inner.fault()->message);
  }
  RefuseWhatIsNotServed(reader);
  return fields;
}

// reasoning_effort and thinking {type} as the template's variables. Source:
// glm-architecture.md 5.3: "thinking" is a field of the API, enable_thinking one of the template.
void ReadThinking(FieldReader& reader, Json& variables) {
  if (const auto effort = reader.Text("reasoning_effort")) {
    if (*effort == "none" || *effort == "minimal") {
      variables.Add("enable_thinking", false);
    } else if (*effort == "low" || *effort == "medium" || *effort == "high") {
      variables.Add("reasoning_effort", "high");
    } else if (*effort == "max" || *effort == "xhigh") {
      variables.Add("reasoning_effort", "max");
    } else {
      reader.Fail(
          "reasoning_effort",
          format("reasoning_effort is {}, must be none, minimal, low, medium, high, xhigh or "
                 "max",
                 Quoted(*effort)));
    }
  }
  const Json* thinking = reader.Find("thinking");
  if (thinking == nullptr) return;
  FieldReader inner(*thinking);
  const std::optional<std::string> type = inner.Text("type");
  if (!type || (*type != "enabled" && *type != "disabled")) {
    reader.Fail("thinking", "thinking must be {\"type\": \"enabled\"} or {\"type\": \"disabled\"}");
    return;
  }
  variables.Add("enable_thinking", *type == "enabled");
  if (const auto clear = inner.Boolean("clear_thinking")) variables.Add("clear_thinking", *clear);
  if (inner.fault()) reader.Fail("thinking", inner.fault()->message);
}

void ReadTemplateVariables(FieldReader& reader, Json& variables) {
  variables = Json(Json::Object{});
  ReadThinking(reader, variables);
  const Json* given = reader.Find("chat_template_kwargs");
  if (given == nullptr) return;
  if (given->object() == nullptr) {
    reader.Fail("chat_template_kwargs",
                format("chat_template_kwargs is {}, must be an object", given->TypeName()));
    return;
  }
  for (const auto& [name, value] : *given->object()) {
    if (name == "messages" || name == "tools") {
      reader.Fail("chat_template_kwargs", format("chat_template_kwargs may not set {}", name));
    }
    variables.Add(name, value);
  }
}

void ReadTools(FieldReader& reader, Json& tools) {
  const Json* given = reader.Find("tools");
  if (given == nullptr) return;
  if (given->array() == nullptr) {
    reader.Fail("tools", format("tools is {}, must be an array", given->TypeName()));
    return;
  }
  for (const Json& tool : *given->array()) {
    if (tool.object() == nullptr) {
      reader.Fail("tools", format("tools holds {}, must hold objects", tool.TypeName()));
    }
  }
  if (!given->array()->empty()) tools = *given;
}

// A tool_choice that asks for what an unconstrained answer gives.
void ReadToolChoice(FieldReader& reader, Json& tools) {
  const Json* choice = reader.Find("tool_choice");
  if (choice == nullptr) return;
  const bool none = choice->string() != nullptr && *choice->string() == "none";
  if (none) tools = Json();
  if (!none && !(choice->string() != nullptr && *choice->string() == "auto")) {
    reader.Fail("tool_choice", "tool_choice other than none and auto is not supported yet");
  }
}

void ReadResponseFormat(FieldReader& reader) {
  const Json* wanted = reader.Find("response_format");
  if (wanted == nullptr) return;
  const Json* type = wanted->Find("type");
  if (type == nullptr || type->string() == nullptr || *type->string() != "text") {
    reader.Fail("response_format", "response_format other than text is not supported yet");
  }
}

}  // namespace

Parsed<ChatRequest> ParseChatRequest(const Json& body) {
  if (body.object() == nullptr) return NotAnObject(body);
  FieldReader reader(body);
  ChatRequest request;
  reader.Require("messages");
  request.fields = ReadFields(reader);
  // The newer name counts when both are there.
  if (const auto newer = reader.Integer("max_completion_tokens", 1, kMostTokens)) {
    request.fields.max_tokens = newer;
  }
  if (const Json* messages = reader.Find("messages")) {
    if (messages->array() == nullptr) {
      reader.Fail("messages", format("messages is {}, must be an array", messages->TypeName()));
    } else if (messages->array()->empty()) {
      reader.Fail("messages", "messages is empty");
    }
    request.messages = *messages;
  }
  ReadTools(reader, request.tools);
  ReadToolChoice(reader, request.tools);
  ReadResponseFormat(reader);
  ReadTemplateVariables(reader, request.template_variables);
  if (reader.fault()) return *reader.fault();
  return request;
}

Parsed<CompletionRequest> ParseCompletionRequest(const Json& body) {
  if (body.object() == nullptr) return NotAnObject(body);
  FieldReader reader(body);
  CompletionRequest request;
  reader.Require("prompt");
  request.fields = ReadFields(reader);
  const Json* prompt = reader.Find("prompt");
  const Json::Array* items = prompt == nullptr ? nullptr : prompt->array();
  if (prompt != nullptr && prompt->string() != nullptr) {
    request.prompt = *prompt->string();
  } else if (items != nullptr && items->size() == 1 && items->front().string() != nullptr) {
    request.prompt = *items->front().string();
  } else if (items != nullptr) {
    std::vector<std::int32_t> ids;
    ids.reserve(items->size());
    for (const Json& item : *items) {
      const auto id = item.AsInt();
      if (!id || *id < 0 || *id > kMostTokens) {
        reader.Fail("prompt", "prompt must be one string or one array of token ids");
        break;
      }
      ids.push_back(static_cast<std::int32_t>(*id));
    }
    request.prompt = std::move(ids);
  } else if (prompt != nullptr) {
    reader.Fail("prompt", format("prompt is {}, must be a string or an array of token ids",
                                 prompt->TypeName()));
  }
  ReadResponseFormat(reader);
  if (reader.fault()) return *reader.fault();
  return request;
}

Parsed<SimpleRequest> ParseSimpleRequest(const Json& body) {
  if (body.object() == nullptr) return NotAnObject(body);
  FieldReader reader(body);
  SimpleRequest request;
  reader.Require("prompt");
  request.prompt = reader.Text("prompt").value_or("");
  request.max_length = reader.Integer("max_length", 1, kMostTokens).value_or(request.max_length);
  request.temperature =
      reader.Number("temperature", 0, kMostTemperature).value_or(request.temperature);
  if (reader.fault()) return *reader.fault();
  return request;
}

}  // namespace glint::api
