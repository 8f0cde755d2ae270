// SPDX-License-Identifier: Apache-2.0
#include "api/replies.h"

#include <utility>

namespace glint::api {
namespace {

Json Head(const ReplyHead& head, const char* object) {
  Json json;
  json.Add("id", head.id);
  json.Add("object", object);
  json.Add("created", head.created);
  json.Add("model", head.model);
  return json;
}

Json UsageJson(const Usage& usage) {
  Json json;
  json.Add("prompt_tokens", usage.prompt_tokens);
  json.Add("completion_tokens", usage.completion_tokens);
  json.Add("total_tokens", usage.prompt_tokens + usage.completion_tokens);
  Json prompt;
  prompt.Add("cached_tokens", usage.cached_tokens);
  json.Add("prompt_tokens_details", std::move(prompt));
  return json;
}

Json OneChoice(Json choice) {
  Json choices;
  choices.Append(std::move(choice));
  return choices;
}

Json OrNull(const std::optional<std::string>& text) { return text ? Json(*text) : Json(); }

Json CallJson(std::string_view id, std::string_view name, std::string_view arguments) {
  Json json;
  if (!id.empty()) {
    json.Add("id", id);
    json.Add("type", "function");
  }
  Json function;
  if (!name.empty()) function.Add("name", name);
  function.Add("arguments", arguments);
  json.Add("function", std::move(function));
  return json;
}

}  // namespace

Json ChatReply(const ReplyHead& head, const ChatAnswer& answer, const Usage& usage) {
  Json message;
  message.Add("role", "assistant");
  message.Add("content", OrNull(answer.content));
  if (answer.reasoning) message.Add("reasoning_content", *answer.reasoning);
  if (!answer.tool_calls.empty()) {
    Json calls;
    for (const ToolCall& call : answer.tool_calls) {
      calls.Append(CallJson(call.id, call.name, call.arguments));
    }
    message.Add("tool_calls", std::move(calls));
  }
  Json choice;
  choice.Add("index", 0);
  choice.Add("message", std::move(message));
  choice.Add("logprobs", Json());
  choice.Add("finish_reason", answer.finish_reason);
  Json json = Head(head, "chat.completion");
  json.Add("choices", OneChoice(std::move(choice)));
  json.Add("usage", UsageJson(usage));
  return json;
}

Json ChatChunk(const ReplyHead& head, const ChatDelta& delta) {
  Json inner{Json::Object{}};
  if (delta.role) inner.Add("role", "assistant");
  if (!delta.content.empty() || delta.role) inner.Add("content", delta.content);
  if (!delta.reasoning.empty()) inner.Add("reasoning_content", delta.reasoning);
  if (!delta.tool_calls.empty()) {
    Json calls;
    for (const ToolCallDelta& call : delta.tool_calls) {
      Json one;
      one.Add("index", call.index);
      const Json rest = CallJson(call.id, call.name, call.arguments);
      for (const auto& [key, value] : *rest.object()) one.Add(key, value);
      calls.Append(std::move(one));
    }
    inner.Add("tool_calls", std::move(calls));
  }
  Json choice;
  choice.Add("index", 0);
  choice.Add("delta", std::move(inner));
  choice.Add("logprobs", Json());
  choice.Add("finish_reason", OrNull(delta.finish_reason));
  Json json = Head(head, "chat.completion.chunk");
  json.Add("choices", OneChoice(std::move(choice)));
  return json;
}

namespace {

Json CompletionChoice(std::string_view text, const std::optional<std::string>& finish_reason) {
  Json choice;
  choice.Add("index", 0);
  choice.Add("text", text);
  choice.Add("logprobs", Json());
  choice.Add("finish_reason", OrNull(finish_reason));
  return OneChoice(std::move(choice));
}

}  // namespace

Json CompletionReply(const ReplyHead& head, std::string_view text, std::string_view finish_reason,
                     const Usage& usage) {
  Json json = Head(head, "text_completion");
  json.Add("choices", CompletionChoice(text, std::string(finish_reason)));
  json.Add("usage", UsageJson(usage));
  return json;
}

Json CompletionChunk(const ReplyHead& head, std::string_view text,
                     const std::optional<std::string>& finish_reason) {
  Json json = Head(head, "text_completion");
  json.Add("choices", CompletionChoice(text, finish_reason));
  return json;
}

Json UsageChunk(const ReplyHead& head, bool chat, const Usage& usage) {
  Json json = Head(head, chat ? "chat.completion.chunk" : "text_completion");
  json.Add("choices", Json(Json::Array{}));
  json.Add("usage", UsageJson(usage));
  return json;
}

Json ModelList(const std::vector<std::string>& names, std::int64_t created,
               std::int64_t max_context) {
  Json data;
  for (const std::string& name : names) {
    Json model;
    model.Add("id", name);
    model.Add("object", "model");
    model.Add("created", created);
    model.Add("owned_by", "glint");
    model.Add("max_model_len", max_context);
    data.Append(std::move(model));
  }
  Json json;
  json.Add("object", "list");
  json.Add("data", std::move(data));
  return json;
}

Json ErrorBody(std::string_view message, std::string_view type, std::string_view param,
               std::string_view code) {
  Json error;
  error.Add("message", message);
  error.Add("type", type);
  error.Add("param", param.empty() ? Json() : Json(param));
  error.Add("code", code.empty() ? Json() : Json(code));
  Json json;
  json.Add("error", std::move(error));
  return json;
}

}  // namespace glint::api
