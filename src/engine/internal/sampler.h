// SPDX-License-Identifier: Apache-2.0
// The sampler's arrays on the device, and their copies: parameters in, tokens out.
//
// Two slots, used in turn: while the host reads the tokens of one step, the next step reads them on
// the device and writes its own.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "engine/generate.h"
#include "kernels/operations.h"
#include "model/batch.h"

namespace glint::engine {

struct SampledRow {
  SamplingParameters parameters;
  std::int64_t position = 0;  // of the token to be picked
};

// Thread-compatible: the engine thread owns it.
class Sampler {
 public:
  static Result<std::unique_ptr<Sampler>> Create(std::int64_t max_rows, device::Device& device,
                                                 const kernels::OperationTable& operations);

  // Enqueues the picks of all rows of `logits`, one entry of `rows` each, into `slot` (0 or 1),
  // whose earlier work must be done.
  void Enqueue(std::size_t slot, device::Stream& stream, const kernels::Activation& logits,
               std::span<const SampledRow> rows);

  // What the slot holds once its work is done.
  [[nodiscard]] std::span<const std::int32_t> Tokens(std::size_t slot) const;
  // The same on the device, for rows of the next step to refer to.
  [[nodiscard]] model::SamplesInFlight OnDevice(std::size_t slot) const;

 private:
  // Columns of `capacity` elements each.
  struct Columns {
    std::uint64_t* seed = nullptr;
    float* temperature = nullptr;
    float* top_p = nullptr;
    float* min_p = nullptr;
    float* logprob = nullptr;
    std::int32_t* top_k = nullptr;
    std::int32_t* position = nullptr;
    std::int32_t* token = nullptr;
  };
  struct Slot {
    std::unique_ptr<device::Memory> memory;
    std::vector<std::uint64_t> host;  // the same layout
    Columns on_device;
    Columns on_host;
    std::int64_t rows = 0;
  };
  static Columns Carve(void* base, std::int64_t capacity);

  explicit Sampler(const kernels::OperationTable& operations) : operations_(operations) {}

  const kernels::OperationTable& operations_;
  std::array<Slot, 2> slots_;
  std::int64_t capacity_ = 0;
};

}  // namespace glint::engine
