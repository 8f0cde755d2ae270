// SPDX-License-Identifier: Apache-2.0
// A batch as the device tables that kernels read, at addresses that stay the same.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "kernels/batch_tables.h"
#include "model/batch.h"

namespace glint::model {

class StepTables {
 public:
  struct Limits {
    std::int64_t rows = 0;
    std::int64_t sequences = 0;
    std::int64_t pages_per_sequence = 0;
    std::int64_t page_tokens = 0;
    std::int64_t page_count = 0;
    std::int64_t vocab_size = 0;
    std::int64_t logit_rows = 0;
  };
  static Result<std::unique_ptr<StepTables>> Create(const Limits& limits, device::Device& device);

  // Checks the batch against the limits and enqueues the copies of what is live. kInvalidArgument
  // names the value. The work of the load before last must be done: its host memory is used again.
  Status Load(const Batch& batch, device::Stream& stream);

  [[nodiscard]] const kernels::BatchTables& tables() const { return tables_; }
  [[nodiscard]] const std::int32_t* tokens() const { return tokens_; }
  [[nodiscard]] const SamplesInFlight& samples() const { return samples_; }
  // Rows of the batch that want logits, in order.
  [[nodiscard]] const std::vector<std::int64_t>& logit_rows() const { return logit_rows_; }

 private:
  [[nodiscard]] Status Check(const Batch& batch) const;
  [[nodiscard]] Status CheckSequence(const BatchSequence& sequence, std::size_t index) const;
  [[nodiscard]] Status CheckTokens(const Batch& batch) const;

  Limits limits_;
  std::unique_ptr<device::Memory> memory_;
  // What memory_ gets: sequence, position, token, page table. Two, used in turn, because the copies
  // of the last load may still be waiting on the stream.
  std::array<std::vector<std::int32_t>, 2> host_;
  std::size_t turn_ = 0;
  kernels::BatchTables tables_;
  const std::int32_t* tokens_ = nullptr;
  SamplesInFlight samples_;
  std::vector<std::int64_t> logit_rows_;
};

}  // namespace glint::model
