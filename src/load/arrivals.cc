// SPDX-License-Identifier: Apache-2.0
#include "load/arrivals.h"

#include <cmath>

#include "base/format.h"

namespace glint::load {

Result<Arrivals> Arrivals::Create(const ArrivalOptions& options) {
  if (!(options.rate_per_s >= 1e-6) ||
      (options.rate_per_s > 1e7 && std::isfinite(options.rate_per_s))) {
    return InvalidArgument(
        format("request-rate is {}, must be 1e-6 to 1e7, or inf", options.rate_per_s));
  }
  if (!(options.burstiness >= 1e-3 && options.burstiness <= 1e6)) {
    return InvalidArgument(
        format("burstiness is {}, must be 0.001 to 1000000", options.burstiness));
  }
  return Arrivals(options);
}

Arrivals::Arrivals(const ArrivalOptions& options)
    : options_(options),
      random_(options.seed),
      gamma_(options.burstiness, 1 / (options.rate_per_s * options.burstiness)) {
  // A gamma distribution needs a scale above zero.
  if (std::isinf(options.rate_per_s)) gamma_ = std::gamma_distribution<double>(1, 1);
}

double Arrivals::Next() {
  ++count_;
  if (std::isinf(options_.rate_per_s)) return 0;
  // A product, not a sum of gaps: no error adds up.
  if (options_.constant) return static_cast<double>(count_) / options_.rate_per_s;
  now_s_ += gamma_(random_);
  return now_s_;
}

}  // namespace glint::load
