// SPDX-License-Identifier: Apache-2.0
// Prefill and decode speed of a model on this machine, beside the machine's limits measured in the
// same run.
#pragma once

#include <cstdint>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "device/device.h"
#include "eval/operation_profile.h"
#include "kernels/operations.h"
#include "model/loaded_model.h"

namespace glint::eval {

// How the caches get the tokens of the context.
enum class ContextFill : std::uint8_t {
  kPrompt,  // computed, as a prompt that is not timed
  kRandom,  // numbers out of nowhere: the time of a step does not depend on them
};

struct BenchModelOptions {
  std::int64_t prompt_tokens = 64;    // of each sequence, > 0
  std::int64_t generate_tokens = 32;  // of each sequence, > 0
  std::int64_t batch = 1;             // sequences that decode together, > 0
  std::int64_t context_tokens = 0;    // before the prompt, >= 0
  ContextFill fill = ContextFill::kPrompt;
  std::int64_t runs = 3;  // > 0, after one warm-up
  int threads = 2;
  tensor::DType cache_dtype = tensor::DType::kBF16;
};

// What the machine could do, measured between the runs.
struct MachineRates {
  double read_bytes = 0;  // per second
  double f32_ops = 0;     // per second, a multiply-add is two
  double int8_ops = 0;
};

// The least time for `cost`: the longer of reading and computing.
double LimitSeconds(const OperationCost& cost, const MachineRates& rates);

// One part of a run: the prompts, or the steps that decode.
struct BenchPart {
  double tok_s = 0;  // of all sequences together; median over the runs
  // Decoding: the time to read the step's bytes over the time it took. Prefill: the operations'
  // LimitSeconds over the time it took. Median over the runs, each by the rates around it.
  double limit_fraction = 0;
  std::vector<double> tok_s_each;          // of each run
  std::vector<OperationTotal> operations;  // of one further run, the longest first
};

struct BenchModelResult {
  BenchPart prefill;
  BenchPart decode;
  MachineRates rates;         // medians
  double bytes_per_step = 0;  // weights and cache that a decoding step must read, the mean step
  std::int64_t batch = 1;
};

// kInvalidArgument where the tokens are more than the model's positions; otherwise fails as
// Forward does. `operations` on streams that are immediate.
Result<BenchModelResult> BenchModel(model::LoadedModel& model,
                                    const kernels::OperationTable& operations,
                                    device::Device& device, const BenchModelOptions& options);

// Keys prefill_tok_s, decode_tok_s, limit_fraction {prefill, decode}, decode_bytes_per_step, ...
Json BenchModelJson(const BenchModelResult& result);

// A table of the operations of both parts, for the terminal.
std::string OperationsText(const BenchModelResult& result);

}  // namespace glint::eval
