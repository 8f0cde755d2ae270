// SPDX-License-Identifier: Apache-2.0
// Where the time of a step goes: a table of operations that times each call of another one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eval/operation_cost.h"
#include "kernels/operations.h"

namespace glint::eval {

// Calls of one name, summed.
struct OperationTotal {
  OperationCost cost;
  std::int64_t calls = 0;
  double seconds = 0;
};

// One on a thread at a time; its table is for that thread and for streams whose work is done when
// the call returns (device::CpuStreams::kImmediate).
class OperationProfile {
 public:
  explicit OperationProfile(const kernels::OperationTable& operations);
  ~OperationProfile();
  OperationProfile(const OperationProfile&) = delete;
  OperationProfile& operator=(const OperationProfile&) = delete;

  [[nodiscard]] const kernels::OperationTable& table() const { return timed_; }

  // Calls count from Start to Stop, which gives their totals, the longest first.
  void Start();
  std::vector<OperationTotal> Stop();

  void Count(const OperationCost& cost, double seconds);
  [[nodiscard]] bool running() const { return running_; }
  [[nodiscard]] const kernels::OperationTable& operations() const { return operations_; }

 private:
  const kernels::OperationTable& operations_;
  kernels::OperationTable timed_;
  bool running_ = false;
  std::vector<OperationTotal> totals_;
};

}  // namespace glint::eval
