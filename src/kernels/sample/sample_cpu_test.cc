// SPDX-License-Identifier: Apache-2.0
#include "kernels/sample/sample_cpu.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "device/cpu/cpu_device.h"
#include "kernels/sample/sample_reference.h"

namespace glint::kernels {
namespace {

// Rows of every combination of cuts, over logits with many ties.
struct Rows {
  Rows(std::int64_t vocab, unsigned seed) : words((vocab + 31) / 32) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0.0F, 3.0F);
    for (const float t : {0.0F, 0.3F, 1.0F, 2.5F}) {
      for (const std::int32_t k : {0, 1, 5, 1000}) {
        for (const float p : {1.0F, 0.95F, 0.5F, 0.0F}) {
          for (const float m : {0.0F, 0.05F}) {
            temperature.push_back(t);
            top_k.push_back(k);
            top_p.push_back(p);
            min_p.push_back(m);
            sampling_seed.push_back(random());
            position.push_back(static_cast<std::int32_t>(random() % 100000));
          }
        }
      }
    }
    const std::size_t rows = temperature.size();
    logits.resize(rows * static_cast<std::size_t>(vocab));
    for (float& x : logits) x = std::round(normal(random) * 8) / 8;
    mask.resize(rows * static_cast<std::size_t>(words));
    for (std::uint32_t& word : mask) word = static_cast<std::uint32_t>(random());
    args.logits = {.data = logits.data(),
                   .rows = static_cast<std::int64_t>(rows),
                   .columns = vocab,
                   .stride = vocab};
    args.temperature = temperature.data();
    args.top_k = top_k.data();
    args.top_p = top_p.data();
    args.min_p = min_p.data();
    args.seed = sampling_seed.data();
    args.position = position.data();
    token.resize(rows);
    logprob.resize(rows);
    args.token = token.data();
    args.logprob = logprob.data();
  }
  void UseMask() {
    args.mask = mask.data();
    args.mask_words = words;
  }
  std::int64_t words;
  std::vector<float> logits, temperature, top_p, min_p, logprob;
  std::vector<std::int32_t> top_k, position, token;
  std::vector<std::uint64_t> sampling_seed;
  std::vector<std::uint32_t> mask;
  SampleArgs args;
};

void ExpectReferencePicks(Rows& rows) {
  ASSERT_TRUE(CheckSampleArgs(rows.args).ok());
  SampleReference(rows.args);
  const std::vector<std::int32_t> expected = rows.token;
  const std::vector<float> expected_logprob = rows.logprob;
  for (const int threads : {1, 3}) {
    const auto device = device::MakeCpuDevice(threads);
    const auto stream = device->CreateStream();
    rows.token.assign(expected.size(), 77);
    SampleCpu(*stream, rows.args);
    ASSERT_TRUE(stream->Synchronize().ok());
    EXPECT_EQ(rows.token, expected);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(rows.logprob[i], expected_logprob[i], 1e-5) << i;
    }
  }
}

TEST(SampleCpu, PicksWhatTheReferencePicksUnderEveryCut) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    for (const std::int64_t vocab : {1, 33, 700, 4132}) {
      Rows rows(vocab, seed);
      ExpectReferencePicks(rows);
      rows.UseMask();
      ExpectReferencePicks(rows);
    }
  }
}

TEST(SampleCpu, ARowThatCannotBeSampledIsMinusOneAndLeavesTheOthers) {
  Rows rows(64, 1);
  rows.logits[3] = std::numeric_limits<float>::quiet_NaN();
  rows.logits[64 + 5] = -std::numeric_limits<float>::infinity();
  ExpectReferencePicks(rows);
  EXPECT_EQ(rows.token[0], -1);
  EXPECT_EQ(rows.token[1], -1);
  EXPECT_GE(rows.token[2], 0);
}

}  // namespace
}  // namespace glint::kernels
