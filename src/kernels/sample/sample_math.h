// SPDX-License-Identifier: Apache-2.0
// The random numbers of the sampler, shared by all devices: a function of (seed, position, token)
// and of nothing else, so that batch, step, device and vocabulary shard do not matter.
//
// Sources: splitmix64, Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
// OOPSLA 2014, with the constants of Vigna's splitmix64.c; the Gumbel-max trick, arXiv:1411.0030.
#pragma once

#include <math.h>

#include <cstdint>

#include "kernels/host_device.h"

namespace glint::kernels {

inline constexpr std::uint64_t kSampleGamma = 0x9E3779B97F4A7C15ULL;

// splitmix64's output function: a bijection whose output bits each depend on all input bits.
GLINT_HD std::uint64_t SampleMix(std::uint64_t state) {
  state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9ULL;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EBULL;
  return state ^ (state >> 31);
}

// The state from which the numbers of one sampled token come. Output `position` of the splitmix64
// stream of the mixed seed: neighbouring seeds and positions give unrelated keys.
GLINT_HD std::uint64_t SampleKey(std::uint64_t seed, std::int32_t position) {
  const auto step = static_cast<std::uint64_t>(static_cast<std::uint32_t>(position)) + 1;
  return SampleMix(SampleMix(seed + kSampleGamma) + kSampleGamma * step);
}

// Output `token` of the splitmix64 stream that starts at the key, as a number in (0, 1): 52 bits
// and a half, exact in double, never 0 and never 1.
GLINT_HD double SampleUniform(std::uint64_t key, std::int32_t token) {
  const auto step = static_cast<std::uint64_t>(static_cast<std::uint32_t>(token)) + 1;
  const std::uint64_t bits = SampleMix(key + kSampleGamma * step);
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

// What a kept token is judged by: the largest wins, which happens with probability
// softmax(logit / temperature) over the kept tokens. temperature > 0.
GLINT_HD double SampleScore(float logit, float temperature, std::uint64_t key, std::int32_t token) {
  const double gumbel = -::log(-::log(SampleUniform(key, token)));
  return static_cast<double>(logit) / static_cast<double>(temperature) + gumbel;
}

}  // namespace glint::kernels
