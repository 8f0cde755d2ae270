// SPDX-License-Identifier: Apache-2.0
#include "model/checkpoint_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "model/synthetic_checkpoint.h"
#include "spec/config_parser.h"

namespace glint::model {
namespace {

// Two layers (dense, MoE), the second sharing the first one's selection, and an MTP layer.
constexpr const char* kConfig = R"({"model_type":"glm_moe_dsa","vocab_size":96,"hidden_size":64,
  "num_hidden_layers":2,"num_attention_heads":2,"q_lora_rank":32,"kv_lora_rank":32,
  "qk_nope_head_dim":16,"qk_rope_head_dim":8,"v_head_dim":16,"intermediate_size":64,
  "moe_intermediate_size":32,"n_routed_experts":4,"num_experts_per_tok":2,"n_shared_experts":1,
  "first_k_dense_replace":1,"rms_norm_eps":1e-5,"max_position_embeddings":512,"rope_theta":10000,
  "index_n_heads":4,"index_head_dim":16,"index_topk":8,"indexer_types":["full","shared"],
  "num_nextn_predict_layers":1})";

using Specs = std::vector<tensor::TensorSpec>;

class LocateWeightsTest : public testing::Test {
 protected:
  // Writes `specs` with synthetic numbers and locates the weights of kConfig in them.
  Result<CheckpointWeights> Locate(const Specs& specs) {
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) /
        testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder);
    auto writer = tensor::SafetensorsWriter::Create(folder / "model.safetensors", specs).value();
    for (const auto& spec : specs) EXPECT_TRUE(writer.Append(SyntheticBytes(spec, 1)).ok());
    EXPECT_TRUE(writer.Finish().ok());
    checkpoint_.emplace(tensor::Checkpoint::Open(folder).value());
    return LocateWeights(model_, *checkpoint_);
  }

  // The tensors that a checkpoint of kConfig has, without those whose name holds `part`.
  [[nodiscard]] Specs Without(std::string_view part) const {
    Specs specs = SyntheticTensors(model_);
    std::erase_if(specs, [&](const auto& s) { return s.name.find(part) != std::string::npos; });
    return specs;
  }

  spec::ModelSpec model_ = spec::ParseConfig(kConfig, "config.json").value();
  std::optional<tensor::Checkpoint> checkpoint_;
};

TEST_F(LocateWeightsTest, EveryTensorOfAWholeCheckpointIsUsedOnce) {
  const auto weights = Locate(SyntheticTensors(model_)).value();
  EXPECT_EQ(weights.located.size(), SyntheticTensors(model_).size());
  EXPECT_TRUE(weights.unused.empty());
  EXPECT_TRUE(weights.warnings.empty());
}

TEST_F(LocateWeightsTest, AMissingTensorIsNamed) {
  const auto weights = Locate(Without("layers.1.mlp.experts.3.up_proj"));
  ASSERT_FALSE(weights.ok());
  EXPECT_EQ(weights.error().code, ErrorCode::kNotFound);
  EXPECT_NE(weights.error().message.find("model.layers.1.mlp.experts.3.up_proj"), std::string::npos)
      << weights.error().message;
}

