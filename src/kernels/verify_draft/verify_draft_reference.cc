// SPDX-License-Identifier: Apache-2.0
#include "kernels/verify_draft/verify_draft_reference.h"

#include <algorithm>

namespace glint::kernels {

void VerifyDraftReference(const VerifyDraftArgs& args) {
  const std::int64_t width = args.max_draft + 1;
  for (std::int64_t sequence = 0; sequence < args.sequence_count; ++sequence) {
    if (args.draft_length[sequence] < 0) continue;
    const std::int64_t length = std::min<std::int64_t>(args.draft_length[sequence], args.max_draft);
    const std::int64_t first =
        args.first_row == nullptr ? sequence * width : args.first_row[sequence];
    std::int32_t accepted = 0;
    while (accepted < length &&
           args.draft[sequence * args.max_draft + accepted] == args.sampled[first + accepted] &&
           args.sampled[first + accepted] >= 0) {
      ++accepted;
    }
    args.accepted[sequence] = accepted;
    for (std::int64_t i = 0; i < width; ++i) {
      args.emitted[sequence * width + i] = i <= accepted ? args.sampled[first + i] : -1;
    }
  }
}

}  // namespace glint::kernels
