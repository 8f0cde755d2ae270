// SPDX-License-Identifier: Apache-2.0
#include "eval/logits.h"

#include <algorithm>
#include <charconv>

#include "base/format.h"
#include "model/forward.h"

namespace glint::eval {
namespace {

constexpr std::int64_t kPageTokens = 16;
constexpr std::string_view kSeparators = ", \t\r\n";

std::vector<PageId> Pages(std::int64_t count) {
  std::vector<PageId> pages(static_cast<std::size_t>(count));
  for (std::int64_t page = 0; page < count; ++page) {
    pages[static_cast<std::size_t>(page)] = static_cast<PageId>(page);
  }
  return pages;
}

}  // namespace

Result<std::vector<std::int32_t>> ParseIds(std::string_view text, std::int64_t vocab_size,
                                           std::string_view where) {
  std::vector<std::int32_t> ids;
  std::size_t at = text.find_first_not_of(kSeparators);
  while (at != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(kSeparators, at), text.size());
    const std::string_view word = text.substr(at, end - at);
    std::int32_t id = 0;
    const auto [stop, failure] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (failure != std::errc() || stop != word.data() + word.size() || id < 0 || id >= vocab_size) {
      return InvalidArgument(
          format("{}: {} is no token id, must be 0 to {}", where, Quoted(word), vocab_size - 1));
    }
    ids.push_back(id);
    at = text.find_first_not_of(kSeparators, end);
  }
  if (ids.empty()) return InvalidArgument(format("{}: no token ids", where));
  return ids;
}

Status ComputeLogits(model::LoadedModel& model, const kernels::OperationTable& operations,
                     device::Device& device, std::span<const std::int32_t> ids,
                     const LogitsOptions& options, const LogitsSink& sink) {
  const auto tokens = static_cast<std::int64_t>(ids.size());
  const std::int64_t pages = (tokens + kPageTokens - 1) / kPageTokens;
  const std::int64_t chunk = std::min(options.chunk_rows, tokens);
  GLINT_ASSIGN(
      const auto forward,
      model::Forward::Create(
          model.spec, *model.store, operations, device,
          {.cache = {.dtype = options.cache_dtype, .page_count = pages, .page_tokens = kPageTokens},
           .max_rows = chunk,
           .max_sequences = 1,
           .max_logit_rows = chunk}));
  for (std::int64_t begin = 0; begin < tokens; begin += chunk) {
    const std::int64_t rows = std::min(chunk, tokens - begin);
    model::BatchSequence sequence{
        .first_position = begin, .pages = Pages(pages), .logit_rows = rows};
    for (const std::int32_t id :
         ids.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(rows))) {
      sequence.tokens.push_back(model::TokenSlot::Id(id));
    }
    GLINT_ASSIGN(const model::ForwardResult result, forward->Run({.sequences = {sequence}}));
    GLINT_TRY(sink(result.logits));
  }
  return Ok();
}

}  // namespace glint::eval
