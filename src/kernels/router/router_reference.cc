// SPDX-License-Identifier: Apache-2.0
#include "kernels/router/router_reference.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

#include "kernels/activation_reference.h"
#include "kernels/router/router_math.h"

namespace glint::kernels {
namespace {

// Indices of keys, best first.
std::vector<std::size_t> Ranking(const std::vector<float>& keys) {
  std::vector<std::size_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return IsRoutedBefore(keys[a], static_cast<std::int64_t>(a), keys[b],
                          static_cast<std::int64_t>(b));
  });
  return order;
}

// For each expert, whether its group is one of those that remain.
std::vector<bool> AllowedExperts(const RouterArgs& args, const std::vector<float>& keys) {
  if (args.group_count == 1) return std::vector<bool>(keys.size(), true);
  const std::size_t size = keys.size() / static_cast<std::size_t>(args.group_count);
  std::vector<float> sums;
  sums.reserve(static_cast<std::size_t>(args.group_count));
  for (std::size_t first = 0; first < keys.size(); first += size) {
    const auto begin = keys.begin() + static_cast<std::ptrdiff_t>(first);
    std::vector<float> group(begin, begin + static_cast<std::ptrdiff_t>(size));
    std::sort(group.begin(), group.end(), std::greater<>());
    sums.push_back(group[0] + group[1]);
  }
  const std::vector<std::size_t> ranking = Ranking(sums);
  std::vector<bool> allowed(keys.size(), false);
  for (std::size_t i = 0; i < static_cast<std::size_t>(args.group_top_k); ++i) {
    for (std::size_t j = 0; j < size; ++j) allowed[ranking[i] * size + j] = true;
  }
  return allowed;
}

void RouteRow(const RouterArgs& args, std::int64_t row) {
  std::vector<float> scores(static_cast<std::size_t>(args.logits.columns));
  std::vector<float> keys(scores.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto expert = static_cast<std::int64_t>(i);
    scores[i] = RouterScore(static_cast<float>(LoadActivation(args.logits, row, expert)));
    keys[i] = RouterKey(scores[i], args.bias == nullptr ? 0.0F : args.bias[expert]);
  }
  const std::vector<bool> allowed = AllowedExperts(args, keys);
  std::vector<std::size_t> chosen = Ranking(keys);
  std::erase_if(chosen, [&](std::size_t expert) { return !allowed[expert]; });
  chosen.resize(static_cast<std::size_t>(args.top_k));
  double sum = 0;
  for (const std::size_t expert : chosen) sum += static_cast<double>(scores[expert]);
  const double divisor = args.normalize ? sum + static_cast<double>(kRouterSumGuard) : 1.0;
  for (std::size_t slot = 0; slot < chosen.size(); ++slot) {
    const std::int64_t at = row * args.top_k + static_cast<std::int64_t>(slot);
    const auto score = static_cast<double>(scores[chosen[slot]]);
    args.expert_ids[at] = static_cast<std::int32_t>(chosen[slot]);
    args.expert_weights[at] =
        static_cast<float>(score / divisor * static_cast<double>(args.scaling));
  }
}

}  // namespace

void RouterReference(const RouterArgs& args) {
  for (std::int64_t row = 0; row < args.logits.rows; ++row) {
    if (args.row_sequence == nullptr || args.row_sequence[row] >= 0) {
      RouteRow(args, row);
      continue;
    }
    std::fill_n(args.expert_ids + row * args.top_k, args.top_k, -1);
    std::fill_n(args.expert_weights + row * args.top_k, args.top_k, 0.0F);
  }
}

}  // namespace glint::kernels
