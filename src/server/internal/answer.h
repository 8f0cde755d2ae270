// SPDX-License-Identifier: Apache-2.0
// One prepared request from the engine to the client, streamed or whole.
#pragma once

#include "base/ids.h"
#include "base/result.h"
#include "engine/generate.h"
#include "server/internal/dialect.h"
#include "server/internal/http_exchange.h"
#include "server/metrics.h"
#include "server/prompt.h"
#include "server/served_model.h"

namespace glint::server {

// What is pointed to must outlive the coroutine.
struct AnswerTask {
  RequestId id{};
  engine::RequestTimes::Point arrived;
  const ServedModel* model = nullptr;
  Metrics* metrics = nullptr;
  Dialect* dialect = nullptr;
  bool stream = false;
};

// Submits the request and writes its answer in the dialect's shape, or an error of `prepared` or of
// the engine. A client that goes away cancels the request.
Awaitable<void> WriteAnswer(HttpExchange& exchange, AnswerTask task,
                            Result<PreparedRequest> prepared);

}  // namespace glint::server
