// SPDX-License-Identifier: Apache-2.0
#include "kernels/mla_attention/mla_attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/internal/test_batch.h"
#include "kernels/mla_absorb/mla_absorb_reference.h"
#include "kernels/mla_attention/mla_attention_reference.h"

namespace glint::kernels {
namespace {

using tensor::DType;

constexpr std::int64_t kHeads = 3;
constexpr std::int64_t kNope = 12;
constexpr std::int64_t kRope = 4;
constexpr std::int64_t kValue = 8;
constexpr std::int64_t kLora = 24;
constexpr std::int64_t kTokens = 11;

using Numbers = std::vector<double>;

// One query against kTokens cached tokens, in numbers of one type.
struct Problem {
  explicit Problem(DType dtype)
      : batch(1, kTokens),
        kv_b(kHeads * (kNope + kValue), kLora, numbers),
        q(dtype, 1, kHeads * (kNope + kRope)),
        cache(dtype, kLora + kRope, batch) {
    q.Fill(numbers);
    cache.Fill(numbers);
    batch.AddRow(0, kTokens - 1);
  }
  BatchNumbers numbers{7};
  TestBatch batch;
  BatchWeight kv_b;
  TestRows q;
  TestCache cache;
};

// glm-architecture.md 2.4: keys and values are made for every token, and the scale is the one of
// a head of nope + rope elements. In double, and with none of the code under test.
Numbers NaiveHead(const Problem& p, std::int64_t head) {
  const std::int64_t first = head * (kNope + kValue);
  const auto up = [&](std::int64_t row, std::int64_t token) {
    double sum = 0;
    for (std::int64_t i = 0; i < kLora; ++i) {
      sum += p.kv_b.At(row, i) * p.cache.At(p.batch.Slot(0, token), i);
    }
    return sum;
  };
  Numbers weights;
  double total = 0;
  for (std::int64_t t = 0; t < kTokens; ++t) {
    double score = 0;
    const std::int64_t at = head * (kNope + kRope);
    for (std::int64_t i = 0; i < kNope; ++i) score += p.q.At(0, at + i) * up(first + i, t);
    for (std::int64_t i = 0; i < kRope; ++i) {
      score += p.q.At(0, at + kNope + i) * p.cache.At(p.batch.Slot(0, t), kLora + i);
    }
    weights.push_back(std::exp(score / std::sqrt(static_cast<double>(kNope + kRope))));
    total += weights.back();
  }
  Numbers output(kValue, 0.0);
  for (std::int64_t t = 0; t < kTokens; ++t) {
    for (std::int64_t i = 0; i < kValue; ++i) {
      output[i] += weights[t] / total * up(first + kNope + i, t);
    }
  }
  return output;
}

// glm-architecture.md section 7, item 3.
TEST(MlaAttention, AbsorbedEqualsNaiveInDouble) {
  const Problem p(DType::kF32);
  Numbers tokens;
  for (std::int64_t t = 0; t < kTokens; ++t) {
    for (std::int64_t i = 0; i < kLora + kRope; ++i) {
      tokens.push_back(p.cache.At(p.batch.Slot(0, t), i));
    }
  }
  const auto scale = static_cast<double>(MlaSoftmaxScale(kNope, kRope));
  for (std::int64_t head = 0; head < kHeads; ++head) {
    Numbers q_nope;
    Numbers q_rope;
    for (std::int64_t i = 0; i < kNope + kRope; ++i) {
      (i < kNope ? q_nope : q_rope).push_back(p.q.At(0, head * (kNope + kRope) + i));
    }
    const std::int64_t first = head * (kNope + kValue);
    const Numbers q_latent = AbsorbHead(p.kv_b.view(), first, q_nope);
    const Numbers latent = MlaAttendHead(q_latent, q_rope, tokens, scale);
    const Numbers output = ExpandHead(p.kv_b.view(), first + kNope, kValue, latent);
    const Numbers naive = NaiveHead(p, head);
    for (std::int64_t i = 0; i < kValue; ++i) EXPECT_NEAR(output[i], naive[i], 1e-10);
  }
}

// The three operations on stored rows; q_rope is viewed inside q.
Numbers AbsorbedPath(Problem& p, DType dtype) {
  TestRows q_latent(dtype, 1, kHeads * kLora, 2);
  TestRows latent(dtype, 1, kHeads * kLora);
  TestRows output(dtype, 1, kHeads * kValue);
  const std::int64_t stride = kNope + kRope;
  Activation q = p.q.view();
  q.columns = (kHeads - 1) * stride + kNope;
  const MlaAbsorbQueryArgs absorb = {
      p.batch.tables(), kHeads, kNope, kValue, kLora, q, stride, p.kv_b.view(), q_latent.view()};
  EXPECT_TRUE(CheckMlaAbsorbQueryArgs(absorb).ok());
  MlaAbsorbQueryReference(absorb);
  MlaAttentionArgs attention;
  attention.tables = p.batch.tables();
  attention.heads = kHeads;
  attention.kv_lora = kLora;
  attention.rope_width = kRope;
  attention.q_latent = q_latent.view();
  attention.q_rope = p.q.view();
  attention.q_rope.data =
      static_cast<std::byte*>(attention.q_rope.data) + kNope * tensor::DTypeBytes(dtype);
  attention.q_rope.columns = (kHeads - 1) * stride + kRope;
  attention.rope_head_stride = stride;
  attention.cache = p.cache.view();
  attention.scale = MlaSoftmaxScale(kNope, kRope);
  attention.output = latent.view();
  EXPECT_TRUE(CheckMlaAttentionArgs(attention).ok());
  MlaAttentionReference(attention);
  const MlaExpandValueArgs expand = {p.batch.tables(), kHeads,        kNope,        kValue, kLora,
                                     latent.view(),    p.kv_b.view(), output.view()};
  EXPECT_TRUE(CheckMlaExpandValueArgs(expand).ok());
  MlaExpandValueReference(expand);
  Numbers numbers;
  for (std::int64_t i = 0; i < kHeads * kValue; ++i) numbers.push_back(output.At(0, i));
  return numbers;
}

// Size of the difference of the stored path and the naive form, relative to the output.
double RelativeError(DType dtype) {
  Problem p(dtype);
  const Numbers stored = AbsorbedPath(p, dtype);
  double difference = 0;
  double size = 0;
  for (std::int64_t head = 0; head < kHeads; ++head) {
    const Numbers naive = NaiveHead(p, head);
    for (std::int64_t i = 0; i < kValue; ++i) {
      difference += std::pow(stored[head * kValue + i] - naive[i], 2);
      size += naive[i] * naive[i];
    }
  }
  return std::sqrt(difference / size);
}

// q_latent, latent and output are rounded once each. A rounding of q_latent moves a score by at
// most half a step of |s|; scores stay below 4 here, so weights move by at most 2 * 4 half steps.
TEST(MlaAttention, StoredRowsStayWithinTheirRounding) {
  EXPECT_LT(RelativeError(DType::kF32), 10 * 0x1p-24);
  EXPECT_LT(RelativeError(DType::kBF16), 1e-2);
}

TEST(MlaAttention, ScaleIsThatOfANaiveHead) { EXPECT_EQ(MlaSoftmaxScale(192, 64), 1.0F / 16); }

// Latent 1, rope 1, one head, by hand.
struct Tiny {
  explicit Tiny(DType dtype, std::int64_t rows)
      : batch(2, 10),
        q_latent(dtype, rows, 1, 1),
        q_rope(dtype, rows, 1),
        output(dtype, rows, 1, 2),
        cache(dtype, 2, batch) {
    args.heads = 1;
    args.kv_lora = 1;
    args.rope_width = 1;
    args.q_latent = q_latent.view();
    args.q_rope = q_rope.view();
    args.rope_head_stride = 1;
    args.cache = cache.view();
    args.scale = 0.5F;
    args.output = output.view();
  }
  void Run() {
    args.tables = batch.tables();
    ASSERT_TRUE(CheckMlaAttentionArgs(args).ok());
    MlaAttentionReference(args);
  }
  TestBatch batch;
  TestRows q_latent;
  TestRows q_rope;
  TestRows output;
  TestCache cache;
  MlaAttentionArgs args;
};

class MlaAttentionDTypes : public ::testing::TestWithParam<DType> {};

TEST_P(MlaAttentionDTypes, RowsSeeTheirOwnSequenceUpToTheirPosition) {
  const DType dtype = GetParam();
  Tiny tiny(dtype, 4);
  tiny.batch.AddRow(1, 0);
  tiny.batch.AddRow(0, 1);
  tiny.batch.AddPadding();
  tiny.batch.AddRow(0, 5);
  const double latents[] = {2, -1, 4, 0.5, 1, -3};
  for (std::int64_t t = 0; t < 6; ++t) {
    tiny.cache.SetToken(tiny.batch.Slot(0, t), {latents[t], static_cast<double>(t) / 4});
  }
  tiny.cache.SetToken(tiny.batch.Slot(1, 0), {7, 1});
  for (std::int64_t row = 0; row < 4; ++row) {
    tiny.q_latent.Set(row, 0, 0.5);
    tiny.q_rope.Set(row, 0, 2);
  }
  tiny.Run();
  const auto expected = [&](std::int64_t count) {
    double total = 0;
    double sum = 0;
    for (std::int64_t t = 0; t < count; ++t) {
      const double weight = std::exp(0.5 * (0.5 * latents[t] + 2 * static_cast<double>(t) / 4));
      total += weight;
      sum += weight * latents[t];
    }
    return sum / total;
  };
  EXPECT_EQ(tiny.output.At(0, 0), 7);
  EXPECT_NEAR(tiny.output.At(1, 0), expected(2), HalfStep(dtype, expected(2)));
  EXPECT_EQ(tiny.output.At(2, 0), 99);
  EXPECT_NEAR(tiny.output.At(3, 0), expected(6), HalfStep(dtype, expected(6)));
  EXPECT_TRUE(tiny.output.PaddingIsUntouched());
}

INSTANTIATE_TEST_SUITE_P(All, MlaAttentionDTypes, ::testing::Values(DType::kF32, DType::kBF16));

TEST(MlaAttention, SelectionLeavesOutTheRestAndMasksMinusOneAndTheFuture) {
  Tiny tiny(DType::kF32, 1);
  tiny.batch.AddRow(0, 5);
  for (std::int64_t t = 0; t < 10; ++t) {
    tiny.cache.SetToken(tiny.batch.Slot(0, t), {static_cast<double>(t), 0});
  }
  tiny.q_latent.Set(0, 0, 0);
  tiny.q_rope.Set(0, 0, 1);
  std::vector<std::int32_t> positions = {1, 4, 6, -1};
  tiny.args.selection = {positions.data(), 4};
  tiny.Run();
  EXPECT_EQ(tiny.output.At(0, 0), 2.5);
  std::fill(positions.begin(), positions.end(), -1);
  tiny.Run();
  EXPECT_EQ(tiny.output.At(0, 0), 0);
}

TEST(MlaAttention, SelectionOfAllPositionsHasTheBitsOfDense) {
  BatchNumbers numbers(3);
  Tiny dense(DType::kF32, 1);
  dense.batch.AddRow(0, 9);
  dense.cache.Fill(numbers);
  dense.q_latent.Set(0, 0, 1.3);
  dense.q_rope.Set(0, 0, -0.7);
  dense.Run();
  const double all = dense.output.At(0, 0);
  std::vector<std::int32_t> positions = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -1};
  dense.args.selection = {positions.data(), 12};
  dense.Run();
  EXPECT_EQ(dense.output.At(0, 0), all);
}

TEST(MlaAttention, LargeScoresDoNotOverflow) {
  Tiny tiny(DType::kF32, 1);
  tiny.batch.AddRow(0, 1);
  tiny.cache.SetToken(tiny.batch.Slot(0, 0), {1, 3e4});
  tiny.cache.SetToken(tiny.batch.Slot(0, 1), {2, -3e4});
  tiny.q_latent.Set(0, 0, 0);
  tiny.q_rope.Set(0, 0, 1);
  tiny.Run();
  EXPECT_EQ(tiny.output.At(0, 0), 1);
}

TEST(MlaAttention, LaterTokensChangeNothing) {
  Tiny tiny(DType::kF32, 1);
  BatchNumbers numbers(5);
  tiny.cache.Fill(numbers);
  tiny.batch.AddRow(0, 4);
  tiny.q_latent.Set(0, 0, 1);
  tiny.q_rope.Set(0, 0, 1);
  tiny.Run();
  const double before = tiny.output.At(0, 0);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::int64_t t = 5; t < 10; ++t) tiny.cache.SetToken(tiny.batch.Slot(0, t), {nan, nan});
  for (std::int64_t t = 0; t < 10; ++t) tiny.cache.SetToken(tiny.batch.Slot(1, t), {nan, nan});
  tiny.Run();
  EXPECT_EQ(tiny.output.At(0, 0), before);
}

TEST(MlaAttention, ChecksNameTheArgument) {
  Tiny tiny(DType::kF32, 1);
  tiny.batch.AddRow(0, 0);
  tiny.Run();
  MlaAttentionArgs args = tiny.args;
  args.scale = 0;
  EXPECT_EQ(CheckMlaAttentionArgs(args).error().message, "mla_attention: scale is 0, must be > 0");
  args = tiny.args;
  args.rope_head_stride = 0;
  EXPECT_EQ(CheckMlaAttentionArgs(args).error().message,
            "mla_attention: rope_head_stride is 0, must be >= 1");
  args = tiny.args;
  args.cache.width = 1;
  EXPECT_EQ(CheckMlaAttentionArgs(args).error().message,
            "mla_attention: cache has width 1, must be 2");
  args = tiny.args;
  std::int32_t position = 0;
  args.selection = {&position, 0};
  EXPECT_EQ(CheckMlaAttentionArgs(args).error().message, "mla_attention: top_k is 0, must be > 0");
  args = tiny.args;
  args.output.rows = 2;
  EXPECT_EQ(CheckMlaAttentionArgs(args).error().message,
            "mla_attention: output has 2 rows, must be 1");
}

}  // namespace
}  // namespace glint::kernels
