// SPDX-License-Identifier: Apache-2.0
#include "eval/bench_model.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "base/format.h"
#include "eval/read_bandwidth.h"
#include "kernels/compute_rate/compute_rate.h"
#include "model/forward.h"

namespace glint::eval {
namespace {

constexpr std::int64_t kPageTokens = 16;
constexpr std::int64_t kBandwidthBytes = std::int64_t{1} << 30;
constexpr std::int64_t kChunkRows = 512;

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

std::int64_t PagesPerSequence(const BenchModelOptions& options) {
  const std::int64_t tokens =
      options.context_tokens + options.prompt_tokens + options.generate_tokens;
  return (tokens + kPageTokens - 1) / kPageTokens;
}

// Runs the sequences of a measurement, each on pages of its own.
class Runner {
 public:
  Runner(model::Forward& forward, const BenchModelOptions& options)
      : forward_(forward), options_(options) {
    const std::int64_t pages = PagesPerSequence(options);
    for (std::int64_t i = 0; i < options.batch; ++i) {
      model::BatchSequence sequence;
      for (std::int64_t page = 0; page < pages; ++page) {
        sequence.pages.push_back(static_cast<PageId>(i * pages + page));
      }
      sequences_.push_back(std::move(sequence));
    }
  }

  // Puts the context into the caches.
  Status Fill() {
    if (options_.fill == ContextFill::kRandom) {
      forward_.FillCaches();
      return Ok();
    }
    return Prefill(0, options_.context_tokens);
  }

  Status Prompt() { return Prefill(options_.context_tokens, options_.prompt_tokens); }

  // One token of every sequence.
  Status Decode(std::int64_t step) {
    for (std::size_t i = 0; i < sequences_.size(); ++i) {
      sequences_[i].first_position = options_.context_tokens + options_.prompt_tokens + step;
      sequences_[i].tokens = {TokenAt(i, sequences_[i].first_position)};
      sequences_[i].logit_rows = 1;
    }
    GLINT_TRY(forward_.Run({.sequences = sequences_}));
    return Ok();
  }

 private:
  // Tokens that differ between sequences, so that a batch asks for many experts.
  [[nodiscard]] model::TokenSlot TokenAt(std::size_t sequence, std::int64_t position) const {
    const auto mixed = (static_cast<std::uint64_t>(sequence) * 1'000'003 +
                        static_cast<std::uint64_t>(position) + 1) *
                       0x9E3779B97F4A7C15U;
    const auto vocab = static_cast<std::uint64_t>(forward_.model().vocab_size);
    return model::TokenSlot::Id(static_cast<std::int32_t>((mixed >> 32) % vocab));
  }

  Status Prefill(std::int64_t begin, std::int64_t count) {
    for (std::size_t i = 0; i < sequences_.size(); ++i) {
      for (std::int64_t done = 0; done < count; done += kChunkRows) {
        model::BatchSequence chunk = sequences_[i];
        chunk.first_position = begin + done;
        const std::int64_t rows = std::min(kChunkRows, count - done);
        chunk.tokens.clear();
        for (std::int64_t row = 0; row < rows; ++row) {
          chunk.tokens.push_back(TokenAt(i, chunk.first_position + row));
        }
        chunk.logit_rows = done + rows == count ? 1 : 0;
        GLINT_TRY(forward_.Run({.sequences = {chunk}}));
      }
    }
    return Ok();
  }

  model::Forward& forward_;
  const BenchModelOptions& options_;
  std::vector<model::BatchSequence> sequences_;
};

struct Times {
  double prefill_s = 0;
  double decode_s = 0;
};

Result<Times> RunOnce(Runner& runner, const BenchModelOptions& options) {
  Times times;
  const Clock prefill;
  GLINT_TRY(runner.Prompt());
  times.prefill_s = prefill.Seconds();
  const Clock decode;
  for (std::int64_t step = 0; step < options.generate_tokens; ++step) {
    GLINT_TRY(runner.Decode(step));
  }
  times.decode_s = decode.Seconds();
  return times;
}

// One run that says where the time goes and what had to be read.
Status RunProfiled(Runner& runner, const BenchModelOptions& options, OperationProfile& profile,
                   BenchModelResult& result) {
  profile.Start();
  GLINT_TRY(runner.Prompt());
  result.prefill.operations = profile.Stop();
  profile.Start();
  for (std::int64_t step = 0; step < options.generate_tokens; ++step) {
    GLINT_TRY(runner.Decode(step));
  }
  result.decode.operations = profile.Stop();
  double bytes = 0;
  for (const OperationTotal& total : result.decode.operations) bytes += total.cost.bytes;
  result.bytes_per_step = bytes / static_cast<double>(options.generate_tokens);
  return Ok();
}

// The machine's rates, each time it is asked.
class RateMeter {
 public:
  static Result<RateMeter> Create(device::Device& device, int threads, kernels::Isa isa) {
    GLINT_ASSIGN(ReadBandwidth bandwidth, ReadBandwidth::Create(device, kBandwidthBytes));
    return RateMeter(std::move(bandwidth), threads, isa);
  }

  MachineRates Measure() {
    return {.read_bytes = bandwidth_.Measure(*pool_),
            .f32_ops = kernels::MeasureComputeRate(isa_, *pool_, kernels::Arithmetic::kF32),
            .int8_ops = kernels::MeasureComputeRate(isa_, *pool_, kernels::Arithmetic::kInt8)};
  }

