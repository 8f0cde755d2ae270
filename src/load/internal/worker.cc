// SPDX-License-Identifier: Apache-2.0
#include "load/internal/worker.h"

#include <pthread.h>
#include <time.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include "base/format.h"
#include "load/reply_reader.h"

namespace glint::load::internal {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

using Parser = http::response_parser<http::buffer_body>;

constexpr auto kAwait = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::milliseconds kHeartbeat(10);
constexpr std::size_t kMostErrorBytes = 300;

double ThreadCpuSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

void Fail(RequestRecord& record, std::string error) {
  record.outcome = Outcome::kFailed;
  record.error = std::move(error);
}

}  // namespace

// A conversation on its way, with the body of its first turn made ahead of time.
struct Worker::Session {
  Session(const RunOptions& options, const Vocabulary& vocabulary, PlannedConversation planned)
      : plan(std::move(planned)),
        conversation(options.api, vocabulary, plan),
        body(conversation.TurnBody(0)) {}
  PlannedConversation plan;
  Conversation conversation;
  std::string body;
};

Worker::Worker(const RunOptions& options, Workload& workload, const Vocabulary& vocabulary,
               const Remote& remote, LiveCounts& live, int number, std::int64_t slots,
               std::chrono::steady_clock::time_point start)
    : options_(options),
      workload_(workload),
      vocabulary_(vocabulary),
      remote_(remote),
      live_(live),
      number_(number),
      slots_(slots),
      start_(start) {}

std::chrono::nanoseconds Worker::Now() const { return std::chrono::steady_clock::now() - start_; }

void Worker::Run() {
  pthread_setname_np(pthread_self(), format("load-{}", number_).c_str());
  const double cpu_before = ThreadCpuSeconds();
  const bool open = workload_.options().arrivals.has_value();
  const std::int64_t loops = open ? 1 : slots_;
  dispatchers_ = loops;
  for (std::int64_t i = 0; i < loops; ++i) {
    asio::co_spawn(context_, open ? OpenLoop() : ClosedLoop(), asio::detached);
  }
  asio::co_spawn(context_, Heartbeat(), asio::detached);
  context_.run();
  idle_.clear();
  cpu_s_ = ThreadCpuSeconds() - cpu_before;
}

Worker::Nothing Worker::OpenLoop() {
  asio::steady_timer timer(context_);
  while (auto plan = workload_.Next(RequestRecord::Seconds(Now()))) {
    auto session = std::make_unique<Session>(options_, vocabulary_, std::move(*plan));
    const auto at = std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>(session->plan.at_s.value_or(0)));
    timer.expires_at(start_ + at);
    co_await timer.async_wait(kAwait);
    while (slots_ > 0 && running_ >= slots_) {
      slot_free_.expires_at(std::chrono::steady_clock::time_point::max());
      co_await slot_free_.async_wait(kAwait);
    }
    ++running_;
    asio::co_spawn(context_, RunOne(std::move(session)), asio::detached);
  }
  --dispatchers_;
}

Worker::Nothing Worker::ClosedLoop() {
  asio::steady_timer timer(context_, start_);
  co_await timer.async_wait(kAwait);
  while (auto plan = workload_.Next(RequestRecord::Seconds(Now()))) {
    ++running_;
    co_await RunOne(std::make_unique<Session>(options_, vocabulary_, std::move(*plan)));
  }
  --dispatchers_;
}

Worker::Nothing Worker::Heartbeat() {
  asio::steady_timer timer(context_, start_);
  co_await timer.async_wait(kAwait);
  while (dispatchers_ > 0 || running_ > 0) {
    const auto due = std::chrono::steady_clock::now() + kHeartbeat;
    timer.expires_at(due);
    co_await timer.async_wait(kAwait);
    loop_lag_s_.push_back(RequestRecord::Seconds(std::chrono::steady_clock::now() - due));
  }
}

Worker::Nothing Worker::RunOne(std::unique_ptr<Session> session) {
  co_await Converse(*session);
  --running_;
  slot_free_.cancel_one();
}

Worker::Nothing Worker::Converse(Session& session) {
  const PlannedConversation& plan = session.plan;
  for (std::size_t turn = 0; turn < plan.turns.size(); ++turn) {
    if (turn > 0) session.body = session.conversation.TurnBody(turn);
    RequestRecord record;
    record.index = plan.first_request + static_cast<std::int64_t>(turn);
    record.conversation = plan.index;
    record.turn = static_cast<int>(turn);
    record.worker = number_;
    record.asked_input_tokens = session.conversation.prompt_tokens();
    record.asked_output_tokens = plan.turns[turn].output_tokens;
    if (turn == 0 && plan.at_s) {
      record.scheduled = std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::duration<double>(*plan.at_s));
    }
    co_await Send(session.body, plan.turns[turn], record);
    const bool go_on = record.outcome == Outcome::kCompleted && turn + 1 < plan.turns.size();
    if (go_on) session.conversation.AddReply(record.text, record.output_tokens);
    if (!options_.keep_text) record.text.clear();
    Count(std::move(record));
    // A conversation that was broken off has no next turn.
    if (!go_on) break;
    if (options_.turn_gap.count() > 0) {
      asio::steady_timer timer(context_, options_.turn_gap);
      co_await timer.async_wait(kAwait);
    }
  }
}

