// SPDX-License-Identifier: Apache-2.0
#include "eval/bench_model.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "eval/read_bandwidth.h"
#include "model/forward.h"
#include "spec/step_cost.h"

namespace glint::eval {
namespace {

constexpr std::int64_t kPageTokens = 16;
constexpr std::int64_t kBandwidthBytes = std::int64_t{1} << 30;
constexpr std::int64_t kChunkRows = 256;

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

class Clock {
 public:
  [[nodiscard]] double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// One sequence on the first pages of the cache.
class Runner {
 public:
  Runner(model::Forward& forward, std::int64_t pages) : forward_(forward) {
    pages_.resize(static_cast<std::size_t>(pages));
    for (std::int64_t page = 0; page < pages; ++page) {
      pages_[static_cast<std::size_t>(page)] = static_cast<PageId>(page);
    }
  }

  // Runs `ids` from `position`; returns the most likely next token.
  Result<std::int32_t> Run(std::int64_t position, std::span<const std::int32_t> ids) {
    model::BatchSequence sequence{.first_position = position, .pages = pages_, .logit_rows = 1};
    for (const std::int32_t id : ids) sequence.tokens.push_back(model::TokenSlot::Id(id));
    GLINT_ASSIGN(const model::ForwardResult result, forward_.Run({.sequences = {sequence}}));
    const auto best = std::max_element(result.logits.begin(), result.logits.end());
    return static_cast<std::int32_t>(best - result.logits.begin());
  }

 private:
  model::Forward& forward_;
  std::vector<PageId> pages_;
};

struct Times {
  double prefill_s = 0;
  double decode_s = 0;
};

Result<Times> RunOnce(Runner& runner, const BenchModelOptions& options, std::int64_t vocab) {
  std::vector<std::int32_t> prompt(static_cast<std::size_t>(options.prompt_tokens));
  for (std::size_t i = 0; i < prompt.size(); ++i) {
    prompt[i] = static_cast<std::int32_t>((i * 7919 + 13) % static_cast<std::size_t>(vocab));
  }
  Times times;
  std::int32_t token = 0;
  const Clock prefill;
  for (std::int64_t begin = 0; begin < options.prompt_tokens; begin += kChunkRows) {
    const std::int64_t rows = std::min(kChunkRows, options.prompt_tokens - begin);
    GLINT_ASSIGN(token, runner.Run(begin, std::span<const std::int32_t>(prompt).subspan(
                                              static_cast<std::size_t>(begin),
                                              static_cast<std::size_t>(rows))));
  }
  times.prefill_s = prefill.Seconds();
  const Clock decode;
  for (std::int64_t i = 0; i < options.generate_tokens; ++i) {
    const std::vector<std::int32_t> one = {token};
    GLINT_ASSIGN(token, runner.Run(options.prompt_tokens + i, one));
  }
  times.decode_s = decode.Seconds();
  return times;
}

// Bytes of weights as they lie in memory, and of cache at the middle of the run.
double BytesPerToken(model::LoadedModel& model, device::Stream& stream, double context,
                     double cache_bytes_per_token) {
  double bytes = 0;
  for (const spec::TensorGroup& group : spec::ListTensors(model.spec)) {
    if (group.mtp || !group.active) continue;
    const bool routed = group.role == spec::TensorRole::kExpert;
    const auto lease = model.store->Acquire({group.layer, routed ? 0 : -1}, stream);
    const auto slot = model::SlotOf(group.name);
    if (!lease.ok() || !slot) continue;
    const auto copies = static_cast<double>(routed ? model.spec.moe->top_k : 1);
    for (const model::SlottedWeight& weight : lease.value().weights()) {
      const bool is_half =
          *slot == model::WeightSlot::kKvB &&
          (weight.slot == model::WeightSlot::kKB || weight.slot == model::WeightSlot::kVB);
      if (weight.slot != *slot && !is_half) continue;
      bytes += copies * static_cast<double>(tensor::WeightBytes(weight.view));
    }
  }
  double positions = context;
  if (model.spec.indexer) {
    positions = std::min(positions, static_cast<double>(model.spec.indexer->top_k));
  }
  return bytes + positions * cache_bytes_per_token;
}

}  // namespace

Result<BenchModelResult> BenchModel(model::LoadedModel& model,
                                    const kernels::OperationTable& operations,
                                    device::Device& device, const BenchModelOptions& options) {
  const std::int64_t tokens = options.prompt_tokens + options.generate_tokens;
  const std::int64_t pages = (tokens + kPageTokens - 1) / kPageTokens;
  GLINT_ASSIGN(
      const auto forward,
      model::Forward::Create(
          model.spec, *model.store, operations, device,
          {.cache = {.dtype = options.cache_dtype, .page_count = pages, .page_tokens = kPageTokens},
           .max_rows = std::min(kChunkRows, options.prompt_tokens),
           .max_sequences = 1,
           .max_logit_rows = 1}));
  GLINT_ASSIGN(const model::CacheLayout cache,
               model::CacheLayout::Create(model.spec, {.dtype = options.cache_dtype,
                                                       .page_count = pages,
                                                       .page_tokens = kPageTokens}));
  GLINT_ASSIGN(ReadBandwidth bandwidth, ReadBandwidth::Create(device, kBandwidthBytes));
  device::WorkerPool pool(options.threads);
  const auto stream = device.CreateStream();
  BenchModelResult result;
  const double context =
      static_cast<double>(options.prompt_tokens) + static_cast<double>(options.generate_tokens) / 2;
  result.decode_bytes_per_token =
      BytesPerToken(model, *stream, context, static_cast<double>(cache.BytesPerToken()));
  Runner runner(*forward, pages);
  GLINT_TRY(RunOnce(runner, options, model.spec.vocab_size));  // warm-up
  std::vector<double> prefill;
  std::vector<double> read;
  std::vector<double> fraction;
  for (std::int64_t run = 0; run < options.runs; ++run) {
    const double before = bandwidth.Measure(pool);
    GLINT_ASSIGN(const Times times, RunOnce(runner, options, model.spec.vocab_size));
    const double now = (before + bandwidth.Measure(pool)) / 2;
    prefill.push_back(static_cast<double>(options.prompt_tokens) / times.prefill_s);
    const double tok_s = static_cast<double>(options.generate_tokens) / times.decode_s;
    result.decode_each.push_back(tok_s);
    read.push_back(now / 1e9);
    fraction.push_back(tok_s * result.decode_bytes_per_token / now);
  }
  result.prefill_tok_s = Median(prefill);
  result.decode_tok_s = Median(result.decode_each);
  result.read_gb_s = Median(read);
  result.decode_limit_fraction = Median(fraction);
  return result;
}

Json BenchModelJson(const BenchModelResult& result) {
  Json json;
  json.Add("prefill_tok_s", result.prefill_tok_s);
  json.Add("decode_tok_s", result.decode_tok_s);
  json.Add("limit_fraction", result.decode_limit_fraction);
  json.Add("decode_bytes_per_token", result.decode_bytes_per_token);
  json.Add("read_gb_s", result.read_gb_s);
  Json each(Json::Array{});
  for (const double one : result.decode_each) each.Append(one);
  json.Add("decode_tok_s_each", std::move(each));
  return json;
}

}  // namespace glint::eval
