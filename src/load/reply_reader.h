// SPDX-License-Identifier: Apache-2.0
// Reads the body of a streamed reply (chat/completions or completions) into a RequestRecord: when
// output came, how many tokens the server counted, and whether the stream was whole.
#pragma once

#include <string_view>

#include "api/sse.h"
#include "base/result.h"
#include "load/record.h"

namespace glint::load {

class ReplyReader {
 public:
  // Borrows `record`. `keep_text`: collect what was generated.
  ReplyReader(RequestRecord& record, bool keep_text) : record_(record), keep_text_(keep_text) {}

  // `bytes` of the body arrived at `now`. Fails with kDataLoss when they are no stream of JSON
  // chunks, and with kUnavailable when the server reports an error in the stream.
  Status Push(std::string_view bytes, RequestRecord::Time now);

  // The body ended. kDataLoss when the stream was cut: no [DONE] and no finish_reason came. Fills
  // the record's output tokens when there was no usage.
  Status Finish();

  [[nodiscard]] bool done() const { return done_; }

 private:
  Status TakeChunk(std::string_view data, RequestRecord::Time now);

  RequestRecord& record_;
  bool keep_text_;
  api::SseReader sse_;
  bool done_ = false;      // [DONE] came
  bool finished_ = false;  // a finish_reason came
};

}  // namespace glint::load