Worker::Nothing Worker::Send(const std::string& body, const PlannedTurn& turn,
                             RequestRecord& record) {
  // The vector grows before the stream starts, not while it is timed; a hostile length has a limit.
  record.events.reserve(
      static_cast<std::size_t>(std::min<std::int64_t>(turn.output_tokens + 1, 1 << 16)));
  record.sent = Now();
  live_.sent.fetch_add(1, std::memory_order_relaxed);
  for (int attempt = 0; attempt < 2; ++attempt) {
    std::unique_ptr<Connection> connection;
    if (!idle_.empty()) {
      connection = std::move(idle_.back());
      idle_.pop_back();
    } else {
      connection = std::make_unique<Connection>(context_, remote_);
    }
    connection->stream.expires_at(start_ + record.sent + options_.timeout);
    if (!connection->used) {
      ++connections_;
      if (std::string failure = co_await connection->stream.Open(); !failure.empty()) {
        Fail(record, std::move(failure));
        break;
      }
    }
    const bool again = co_await Exchange(*connection, body, turn, record);
    if (again && attempt == 0) {
      idle_.clear();  // the others are as old
      continue;
    }
    if (connection->used) idle_.push_back(std::move(connection));
    break;
  }
  record.ended = Now();
}

boost::asio::awaitable<bool> Worker::Exchange(Connection& connection, const std::string& body,
                                              const PlannedTurn& turn, RequestRecord& record) {
  const bool reused = std::exchange(connection.used, false);
  const HttpTarget& target = options_.target;
  http::request<http::span_body<const char>> request(
      http::verb::post,
      target.path + (options_.api.chat ? "/v1/chat/completions" : "/v1/completions"), 11);
  request.set(http::field::host, target.authority());
  request.set(http::field::content_type, "application/json");
  request.set(http::field::accept, "text/event-stream");
  request.set("X-Request-Id", RequestId(options_.request_prefix, record.index));
  if (!target.api_key.empty()) {
    request.set(http::field::authorization, "Bearer " + target.api_key);
  }
  request.body() = beast::span<const char>(body.data(), body.size());
  request.prepare_payload();
  const auto [write_failure, written] =
      co_await http::async_write(connection.stream, request, kAwait);
  if (write_failure) {
    Fail(record, format("cannot send: {}", write_failure.message()));
    co_return reused;
  }
  Parser parser;
  parser.body_limit(boost::none);
  parser.eager(true);
  const auto [failure, bytes] =
      co_await http::async_read_header(connection.stream, connection.buffer, parser, kAwait);
  if (failure) {
    Fail(record, format("no answer: {}", failure.message()));
    co_return reused&& bytes == 0 && failure != beast::error::timeout;
  }
  record.http_status = static_cast<int>(parser.get().result_int());
  co_await ReadBody(connection, &parser, turn, record);
  co_return false;
}

Worker::Nothing Worker::ReadBody(Connection& connection, void* erased_parser,
                                 const PlannedTurn& turn, RequestRecord& record) {
  Parser& parser = *static_cast<Parser*>(erased_parser);
  const bool stream = record.http_status == 200 &&
                      parser.get()[http::field::content_type].starts_with("text/event-stream");
  // The next turn repeats what was said.
  const bool keep_text = options_.keep_text || workload_.options().turns > 1;
  ReplyReader reader(record, keep_text);
  const std::int64_t cancel_after =
      turn.cancel ? std::max<std::int64_t>(1, turn.output_tokens / 2) : 0;
  std::string other;  // a body that is no event stream
  std::array<char, 16384> piece{};
  while (!parser.is_done()) {
    parser.get().body().data = piece.data();
    parser.get().body().size = piece.size();
    parser.get().body().more = true;
    auto [failure, bytes] =
        co_await http::async_read_some(connection.stream, connection.buffer, parser, kAwait);
    const auto now = Now();
    if (failure && failure != http::error::need_buffer) {
      Fail(record, format("the stream was cut after {} events: {}", record.events.size(),
                          failure.message()));
      co_return;
    }
    const std::string_view text(piece.data(), piece.size() - parser.get().body().size);
    if (!stream) {
      if (other.size() < kMostErrorBytes) other += text;
      continue;
    }
    const std::size_t events_before = record.events.size();
    if (const Status status = reader.Push(text, now); !status.ok()) {
      Fail(record, status.error().message);
      co_return;
    }
    live_.events.fetch_add(static_cast<std::int64_t>(record.events.size() - events_before),
                           std::memory_order_relaxed);
    if (cancel_after > 0 && static_cast<std::int64_t>(record.events.size()) >= cancel_after) {
      record.outcome = Outcome::kCancelled;
      co_return;
    }
  }
  connection.used = parser.get().keep_alive();
  if (!stream) {
    Fail(record, record.http_status == 200
                     ? format("the reply is no event stream: {}", Quoted(other, kMostErrorBytes))
                     : format("HTTP {}: {}", record.http_status, Quoted(other, kMostErrorBytes)));
    co_return;
  }
  if (const Status status = reader.Finish(); !status.ok()) {
    Fail(record, status.error().message);
    co_return;
  }
  record.outcome = Outcome::kCompleted;
}

void Worker::Count(RequestRecord record) {
  std::atomic<std::int64_t>& counter = record.outcome == Outcome::kCompleted ? live_.completed
                                       : record.outcome == Outcome::kFailed  ? live_.failed
                                                                             : live_.cancelled;
  counter.fetch_add(1, std::memory_order_relaxed);
  records_.push_back(std::move(record));
}

}  // namespace glint::load::internal
