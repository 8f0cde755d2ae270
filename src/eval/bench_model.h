// SPDX-License-Identifier: Apache-2.0
// Prefill and decode speed of a model on this machine, beside the machine's limit measured in the
// same run.
#pragma once

#include <cstdint>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "device/device.h"
#include "kernels/operations.h"
#include "model/loaded_model.h"

namespace glint::eval {

struct BenchModelOptions {
  std::int64_t prompt_tokens = 64;    // > 0
  std::int64_t generate_tokens = 32;  // > 0
  std::int64_t runs = 3;              // > 0, after one warm-up
  int threads = 2;
  tensor::DType cache_dtype = tensor::DType::kBF16;
};

struct BenchModelResult {
  // Medians over the runs.
  double prefill_tok_s = 0;
  double decode_tok_s = 0;
  double read_gb_s = 0;               // of memory, measured between the runs
  double decode_bytes_per_token = 0;  // weights and cache that a token must read
  double decode_limit_fraction = 0;   // median over runs of (bytes read / time) / bandwidth then
  std::vector<double> decode_each;    // tok/s of each run
};

Result<BenchModelResult> BenchModel(model::LoadedModel& model,
                                    const kernels::OperationTable& operations,
                                    device::Device& device, const BenchModelOptions& options);

// Keys prefill_tok_s, decode_tok_s, limit_fraction, read_gb_s, ...
Json BenchModelJson(const BenchModelResult& result);

}  // namespace glint::eval
