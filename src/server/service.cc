// SPDX-License-Identifier: Apache-2.0
#include "server/service.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "api/replies.h"
#include "api/requests.h"
#include "api/sse.h"
#include "base/format.h"
#include "server/internal/dialect.h"
#include "server/internal/event_inbox.h"
#include "server/internal/http_exchange.h"
#include "server/metrics.h"
#include "server/prompt.h"

namespace glint::server {
namespace {

namespace http = boost::beast::http;
using Clock = std::chrono::steady_clock;

constexpr const char* kJson = "application/json";

// Which HTTP status says what went wrong: the one table.
unsigned StatusOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return 400;
    case ErrorCode::kNotFound:
      return 404;
    case ErrorCode::kDataLoss:
      return 500;
    case ErrorCode::kResourceExhausted:
      return 429;
    case ErrorCode::kUnavailable:
      return 503;
    case ErrorCode::kCancelled:
      return 499;  // nginx's "client closed request": nobody reads it
  }
  return 500;
}

const char* ErrorType(unsigned status) {
  if (status == 404) return "not_found_error";
  if (status == 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}

std::string ErrorJson(unsigned status, std::string_view message, std::string_view param = "",
                      std::string_view code = "") {
  return api::ErrorBody(message, ErrorType(status), param, code).Write();
}

Awaitable<void> ReplyError(HttpExchange& exchange, unsigned status, std::string_view message,
                           std::string_view param = "", std::string_view code = "") {
  HeaderFields headers;
  if (status == 429 || status == 503) headers.emplace_back("Retry-After", "1");
  co_await exchange.Reply(status, ErrorJson(status, message, param, code), kJson,
                          std::move(headers));
}

std::int64_t UnixSeconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

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

}  // namespace

class Service::Routes : public HttpHandler {
 public:
  Routes(ServedModel model, const FallbackLog* fallbacks, ServiceOptions options)
      : model_(std::move(model)), options_(options), metrics_(model_.names.front(), fallbacks) {}

  Awaitable<void> Handle(HttpExchange& exchange) override {
    const auto start = Clock::now();
    const Route* route = FindRoute(exchange.path());
    if (route == nullptr) {
      co_await ReplyError(exchange, 404, format("no such path: {}", Quoted(exchange.path())));
    } else if (!Allows(*route, exchange.request().method())) {
      co_await ReplyError(exchange, 405,
                          format("{} takes {} only", route->path, route->post ? "POST" : "GET"));
    } else {
      co_await (this->*route->run)(exchange);
    }
    metrics_.CountHttp(route == nullptr ? "other" : route->path,
                       std::string_view(exchange.request().method_string()), exchange.status(),
                       Clock::now() - start,
                       static_cast<std::int64_t>(exchange.request().body().size()),
                       exchange.reply_bytes());
  }
  std::string ErrorText(unsigned status, std::string_view message) override {
    return ErrorJson(status, message);
  }
  void StartDraining() { draining_ = true; }

 private:
  struct Route {
    const char* path;
    bool post;
    Awaitable<void> (Routes::*run)(HttpExchange& exchange);
  };
  static const Route* FindRoute(std::string_view path) {
    static constexpr Route kRoutes[] = {
        {"/v1/chat/completions", true, &Routes::Chat},
        {"/v1/completions", true, &Routes::Complete},
        {"/generate", true, &Routes::Simple},
        {"/v1/models", false, &Routes::Models},
        {"/health/live", false, &Routes::Live},
        {"/health/ready", false, &Routes::Ready},
        {"/health", false, &Routes::Ready},
        {"/metrics", false, &Routes::WriteMetrics},
    };
    for (const Route& route : kRoutes) {
      if (path == route.path) return &route;
    }
    return nullptr;
  }
  static bool Allows(const Route& route, http::verb method) {
    return route.post ? method == http::verb::post
                      : method == http::verb::get || method == http::verb::head;
  }

  Awaitable<void> Live(HttpExchange& exchange) {
    co_await exchange.Reply(200, R"({"status":"live"})", kJson);
  }

  Awaitable<void> Ready(HttpExchange& exchange) {
    const bool stalled = model_.engine->Counts().since_progress > options_.stall_limit;
    if (draining_) {
      co_await ReplyError(exchange, 503, "the server is shutting down");
    } else if (stalled) {
      co_await ReplyError(exchange, 503,
                          format("no step was completed for {} s", options_.stall_limit.count()));
    } else {
      co_await exchange.Reply(200, R"({"status":"ready"})", kJson);
    }
  }

