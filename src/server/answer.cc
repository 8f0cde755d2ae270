// SPDX-License-Identifier: Apache-2.0
#include "server/internal/answer.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/sse.h"
#include "server/internal/error_reply.h"
#include "server/internal/event_inbox.h"

namespace glint::server {
namespace {

using Clock = std::chrono::steady_clock;

const char* MetricReason(engine::FinishReason reason) {
  switch (reason) {
    case engine::FinishReason::kStop:
      return "stop";
    case engine::FinishReason::kLength:
      return "length";
    case engine::FinishReason::kCancelled:
      return "abort";
    case engine::FinishReason::kError:
      return "error";
  }
  return "error";
}

// The request at the engine; whoever leaves early cancels it.
class Submission {
 public:
  Submission(engine::Engine& engine, RequestId id, const boost::asio::any_io_executor& executor)
      : engine_(engine), id_(id), inbox_(std::make_shared<EventInbox>(executor)) {}
  ~Submission() {
    inbox_->Close();
    if (open_) engine_.Cancel(id_);
  }
  Submission(const Submission&) = delete;
  Submission& operator=(const Submission&) = delete;

  Status Submit(engine::GenerateRequest request) {
    request.request = id_;
    GLINT_TRY(engine_.Submit(std::move(request), [inbox = inbox_](engine::GenerateEvent event) {
      inbox->Push(std::move(event));
    }));
    open_ = true;
    return Ok();
  }
  // The text is complete, or nobody wants it: the engine's own end is not waited for.
  void Cancel() {
    if (open_) engine_.Cancel(id_);
  }
  void SetFinished() { open_ = false; }
  [[nodiscard]] EventInbox& inbox() { return *inbox_; }

 private:
  engine::Engine& engine_;
  RequestId id_;
  std::shared_ptr<EventInbox> inbox_;
  bool open_ = false;
};

// One answer under way.
class Answering {
 public:
  Answering(HttpExchange& exchange, const AnswerTask& task, PreparedRequest& prepared)
      : exchange_(exchange),
        metrics_(*task.metrics),
        dialect_(*task.dialect),
        stream_(task.stream),
        text_(*task.model->tokenizer, prepared.answer),
        prompt_tokens_(static_cast<std::int64_t>(prepared.generate.prompt.size())),
        max_tokens_(prepared.generate.max_new_tokens) {}

  Awaitable<void> Follow(Submission& submission) {
    while (!complete_ && !exchange_.gone()) {
      std::vector<engine::GenerateEvent> events = co_await submission.inbox().Take();
      for (engine::GenerateEvent& event : events) {
        if (complete_) break;
        const AnswerDelta delta = Take(event, submission);
        end_.Add(delta);
        if (stream_ && !error_) co_await WriteDelta(delta);
      }
    }
    if (!exchange_.gone()) {
      co_await WriteEnd();
    } else if (!complete_) {
      metrics_.CountAbort();
    }
  }

 private:
  Awaitable<void> WriteEnd() {
    if (error_ && !begun_) {
      co_await ReplyError(exchange_, *error_);
    } else if (error_) {
      co_await exchange_.Write(api::WriteSse(ErrorJson(StatusOf(error_->code), error_->message)) +
                               api::WriteSse("[DONE]"));
      co_await exchange_.EndStream();
    } else if (stream_) {
      std::string events;
      for (const std::string& data : dialect_.Last(end_)) events += api::WriteSse(data);
      co_await exchange_.Write(std::move(events));
      co_await exchange_.EndStream();
    } else {
      co_await exchange_.Reply(200, dialect_.Whole(end_), "application/json");
    }
  }

  Awaitable<void> WriteDelta(const AnswerDelta& delta) {
    std::string events;
    if (!std::exchange(begun_, true)) {
      co_await exchange_.BeginStream("text/event-stream");
      for (const std::string& data : dialect_.First()) events += api::WriteSse(data);
    }
    if (!delta.empty()) {
      for (const std::string& data : dialect_.Delta(delta)) events += api::WriteSse(data);
    }
    co_await exchange_.Write(std::move(events));
  }

  // What an event adds to the text; sets what the end needs when it is the last one.
  AnswerDelta Take(engine::GenerateEvent& event, Submission& submission) {
    if (event.error) {
      error_ = std::move(event.error);
    } else if (event.finish == engine::FinishReason::kCancelled) {
      error_ = Unavailable("the server is shutting down");
    }
    if (!event.tokens.empty()) CountGap();
    AnswerDelta delta = text_.Push(event.tokens);
    end_.usage = {.prompt_tokens = prompt_tokens_,
                  .completion_tokens = event.generated_tokens,
                  .cached_tokens = event.cached_tokens};
    if (event.finish || text_.stopped()) Complete(event, submission, delta);
    return delta;
  }

  void Complete(engine::GenerateEvent& event, Submission& submission, AnswerDelta& delta) {
    complete_ = true;
    const bool by_length = event.finish == engine::FinishReason::kLength && !text_.stopped();
    AnswerDelta rest = text_.Finish(by_length);
    delta.reasoning += rest.reasoning;
    delta.content += rest.content;
    std::move(rest.tool_calls.begin(), rest.tool_calls.end(), std::back_inserter(delta.tool_calls));
    end_.finish_reason = by_length ? "length" : text_.tool_calls() > 0 ? "tool_calls" : "stop";
    metrics_.CountMalformedCalls(text_.malformed_calls());
    if (event.finish) {
      submission.SetFinished();
    } else {
      event.times.finished = Clock::now();
    }
    metrics_.CountRequest(event.times, event.finish ? MetricReason(*event.finish) : "stop",
                          prompt_tokens_, event.generated_tokens, max_tokens_);
  }

  void CountGap() {
    const auto now = Clock::now();
    if (last_tokens_) metrics_.CountTokenGap(now - *last_tokens_);
    last_tokens_ = now;
  }

  HttpExchange& exchange_;
  Metrics& metrics_;
  Dialect& dialect_;
  bool stream_;
  AnswerText text_;
  std::int64_t prompt_tokens_;
  std::int64_t max_tokens_;
  AnswerEnd end_;
  bool begun_ = false;     // the stream's header is out
  bool complete_ = false;  // nothing more is to come
  std::optional<Error> error_;
  std::optional<Clock::time_point> last_tokens_;
};

}  // namespace

Awaitable<void> WriteAnswer(HttpExchange& exchange, AnswerTask task,
                            Result<PreparedRequest> prepared) {
  if (!prepared.ok()) {
    co_await ReplyError(exchange, prepared.error());
    co_return;
  }
  prepared.value().generate.arrived = task.arrived;
  Answering answering(exchange, task, prepared.value());
  Submission submission(*task.model->engine, task.id, exchange.executor());
  const Status status = submission.Submit(std::move(prepared.value().generate));
  if (!status.ok()) {
    co_await ReplyError(exchange, status.error());
    co_return;
  }
  exchange.WatchForClose([&submission] {
    submission.Cancel();
    submission.inbox().Wake();
  });
  co_await answering.Follow(submission);
  exchange.StopWatching();
}

}  // namespace glint::server
