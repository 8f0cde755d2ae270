// SPDX-License-Identifier: Apache-2.0
#include "eval/operation_cost.h"

#include <gtest/gtest.h>

#include <vector>

namespace glint::eval {
namespace {

tensor::WeightView Weight(std::int64_t rows, std::int64_t columns) {
  static float nothing = 0;
  tensor::WeightView view{.rows = rows, .columns = columns};
  view.data.dtype = tensor::DType::kBF16;
  view.data.shape = tensor::Shape({rows, columns});
  view.data.data = reinterpret_cast<const std::byte*>(&nothing);
  return view;
}

TEST(OperationCost, ALinearReadsItsWeightOnceWhateverItsRows) {
  kernels::LinearArgs args{.weight = Weight(6, 10)};
  args.out.rows = 3;
  const OperationCost cost = CostOf(args);
  EXPECT_EQ(cost.name, "linear 6 x 10 BF16");
  EXPECT_EQ(cost.bytes, 120);
  EXPECT_EQ(cost.f32_ops, 360);
  EXPECT_EQ(cost.int8_ops, 0);
}

TEST(OperationCost, MoeReadsEachExpertThatIsNamedOnce) {
  const std::vector<std::int32_t> ids = {2, 0, 2, -1, 0, 2};
  kernels::MoeArgs args;
  args.form = {.gate = Weight(4, 10), .up = Weight(4, 10), .down = Weight(10, 4)};
  args.expert_ids = ids.data();
  args.top_k = 2;
  args.out.rows = 3;
  const OperationCost cost = CostOf(args);
  EXPECT_EQ(cost.bytes, 2 * 3 * 80);
  EXPECT_EQ(cost.f32_ops, 5 * 3 * 80);
}

// Two sequences: rows at positions 4 and 5 of one, 2 of the other, and a padding row.
struct TwoSequences {
  std::vector<std::int32_t> sequence = {0, 0, -1, 1};
  std::vector<std::int32_t> position = {4, 5, 0, 2};
  kernels::BatchTables tables;
  TwoSequences() {
    tables.row_count = 4;
    tables.sequence_count = 2;
    tables.row_sequence = sequence.data();
    tables.row_position = position.data();
  }
};

TEST(OperationCost, DenseAttentionReadsTheLongestRowOfEachSequence) {
  const TwoSequences batch;
  kernels::MlaAttentionArgs args{.tables = batch.tables, .heads = 2, .kv_lora = 8, .rope_width = 4};
  args.cache = {.dtype = tensor::DType::kBF16, .width = 12};
  const OperationCost cost = CostOf(args);
  EXPECT_EQ(cost.bytes, (6 + 3) * 12 * 2);
  EXPECT_EQ(cost.f32_ops, (5 + 6 + 3) * 2 * 2 * (8 + 4 + 8));
}

TEST(OperationCost, ASelectionBoundsWhatIsAttendedTo) {
  const TwoSequences batch;
  std::int32_t any = 0;
  kernels::MlaAttentionArgs args{.tables = batch.tables, .heads = 2, .kv_lora = 8, .rope_width = 4};
  args.cache = {.dtype = tensor::DType::kBF16, .width = 12};
  args.selection = {.positions = &any, .top_k = 2};
  const OperationCost cost = CostOf(args);
  EXPECT_EQ(cost.bytes, (4 + 2) * 12 * 2);
  EXPECT_EQ(cost.f32_ops, (2 + 2 + 2) * 2 * 2 * (8 + 4 + 8));
}

TEST(OperationCost, TheIndexerScoresEveryPositionWhereThereIsAChoice) {
  const TwoSequences batch;
  kernels::IndexerTopkArgs args{.tables = batch.tables, .heads = 2, .head_dim = 8};
  args.cache = {.dtype = tensor::DType::kBF16, .width = 8};
  const OperationCost cost = CostOf(args);
  EXPECT_EQ(cost.bytes, (6 + 3) * 16);
  EXPECT_EQ(cost.f32_ops, (5 + 6 + 3) * 2 * 2 * 8);
  args.selection.top_k = 5;  // as many as the first row has positions
  EXPECT_EQ(CostOf(args).f32_ops, 6 * 2 * 2 * 8);
}

}  // namespace
}  // namespace glint::eval
