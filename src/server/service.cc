// SPDX-License-Identifier: Apache-2.0
#include "server/service.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "api/replies.h"
#include "api/requests.h"
#include "base/format.h"
#include "server/internal/answer.h"
#include "server/internal/dialect.h"
#include "server/internal/error_reply.h"
#include "server/internal/http_exchange.h"
#include "server/metrics.h"
#include "server/prompt.h"

namespace glint::server {
namespace {

namespace http = boost::beast::http;

constexpr const char* kJson = "application/json";

std::int64_t UnixSeconds() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

class Service::Routes : public HttpHandler {
 public:
  Routes(ServedModel model, const FallbackLog* fallbacks)
      : model_(std::move(model)), metrics_(model_.names.front(), fallbacks) {}

  Awaitable<void> Handle(HttpExchange& exchange) override {
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
                       std::chrono::steady_clock::now() - exchange.arrived(),
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
    const engine::EngineCounts counts = model_.engine->Counts();
    if (draining_) {
      co_await ReplyError(exchange, 503, "the server is shutting down");
    } else if (counts.stalled()) {
      const auto quiet = std::chrono::duration_cast<std::chrono::seconds>(counts.since_progress);
      co_await ReplyError(exchange, 503, format("no step was completed for {} s", quiet.count()));
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

  Awaitable<void> Answer(HttpExchange& exchange, RequestId id, Result<PreparedRequest> prepared,
                         bool stream, Dialect& dialect) {
    if (prepared.ok()) {
      prepared.value().answer.call_id = format("call_{:016x}", Number(id) ^ salt_);
    }
    co_await WriteAnswer(exchange,
                         {.id = id,
                          .arrived = exchange.arrived(),
                          .model = &model_,
                          .metrics = &metrics_,
                          .dialect = &dialect,
                          .stream = stream},
                         std::move(prepared));
  }

  RequestId NextId() { return static_cast<RequestId>(next_id_++); }

  ServedModel model_;
  Metrics metrics_;
  std::atomic<bool> draining_ = false;
  std::atomic<std::uint64_t> next_id_ = 1;
  // Ids in replies differ between runs of the program.
  std::uint64_t salt_ =
      static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
};

Service::Service(ServedModel model, const FallbackLog* fallbacks)
    : routes_(std::make_unique<Routes>(std::move(model), fallbacks)) {}
Service::~Service() = default;

HttpHandler& Service::handler() { return *routes_; }

void Service::StartDraining() { routes_->StartDraining(); }

}  // namespace glint::server