 private:
  RateMeter(ReadBandwidth bandwidth, int threads, kernels::Isa isa)
      : bandwidth_(std::move(bandwidth)),
        pool_(std::make_unique<device::WorkerPool>(threads)),
        isa_(isa) {}

  ReadBandwidth bandwidth_;
  std::unique_ptr<device::WorkerPool> pool_;
  kernels::Isa isa_;
};

MachineRates Mean(const MachineRates& a, const MachineRates& b) {
  return {.read_bytes = (a.read_bytes + b.read_bytes) / 2,
          .f32_ops = (a.f32_ops + b.f32_ops) / 2,
          .int8_ops = (a.int8_ops + b.int8_ops) / 2};
}

MachineRates Median(const std::vector<MachineRates>& rates) {
  const auto of = [&](double MachineRates::* rate) {
    std::vector<double> values;
    for (const MachineRates& one : rates) values.push_back(one.*rate);
    return Median(values);
  };
  return {.read_bytes = of(&MachineRates::read_bytes),
          .f32_ops = of(&MachineRates::f32_ops),
          .int8_ops = of(&MachineRates::int8_ops)};
}

double LimitSeconds(const std::vector<OperationTotal>& totals, const MachineRates& rates) {
  double seconds = 0;
  for (const OperationTotal& total : totals) seconds += eval::LimitSeconds(total.cost, rates);
  return seconds;
}

// Fills in speeds and fractions from the runs and the rates around each.
void Summarise(const BenchModelOptions& options, const std::vector<Times>& runs,
               const std::vector<MachineRates>& rates, BenchModelResult& result) {
  const auto sequences = static_cast<double>(options.batch);
  const double prompt = sequences * static_cast<double>(options.prompt_tokens);
  const auto steps = static_cast<double>(options.generate_tokens);
  std::vector<double> prefill_fraction;
  std::vector<double> decode_fraction;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    result.prefill.tok_s_each.push_back(prompt / runs[i].prefill_s);
    result.decode.tok_s_each.push_back(sequences * steps / runs[i].decode_s);
    prefill_fraction.push_back(LimitSeconds(result.prefill.operations, rates[i]) /
                               runs[i].prefill_s);
    decode_fraction.push_back(steps * result.bytes_per_step / rates[i].read_bytes /
                              runs[i].decode_s);
  }
  result.prefill.tok_s = Median(result.prefill.tok_s_each);
  result.decode.tok_s = Median(result.decode.tok_s_each);
  result.prefill.limit_fraction = Median(prefill_fraction);
  result.decode.limit_fraction = Median(decode_fraction);
  result.rates = Median(rates);
  result.batch = options.batch;
}

model::ForwardOptions ForwardOptionsOf(const BenchModelOptions& options) {
  const std::int64_t pages = PagesPerSequence(options);
  const std::int64_t rows = std::max(options.prompt_tokens, options.context_tokens);
  return {.cache = {.dtype = options.cache_dtype,
                    .page_count = pages * options.batch,
                    .page_tokens = kPageTokens},
          .max_rows = std::max(std::min(kChunkRows, rows), options.batch),
          .max_sequences = options.batch,
          .max_logit_rows = options.batch,
          .max_pages_per_sequence = pages};
}

Status CheckTokens(const BenchModelOptions& options, std::int64_t positions) {
  const std::int64_t most = positions - options.prompt_tokens - options.generate_tokens;
  if (options.prompt_tokens < positions && options.generate_tokens < positions &&
      options.context_tokens <= most) {
    return Ok();
  }
  return InvalidArgument(
      format("{} tokens of context, {} of the prompt and {} generated are more "
             "than the model's {} positions",
             options.context_tokens, options.prompt_tokens, options.generate_tokens, positions));
}

}  // namespace

double LimitSeconds(const OperationCost& cost, const MachineRates& rates) {
  return std::max(cost.bytes / rates.read_bytes,
                  cost.f32_ops / rates.f32_ops + cost.int8_ops / rates.int8_ops);
}

Result<BenchModelResult> BenchModel(model::LoadedModel& model,
                                    const kernels::OperationTable& operations,
                                    device::Device& device, const BenchModelOptions& options) {
  GLINT_TRY(CheckTokens(options, model.spec.max_positions));
  OperationProfile profile(operations);
  GLINT_ASSIGN(const auto forward, model::Forward::Create(model.spec, *model.store, profile.table(),
                                                          device, ForwardOptionsOf(options)));
  // The reference has no instruction set; it is compared with what the machine could do.
  const kernels::Isa isa = kernels::ParseIsa(operations.name).value_or(kernels::DetectIsa());
  GLINT_ASSIGN(RateMeter meter, RateMeter::Create(device, options.threads, isa));
  Runner runner(*forward, options);
  GLINT_TRY(runner.Fill());
  BenchModelResult result;
  GLINT_TRY(RunProfiled(runner, options, profile, result));  // the warm-up as well
  std::vector<Times> runs;
  std::vector<MachineRates> rates;
  MachineRates before = meter.Measure();
  for (std::int64_t run = 0; run < options.runs; ++run) {
    GLINT_ASSIGN(const Times times, RunOnce(runner, options));
    const MachineRates after = meter.Measure();
    runs.push_back(times);
    rates.push_back(Mean(before, after));
    before = after;
  }
  Summarise(options, runs, rates, result);
  return result;
}

}  // namespace glint::eval
