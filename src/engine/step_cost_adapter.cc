// SPDX-License-Identifier: Apache-2.0
#include "engine/step_cost_adapter.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace glint::engine {
namespace {

// Units that make every term about a second of some machine, so that none drowns the others.
constexpr double kBytesPerS = 1e10;
constexpr double kFlopsPerS = 1e11;
constexpr double kOverheadS = 1e-4;
constexpr double kRidge = 1e-6;

template <std::size_t N>
using Vector = std::array<double, N>;
template <std::size_t N>
using Matrix = std::array<Vector<N>, N>;

// The x that minimises x'Ax - 2b'x over the terms of `chosen` (a bit each), the others 0. A is
// positive definite, so elimination needs no pivots.
template <std::size_t N>
Vector<N> Solve(Matrix<N> a, Vector<N> b, unsigned chosen) {
  for (std::size_t i = 0; i < N; ++i) {
    if ((chosen >> i & 1U) != 0) continue;
    for (std::size_t j = 0; j < N; ++j) a[i][j] = a[j][i] = i == j ? 1 : 0;
    b[i] = 0;
  }
  for (std::size_t pivot = 0; pivot < N; ++pivot) {
    for (std::size_t row = pivot + 1; row < N; ++row) {
      const double factor = a[row][pivot] / a[pivot][pivot];
      for (std::size_t j = pivot; j < N; ++j) a[row][j] -= factor * a[pivot][j];
      b[row] -= factor * b[pivot];
    }
  }
  for (std::size_t row = N; row-- > 0;) {
    for (std::size_t j = row + 1; j < N; ++j) b[row] -= a[row][j] * b[j];
    b[row] /= a[row][row];
  }
  return b;
}

// What Solve minimises.
template <std::size_t N>
double Loss(const Matrix<N>& a, const Vector<N>& b, const Vector<N>& x) {
  double loss = 0;
  for (std::size_t i = 0; i < N; ++i) {
    for (std::size_t j = 0; j < N; ++j) loss += x[i] * a[i][j] * x[j];
    loss -= 2 * b[i] * x[i];
  }
  return loss;
}

// The best x of which no part is negative: the best of all choices of terms that has none.
template <std::size_t N>
Vector<N> SolveNonNegative(const Matrix<N>& a, const Vector<N>& b) {
  Vector<N> best{};
  double least = 0;
  for (unsigned chosen = 1; chosen < (1U << N); ++chosen) {
    const Vector<N> x = Solve(a, b, chosen);
    if (std::any_of(x.begin(), x.end(), [](double part) { return part < 0; })) continue;
    const double loss = Loss(a, b, x);
    if (loss >= least) continue;
    least = loss;
    best = x;
  }
  return best;
}

}  // namespace

FittedStepCost::Terms FittedStepCost::TermsOf(const sched::StepCounts& counts) const {
  const spec::StepCostTerms terms = model_.Terms({.rows = counts.rows,
                                                  .sampled_rows = counts.sampled_rows,
                                                  .context_tokens = counts.context_tokens});
  return {kOverheadS, terms.weight_bytes / kBytesPerS, terms.cache_bytes / kBytesPerS,
          terms.flops / kFlopsPerS};
}

void FittedStepCost::Observe(const sched::StepCounts& counts, std::chrono::nanoseconds duration) {
  if (counts.rows <= 0 || duration.count() <= 0) return;
  const auto width =
      static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(counts.rows)));
  Size& size = sizes_[std::min(width, kSizes) - 1];
  const auto slot = static_cast<std::size_t>(size.seen++) % kKept;
  size.terms[slot] = TermsOf(counts);
  size.seconds[slot] = std::chrono::duration<double>(duration).count();
  ++seen_;
  // Later on one step changes little, and small models' steps are short.
  if (seen_ >= kEnough && (seen_ < 8 * kEnough || seen_ % kEnough == 0)) Fit();
}

void FittedStepCost::Fit() {
  Matrix<kTerms> a{};
  Vector<kTerms> b{};
  for (std::size_t i = 0; i < kTerms; ++i) a[i][i] = kRidge;
  for (const Size& size : sizes_) {
    const auto kept = std::min(static_cast<std::size_t>(size.seen), kKept);
    double sum = 0;
    for (std::size_t k = 0; k < kept; ++k) sum += size.seconds[k];
    const double scale = static_cast<double>(kept) / sum;
    for (std::size_t k = 0; k < kept; ++k) {
      Terms terms = size.terms[k];
      for (double& term : terms) term *= scale;
      for (std::size_t i = 0; i < kTerms; ++i) {
        for (std::size_t j = 0; j < kTerms; ++j) a[i][j] += terms[i] * terms[j];
        b[i] += terms[i] * size.seconds[k] * scale;
      }
    }
  }
  costs_ = SolveNonNegative(a, b);
}

std::chrono::nanoseconds FittedStepCost::Estimate(const sched::StepCounts& counts) const {
  if (counts.rows <= 0) return std::chrono::nanoseconds(0);
  const Terms terms = TermsOf(counts);
  double seconds = 0;
  for (std::size_t i = 0; i < kTerms; ++i) seconds += costs_[i] * terms[i];
  return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

}  // namespace glint::engine
