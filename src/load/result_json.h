// SPDX-License-Identifier: Apache-2.0
// A run's result for other tools: vLLM's flat JSON, and AIPerf's record of each request.
//
// Source: vLLM's benchmark client (key names), AIPerf's profile_export.jsonl. Scripts that read
// vLLM's result pass every key that ends in `ms` to float() and invert every key that contains
// `tpot`: under such a key stands a number above zero, or the key is left out.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "load/summary.h"

namespace glint::load {

struct ResultContext {
  std::string date;  // "20261130-193000", as vLLM writes it
  std::string backend = "openai-chat";
  std::string model;
  std::string tokenizer;
  std::int64_t num_prompts = 0;
  double request_rate = 0;  // infinity: "inf"
  double burstiness = 1;
  std::int64_t max_concurrency = 0;                 // 0: none
  std::vector<double> percentiles{50, 90, 95, 99};  // 0 to 100
  double start_unix_s = 0;
  std::string request_prefix;                                 // of the run, as in RunOptions
  std::vector<std::pair<std::string, std::string>> metadata;  // added as they are
  bool detailed = false;  // input_lens, output_lens, ttfts, itls, start_times, ...; seconds
};

// "99" -> "p99", 99.9 -> "p99.9".
std::string PercentileName(double percent);

Json VllmResult(const RunResult& run, const RunSummary& summary, const ResultContext& context);

// One JSON object a line for each request that was sent.
std::string AiperfRecords(const RunResult& run, const ResultContext& context);

}  // namespace glint::load