  Awaitable<void> WriteMetrics(HttpExchange& exchange) {
    co_await exchange.Reply(200, metrics_.Write(model_.engine->Counts()),
                            "text/plain; version=0.0.4; charset=utf-8");
  }

  Awaitable<void> Models(HttpExchange& exchange) {
    co_await exchange.Reply(
        200,
        api::ModelList(model_.names, model_.created, model_.engine->options().max_context).Write(),
        kJson);
  }

  [[nodiscard]] bool Serves(const std::string& name) const {
    return name.empty() ||
           std::find(model_.names.begin(), model_.names.end(), name) != model_.names.end();
  }

  [[nodiscard]] api::ReplyHead MakeHead(const char* prefix, RequestId id) const {
    return {.id = format("{}-{:016x}", prefix, Number(id) ^ salt_),
            .created = UnixSeconds(),
            .model = model_.names.front()};
  }

  // The request of a body, or nothing once its fault was answered.
  template <typename Request>
  Awaitable<std::optional<Request>> Parse(HttpExchange& exchange,
                                          api::Parsed<Request> (*parse)(const Json&)) {
    if (draining_) {
      co_await ReplyError(exchange, 503, "the server is shutting down");
      co_return std::nullopt;
    }
    const Result<Json> body = ParseJson(exchange.request().body(), "request body");
    if (!body.ok()) {
      co_await ReplyError(exchange, 400, body.error().message);
      co_return std::nullopt;
    }
    api::Parsed<Request> parsed = parse(body.value());
    if (const auto* fault = std::get_if<api::RequestFault>(&parsed)) {
      co_await ReplyError(exchange, 400, fault->message, fault->param);
      co_return std::nullopt;
    }
    co_return std::get<Request>(std::move(parsed));
  }

  Awaitable<bool> KnowsModel(HttpExchange& exchange, const std::string& name) {
    if (Serves(name)) co_return true;
    co_await ReplyError(
        exchange, 404,
        format("no model named {}, this server has {}", Quoted(name), Quoted(model_.names.front())),
        "model", "model_not_found");
    co_return false;
  }

  Awaitable<void> Chat(HttpExchange& exchange) {
    const auto request = co_await Parse<api::ChatRequest>(exchange, api::ParseChatRequest);
    if (!request || !co_await KnowsModel(exchange, request->fields.model)) co_return;
    const RequestId id = NextId();
    const auto dialect = MakeChatDialect(MakeHead("chatcmpl", id), request->fields.include_usage);
    co_await Answer(exchange, id, PrepareChat(model_, *request), request->fields.stream, *dialect);
  }

  Awaitable<void> Complete(HttpExchange& exchange) {
    const auto request =
        co_await Parse<api::CompletionRequest>(exchange, api::ParseCompletionRequest);
    if (!request || !co_await KnowsModel(exchange, request->fields.model)) co_return;
    const RequestId id = NextId();
    const auto dialect = MakeCompletionDialect(MakeHead("cmpl", id), request->fields.include_usage);
    co_await Answer(exchange, id, PrepareCompletion(model_, *request), request->fields.stream,
                    *dialect);
  }

  Awaitable<void> Simple(HttpExchange& exchange) {
    const auto request = co_await Parse<api::SimpleRequest>(exchange, api::ParseSimpleRequest);
    if (!request) co_return;
    const auto dialect = MakeSimpleDialect();
    co_await Answer(exchange, NextId(), PrepareSimple(model_, *request), false, *dialect);
  }

  // Runs a request and writes its answer in the dialect's shape.
  Awaitable<void> Answer(HttpExchange& exchange, RequestId id, Result<PreparedRequest> prepared,
                         bool stream, Dialect& dialect) {
    if (!prepared.ok()) {
      co_await ReplyError(exchange, StatusOf(prepared.error().code), prepared.error().message);
      co_return;
    }
    prepared.value().answer.call_id = format("call_{:016x}", Number(id) ^ salt_);
    Job job{.text = AnswerText(*model_.tokenizer, prepared.value().answer),
            .prompt_tokens = static_cast<std::int64_t>(prepared.value().generate.prompt.size()),
            .max_tokens = prepared.value().generate.max_new_tokens};
    Submission submission(*model_.engine, id, exchange.executor());
    const Status status = submission.Submit(std::move(prepared.value().generate));
    if (!status.ok()) {
      co_await ReplyError(exchange, StatusOf(status.error().code), status.error().message);
      co_return;
    }
    exchange.WatchForClose([&submission] {
      submission.Cancel();
      submission.inbox().Wake();
    });
    co_await Follow(exchange, submission, stream, dialect, job);
  }

