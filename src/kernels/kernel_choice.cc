// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernel_choice.h"

#include <bit>

#include "base/check.h"
#include "base/format.h"

namespace glint::kernels {

std::int64_t RowBucket(std::int64_t rows) {
  GLINT_CHECK(rows > 0, "rows of a bucket");
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(rows)));
}

const std::string& KernelChoices::Choose(const KernelKey& key, FallbackLog& log) const {
  const auto found = entries_.find(key);
  if (found != entries_.end()) return found->second;
  log.Report(format("{}: no kernel was chosen for {} rows, [{}, {}] {} on {}{}, taking {}",
                    key.operation, key.row_bucket, key.outputs, key.inputs, key.formats, key.device,
                    key.invariant ? ", invariant" : "", fallback_));
  return fallback_;
}

}  // namespace glint::kernels
