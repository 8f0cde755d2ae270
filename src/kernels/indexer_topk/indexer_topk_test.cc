// SPDX-License-Identifier: Apache-2.0
#include "kernels/indexer_topk/indexer_topk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/indexer_topk/indexer_topk_math.h"
#include "kernels/indexer_topk/indexer_topk_reference.h"
#include "kernels/internal/test_batch.h"
#include "kernels/mla_attention/mla_attention_reference.h"

namespace glint::kernels {
namespace {

using tensor::DType;
using Positions = std::vector<std::int32_t>;

// Keys of two sequences of up to 24 tokens; the rows are added by the test.
struct Fixture {
  Fixture(DType rows, DType pages, std::int64_t row_count, std::int64_t heads,
          std::int64_t head_dim, std::int64_t top_k)
      : q(rows, row_count, heads * head_dim, 1),
        head_weights(DType::kF32, row_count, heads, 1),
        cache(pages, head_dim, batch),
        selected(row_count * top_k, 77),
        scratch(IndexerTopkScratchBytes(1, top_k)) {
    args.heads = heads;
    args.head_dim = head_dim;
    args.q = q.view();
    args.head_weights = head_weights.view();
    args.cache = cache.view();
    args.selection = {selected.data(), top_k};
    args.scratch = scratch.data();
    args.scratch_bytes = static_cast<std::int64_t>(scratch.size());
  }
  void Run() {
    args.tables = batch.tables();
    const Status status = CheckIndexerTopkArgs(args);
    ASSERT_TRUE(status.ok()) << status.error().message;
    IndexerTopkReference(args);
  }
  [[nodiscard]] Positions Row(std::int64_t row) const {
    const auto begin = selected.begin() + row * args.selection.top_k;
    return {begin, begin + args.selection.top_k};
  }
  // Keys of one element of sequence 0.
  void Keys(std::initializer_list<double> keys) {
    std::int64_t t = 0;
    for (const double key : keys) cache.Set(batch.Slot(0, t++), 0, key);
  }
  TestBatch batch{2, 24};
  TestRows q;
  TestRows head_weights;
  TestCache cache;
  Positions selected;
  std::vector<std::byte> scratch;
  IndexerTopkArgs args;
};

class IndexerTopkDTypes : public ::testing::TestWithParam<std::pair<DType, DType>> {};

// Two heads of two: scores by hand, in units of 1/2 (both constants are 2^-1/2).
TEST_P(IndexerTopkDTypes, SelectsTheLargestWeightedSumsInAscendingOrder) {
  const auto [row_type, page_type] = GetParam();
  Fixture f(row_type, page_type, 3, 2, 2, 2);
  f.batch.AddRow(0, 4);
  f.batch.AddPadding();
  f.batch.AddRow(1, 3);
  // Head 0 sees the first element, head 1 twice the second; weights 1 and -0.5, then 1 and 1.
  for (std::int64_t row = 0; row < 3; ++row) f.q.SetRow(row, {1, 0, 0, 2});
  f.head_weights.SetRow(0, {1, -0.5});
  f.head_weights.SetRow(2, {1, 1});
  const double first[][2] = {{1, 5}, {3, -9}, {-4, 1}, {4, 2}, {2, 0.5}};
  for (std::int64_t t = 0; t < 5; ++t) {
    f.cache.SetToken(f.batch.Slot(0, t), {first[t][0], first[t][1]});
  }
  const double second[][2] = {{1, 2}, {-9, 2.25}, {0, -9}, {6, -1}};
  for (std::int64_t t = 0; t < 4; ++t) {
    f.cache.SetToken(f.batch.Slot(1, t), {second[t][0], second[t][1]});
  }
  f.Run();
  EXPECT_EQ(f.Row(0), (Positions{1, 3}));  // 1 - 5, 3, -1, 4 - 2, 2 - 0.5
  EXPECT_EQ(f.Row(1), (Positions{77, 77}));
  EXPECT_EQ(f.Row(2), (Positions{0, 3}));  // 1 + 4, 4.5, 0, 6
}

INSTANTIATE_TEST_SUITE_P(All, IndexerTopkDTypes,
                         ::testing::Values(std::pair{DType::kF32, DType::kF32},
                                           std::pair{DType::kF32, DType::kBF16},
                                           std::pair{DType::kBF16, DType::kF32},
                                           std::pair{DType::kBF16, DType::kBF16}));

// With weight -1 the scores are 0, 0, -5. Were the weight inside the relu, or the relu left out,
// position 1 would win with 3.
TEST(IndexerTopk, ReluComesBeforeANegativeWeight) {
  Fixture f(DType::kF32, DType::kF32, 1, 1, 1, 1);
  f.batch.AddRow(0, 2);
  f.q.Set(0, 0, 1);
  f.head_weights.Set(0, 0, -1);
  f.Keys({-1, -3, 5});
  f.Run();
  EXPECT_EQ(f.Row(0), (Positions{0}));
}

TEST(IndexerTopk, TiesGoToTheLowerPosition) {
  Fixture f(DType::kF32, DType::kF32, 1, 1, 1, 4);
  f.batch.AddRow(0, 7);
  f.q.Set(0, 0, 1);
  f.head_weights.Set(0, 0, 1);
  f.Keys({1, 2, 1, 3, 2, 1, 2, 2});
  f.Run();
  EXPECT_EQ(f.Row(0), (Positions{1, 3, 4, 6}));
}

TEST(IndexerTopk, NothingIsScoredWhileAllIsSelected) {
  Fixture f(DType::kF32, DType::kF32, 2, 1, 1, 4);
  f.batch.AddRow(0, 3);  // exactly top_k visible
  f.batch.AddRow(0, 1);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  f.q.Set(0, 0, nan);
  f.q.Set(1, 0, nan);
  f.Keys({nan, nan, nan, nan});
  f.Run();
  EXPECT_EQ(f.Row(0), (Positions{0, 1, 2, 3}));
  EXPECT_EQ(f.Row(1), (Positions{0, 1, -1, -1}));
}

TEST(IndexerTopk, OneMoreThanTopKLeavesOutTheWorst) {
  Fixture f(DType::kF32, DType::kF32, 1, 1, 1, 4);
  f.batch.AddRow(0, 4);
  f.q.Set(0, 0, 1);
  f.head_weights.Set(0, 0, 2);
  f.Keys({5, 4, 1, 2, 3});
  f.Run();
  EXPECT_EQ(f.Row(0), (Positions{0, 1, 3, 4}));
}

TEST(IndexerTopk, ANanScoreIsTheLowest) {
  Fixture f(DType::kF32, DType::kF32, 1, 1, 1, 2);
  f.batch.AddRow(0, 3);
  f.q.Set(0, 0, 1);
  f.head_weights.Set(0, 0, -1);
  f.Keys({std::numeric_limits<double>::quiet_NaN(), 3, 2, 1});
  f.Run();
  EXPECT_EQ(f.Row(0), (Positions{2, 3}));
}

TEST(IndexerTopk, TheOrderOfCandidatesIsTotal) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(IndexerPrefers(2, 9, 1, 0));
  EXPECT_FALSE(IndexerPrefers(1, 0, 2, 9));
  EXPECT_TRUE(IndexerPrefers(1, 0, 1, 9));
  EXPECT_TRUE(IndexerPrefers(-1e30, 9, nan, 0));
  EXPECT_FALSE(IndexerPrefers(nan, 0, -1e30, 9));
  EXPECT_TRUE(IndexerPrefers(nan, 0, nan, 1));
  EXPECT_FALSE(IndexerPrefers(nan, 1, nan, 1));
}

// Positions 0 ... 23 of sequence 0, `chunk` rows a call: each call has other rows beside a row.
std::vector<Positions> SelectionsInChunks(std::int64_t chunk) {
  constexpr std::int64_t kTokens = 24;
  constexpr std::int64_t kHeads = 3;
  constexpr std::int64_t kDim = 5;
  BatchNumbers numbers(11);
  TestRows q(DType::kBF16, kTokens, kHeads * kDim);
  TestRows head_weights(DType::kF32, kTokens, kHeads);
  q.Fill(numbers);
  head_weights.Fill(numbers);
  std::vector<Positions> selections;
  for (std::int64_t first = 0; first < kTokens; first += chunk) {
    Fixture f(DType::kBF16, DType::kBF16, chunk, kHeads, kDim, 6);
    BatchNumbers keys(12);
    f.cache.Fill(keys);
    for (std::int64_t i = 0; i < chunk; ++i) {
      const std::int64_t t = first + i;
      f.batch.AddRow(0, static_cast<std::int32_t>(t));
      for (std::int64_t c = 0; c < kHeads * kDim; ++c) f.q.Set(i, c, q.At(t, c));
      for (std::int64_t c = 0; c < kHeads; ++c) f.head_weights.Set(i, c, head_weights.At(t, c));
    }
    f.Run();
    for (std::int64_t i = 0; i < chunk; ++i) selections.push_back(f.Row(i));
  }
  return selections;
}

TEST(IndexerTopk, ChunksSelectTheSameSets) {
  const std::vector<Positions> whole = SelectionsInChunks(24);
  EXPECT_EQ(SelectionsInChunks(3), whole);
  EXPECT_EQ(SelectionsInChunks(1), whole);
}

// Attention with a latent of 2 and a rope part of 2, 24 tokens of sequence 0, one query row.
struct Attention {
  explicit Attention(const TestBatch& batch)
      : q_latent(DType::kF32, 1, 2),
        q_rope(DType::kF32, 1, 2),
        output(DType::kF32, 1, 2),
        cache(DType::kBF16, 4, batch) {
    BatchNumbers numbers(21);
    q_latent.Fill(numbers);
    q_rope.Fill(numbers);
    cache.Fill(numbers);
  }
  std::vector<double> Run(const BatchTables& tables, const SelectionView& selection) {
    MlaAttentionArgs args = {tables,
                             1,
                             2,
                             2,
                             q_latent.view(),
                             q_rope.view(),
                             2,
                             cache.view(),
                             MlaSoftmaxScale(14, 2),
                             selection,
                             output.view()};
    EXPECT_TRUE(CheckMlaAttentionArgs(args).ok());
    MlaAttentionReference(args);
    return {output.At(0, 0), output.At(0, 1)};
  }
  TestRows q_latent;
  TestRows q_rope;
  TestRows output;
  TestCache cache;
};

std::vector<double> SparseDecode(std::int64_t top_k, bool dense) {
  Fixture f(DType::kF32, DType::kBF16, 1, 2, 3, top_k);
  BatchNumbers numbers(20);
  f.cache.Fill(numbers);
  f.q.Fill(numbers);
  f.head_weights.Fill(numbers);
  f.batch.AddRow(0, 23);
  f.Run();
  Attention attention(f.batch);
  return attention.Run(f.batch.tables(), dense ? SelectionView{} : f.args.selection);
}

// A decode that degrades past top_k tokens is the known failure of sparse attention: with room for
// all 24 tokens the sparse path must give the dense bits, with one less it must differ.
TEST(IndexerTopk, SparseDecodeEqualsDenseWhenTopKCoversTheContext) {
  const std::vector<double> dense = SparseDecode(24, true);
  EXPECT_EQ(SparseDecode(24, false), dense);
  EXPECT_EQ(SparseDecode(100, false), dense);
  EXPECT_NE(SparseDecode(23, false), dense);
}

TEST(IndexerTopk, ScratchDoesNotGrowWithTheContext) {
  EXPECT_EQ(IndexerTopkScratchBytes(1, 2048), (2048 + kIndexerTopkBlock) * 8);
  EXPECT_EQ(IndexerTopkScratchBytes(3, 2048), 3 * IndexerTopkScratchBytes(1, 2048));
}

TEST(IndexerTopk, ChecksNameTheArgument) {
  Fixture f(DType::kF32, DType::kF32, 1, 1, 1, 4);
  f.batch.AddRow(0, 0);
  f.args.tables = f.batch.tables();
  IndexerTopkArgs args = f.args;
  args.head_weights.dtype = DType::kBF16;
  EXPECT_EQ(CheckIndexerTopkArgs(args).error().message,
            "indexer_topk: head_weights is BF16, must be F32");
  args = f.args;
  args.scratch_bytes = 8;
  EXPECT_EQ(CheckIndexerTopkArgs(args).error().message,
            "indexer_topk: scratch_bytes is 8, must be >= 8224");
  args = f.args;
  args.selection.top_k = 0;
  EXPECT_EQ(CheckIndexerTopkArgs(args).error().message, "indexer_topk: top_k is 0, must be > 0");
  args = f.args;
  args.selection.positions = nullptr;
  EXPECT_EQ(CheckIndexerTopkArgs(args).error().message, "indexer_topk: selection is null");
  args = f.args;
  args.cache.width = 2;
  EXPECT_EQ(CheckIndexerTopkArgs(args).error().message,
            "indexer_topk: cache has width 2, must be 1");
}

}  // namespace
}  // namespace glint::kernels
