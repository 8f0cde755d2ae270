// SPDX-License-Identifier: Apache-2.0
// Raw logits of a token sequence, for comparison with other implementations.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "kernels/operations.h"
#include "model/loaded_model.h"

namespace glint::eval {

// Ids separated by commas or white space. kInvalidArgument names the first word that is no id below
// `vocab_size`, or says that there is none; `where` starts the message.
Result<std::vector<std::int32_t>> ParseIds(std::string_view text, std::int64_t vocab_size,
                                           std::string_view where);

struct LogitsOptions {
  tensor::DType cache_dtype = tensor::DType::kF32;
  std::int64_t chunk_rows = 256;  // rows of a pass, > 0; does not change the numbers
};

// Calls `sink` with [n, vocab] for one chunk of rows after another.
using LogitsSink = std::function<Status(std::span<const float> rows)>;
Status ComputeLogits(model::LoadedModel& model, const kernels::OperationTable& operations,
                     device::Device& device, std::span<const std::int32_t> ids,
                     const LogitsOptions& options, const LogitsSink& sink);

// The `count` (> 0) tokens that follow `ids` when each is the most likely one (at equal logits the
// lower id).
Result<std::vector<std::int32_t>> GreedyTokens(model::LoadedModel& model,
                                               const kernels::OperationTable& operations,
                                               device::Device& device,
                                               std::span<const std::int32_t> ids,
                                               std::int64_t count, const LogitsOptions& options);

}  // namespace glint::eval
