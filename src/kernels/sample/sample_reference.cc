// SPDX-License-Identifier: Apache-2.0
#include "kernels/sample/sample_reference.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/internal/reference_math.h"
#include "kernels/sample/sample_math.h"

namespace glint::kernels {
namespace {

struct Candidate {
  std::int32_t token = 0;
  double logit = 0;
};

bool IsAllowed(const SampleArgs& args, std::int64_t row, std::int64_t token) {
  if (args.mask == nullptr) return true;
  return ((args.mask[row * args.mask_words + token / 32] >> (token % 32)) & 1) != 0;
}

// The allowed tokens, larger logits first, at equal logits lower ids first.
std::vector<Candidate> Allowed(const SampleArgs& args, std::int64_t row,
                               const std::vector<double>& logits) {
  std::vector<Candidate> candidates;
  std::int64_t token = args.vocab_offset;
  for (const double logit : logits) {
    if (IsAllowed(args, row, token)) {
      candidates.push_back({static_cast<std::int32_t>(token), logit});
    }
    ++token;
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.logit > b.logit; });
  return candidates;
}

// Drops what top_k, top_p and min_p leave out; never the first.
void Cut(const SampleArgs& args, std::int64_t row, std::vector<Candidate>& candidates) {
  const std::int32_t top_k = args.top_k[row];
  if (top_k > 0 && candidates.size() > static_cast<std::size_t>(top_k)) candidates.resize(top_k);
  const auto temperature = static_cast<double>(args.temperature[row]);
  const auto weight = [&](const Candidate& candidate) {
    return std::exp((candidate.logit - candidates.front().logit) / temperature);
  };
  if (args.top_p[row] < 1) {
    double total = 0;
    for (const Candidate& candidate : candidates) total += weight(candidate);
    const double enough = static_cast<double>(args.top_p[row]) * total;
    std::size_t kept = 1;
    double sum = weight(candidates.front());
    while (kept < candidates.size() && sum < enough) sum += weight(candidates[kept++]);
    candidates.resize(kept);
  }
  if (args.min_p[row] > 0) {
    const auto least = static_cast<double>(args.min_p[row]);
    while (candidates.size() > 1 && weight(candidates.back()) < least) candidates.pop_back();
  }
}

std::int32_t Pick(const SampleArgs& args, std::int64_t row, std::vector<Candidate> candidates) {
  const float temperature = args.temperature[row];
  if (!(temperature > 0)) return candidates.front().token;
  Cut(args, row, candidates);
  const std::uint64_t key = SampleKey(args.seed[row], args.position[row]);
  const auto score = [&](const Candidate& candidate) {
    return SampleScore(static_cast<float>(candidate.logit), temperature, key, candidate.token);
  };
  Candidate best = candidates.front();
  for (const Candidate& candidate : candidates) {
    const double difference = score(candidate) - score(best);
    if (difference > 0 || (difference == 0 && candidate.token < best.token)) best = candidate;
  }
  return best.token;
}

double LogProbability(const std::vector<double>& logits, double logit) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double total = 0;
  for (const double other : logits) total += std::exp(other - largest);
  return logit - largest - std::log(total);
}

}  // namespace

void SampleReference(const SampleArgs& args) {
  for (std::int64_t row = 0; row < args.logits.rows; ++row) {
    if (args.row_sequence != nullptr && args.row_sequence[row] < 0) continue;
    args.token[row] = -1;
    args.logprob[row] = 0;
    const std::vector<double> logits = ReadRow(args.logits, row, 0, args.logits.columns);
    if (!std::all_of(logits.begin(), logits.end(), [](double x) { return std::isfinite(x); })) {
      continue;
    }
    const std::vector<Candidate> candidates = Allowed(args, row, logits);
    if (candidates.empty()) continue;
    args.token[row] = Pick(args, row, candidates);
    const double logit = logits[args.token[row] - args.vocab_offset];
    args.logprob[row] = static_cast<float>(LogProbability(logits, logit));
  }
}

}  // namespace glint::kernels
