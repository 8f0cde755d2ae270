// SPDX-License-Identifier: Apache-2.0
#include "kernels/sample/sample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "kernels/internal/test_batch.h"
#include "kernels/sample/sample_math.h"
#include "kernels/sample/sample_reference.h"

namespace glint::kernels {
namespace {

using tensor::DType;

struct Fixture {
  explicit Fixture(std::int64_t rows, std::int64_t vocab)
      : logits(DType::kF32, rows, vocab, 1),
        temperature(rows, 0.0F),
        top_k(rows, 0),
        top_p(rows, 1.0F),
        min_p(rows, 0.0F),
        seed(rows, 1),
        position(rows, 0),
        token(rows, 77),
        logprob(rows, 77.0F) {
    args.logits = logits.view();
    args.temperature = temperature.data();
    args.top_k = top_k.data();
    args.top_p = top_p.data();
    args.min_p = min_p.data();
    args.seed = seed.data();
    args.position = position.data();
    args.token = token.data();
    args.logprob = logprob.data();
  }
  void Run() {
    const Status status = CheckSampleArgs(args);
    ASSERT_TRUE(status.ok()) << status.error().message;
    SampleReference(args);
  }
  TestRows logits;
  std::vector<float> temperature;
  std::vector<std::int32_t> top_k;
  std::vector<float> top_p;
  std::vector<float> min_p;
  std::vector<std::uint64_t> seed;
  std::vector<std::int32_t> position;
  std::vector<std::int32_t> token;
  std::vector<float> logprob;
  SampleArgs args;
};

// How often each token comes in `draws` positions of one row.
std::map<std::int32_t, int> Histogram(Fixture& f, std::int32_t draws) {
  std::map<std::int32_t, int> counts;
  for (std::int32_t draw = 0; draw < draws; ++draw) {
    f.position[0] = draw;
    f.Run();
    ++counts[f.token[0]];
  }
  return counts;
}

// Row 0 has the logarithms of probabilities .5 .25 .15 .1, at ids 2, 0, 3, 1.
Fixture FourTokens() {
  Fixture f(1, 4);
  f.logits.SetRow(0, {std::log(0.25), std::log(0.1), std::log(0.5), std::log(0.15)});
  f.temperature[0] = 1;
  return f;
}

TEST(Sample, GreedyTakesTheLargestAndAtTiesTheLowerId) {
  Fixture f(3, 4);
  f.logits.SetRow(0, {1, 3, 2, 3});
  f.logits.SetRow(1, {-1, -2, -0.5, -3});
  f.logits.SetRow(2, {0, 0, 0, 0});
  f.temperature[1] = -1;
  f.temperature[2] = std::numeric_limits<float>::quiet_NaN();
  f.Run();
  EXPECT_EQ(f.token, (std::vector<std::int32_t>{1, 2, 0}));
}

TEST(Sample, LogprobIsOfTheLogitsAsTheyAre) {
  Fixture f(1, 2);
  f.logits.SetRow(0, {0, std::log(3.0)});
  const std::uint32_t only_first = 1;
  f.args.mask = &only_first;
  f.args.mask_words = 1;
  f.temperature[0] = 0.1F;
  f.Run();
  EXPECT_EQ(f.token[0], 0);
  EXPECT_NEAR(f.logprob[0], std::log(0.25), 1e-6);
}

TEST(Sample, BrokenRowsFailAlone) {
  Fixture f(5, 3);
  for (std::int64_t row = 0; row < 5; ++row) f.logits.SetRow(row, {0, 1, 2});
  f.logits.Set(1, 0, std::numeric_limits<double>::quiet_NaN());
  f.logits.Set(2, 0, std::numeric_limits<double>::infinity());
  f.logits.Set(3, 0, -std::numeric_limits<double>::infinity());
  const std::vector<std::uint32_t> masks = {7, 7, 7, 7, 0};
  f.args.mask = masks.data();
  f.args.mask_words = 1;
  f.Run();
  EXPECT_EQ(f.token, (std::vector<std::int32_t>{2, -1, -1, -1, -1}));
  for (std::int64_t row = 1; row < 5; ++row) EXPECT_EQ(f.logprob[row], 0);
}

TEST(Sample, PaddingRowsAreNotWritten) {
  Fixture f(2, 2);
  f.logits.SetRow(0, {0, 1});
  const std::vector<std::int32_t> sequences = {0, -1};
  f.args.row_sequence = sequences.data();
  f.Run();
  EXPECT_EQ(f.token, (std::vector<std::int32_t>{1, 77}));
  EXPECT_EQ(f.logprob[1], 77);
}

TEST(Sample, MaskBitsAreTokenIdsOfTheWholeVocabulary) {
  Fixture f(2, 40);
  BatchNumbers numbers(4);
  f.logits.Fill(numbers);
  f.args.vocab_offset = 30;  // ids 30 ... 69: words 0, 1 and 2
  std::vector<std::uint32_t> masks(6, 0);
  masks[0] = 0x80000000U;  // row 0: 31 only
  masks[3 + 2] = 1U << 5;  // row 1: 69 only
  f.args.mask = masks.data();
  f.args.mask_words = 3;
  f.Run();
  EXPECT_EQ(f.token, (std::vector<std::int32_t>{31, 69}));
}

// Pearson's statistic over eight tokens has 7 degrees of freedom: above 24.32 with probability
// 0.001. Seeds are fixed, so the test is the same each time.
double ChiSquare(Fixture& f, std::int32_t draws, const std::vector<double>& probabilities) {
  std::map<std::int32_t, int> counts = Histogram(f, draws);
  double sum = 0;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    const double expected = probabilities[i] * draws;
    sum += std::pow(counts[static_cast<std::int32_t>(i)] - expected, 2) / expected;
  }
  return sum;
}

TEST(Sample, FrequenciesFollowTheSoftmaxAtATemperature) {
  constexpr double kQuantile = 24.32;
  for (const std::uint64_t seed : {0ULL, 1ULL, 0xFFFFFFFFFFFFFFFFULL}) {
    for (const float temperature : {1.0F, 0.5F, 2.0F}) {
      Fixture f(1, 8);
      BatchNumbers numbers(9);
      f.logits.Fill(numbers);
      f.temperature[0] = temperature;
      f.seed[0] = seed;
      std::vector<double> probabilities;
      double total = 0;
      for (std::int64_t i = 0; i < 8; ++i) {
        probabilities.push_back(std::exp(f.logits.At(0, i) / static_cast<double>(temperature)));
        total += probabilities.back();
      }
      for (double& probability : probabilities) probability /= total;
      EXPECT_LT(ChiSquare(f, 20000, probabilities), kQuantile) << seed << " " << temperature;
    }
  }
}

TEST(Sample, NeighbouringSeedsAreUnrelated) {
  Fixture f(1, 8);
  for (std::int64_t i = 0; i < 8; ++i) f.logits.Set(0, i, 0);
  f.temperature[0] = 1;
  int same = 0;
  for (std::int32_t position = 0; position < 4000; ++position) {
    f.position[0] = position;
    f.seed[0] = 5;
    f.Run();
    const std::int32_t first = f.token[0];
    f.seed[0] = 6;
    f.Run();
    if (first == f.token[0]) ++same;
  }
  // One in eight; the standard deviation is sqrt(4000 * 7 / 64), just below 21.
  EXPECT_NEAR(same, 500, 4 * 21);
}

TEST(Sample, TopKKeepsTheLargestAndAtTiesTheLowerIds) {
  Fixture f(1, 5);
  f.logits.SetRow(0, {1, 2, 1, 1, 0});
  f.temperature[0] = 1;
  f.top_k[0] = 3;
  const std::map<std::int32_t, int> counts = Histogram(f, 500);
  EXPECT_EQ(counts.size(), 3U);
  EXPECT_TRUE(counts.contains(0) && counts.contains(1) && counts.contains(2));
}

TEST(Sample, TopKBeyondTheVocabularyIsOff) {
  Fixture f = FourTokens();
  f.top_k[0] = 100;
  EXPECT_EQ(Histogram(f, 500).size(), 4U);
}

TEST(Sample, TopPKeepsTheShortestPrefixThatReachesIt) {
  Fixture f = FourTokens();
  f.top_p[0] = 0.7F;  // .5 is not enough, .5 + .25 is
  std::map<std::int32_t, int> counts = Histogram(f, 3000);
  EXPECT_EQ(counts.size(), 2U);
  // Renormalised: two thirds; the standard deviation is sqrt(3000 * 2 / 9), below 26.
  EXPECT_NEAR(counts[2], 2000, 4 * 26);
  EXPECT_EQ(counts[0], 3000 - counts[2]);
}

TEST(Sample, TopPOfNothingKeepsTheFirst) {
  Fixture f = FourTokens();
  f.top_p[0] = 0;
  EXPECT_EQ(Histogram(f, 100)[2], 100);
}

TEST(Sample, TopPIsAShareOfWhatTopKKept) {
  Fixture f = FourTokens();
  f.top_k[0] = 2;
  f.top_p[0] = 0.6F;  // .5 / .75 is enough
  EXPECT_EQ(Histogram(f, 100)[2], 100);
}

TEST(Sample, MinPIsAShareOfTheLargest) {
  Fixture f = FourTokens();
  f.min_p[0] = 0.25F;  // .1 / .5 is less, .15 / .5 is not
  const std::map<std::int32_t, int> counts = Histogram(f, 500);
  EXPECT_EQ(counts.size(), 3U);
  EXPECT_FALSE(counts.contains(1));
  f.min_p[0] = 5;
  EXPECT_EQ(Histogram(f, 100)[2], 100);
}

TEST(Sample, ALowTemperatureIsNearlyGreedy) {
  Fixture f = FourTokens();
  f.temperature[0] = 1e-30F;
  EXPECT_EQ(Histogram(f, 100)[2], 100);
}

TEST(Sample, APickDependsOnSeedAndPositionAloneNotOnTheRow) {
  BatchNumbers numbers(30);
  Fixture batch(6, 50);
  batch.logits.Fill(numbers);
  for (std::int64_t row = 0; row < 6; ++row) {
    batch.temperature[row] = 1;
    batch.top_p[row] = 0.95F;
    batch.seed[row] = 40 + row;
    batch.position[row] = static_cast<std::int32_t>(100 * row);
  }
  batch.Run();
  for (std::int64_t row = 0; row < 6; ++row) {
    Fixture one(1, 50);
    for (std::int64_t i = 0; i < 50; ++i) one.logits.Set(0, i, batch.logits.At(row, i));
    one.temperature[0] = 1;
    one.top_p[0] = 0.95F;
    one.seed[0] = 40 + row;
    one.position[0] = static_cast<std::int32_t>(100 * row);
    one.Run();
    EXPECT_EQ(one.token[0], batch.token[row]);
    EXPECT_EQ(one.logprob[0], batch.logprob[row]);
  }
}

TEST(Sample, TheBetterOfTwoShardsIsThePickOfTheWhole) {
  for (std::int32_t position = 0; position < 50; ++position) {
    BatchNumbers numbers(31);
    Fixture whole(1, 12);
    whole.logits.Fill(numbers);
    whole.temperature[0] = 1;
    whole.position[0] = position;
    whole.Run();
    const std::uint64_t key = SampleKey(1, position);
    std::int32_t best = -1;
    double best_score = 0;
    for (const std::int64_t offset : {0, 5}) {
      Fixture shard(1, offset == 0 ? 5 : 7);
      for (std::int64_t i = 0; i < shard.args.logits.columns; ++i) {
        shard.logits.Set(0, i, whole.logits.At(0, offset + i));
      }
      shard.args.vocab_offset = offset;
      shard.temperature[0] = 1;
      shard.position[0] = position;
      shard.Run();
      const auto logit = static_cast<float>(whole.logits.At(0, shard.token[0]));
      const double score = SampleScore(logit, 1.0F, key, shard.token[0]);
      if (best < 0 || score > best_score) {
        best = shard.token[0];
        best_score = score;
      }
    }
    EXPECT_EQ(best, whole.token[0]);
  }
}

TEST(SampleMath, StreamIsSplitmix64) {
  // The first outputs of splitmix64 from state 0, as published with xoshiro's test vectors.
  EXPECT_EQ(SampleMix(kSampleGamma), 0xE220A8397B1DCDAFULL);
  EXPECT_EQ(SampleMix(2 * kSampleGamma), 0x6E789E6AA1B965F4ULL);
}

TEST(SampleMath, UniformLiesInsideTheOpenInterval) {
  for (std::int32_t token = 0; token < 10000; ++token) {
    const double number = SampleUniform(SampleKey(3, 4), token);
    EXPECT_GT(number, 0);
    EXPECT_LT(number, 1);
  }
}

TEST(Sample, ChecksNameTheArgument) {
  const Fixture f(1, 40);
  SampleArgs args = f.args;
  args.logits.dtype = DType::kBF16;
  EXPECT_EQ(CheckSampleArgs(args).error().message, "sample: logits is BF16, must be F32");
  args = f.args;
  const std::uint32_t word = 0;
  args.mask = &word;
  args.mask_words = 1;
  EXPECT_EQ(CheckSampleArgs(args).error().message, "sample: mask_words is 1, must be >= 2");
  args = f.args;
  args.vocab_offset = -1;
  EXPECT_EQ(CheckSampleArgs(args).error().message, "sample: vocab_offset is -1, must be >= 0");
  args = f.args;
  args.vocab_offset = 2147483640;
  EXPECT_EQ(CheckSampleArgs(args).error().message,
            "sample: vocabulary ends at 2147483680, must be <= 2147483647");
  args = f.args;
  args.seed = nullptr;
  EXPECT_EQ(CheckSampleArgs(args).error().message, "sample: seed is null");
}

}  // namespace
}  // namespace glint::kernels