TEST_F(LocateWeightsTest, AWrongShapeIsNamedWithBothShapes) {
  Specs specs = SyntheticTensors(model_);
  for (auto& spec : specs) {
    if (spec.name == "model.layers.0.self_attn.o_proj.weight") spec.shape = {64, 64};
  }
  const std::string message = Locate(specs).error().message;
  for (const char* part : {"model.layers.0.self_attn.o_proj.weight", "[64, 64]", "[64, 32]"}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

TEST_F(LocateWeightsTest, WhatNothingNeedsIsNamed) {
  Specs specs = SyntheticTensors(model_);
  specs.push_back({.name = "model.layers.0.self_attn.rotary_emb.inv_freq", .shape = {4}});
  // Converters have left indexers in layers that share a selection.
  specs.push_back({.name = "model.layers.1.self_attn.indexer.wk.weight",
                   .dtype = tensor::DType::kBF16,
                   .shape = {16, 64}});
  const auto weights = Locate(specs).value();
  EXPECT_EQ(weights.unused,
            (std::vector<std::string>{"model.layers.0.self_attn.rotary_emb.inv_freq",
                                      "model.layers.1.self_attn.indexer.wk.weight"}));
}

TEST_F(LocateWeightsTest, AConfiguredMtpLayerWithoutTensorsIsANamedWarning) {
  const auto weights = Locate(Without("model.layers.2.")).value();
  EXPECT_TRUE(weights.model.mtp_layers.empty());
  ASSERT_EQ(weights.warnings.size(), 1U);
  EXPECT_NE(weights.warnings[0].find("model.layers.2.*"), std::string::npos);
}

TEST_F(LocateWeightsTest, APartOfAnMtpLayerIsAnError) {
  EXPECT_EQ(Locate(Without("model.layers.2.eh_proj")).error().code, ErrorCode::kNotFound);
}

TEST_F(LocateWeightsTest, FusedExpertsGiveTheSameNumbersAsSeparateOnes) {
  // Fused tensors whose bytes are the separate experts', gate rows first.
  Specs specs = SyntheticTensors(model_);
  const auto fused = Without("layers.1.mlp.experts.");
  Specs all = fused;
  all.push_back({"model.layers.1.mlp.experts.gate_up_proj", tensor::DType::kBF16, {4, 64, 64}});
  all.push_back({"model.layers.1.mlp.experts.down_proj", tensor::DType::kBF16, {4, 64, 32}});
  const auto weights = Locate(all).value();
  EXPECT_TRUE(weights.unused.empty());
  const tensor::StoredTensor& gate_up = *checkpoint_->Find(all[all.size() - 2].name);
  const tensor::StoredTensor& down = *checkpoint_->Find(all.back().name);
  int checked = 0;
  for (const LocatedWeight& located : weights.located) {
    const spec::TensorGroup& group = weights.groups[static_cast<std::size_t>(located.group)];
    if (group.role != spec::TensorRole::kExpert || group.layer != 1) continue;
    const bool is_down = group.name.ends_with("down_proj.weight");
    const bool is_up = group.name.ends_with("up_proj.weight");
    const tensor::WeightView& view = located.stored.view;
    const std::int64_t row = is_down ? located.copy * 64 : located.copy * 64 + (is_up ? 32 : 0);
    const tensor::StoredTensor& whole = is_down ? down : gate_up;
    EXPECT_EQ(tensor::WeightElement(view, 1, 2), whole.View().At((row + 1) * view.columns + 2));
    ++checked;
  }
  EXPECT_EQ(checked, 12);
}

TEST_F(LocateWeightsTest, TheStaleNameOfTheIndexerWeightsIsAccepted) {
  Specs specs = SyntheticTensors(model_);
  for (auto& spec : specs) {
    const std::size_t at = spec.name.find("weights_proj");
    if (at != std::string::npos) spec.name.replace(at, 12, "indexers_proj");
  }
  const auto weights = Locate(specs);
  ASSERT_TRUE(weights.ok()) << weights.error().message;
  EXPECT_TRUE(weights.value().unused.empty());
}

TEST(SyntheticCheckpoint, NumbersDependOnSeedAndNameOnly) {
  const tensor::TensorSpec a{"a.weight", tensor::DType::kBF16, {8, 16}};
  const tensor::TensorSpec b{"b.weight", tensor::DType::kBF16, {8, 16}};
  EXPECT_EQ(SyntheticBytes(a, 1), SyntheticBytes(a, 1));
  EXPECT_NE(SyntheticBytes(a, 1), SyntheticBytes(a, 2));
  EXPECT_NE(SyntheticBytes(a, 1), SyntheticBytes(b, 1));
}

TEST(SyntheticCheckpoint, AMatrixHasVarianceOneOverItsWidth) {
  const tensor::TensorSpec spec{"m.weight", tensor::DType::kF32, {256, 64}};
  const std::vector<std::byte> bytes = SyntheticBytes(spec, 3);
  double sum = 0;
  double squares = 0;
  for (std::int64_t i = 0; i < spec.shape.ElementCount(); ++i) {
    const double value = tensor::LoadElement(spec.dtype, bytes.data(), i);
    sum += value;
    squares += value * value;
  }
  // Five standard errors of mean and variance of 16,384 uniform numbers.
  EXPECT_NEAR(sum / 16384, 0, 5 * 0.125 / 128);
  EXPECT_NEAR(squares / 16384, 1.0 / 64, 5 * 0.9 / 64 / 128);
}

// One head's rows are nope rows out of the transposed keys, then v_dim rows of the values.
TEST(SplitKvB, ElementsAreThoseOfTheJoinedMatrix) {
  constexpr std::int64_t kHeads = 2;
  constexpr std::int64_t kNope = 3;
  constexpr std::int64_t kValue = 2;
  constexpr std::int64_t kRank = 4;
  std::vector<float> keys(kHeads * kRank * kNope);
  std::vector<float> values(kHeads * kValue * kRank);
  const auto joined = [](std::int64_t row, std::int64_t column) {
    return static_cast<float>(10 * row + column);
  };
  for (std::int64_t head = 0; head < kHeads; ++head) {
    const std::int64_t first = head * (kNope + kValue);
    for (std::int64_t c = 0; c < kRank; ++c) {
      for (std::int64_t r = 0; r < kNope; ++r) {
        keys[static_cast<std::size_t>((head * kRank + c) * kNope + r)] = joined(first + r, c);
      }
      for (std::int64_t r = 0; r < kValue; ++r) {
        values[static_cast<std::size_t>((head * kValue + r) * kRank + c)] =
            joined(first + kNope + r, c);
      }
    }
  }
  const auto view = [](const std::vector<float>& numbers, std::int64_t rows, std::int64_t columns) {
    tensor::WeightView made;
    made.rows = rows;
    made.columns = columns;
    made.data = {
        tensor::DType::kF32, {rows, columns}, reinterpret_cast<const std::byte*>(numbers.data())};
    return made;
  };
  const SplitKvB split = {view(keys, kHeads * kRank, kNope), view(values, kHeads * kValue, kRank)};
  for (std::int64_t row = 0; row < kHeads * (kNope + kValue); ++row) {
    for (std::int64_t column = 0; column < kRank; ++column) {
      EXPECT_EQ(SplitKvBElement(split, row, column), joined(row, column)) << row << ", " << column;
    }
  }
}

}  // namespace
}  // namespace glint::model
