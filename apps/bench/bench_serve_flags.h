// SPDX-License-Identifier: Apache-2.0
// The flags of `glint bench serve`, and what they ask for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/flags.h"
#include "base/result.h"
#include "load/bench.h"

namespace glint {

struct BenchServeFlags {
  std::string base_url = "http://127.0.0.1:8000";
  std::string ca_file;
  std::string endpoint = "chat";
  std::string model;
  std::string api_key;
  std::string tokenizer;
  std::string token_ids = "300:1300";
  std::string extra_body;
  double temperature = 0;
  bool insecure = false;
  bool ignore_eos = false;
  std::string request_rate = "inf";
  double burstiness = 1;
  bool constant = false;
  std::int64_t max_concurrency = 0;
  std::int64_t num_prompts = 0;
  double duration = 0;
  std::int64_t random_input_len = 1024;
  std::int64_t random_output_len = 128;
  double random_range_ratio = 1;
  double prefix_hit = 0;
  std::int64_t prefix_groups = 1;
  std::int64_t turns = 1;
  double turn_gap = 0;
  std::string trace;
  double trace_speed = 1;
  double cancel_share = 0;
  std::int64_t seed = 0;
  std::int64_t num_warmups = 1;
  std::optional<double> find_rate_ttft;
  std::optional<double> find_concurrency_tpot;
  double limit_percentile = 95;
  double search_start = 1;
  double search_most = 4096;
  std::int64_t batch_size = 0;
  std::int64_t sequence_length = 0;
  std::string goodput;
  std::string metric_percentiles = "50,90,95,99";
  double timeout = 600;
  std::int64_t threads = 1;
  std::string metadata;
  bool save_detailed = false;
  std::string result_file;
  std::string records_file;
  std::string html;
  bool json = false;

  void Visit(FlagVisitor& visitor);
};

// kInvalidArgument naming the flag. Asks the server for its model when none is given.
Result<load::BenchOptions> MakeBenchOptions(const BenchServeFlags& flags);

// The tokens of random prompts. `exact` becomes false when a prompt's length is only near what was
// asked for.
Result<load::Vocabulary> MakeVocabulary(const BenchServeFlags& flags, bool& exact);

}  // namespace glint
