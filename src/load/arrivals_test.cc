// SPDX-License-Identifier: Apache-2.0
#include "load/arrivals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace glint::load {
namespace {

constexpr int kCount = 20000;

std::vector<double> Gaps(const ArrivalOptions& options) {
  auto arrivals = Arrivals::Create(options);
  EXPECT_TRUE(arrivals.ok());
  std::vector<double> gaps;
  gaps.reserve(kCount);
  double last = 0;
  for (int i = 0; i < kCount; ++i) {
    const double now = arrivals.value().Next();
    gaps.push_back(now - last);
    last = now;
  }
  return gaps;
}

// Distribution function of the gamma distribution: the series of the lower incomplete gamma
// function (Abramowitz and Stegun 6.5.29).
double GammaCdf(double x, double shape, double scale) {
  if (x <= 0) return 0;
  const double z = x / scale;
  double term = 1 / shape;
  double sum = term;
  for (int n = 1; n < 2000 && term > 1e-17 * sum; ++n) {
    term *= z / (shape + n);
    sum += term;
  }
  int sign = 0;  // lgamma itself keeps it in a global
  return std::min(1.0, sum * std::exp(shape * std::log(z) - z - lgamma_r(shape, &sign)));
}

// Kolmogorov-Smirnov: the largest distance between the sample's and the given distribution, times
// sqrt(n). Above 1.95 has a probability of 0.001 when the sample is of the distribution.
double KolmogorovSmirnov(std::vector<double> sample, const std::function<double(double)>& cdf) {
  std::sort(sample.begin(), sample.end());
  const auto count = static_cast<double>(sample.size());
  double most = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double at = cdf(sample[i]);
    most = std::max(
        {most, static_cast<double>(i + 1) / count - at, at - static_cast<double>(i) / count});
  }
  return most * std::sqrt(count);
}

TEST(Arrivals, PoissonGapsAreExponential) {
  const auto gaps = Gaps({.rate_per_s = 25, .seed = 7});
  EXPECT_LT(KolmogorovSmirnov(gaps, [](double x) { return -std::expm1(-25 * x); }), 1.95);
}

TEST(Arrivals, BurstyGapsAreGamma) {
  for (const double shape : {0.25, 0.5, 4.0}) {
    const auto gaps = Gaps({.rate_per_s = 10, .burstiness = shape, .seed = 7});
    const auto cdf = [&](double x) { return GammaCdf(x, shape, 1 / (10 * shape)); };
    EXPECT_LT(KolmogorovSmirnov(gaps, cdf), 1.95) << shape;
  }
}

TEST(Arrivals, TheTestTellsDistributionsApart) {
  const auto gaps = Gaps({.rate_per_s = 10, .burstiness = 0.9, .seed = 7});
  EXPECT_GT(KolmogorovSmirnov(gaps, [](double x) { return -std::expm1(-10 * x); }), 1.95);
}

// Gaps that follow one another do not depend on each other: the correlation of n independent ones
// has the deviation 1 / sqrt(n).
TEST(Arrivals, GapsAreIndependent) {
  const auto gaps = Gaps({.rate_per_s = 1, .seed = 11});
  double covariance = 0;
  double variance = 0;
  for (std::size_t i = 0; i + 1 < gaps.size(); ++i) {
    covariance += (gaps[i] - 1) * (gaps[i + 1] - 1);
    variance += (gaps[i] - 1) * (gaps[i] - 1);
  }
  EXPECT_LT(std::abs(covariance / variance), 3.3 / std::sqrt(kCount));
}

TEST(Arrivals, ConstantGapsDoNotDrift) {
  auto arrivals = Arrivals::Create({.rate_per_s = 3, .constant = true}).value();
  double last = 0;
  for (int i = 0; i < 300'000; ++i) last = arrivals.Next();
  EXPECT_DOUBLE_EQ(last, 100'000);
}

TEST(Arrivals, AnInfiniteRateIsAllAtOnce) {
  const double infinity = std::numeric_limits<double>::infinity();
  auto arrivals = Arrivals::Create({.rate_per_s = infinity}).value();
  EXPECT_EQ(arrivals.Next(), 0);
  EXPECT_EQ(arrivals.Next(), 0);
}

TEST(Arrivals, TheSameSeedGivesTheSameTimes) {
  const ArrivalOptions options{.rate_per_s = 5, .seed = 3};
  EXPECT_EQ(Gaps(options), Gaps(options));
  EXPECT_NE(Gaps(options), Gaps({.rate_per_s = 5, .seed = 4}));
}

TEST(Arrivals, RefusesImpossibleOptions) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {0.0, -1.0, nan, 1e300}) {
    EXPECT_FALSE(Arrivals::Create({.rate_per_s = bad}).ok()) << bad;
    EXPECT_FALSE(Arrivals::Create({.rate_per_s = 1, .burstiness = bad}).ok()) << bad;
  }
}

}  // namespace
}  // namespace glint::load
