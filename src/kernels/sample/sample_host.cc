// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "device/cpu/cpu_device.h"
#include "kernels/sample/sample_cpu.h"
#include "kernels/sample/sample_math.h"

namespace glint::kernels {
namespace {

struct Candidate {
  float logit = 0;
  std::int32_t token = 0;
};

bool ComesFirst(const Candidate& a, const Candidate& b) {
  return a.logit > b.logit || (a.logit == b.logit && a.token < b.token);
}

// Candidates of which the first `sorted` are in their final order.
class Candidates {
 public:
  explicit Candidates(std::vector<Candidate> all) : all_(std::move(all)) {}

  void Sort(std::size_t count) {
    if (count <= sorted_) return;
    const auto begin = all_.begin() + static_cast<std::ptrdiff_t>(sorted_);
    if (count < all_.size()) {
      const auto end = all_.begin() + static_cast<std::ptrdiff_t>(count);
      std::nth_element(begin, end, all_.end(), ComesFirst);
      std::sort(begin, end, ComesFirst);
      sorted_ = count;
    } else {
      std::sort(begin, all_.end(), ComesFirst);
      sorted_ = all_.size();
    }
  }
  void Keep(std::size_t count) {
    Sort(count);
    if (count < all_.size()) all_.resize(count);
  }
  template <typename Condition>
  void KeepWhere(const Condition& condition) {
    std::erase_if(all_, [&](const Candidate& one) { return !condition(one); });
    sorted_ = std::min(sorted_, all_.size());
  }
  [[nodiscard]] const std::vector<Candidate>& all() const { return all_; }

 private:
  std::vector<Candidate> all_;
  std::size_t sorted_ = 0;
};

// One row of logits and what was asked of it.
class Row {
 public:
  Row(const SampleArgs& args, std::int64_t row)
      : args_(args),
        row_(row),
        logits_(static_cast<const float*>(args.logits.data) + row * args.logits.stride),
        temperature_(args.temperature[row]) {}

  [[nodiscard]] bool IsFinite() const {
    constexpr std::uint32_t kExponent = 0x7F800000U;
    std::uint32_t bad = 0;
    for (std::int64_t i = 0; i < args_.logits.columns; ++i) {
      bad |= (std::bit_cast<std::uint32_t>(logits_[i]) & kExponent) == kExponent ? 1U : 0U;
    }
    return bad == 0;
  }

  // The first of all allowed tokens; token -1 when none is allowed.
  [[nodiscard]] Candidate Best() const {
    Candidate best{.token = -1};
    for (std::int64_t i = 0; i < args_.logits.columns; ++i) {
      if (best.token >= 0 && !(logits_[i] > best.logit)) continue;
      if (IsAllowed(i)) best = At(i);
    }
    return best;
  }

  [[nodiscard]] std::int32_t Pick(const Candidate& best) const {
    if (!(temperature_ > 0)) return best.token;
    Candidates candidates(Allowed());
    Cut(best, candidates);
    return MostScored(best, candidates.all());
  }

  [[nodiscard]] float LogProbability(std::int32_t token) const {
    const float largest = *std::max_element(logits_, logits_ + args_.logits.columns);
    double total = 0;
    for (std::int64_t i = 0; i < args_.logits.columns; ++i) {
      total += static_cast<double>(std::exp(logits_[i] - largest));
    }
    const double logit = logits_[token - args_.vocab_offset];
    return static_cast<float>(logit - static_cast<double>(largest) - std::log(total));
  }

