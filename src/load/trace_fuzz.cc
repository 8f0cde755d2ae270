// SPDX-License-Identifier: Apache-2.0
// A trace that parses can be replayed: times that rise, lengths above zero, blocks that fit.
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "load/trace.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using glint::load::kTraceBlockTokens;
  const auto trace =
      glint::load::ParseTrace(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  if (!trace.ok()) {
    GLINT_CHECK(trace.error().message.starts_with("fuzz:"), "an error names its file");
    return 0;
  }
  double last_s = 0;
  for (const auto& request : trace.value()) {
    GLINT_CHECK(std::isfinite(request.at_s) && request.at_s >= last_s, "times rise");
    GLINT_CHECK(request.input_tokens >= 1 && request.output_tokens >= 1, "lengths are above 0");
    const auto blocks = static_cast<std::int64_t>(request.block_ids.size());
    GLINT_CHECK(blocks == 0 || blocks * kTraceBlockTokens >= request.input_tokens, "blocks fit");
    last_s = request.at_s;
  }
  return 0;
}
