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

namespace {

// One sequence, all pages of the cache.
class OneSequence {
 public:
  static Result<OneSequence> Create(model::LoadedModel& model,
                                    const kernels::OperationTable& operations,
                                    device::Device& device, std::int64_t tokens,
                                    const LogitsOptions& options) {
    OneSequence made;
    const std::int64_t pages = (tokens + kPageTokens - 1) / kPageTokens;
    made.pages_ = Pages(pages);
    const std::int64_t chunk = std::min(options.chunk_rows, tokens);
    GLINT_ASSIGN(made.forward_, model::Forward::Create(model.spec, *model.store, operations, device,
                                                       {.cache = {.dtype = options.cache_dtype,
                                                                  .page_count = pages,
                                                                  .page_tokens = kPageTokens},
                                                        .max_rows = chunk,
                                                        .max_sequences = 1,
                                                        .max_logit_rows = chunk}));
    return made;
  }

  // Logits of the last `logit_rows` of `ids`, which follow what was run before.
  Result<model::ForwardResult> Run(std::span<const std::int32_t> ids, std::int64_t logit_rows) {
    model::BatchSequence sequence{
        .first_position = position_, .pages = pages_, .logit_rows = logit_rows};
    for (const std::int32_t id : ids) sequence.tokens.push_back(model::TokenSlot::Id(id));
    position_ += static_cast<std::int64_t>(ids.size());
    return forward_->Run({.sequences = {std::move(sequence)}});
  }

 private:
  std::unique_ptr<model::Forward> forward_;
  std::vector<PageId> pages_;
  std::int64_t position_ = 0;
};

std::span<const std::int32_t> Chunk(std::span<const std::int32_t> ids, std::int64_t begin,
                                    std::int64_t rows) {
  const auto left = static_cast<std::int64_t>(ids.size()) - begin;
  return ids.subspan(static_cast<std::size_t>(begin),
                     static_cast<std::size_t>(std::min(rows, left)));
}

}  // namespace

Status ComputeLogits(model::LoadedModel& model, const kernels::OperationTable& operations,
                     device::Device& device, std::span<const std::int32_t> ids,
                     const LogitsOptions& options, const LogitsSink& sink) {
  const auto tokens = static_cast<std::int64_t>(ids.size());
  GLINT_ASSIGN(OneSequence sequence,
               OneSequence::Create(model, operations, device, tokens, options));
  for (std::int64_t begin = 0; begin < tokens; begin += options.chunk_rows) {
    const auto chunk = Chunk(ids, begin, options.chunk_rows);
    GLINT_ASSIGN(const model::ForwardResult result,
                 sequence.Run(chunk, static_cast<std::int64_t>(chunk.size())));
    GLINT_TRY(sink(result.logits));
  }
  return Ok();
}

Result<std::vector<std::int32_t>> GreedyTokens(model::LoadedModel& model,
                                               const kernels::OperationTable& operations,
                                               device::Device& device,
                                               std::span<const std::int32_t> ids,
                                               std::int64_t count, const LogitsOptions& options) {
  const auto tokens = static_cast<std::int64_t>(ids.size());
  GLINT_ASSIGN(OneSequence sequence,
               OneSequence::Create(model, operations, device, tokens + count, options));
  std::vector<std::int32_t> greedy;
  const auto take = [&](const model::ForwardResult& result) {
    const auto best = std::max_element(result.logits.begin(), result.logits.end());
    greedy.push_back(static_cast<std::int32_t>(best - result.logits.begin()));
  };
  for (std::int64_t begin = 0; begin < tokens; begin += options.chunk_rows) {
    const bool last = begin + options.chunk_rows >= tokens;
    GLINT_ASSIGN(const model::ForwardResult result,
                 sequence.Run(Chunk(ids, begin, options.chunk_rows), last ? 1 : 0));
    if (last) take(result);
  }
  while (static_cast<std::int64_t>(greedy.size()) < count) {
    const std::int32_t token = greedy.back();
    GLINT_ASSIGN(const model::ForwardResult result, sequence.Run({&token, 1}, 1));
    take(result);
  }
  return greedy;
}

}  // namespace glint::eval