  // One answer under way.
  struct Job {
    AnswerText text;
    std::int64_t prompt_tokens = 0;
    std::int64_t max_tokens = 0;
    AnswerEnd end;
    bool begun = false;     // the stream's header is out
    bool complete = false;  // nothing more is to come
    std::optional<Error> error;
    std::optional<Clock::time_point> last_tokens;
  };

  Awaitable<void> Follow(HttpExchange& exchange, Submission& submission, bool stream,
                         Dialect& dialect, Job& job) {
    while (!job.complete && !exchange.gone()) {
      for (engine::GenerateEvent& event : co_await submission.inbox().Take()) {
        if (job.complete) break;
        const AnswerDelta delta = Take(event, submission, job);
        job.end.Add(delta);
        if (stream && !job.error) co_await WriteDelta(exchange, dialect, delta, job);
      }
    }
    if (exchange.gone()) {
      if (!job.complete) metrics_.CountAbort();
    } else if (job.error && !job.begun) {
      co_await ReplyError(exchange, StatusOf(job.error->code), job.error->message);
    } else if (job.error) {
      const unsigned code = StatusOf(job.error->code);
      co_await exchange.Write(api::WriteSse(ErrorJson(code, job.error->message)) +
                              api::WriteSse("[DONE]"));
      co_await exchange.EndStream();
    } else if (stream) {
      std::string events;
      for (const std::string& data : dialect.Last(job.end)) events += api::WriteSse(data);
      co_await exchange.Write(std::move(events));
      co_await exchange.EndStream();
    } else {
      co_await exchange.Reply(200, dialect.Whole(job.end), kJson);
    }
  }

  Awaitable<void> WriteDelta(HttpExchange& exchange, Dialect& dialect, const AnswerDelta& delta,
                             Job& job) {
    std::string events;
    if (!std::exchange(job.begun, true)) {
      co_await exchange.BeginStream("text/event-stream");
      for (const std::string& data : dialect.First()) events += api::WriteSse(data);
    }
    if (!delta.empty()) {
      for (const std::string& data : dialect.Delta(delta)) events += api::WriteSse(data);
    }
    co_await exchange.Write(std::move(events));
  }

  // What an event adds to the text; sets what the job's end needs when it is the last one.
  AnswerDelta Take(engine::GenerateEvent& event, Submission& submission, Job& job) {
    if (event.error) {
      job.error = std::move(event.error);
    } else if (event.finish == engine::FinishReason::kCancelled) {
      job.error = Unavailable("the server is shutting down");
    }
    if (!event.tokens.empty()) CountGap(job);
    AnswerDelta delta = job.text.Push(event.tokens);
    job.end.usage = {.prompt_tokens = job.prompt_tokens,
                     .completion_tokens = event.generated_tokens};
    if (event.finish || job.text.stopped()) {
      job.complete = true;
      const bool by_length = event.finish == engine::FinishReason::kLength && !job.text.stopped();
      AnswerDelta rest = job.text.Finish(by_length);
      delta.reasoning += rest.reasoning;
      delta.content += rest.content;
      std::move(rest.tool_calls.begin(), rest.tool_calls.end(),
                std::back_inserter(delta.tool_calls));
      job.end.finish_reason = by_length                   ? "length"
                              : job.text.tool_calls() > 0 ? "tool_calls"
                                                          : "stop";
      metrics_.CountMalformedCalls(job.text.malformed_calls());
      if (event.finish) {
        submission.SetFinished();
      } else {
        event.times.finished = Clock::now();
      }
      metrics_.CountRequest(event.times, event.finish ? MetricReason(*event.finish) : "stop",
                            job.prompt_tokens, event.generated_tokens, job.max_tokens);
    }
    return delta;
  }

  void CountGap(Job& job) {
    const auto now = Clock::now();
    if (job.last_tokens) metrics_.CountTokenGap(now - *job.last_tokens);
    job.last_tokens = now;
  }

  RequestId NextId() { return static_cast<RequestId>(next_id_++); }

  ServedModel model_;
  ServiceOptions options_;
  Metrics metrics_;
  std::atomic<bool> draining_ = false;
  std::atomic<std::uint64_t> next_id_ = 1;
  // Ids in replies differ between runs of the program.
  std::uint64_t salt_ =
      static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
};

Service::Service(ServedModel model, const FallbackLog* fallbacks, ServiceOptions options)
    : routes_(std::make_unique<Routes>(std::move(model), fallbacks, options)) {}
Service::~Service() = default;

HttpHandler& Service::handler() { return *routes_; }

void Service::StartDraining() { routes_->StartDraining(); }

}  // namespace glint::server
