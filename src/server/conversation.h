// SPDX-License-Identifier: Apache-2.0
// A conversation without HTTP: one turn after another over the same engine, for `glint chat`.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "api/replies.h"
#include "api/requests.h"
#include "base/json.h"
#include "base/result.h"
#include "server/answer_text.h"
#include "server/served_model.h"

namespace glint::server {

struct Turn {
  std::string reasoning;
  std::string content;
  std::string finish_reason;  // "stop", "length", "cancelled"
  api::Usage usage;
  double first_token_s = 0;
  double decode_tok_per_s = 0;  // after the first token; 0 when there is one token only
};

// Thread-compatible.
class Conversation {
 public:
  // `system` may be empty. `fields` holds for every turn; messages and stream of it do not count.
  Conversation(ServedModel model, const std::string& system, api::ChatRequest request);

  // Says `text` and waits for the answer, which is remembered. `show` hears of it as it comes.
  // `cancelled` is looked at between tokens: then the answer so far is kept. Fails, and forgets the
  // text, with what PrepareChat and the engine fail with.
  Result<Turn> Say(const std::string& text, const std::function<void(const AnswerDelta&)>& show,
                   const std::atomic<bool>& cancelled);

  void Forget();  // all but the system message

 private:
  ServedModel model_;
  api::ChatRequest request_;
  Json::Array start_;
  Json::Array messages_;
  std::uint64_t next_id_ = 1;
};

}  // namespace glint::server
