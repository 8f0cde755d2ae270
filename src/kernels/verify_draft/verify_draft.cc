// SPDX-License-Identifier: Apache-2.0
#include "kernels/verify_draft/verify_draft.h"

#include "kernels/internal/operation_check.h"

namespace glint::kernels {

Status CheckVerifyDraftArgs(const VerifyDraftArgs& args) {
  OperationCheck check("verify_draft");
  check.That(args.sequence_count >= 0, "sequence_count is {}, must be >= 0", args.sequence_count);
  check.That(args.max_draft >= 0, "max_draft is {}, must be >= 0", args.max_draft);
  check.Present("draft", args.draft, args.sequence_count * args.max_draft);
  check.Present("draft_length", args.draft_length, args.sequence_count);
  check.Present("sampled", args.sampled, args.sequence_count);
  check.Present("accepted", args.accepted, args.sequence_count);
  check.Present("emitted", args.emitted, args.sequence_count);
  return check.status();
}

}  // namespace glint::kernels
