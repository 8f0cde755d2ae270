// SPDX-License-Identifier: Apache-2.0
#include "kernels/gqa_attention/gqa_attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/gqa_attention/gqa_attention_reference.h"
#include "kernels/internal/test_batch.h"

namespace glint::kernels {
namespace {

using tensor::DType;

// Four query heads on two key heads of one element.
struct Fixture {
  Fixture(DType rows, DType pages, std::int64_t row_count)
      : q(rows, row_count, 4, 1),
        output(rows, row_count, 4, 3),
        k_cache(pages, 2, batch),
        v_cache(pages, 2, batch) {
    args.heads = 4;
    args.kv_heads = 2;
    args.head_dim = 1;
    args.q = q.view();
    args.k_cache = k_cache.view();
    args.v_cache = v_cache.view();
    args.scale = 0.5F;
    args.output = output.view();
  }
  void Run() {
    args.tables = batch.tables();
    ASSERT_TRUE(CheckGqaAttentionArgs(args).ok());
    GqaAttentionReference(args);
  }
  TestBatch batch{2, 10};
  TestRows q;
  TestRows output;
  TestCache k_cache;
  TestCache v_cache;
  GqaAttentionArgs args;
};

class GqaAttentionDTypes : public ::testing::TestWithParam<std::pair<DType, DType>> {};

TEST_P(GqaAttentionDTypes, NeighbouringQueryHeadsShareAKeyHead) {
  const auto [row_type, page_type] = GetParam();
  Fixture f(row_type, page_type, 4);
  f.batch.AddRow(0, 5);
  f.batch.AddPadding();
  f.batch.AddRow(1, 0);
  f.batch.AddRow(0, 2);
  const double keys[2][6] = {{1, -1, 0.5, 2, 0, -2}, {0, 1, 2, -1, 0.5, 3}};
  const double values[2][6] = {{1, 2, 3, 4, 5, 6}, {-1, 4, -9, 16, -25, 36}};
  for (std::int64_t t = 0; t < 6; ++t) {
    f.k_cache.SetToken(f.batch.Slot(0, t), {keys[0][t], keys[1][t]});
    f.v_cache.SetToken(f.batch.Slot(0, t), {values[0][t], values[1][t]});
  }
  f.k_cache.SetToken(f.batch.Slot(1, 0), {1, 1});
  f.v_cache.SetToken(f.batch.Slot(1, 0), {7, 8});
  const double queries[] = {1, -0.5, 0.25, 2};
  for (std::int64_t row = 0; row < 4; ++row) {
    f.q.SetRow(row, {queries[0], queries[1], queries[2], queries[3]});
  }
  f.Run();
  for (std::int64_t head = 0; head < 4; ++head) {
    const std::int64_t group = head < 2 ? 0 : 1;
    for (const std::int64_t row : {0, 3}) {
      const std::int64_t visible = row == 0 ? 6 : 3;
      double total = 0;
      double sum = 0;
      for (std::int64_t t = 0; t < visible; ++t) {
        const double weight = std::exp(0.5 * queries[head] * keys[group][t]);
        total += weight;
        sum += weight * values[group][t];
      }
      const double expected = sum / total;
      EXPECT_NEAR(f.output.At(row, head), expected, HalfStep(row_type, expected) + 1e-14);
    }
    EXPECT_EQ(f.output.At(1, head), 99);
    EXPECT_EQ(f.output.At(2, head), group == 0 ? 7 : 8);
  }
  EXPECT_TRUE(f.output.PaddingIsUntouched());
}

INSTANTIATE_TEST_SUITE_P(All, GqaAttentionDTypes,
                         ::testing::Values(std::pair{DType::kF32, DType::kF32},
                                           std::pair{DType::kF32, DType::kBF16},
                                           std::pair{DType::kBF16, DType::kF32},
                                           std::pair{DType::kBF16, DType::kBF16}));

TEST(GqaAttention, LaterTokensAndOtherSequencesChangeNothing) {
  Fixture f(DType::kF32, DType::kF32, 1);
  BatchNumbers numbers(5);
  f.k_cache.Fill(numbers);
  f.v_cache.Fill(numbers);
  f.q.Fill(numbers);
  f.batch.AddRow(0, 4);
  f.Run();
  const std::vector<std::byte> before = f.output.bytes();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::int64_t t = 0; t < 10; ++t) {
    if (t >= 5) f.v_cache.SetToken(f.batch.Slot(0, t), {nan, nan});
    f.k_cache.SetToken(f.batch.Slot(1, t), {nan, nan});
  }
  f.Run();
  EXPECT_EQ(f.output.bytes(), before);
}

TEST(GqaAttention, OutputMayBeTheQuery) {
  Fixture f(DType::kF32, DType::kF32, 2);
  BatchNumbers numbers(6);
  f.k_cache.Fill(numbers);
  f.v_cache.Fill(numbers);
  f.q.Fill(numbers);
  f.batch.AddRow(0, 4);
  f.batch.AddRow(1, 7);
  f.Run();
  f.args.output = f.q.view();
  f.Run();
  for (std::int64_t row = 0; row < 2; ++row) {
    for (std::int64_t i = 0; i < 4; ++i) EXPECT_EQ(f.q.At(row, i), f.output.At(row, i));
  }
}

TEST(GqaAttention, ChecksNameTheArgument) {
  Fixture f(DType::kF32, DType::kF32, 1);
  f.batch.AddRow(0, 0);
  f.args.tables = f.batch.tables();
  GqaAttentionArgs args = f.args;
  args.kv_heads = 3;
  EXPECT_EQ(CheckGqaAttentionArgs(args).error().message,
            "gqa_attention: kv_heads is 3, must divide heads, 4");
  args = f.args;
  args.scale = -1;
  EXPECT_EQ(CheckGqaAttentionArgs(args).error().message, "gqa_attention: scale is -1, must be > 0");
  args = f.args;
  args.v_cache.data = nullptr;
  EXPECT_EQ(CheckGqaAttentionArgs(args).error().message, "gqa_attention: v_cache is null");
  args = f.args;
  args.tables.max_pages = 0;
  EXPECT_EQ(CheckGqaAttentionArgs(args).error().message,
            "gqa_attention: max_pages is 0, must be > 0");
}

}  // namespace
}  // namespace glint::kernels
