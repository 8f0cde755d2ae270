// SPDX-License-Identifier: Apache-2.0
// Speculative decoding: how many drafted tokens the target confirms, and which tokens a sequence
// gains. For drafts picked greedily, whose distribution is one-hot: a draft is accepted when the
// target, sampling with the request's own seed and position, picks the same token. So the tokens
// are those of decoding without drafts.
//
// Source: arXiv:2211.17192, section 2.3, with q one-hot; glm-architecture.md 2.10.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace glint::kernels {

// The target saw [last token, draft 0, ..., draft k-1] of a sequence, k = draft_length, and
// sampled[i] is its pick after the i-th of these. Then
//   accepted = the largest n <= k with draft[i] == sampled[i] for all i < n
//   emitted  = sampled[0 ... accepted]: the accepted tokens and one more of the target
// A pick of -1 (a row that failed, sample.h) equals no draft and is emitted as it is.
//
// Bytes moved per sequence: at most k drafts and k + 1 picks read, max_draft + 2 numbers written.
struct VerifyDraftArgs {
  std::int64_t sequence_count = 0;
  std::int64_t max_draft = 0;           // >= 0
  const std::int32_t* draft = nullptr;  // [sequence_count, max_draft]; null when max_draft is 0
  // [sequence_count] 0 ... max_draft (more counts as max_draft), or negative: padding, nothing is
  // written for this sequence.
  const std::int32_t* draft_length = nullptr;
  const std::int32_t* sampled = nullptr;  // tokens that `sample` wrote, by row
  // [sequence_count] row of the sequence's first pick, the others follow it; or null: pick i of
  // sequence s is sampled[s * (max_draft + 1) + i].
  const std::int32_t* first_row = nullptr;
  std::int32_t* accepted = nullptr;  // [sequence_count], written
  std::int32_t* emitted = nullptr;   // [sequence_count, max_draft + 1], written; -1 after the last;
                                     // does not overlap sampled
};

// kInvalidArgument, naming the argument, when sizes do not fit.
Status CheckVerifyDraftArgs(const VerifyDraftArgs& args);

}  // namespace glint::kernels
