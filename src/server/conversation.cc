// SPDX-License-Identifier: Apache-2.0
#include "server/conversation.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "server/prompt.h"

namespace glint::server {
namespace {

Json Message(const char* role, const std::string& content) {
  Json message;
  message.Add("role", role);
  message.Add("content", content);
  return message;
}

// From the engine's thread to this one. Shared with the sink, which may be called after a cancel.
class EventQueue {
 public:
  void Push(engine::GenerateEvent event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
    changed_.notify_one();
  }
  // The next event; none when `patience` has passed.
  std::optional<engine::GenerateEvent> Take(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, patience, [this] { return !events_.empty(); })) return {};
    engine::GenerateEvent event = std::move(events_.front());
    events_.pop_front();
    return event;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<engine::GenerateEvent> events_;
};

double Seconds(engine::RequestTimes::Point from, engine::RequestTimes::Point to) {
  return std::chrono::duration<double>(to - from).count();
}

void SetSpeed(const engine::GenerateEvent& last, Turn& turn) {
  if (last.generated_tokens == 0) return;
  turn.first_token_s = Seconds(last.times.arrived, last.times.first_token);
  const double decode = Seconds(last.times.first_token, last.times.finished);
  if (last.generated_tokens > 1 && decode > 0) {
    turn.decode_tok_per_s = static_cast<double>(last.generated_tokens - 1) / decode;
  }
}

}  // namespace

Conversation::Conversation(ServedModel model, const std::string& system, api::ChatRequest request)
    : model_(std::move(model)), request_(std::move(request)) {
  if (!system.empty()) start_.push_back(Message("system", system));
  messages_ = start_;
}

void Conversation::Forget() { messages_ = start_; }

Result<Turn> Conversation::Say(const std::string& text,
                               const std::function<void(const AnswerDelta&)>& show,
                               const std::atomic<bool>& cancelled) {
  Json::Array messages = messages_;
  messages.push_back(Message("user", text));
  request_.messages = Json(messages);
  GLINT_ASSIGN(PreparedRequest prepared, PrepareChat(model_, request_));
  prepared.generate.request = static_cast<RequestId>(next_id_++);
  const RequestId id = prepared.generate.request;
  Turn turn{.usage = {.prompt_tokens = static_cast<std::int64_t>(prepared.generate.prompt.size())}};
  AnswerText answer(*model_.tokenizer, prepared.answer);
  const auto queue = std::make_shared<EventQueue>();
  GLINT_TRY(model_.engine->Submit(
      std::move(prepared.generate),
      [queue](engine::GenerateEvent event) { queue->Push(std::move(event)); }));
  const auto take = [&](const AnswerDelta& delta) {
    turn.reasoning += delta.reasoning;
    turn.content += delta.content;
    if (!delta.empty()) show(delta);
  };
  bool stopping = false;
  std::optional<engine::GenerateEvent> event;
  while (!event || !event->finish) {
    event = queue->Take(std::chrono::milliseconds(50));
    if (event) take(answer.Push(event->tokens));
    if ((answer.stopped() || cancelled) && !std::exchange(stopping, true)) {
      model_.engine->Cancel(id);
    }
  }
  if (event->error) return *event->error;
  const bool by_length = event->finish == engine::FinishReason::kLength;
  take(answer.Finish(by_length));
  SetSpeed(*event, turn);
  turn.usage.completion_tokens = event->generated_tokens;
  turn.usage.cached_tokens = event->cached_tokens;
  turn.finish_reason = by_length ? "length" : cancelled && !answer.stopped() ? "cancelled" : "stop";
  Json said = Message("assistant", turn.content);
  if (!turn.reasoning.empty()) said.Add("reasoning_content", turn.reasoning);
  messages.push_back(std::move(said));
  messages_ = std::move(messages);
  return turn;
}

}  // namespace glint::server