 private:
  [[nodiscard]] Candidate At(std::int64_t column) const {
    return {logits_[column], static_cast<std::int32_t>(args_.vocab_offset + column)};
  }
  [[nodiscard]] bool IsAllowed(std::int64_t column) const {
    if (args_.mask == nullptr) return true;
    const std::int64_t token = args_.vocab_offset + column;
    return ((args_.mask[row_ * args_.mask_words + token / 32] >> (token % 32)) & 1U) != 0;
  }
  [[nodiscard]] std::vector<Candidate> Allowed() const {
    std::vector<Candidate> allowed;
    allowed.reserve(static_cast<std::size_t>(args_.logits.columns));
    for (std::int64_t i = 0; i < args_.logits.columns; ++i) {
      if (IsAllowed(i)) allowed.push_back(At(i));
    }
    return allowed;
  }
  [[nodiscard]] double Weight(const Candidate& best, const Candidate& one) const {
    return std::exp((static_cast<double>(one.logit) - static_cast<double>(best.logit)) /
                    static_cast<double>(temperature_));
  }

  void Cut(const Candidate& best, Candidates& candidates) const {
    if (args_.top_k[row_] > 0) candidates.Keep(static_cast<std::size_t>(args_.top_k[row_]));
    if (args_.top_p[row_] < 1) CutTopP(best, candidates);
    if (args_.min_p[row_] > 0) {
      const auto least = static_cast<double>(args_.min_p[row_]);
      candidates.KeepWhere([&](const Candidate& one) {
        return one.token == best.token || Weight(best, one) >= least;
      });
    }
  }

  void CutTopP(const Candidate& best, Candidates& candidates) const {
    double total = 0;
    for (const Candidate& one : candidates.all()) total += Weight(best, one);
    const double enough = static_cast<double>(args_.top_p[row_]) * total;
    double sum = 0;
    std::size_t kept = 0;
    // Most of the mass lies in few tokens: sort 64, and eight times as many when they do not reach.
    for (std::size_t sorted = 64; kept < candidates.all().size(); sorted *= 8) {
      candidates.Sort(sorted);
      const std::size_t end = std::min(sorted, candidates.all().size());
      while (kept < end && (kept == 0 || sum < enough)) {
        sum += Weight(best, candidates.all()[kept++]);
      }
      if (kept < end || sum >= enough) break;
    }
    candidates.Keep(kept);
  }

  // The token with the largest SampleScore. A Gumbel number exceeds g > 0 only where the uniform
  // number u behind it has 1 - u < exp(-g), so most tokens need no logarithm.
  [[nodiscard]] std::int32_t MostScored(const Candidate& best,
                                        const std::vector<Candidate>& kept) const {
    constexpr double kSlack = 1.0 + 1e-6;  // for what exp and the division round
    const std::uint64_t key = SampleKey(args_.seed[row_], args_.position[row_]);
    const auto temperature = static_cast<double>(temperature_);
    std::int32_t winner = best.token;
    double winning = SampleScore(best.logit, temperature_, key, best.token);
    for (const Candidate& one : kept) {
      const double behind = winning - static_cast<double>(one.logit) / temperature;
      if (1.0 - SampleUniform(key, one.token) > std::exp(-behind) * kSlack) continue;
      const double score = SampleScore(one.logit, temperature_, key, one.token);
      if (score > winning || (score == winning && one.token < winner)) {
        winning = score;
        winner = one.token;
      }
    }
    return winner;
  }

  const SampleArgs& args_;
  std::int64_t row_;
  const float* logits_;
  float temperature_;
};

void SampleRow(const SampleArgs& args, std::int64_t row) {
  if (args.row_sequence != nullptr && args.row_sequence[row] < 0) return;
  args.token[row] = -1;
  args.logprob[row] = 0;
  const Row one(args, row);
  if (!one.IsFinite()) return;
  const Candidate best = one.Best();
  if (best.token < 0) return;
  args.token[row] = one.Pick(best);
  args.logprob[row] = one.LogProbability(args.token[row]);
}

}  // namespace

void SampleCpu(device::Stream& stream, const SampleArgs& args) {
  device::SubmitCpu(stream, [args](device::WorkerPool& pool) {
    pool.Run(args.logits.rows, [&](std::int64_t row) { SampleRow(args, row); });
  });
}

}  // namespace glint::kernels
