// SPDX-License-Identifier: Apache-2.0
// Request traces of real services: when, how long the prompt, how long the answer.
//
// Source: AzurePublicDataset, AzureLLMInferenceTrace (2023), CSV with the header
// TIMESTAMP,ContextTokens,GeneratedTokens; Mooncake (arXiv:2407.00079), JSON lines with timestamp
// (ms), input_length, output_length and hash_ids, one id for each block of 512 prompt tokens:
// requests with the same leading ids have the same leading tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glint::load {

inline constexpr std::int64_t kTraceBlockTokens = 512;

struct TraceRequest {
  double at_s = 0;                      // since the first request
  std::int64_t input_tokens = 0;        // >= 1
  std::int64_t output_tokens = 0;       // >= 1; a row that generated nothing counts as 1
  std::vector<std::int64_t> block_ids;  // empty, or one for each started block of the input
};

// Tells the format by the first byte: '{' is Mooncake, else Azure. Requests are in the file's
// order, times never decrease. kDataLoss for a file that was cut (a last line that has no end or is
// not whole), kInvalidArgument for anything else, both with file and line.
Result<std::vector<TraceRequest>> ParseTrace(std::string_view text, std::string_view file);
Result<std::vector<TraceRequest>> ReadTrace(const std::string& path);

}  // namespace glint::load
