// SPDX-License-Identifier: Apache-2.0
#include "text/chat_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/format.h"

namespace glint::text {
namespace {

constexpr std::array<std::string_view, 5> kRoles = {"system", "developer", "user", "assistant",
                                                    "tool"};

// "messages[2].role is a number, must be a string".
Error WrongType(std::string_view where, const Json& found, std::string_view wanted) {
  return InvalidArgument(format("{} is {}, must be {}", where, found.TypeName(), wanted));
}

Result<std::string> ReadRole(const Json& message, const std::string& where) {
  const Json* role = message.Find("role");
  if (role == nullptr) return InvalidArgument(format("{}.role is missing", where));
  if (role->string() == nullptr) return WrongType(where + ".role", *role, "a string");
  const std::string& name = *role->string();
  if (std::find(kRoles.begin(), kRoles.end(), name) == kRoles.end()) {
    return InvalidArgument(
        format("{}.role is {}, must be one of {}", where, Quoted(name), fmt::join(kRoles, ", ")));
  }
  return name == "developer" ? "system" : name;
}

Status CheckPart(const Json& part, const std::string& where) {
  if (part.string() != nullptr) return Ok();
  if (part.object() == nullptr) return WrongType(where, part, "a string or an object");
  const Json* type = part.Find("type");
  if (type != nullptr && type->string() == nullptr) {
    return WrongType(where + ".type", *type, "a string");
  }
  if (type == nullptr || *type->string() != "text") return Ok();
  const Json* text = part.Find("text");
  if (text == nullptr) return InvalidArgument(format("{}.text is missing", where));
  if (text->string() == nullptr) return WrongType(where + ".text", *text, "a string");
  return Ok();
}

// The text of parts that are all text, or nothing.
std::optional<std::string> JoinedText(const Json::Array& parts) {
  std::string joined;
  for (const Json& part : parts) {
    const Json* type = part.Find("type");
    const bool is_text = type != nullptr && type->string() != nullptr && *type->string() == "text";
    if (part.string() == nullptr && !is_text) return std::nullopt;
    joined += part.string() != nullptr ? *part.string() : *part.Find("text")->string();
  }
  return joined;
}

Result<Json> PrepareContent(const Json* content, const std::string& role,
                            const std::string& where) {
  if (content == nullptr || content->is_null()) {
    if (role == "assistant") return Json("");
    return InvalidArgument(format("{} is {}, and a message of role {} needs it", where,
                                  content == nullptr ? "missing" : "null", role));
  }
  if (content->string() != nullptr) return *content;
  const Json::Array* parts = content->array();
  if (parts == nullptr) return WrongType(where, *content, "a string or an array");
  for (std::size_t i = 0; i < parts->size(); ++i) {
    GLINT_TRY(CheckPart((*parts)[i], format("{}[{}]", where, i)));
  }
  if (role == "tool") {
    if (std::optional<std::string> text = JoinedText(*parts)) return Json(std::move(*text));
  }
  return *content;
}

Result<Json> PrepareArguments(const Json* arguments, const std::string& where) {
  if (arguments == nullptr || arguments->is_null()) return Json(Json::Object{});
  if (arguments->object() != nullptr) return *arguments;
  if (arguments->string() == nullptr) {
    return WrongType(where, *arguments, "the text of a JSON object");
  }
  const std::string& text = *arguments->string();
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return Json(Json::Object{});
  GLINT_ASSIGN(Json parsed, ParseJson(text, where));
  if (parsed.object() == nullptr) return WrongType(where, parsed, "the text of a JSON object");
  return parsed;
}

// The object that holds a call's name and arguments.
Result<Json> PrepareFunction(const Json& function, const std::string& where) {
  if (function.object() == nullptr) return WrongType(where, function, "an object");
  const Json* name = function.Find("name");
  if (name == nullptr || name->string() == nullptr || name->string()->empty()) {
    return InvalidArgument(format("{}.name is missing or empty", where));
  }
  GLINT_ASSIGN(Json arguments, PrepareArguments(function.Find("arguments"), where + ".arguments"));
  Json prepared = Json(Json::Object{});
  for (const auto& [key, value] : *function.object()) {
    if (key != "arguments") prepared.Add(key, value);
  }
  prepared.Add("arguments", std::move(arguments));
  return prepared;
}

Result<Json> PrepareCall(const Json& call, const std::string& where) {
  if (call.object() == nullptr) return WrongType(where, call, "an object");
  if (call.Find("function") == nullptr) return PrepareFunction(call, where);
  Json prepared = Json(Json::Object{});
  for (const auto& [key, value] : *call.object()) {
    if (key != "function") {
      prepared.Add(key, value);
      continue;
    }
    GLINT_ASSIGN(Json function, PrepareFunction(value, where + ".function"));
    prepared.Add(key, std::move(function));
  }
  return prepared;
}

Result<Json> PrepareCalls(const Json& calls, const std::string& where) {
  if (calls.is_null()) return calls;
  if (calls.array() == nullptr) return WrongType(where, calls, "an array");
  Json::Array prepared;
  prepared.reserve(calls.array()->size());
  for (std::size_t i = 0; i < calls.array()->size(); ++i) {
    GLINT_ASSIGN(Json call, PrepareCall((*calls.array())[i], format("{}[{}]", where, i)));
    prepared.push_back(std::move(call));
  }
  return Json(std::move(prepared));
}

Result<Json> PrepareMessage(const Json& message, const std::string& where) {
  if (message.object() == nullptr) return WrongType(where, message, "an object");
  GLINT_ASSIGN(const std::string role, ReadRole(message, where));
  GLINT_ASSIGN(Json content, PrepareContent(message.Find("content"), role, where + ".content"));
  Json prepared = Json(Json::Object{});
  prepared.Add("role", Json(role));
  prepared.Add("content", std::move(content));
  for (const auto& [key, value] : *message.object()) {
    if (key == "role" || key == "content") continue;
    if (key == "reasoning_content" && value.string() == nullptr && !value.is_null()) {
      return WrongType(where + ".reasoning_content", value, "a string");
    }
    if (key != "tool_calls") {
      prepared.Add(key, value);
      continue;
    }
    GLINT_ASSIGN(Json calls, PrepareCalls(value, where + ".tool_calls"));
    prepared.Add(key, std::move(calls));
  }
  return prepared;
}

}  // namespace

Result<Json> PrepareMessages(const Json& messages) {
  if (messages.array() == nullptr) return WrongType("messages", messages, "an array");
  if (messages.array()->empty()) return InvalidArgument("messages is empty");
  Json::Array prepared;
  prepared.reserve(messages.array()->size());
  for (std::size_t i = 0; i < messages.array()->size(); ++i) {
    GLINT_ASSIGN(Json message, PrepareMessage((*messages.array())[i], format("messages[{}]", i)));
    prepared.push_back(std::move(message));
  }
  return Json(std::move(prepared));
}

Result<Json> TemplateVariables(Json messages, Json tools, bool add_generation_prompt,
                               const Json& kwargs) {
  if (!tools.is_null() && tools.array() == nullptr) return WrongType("tools", tools, "an array");
  for (std::size_t i = 0; tools.array() != nullptr && i < tools.array()->size(); ++i) {
    const Json& tool = (*tools.array())[i];
    if (tool.object() == nullptr) return WrongType(format("tools[{}]", i), tool, "an object");
  }
  Json variables = Json(Json::Object{});
  variables.Add("messages", std::move(messages));
  variables.Add("tools", std::move(tools));
  variables.Add("documents", Json());
  variables.Add("add_generation_prompt", Json(add_generation_prompt));
  if (kwargs.is_null()) return variables;
  if (kwargs.object() == nullptr) {
    return WrongType("the template's kwargs", kwargs, "an object");
  }
  for (const auto& [key, value] : *kwargs.object()) {
    if (key == "messages" || key == "tools" || key == "add_generation_prompt") {
      return InvalidArgument(format("{} cannot be given as a kwarg of the template", key));
    }
    variables.Add(key, value);
  }
  return variables;
}

}  // namespace glint::text
