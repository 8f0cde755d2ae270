// SPDX-License-Identifier: Apache-2.0
#include "kernels/sample/sample.h"

#include <limits>

#include "kernels/internal/operation_check.h"

namespace glint::kernels {

Status CheckSampleArgs(const SampleArgs& args) {
  constexpr std::int64_t kMostTokens = std::numeric_limits<std::int32_t>::max();
  OperationCheck check("sample");
  const std::int64_t rows = args.logits.rows;
  const std::int64_t vocab_end = args.vocab_offset + args.logits.columns;
  check.That(rows >= 0, "logits has {} rows, must be >= 0", rows);
  check.Positive("vocab_shard", args.logits.columns);
  check.That(args.vocab_offset >= 0, "vocab_offset is {}, must be >= 0", args.vocab_offset);
  check.That(vocab_end <= kMostTokens, "vocabulary ends at {}, must be <= {}", vocab_end,
             kMostTokens);
  check.Rows("logits", args.logits, rows, args.logits.columns);
  check.That(args.logits.dtype == tensor::DType::kF32, "logits is {}, must be F32",
             tensor::DTypeName(args.logits.dtype));
  check.That(args.mask == nullptr || args.mask_words >= (vocab_end + 31) / 32,
             "mask_words is {}, must be >= {}", args.mask_words, (vocab_end + 31) / 32);
  check.Present("temperature", args.temperature, rows);
  check.Present("top_k", args.top_k, rows);
  check.Present("top_p", args.top_p, rows);
  check.Present("min_p", args.min_p, rows);
  check.Present("seed", args.seed, rows);
  check.Present("position", args.position, rows);
  check.Present("token", args.token, rows);
  check.Present("logprob", args.logprob, rows);
  return check.status();
}

}  // namespace glint::kernels
