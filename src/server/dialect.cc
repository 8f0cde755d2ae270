// SPDX-License-Identifier: Apache-2.0
#include "server/internal/dialect.h"

#include <optional>
#include <utility>

namespace glint::server {
namespace {

constexpr const char* kDone = "[DONE]";

class ChatDialect : public Dialect {
 public:
  ChatDialect(api::ReplyHead head, bool include_usage)
      : head_(std::move(head)), include_usage_(include_usage) {}
  std::vector<std::string> First() override {
    return {api::ChatChunk(head_, {.role = true}).Write()};
  }
  std::vector<std::string> Delta(const AnswerDelta& delta) override {
    return {api::ChatChunk(head_, {.content = delta.content,
                                   .reasoning = delta.reasoning,
                                   .tool_calls = delta.tool_calls})
                .Write()};
  }
  std::vector<std::string> Last(const AnswerEnd& end) override {
    std::vector<std::string> data = {
        api::ChatChunk(head_, {.finish_reason = end.finish_reason}).Write()};
    if (include_usage_) data.push_back(api::UsageChunk(head_, true, end.usage).Write());
    data.emplace_back(kDone);
    return data;
  }
  std::string Whole(const AnswerEnd& end) override {
    api::ChatAnswer answer{.tool_calls = end.tool_calls, .finish_reason = end.finish_reason};
    // An answer of calls alone has null as its content.
    if (!end.content.empty() || end.tool_calls.empty()) answer.content = end.content;
    if (!end.reasoning.empty()) answer.reasoning = end.reasoning;
    return api::ChatReply(head_, answer, end.usage).Write();
  }

 private:
  api::ReplyHead head_;
  bool include_usage_;
};

class CompletionDialect : public Dialect {
 public:
  CompletionDialect(api::ReplyHead head, bool include_usage)
      : head_(std::move(head)), include_usage_(include_usage) {}
  std::vector<std::string> First() override { return {}; }
  std::vector<std::string> Delta(const AnswerDelta& delta) override {
    return {api::CompletionChunk(head_, delta.content, std::nullopt).Write()};
  }
  std::vector<std::string> Last(const AnswerEnd& end) override {
    std::vector<std::string> data = {api::CompletionChunk(head_, "", end.finish_reason).Write()};
    if (include_usage_) data.push_back(api::UsageChunk(head_, false, end.usage).Write());
    data.emplace_back(kDone);
    return data;
  }
  std::string Whole(const AnswerEnd& end) override {
    return api::CompletionReply(head_, end.content, end.finish_reason, end.usage).Write();
  }

 private:
  api::ReplyHead head_;
  bool include_usage_;
};

class SimpleDialect : public Dialect {
 public:
  std::vector<std::string> First() override { return {}; }
  std::vector<std::string> Delta(const AnswerDelta& /*delta*/) override { return {}; }
  std::vector<std::string> Last(const AnswerEnd& /*end*/) override { return {}; }
  std::string Whole(const AnswerEnd& end) override {
    Json json;
    json.Add("generated_text", end.content);
    return json.Write();
  }
};

}  // namespace

void AnswerEnd::Add(const AnswerDelta& delta) {
  reasoning += delta.reasoning;
  content += delta.content;
  for (const api::ToolCallDelta& part : delta.tool_calls) {
    if (!part.id.empty()) tool_calls.push_back({.id = part.id, .name = part.name, .arguments = ""});
    if (!tool_calls.empty()) tool_calls.back().arguments += part.arguments;
  }
}

std::unique_ptr<Dialect> MakeChatDialect(api::ReplyHead head, bool include_usage) {
  return std::make_unique<ChatDialect>(std::move(head), include_usage);
}

std::unique_ptr<Dialect> MakeCompletionDialect(api::ReplyHead head, bool include_usage) {
  return std::make_unique<CompletionDialect>(std::move(head), include_usage);
}

std::unique_ptr<Dialect> MakeSimpleDialect() { return std::make_unique<SimpleDialect>(); }

}  // namespace glint::server
