// SPDX-License-Identifier: Apache-2.0
#include "engine/internal/resolve_options.h"

#include <algorithm>
#include <chrono>

#include "base/format.h"
#include "model/cache_layout.h"

namespace glint::engine {
namespace {

Status CheckLimits(const EngineOptions& options) {
  if (options.page_tokens < 1 || options.page_tokens > 4096) {
    return OutOfRange("tokens per page", options.page_tokens, 1, 4096);
  }
  if (options.max_sequences < 1 || options.max_sequences > 65536) {
    return OutOfRange("sequences at once", options.max_sequences, 1, 65536);
  }
  if (options.max_waiting_tokens < 0) {
    return InvalidArgument(
        format("queued prompt tokens are {}, must not be negative", options.max_waiting_tokens));
  }
  if (options.step_tokens < 1 || options.step_tokens > 1'000'000) {
    return OutOfRange("tokens per step", options.step_tokens, 1, 1'000'000);
  }
  for (const std::chrono::nanoseconds target : {options.slo_ttft, options.slo_tpot}) {
    if (target.count() < 0 || target > std::chrono::hours(24)) {
      return InvalidArgument(
          format("a latency target is {} ms, must be 0 (none) to a day",
                 std::chrono::duration_cast<std::chrono::milliseconds>(target).count()));
    }
  }
  return Ok();
}

}  // namespace

Error OutOfRange(const char* name, std::int64_t value, std::int64_t least, std::int64_t most) {
  return InvalidArgument(format("{} is {}, must be {} to {}", name, value, least, most));
}

Result<EngineOptions> ResolveOptions(EngineOptions options, const spec::ModelSpec& model,
                                     std::int64_t memory_bytes) {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  GLINT_TRY(CheckLimits(options));
  const std::int64_t trained = model.max_positions;
  if (options.max_context == 0) options.max_context = trained;
  if (options.max_context < 2 || options.max_context > trained) {
    return OutOfRange("context", options.max_context, 2, trained);
  }
  GLINT_ASSIGN(const model::CacheLayout one_page,
               model::CacheLayout::Create(model, {.dtype = options.cache_dtype,
                                                  .page_count = 1,
                                                  .page_tokens = options.page_tokens}));
  const std::int64_t token_bytes = std::max<std::int64_t>(one_page.BytesPerToken(), 1);
  if (options.cache_tokens == 0) {
    const std::int64_t useful = options.max_sequences * options.max_context;
    options.cache_tokens = std::max(options.max_context, memory_bytes / 4 / token_bytes);
    options.cache_tokens = std::min({options.cache_tokens, useful, kMost});
  }
  if (options.cache_tokens < options.page_tokens || options.cache_tokens > kMost) {
    return OutOfRange("cache tokens", options.cache_tokens, options.page_tokens, kMost);
  }
  options.max_context = std::min(options.max_context,
                                 options.cache_tokens / options.page_tokens * options.page_tokens);
  return options;
}

}  // namespace glint::engine
