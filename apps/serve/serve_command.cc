// SPDX-License-Identifier: Apache-2.0
#include "apps/serve/serve_command.h"

#include <csignal>
#include <cstdio>
#include <thread>

#include "apps/run_command.h"
#include "apps/serving.h"
#include "base/flags.h"
#include "base/format.h"
#include "base/log.h"
#include "server/http_server.h"
#include "server/service.h"

namespace glint {
namespace {

struct ServeFlags {
  ServingFlags serving;
  std::string host = "127.0.0.1";
  std::int64_t port = 8000;
  std::string served_model_name;
  std::int64_t http_threads = 2;
  std::int64_t max_body_bytes = 32'000'000;
  std::int64_t drain_s = 30;
  void Visit(FlagVisitor& visitor) {
    serving.Visit(visitor);
    serving.VisitLimits(visitor);
    visitor.Flag(host, "host", "ADDRESS", "address to listen on; 0.0.0.0: every one");
    visitor.Flag(port, "port", "PORT", "0: any free one, printed at start");
    visitor.Flag(served_model_name, "served-model-name", "NAME", "default: MODEL as typed");
    visitor.Flag(http_threads, "http-threads", "N", "threads that parse, render and write");
    visitor.Flag(max_body_bytes, "max-body-bytes", "BYTES", "of a request");
    visitor.Flag(drain_s, "drain", "SECONDS", "for running answers after SIGTERM");
  }
};

// Signals are blocked in every thread and waited for here: no handler runs in the middle of
// something.
sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

bool StopSignalIsPending(const sigset_t& signals) {
  const timespec no_time{};
  return sigtimedwait(&signals, nullptr, &no_time) > 0;
}

Status Serve(const ServeFlags& flags) {
  if (flags.drain_s < 0 || flags.drain_s > 86'400) {
    return InvalidArgument(format("--drain is {}, must be 0 to 86400", flags.drain_s));
  }
  const sigset_t signals = StopSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  (void)std::signal(SIGPIPE, SIG_IGN);
  GLINT_ASSIGN(const Serving serving, StartServing(flags.serving));
  server::Service service(serving.Model(flags.served_model_name, flags.serving),
                          serving.fallbacks.get());
  GLINT_ASSIGN(const auto server,
               server::HttpServer::Start({.host = flags.host,
                                          .port = flags.port,
                                          .threads = flags.http_threads,
                                          .max_body_bytes = flags.max_body_bytes},
                                         service.handler()));
  std::printf("glint serves %s on http://%s:%lld\n", flags.serving.model.model.c_str(),
              flags.host.c_str(), static_cast<long long>(server->port()));
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  LogInfo(format("stopping: new requests are refused, running ones have {} s; once more ends now",
                 flags.drain_s));
  service.StartDraining();
  const bool drained = server->Drain(std::chrono::seconds(flags.drain_s),
                                     [&] { return StopSignalIsPending(signals); });
  if (!drained) LogWarning(format("{} requests were cut", server->active()));
  return Ok();
}

}  // namespace

int RunServe(const std::vector<std::string>& arguments) {
  const CommandText text{
      .name = "glint serve",
      .summary = "Serves a model over HTTP: OpenAI's chat and completions, /generate, /metrics.",
      .examples =
          "  glint serve ./model --port 8000\n"
          "  curl localhost:8000/v1/chat/completions -H 'Content-Type: application/json' \\\n"
          "    -d '{\"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}], \"stream\": true}'"};
  return RunCommand(text, arguments, Serve);
}

}  // namespace glint
