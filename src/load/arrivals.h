// SPDX-License-Identifier: Apache-2.0
// When an open loop sends its requests, whatever the server does.
//
// Source: vLLM's benchmark client: gaps are gamma distributed with shape `burstiness` and mean
// 1 / rate; burstiness 1 is a Poisson process, below 1 is burstier, and a constant rate is the
// limit of large ones.
#pragma once

#include <cstdint>
#include <random>

#include "base/result.h"

namespace glint::load {

struct ArrivalOptions {
  double rate_per_s = 0;  // > 0, or infinity: all at once
  double burstiness = 1;  // > 0
  bool constant = false;  // equal gaps; burstiness does not count then
  std::uint64_t seed = 0;
};

class Arrivals {
 public:
  // kInvalidArgument when an option is out of its range.
  static Result<Arrivals> Create(const ArrivalOptions& options);

  // Seconds from the start to the next arrival; the first is one gap after the start (0 at an
  // infinite rate). Never decreases.
  double Next();

 private:
  explicit Arrivals(const ArrivalOptions& options);

  ArrivalOptions options_;
  std::mt19937_64 random_;
  std::gamma_distribution<double> gamma_;
  std::int64_t count_ = 0;
  double now_s_ = 0;
};

}  // namespace glint::load
