// SPDX-License-Identifier: Apache-2.0
// Field report C5: sparse attention beyond 2048 tokens, where a wrong indexer first shows. A tiny
// model of generated weights with GLM-5.2's top-2048, on the operations that this machine picks.
// How far sparse and dense results lie apart is not judged: with random weights a dropped position
// may change which experts a row takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "device/cpu/cpu_device.h"
#include "kernels/isa.h"
#include "kernels/operations_cpu.h"
#include "model/forward.h"
#include "model/loaded_model.h"
#include "spec/config_parser.h"
#include "tensor/model_files.h"
#include "tests/golden_test/golden_case.h"

namespace glint {
namespace {

constexpr std::int64_t kTopK = 2048;
constexpr std::int64_t kPages = 140;  // of 16 tokens

class Runner {
 public:
  explicit Runner(bool sparse, const kernels::OperationTable& operations =
                                   kernels::CpuOperations(kernels::DetectIsa()))
      : device_(device::MakeCpuDevice(2)) {
    GoldenCase golden("glm_moe_dsa");
    spec::ModelSpec model = golden.model();
    model.mtp_layers.clear();
    model.layers.resize(2);  // one that selects, one that shares
    model.max_positions = 4096;
    model.indexer->top_k = kTopK;
    loaded_ = model::LoadSynthetic(model, *device_, 1, {.dtype = tensor::DType::kF32}).value();
    if (!sparse) {
      // The dense reference: the same weights, and no layer looks at a selection.
      loaded_.spec.indexer.reset();
      for (spec::LayerSpec& layer : loaded_.spec.layers) {
        layer.indexer = spec::IndexerRole::kNone;
      }
    }
    forward_ =
        model::Forward::Create(
            loaded_.spec, *loaded_.store, operations, *device_,
            {.cache = {.dtype = tensor::DType::kF32, .page_count = kPages, .page_tokens = 16},
             .max_rows = 256,
             .max_sequences = 1,
             .max_logit_rows = 1})
            .value();
  }

  // Runs `count` more tokens in chunks; returns the last one's logits.
  std::vector<float> Advance(std::int64_t count, std::int64_t chunk) {
    std::vector<float> logits;
    while (count > 0) {
      const std::int64_t rows = std::min(chunk, count);
      model::BatchSequence sequence{.first_position = position_, .logit_rows = 1};
      for (std::int64_t page = 0; page < kPages; ++page) {
        sequence.pages.push_back(static_cast<PageId>(kPages - 1 - page));
      }
      for (std::int64_t i = 0; i < rows; ++i) {
        sequence.tokens.push_back(
            model::TokenSlot::Id(static_cast<std::int32_t>((position_++ * 31 + 7) % 251)));
      }
      const auto result = forward_->Run({.sequences = {std::move(sequence)}}).value();
      logits.assign(result.logits.begin(), result.logits.end());
      count -= rows;
    }
    return logits;
  }

 private:
  std::unique_ptr<device::Device> device_;
  model::LoadedModel loaded_;
  std::unique_ptr<model::Forward> forward_;
  std::int64_t position_ = 0;
};

TEST(FieldReportC5, SparseIsDenseUpToTopKAndDecodesBeyondItAsItPrefills) {
  Runner sparse(true);
  Runner again(true);
  Runner dense(false);
  const std::vector<float> at_top_k = sparse.Advance(kTopK, 256);
  EXPECT_EQ(at_top_k, dense.Advance(kTopK, 256)) << "all positions are selected";
  EXPECT_EQ(at_top_k, again.Advance(kTopK, 200));
  // The next tokens drop positions: decoded one by one, in one chunk, and dense.
  const std::vector<float> decoded = sparse.Advance(40, 1);
  EXPECT_EQ(decoded, again.Advance(40, 40));
  EXPECT_NE(decoded, dense.Advance(40, 40));
}

TEST(FieldReportC5, BeyondTopKTheMachinesOperationsAgreeWithTheReference) {
  Runner ours(true);
  Runner reference(true, kernels::ReferenceOperations());
  (void)ours.Advance(kTopK, 256);
  (void)reference.Advance(kTopK, 256);
  EXPECT_LT(RelativeError(ours.Advance(9, 1), reference.Advance(9, 9)), 1e-5);
}

}  // namespace
}  // namespace glint
