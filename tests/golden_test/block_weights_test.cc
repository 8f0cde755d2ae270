// SPDX-License-Identifier: Apache-2.0
// The forward pass with weights rounded to blocks of eight or four bits and products in integers.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/fallback.h"
#include "device/cpu/cpu_device.h"
#include "model/loaded_model.h"
#include "tensor/model_files.h"
#include "tests/golden_test/golden_case.h"

namespace glint {
namespace {

using tensor::WeightFormat;

class BlockWeights : public GoldenTest {
 protected:
  [[nodiscard]] static GoldenCase Case(WeightFormat format, GoldenOptions options = {}) {
    options.dtype = tensor::DType::kBF16;
    options.block_format = format;
    return GoldenCase(GetParam().model, options);
  }
  [[nodiscard]] static GoldenOptions Fast(int threads = 2) {
    return {.operations = &GetParam().operations(), .threads = threads};
  }
};

// The error of the middle row. A small difference tips an expert or an index here and there, which
// makes that row another one; a wrong scale or a lost minimum makes nearly every row wrong.
double MiddleError(const std::vector<float>& a, const std::vector<float>& b, std::int64_t rows) {
  const std::size_t width = a.size() / static_cast<std::size_t>(rows);
  std::vector<double> errors;
  for (std::size_t at = 0; at < a.size(); at += width) {
    errors.push_back(
        RelativeError(std::span(a).subspan(at, width), std::span(b).subspan(at, width)));
  }
  std::sort(errors.begin(), errors.end());
  return errors[errors.size() / 2];
}

INSTANTIATE_TEST_SUITE_P(Models, BlockWeights, testing::ValuesIn(ModelsOnTables(false)),
                         ModelOnTableName);

TEST_P(BlockWeights, LogitsAreNearThoseOfTheFullWeights) {
  for (const auto& [format, limit] :
       {std::pair(WeightFormat::kQ8_0, 0.05), std::pair(WeightFormat::kQ4_0, 0.7)}) {
    GoldenCase golden = Case(format, Fast());
    // Beyond the indexer's top-k, random scores tip in every row.
    const auto& indexer = golden.model().indexer;
    const std::int64_t rows = indexer ? std::min<std::int64_t>(indexer->top_k, 48) : 48;
    const std::span<const std::int32_t> ids = golden.ids();
    const std::vector<float> logits =
        golden.Logits(*golden.MakeForward(), ids.subspan(0, static_cast<std::size_t>(rows)), rows);
    std::vector<float> want = golden.Golden("logits.npy");
    want.resize(logits.size());
    EXPECT_LT(MiddleError(logits, want, rows), limit) << tensor::WeightFormatName(format);
  }
}

TEST_P(BlockWeights, TheIntegerKernelsAgreeWithTheReference) {
  GoldenCase fast = Case(WeightFormat::kQ8_0, Fast());
  GoldenCase slow = Case(WeightFormat::kQ8_0);
  EXPECT_LT(MiddleError(fast.Logits(*fast.MakeForward(), fast.ids(), 48),
                        slow.Logits(*slow.MakeForward(), slow.ids(), 48), 48),
            0.05);
}

TEST_P(BlockWeights, ChunksAndThreadsGiveTheSameBits) {
  for (const WeightFormat format : {WeightFormat::kQ8_0, WeightFormat::kQ4_0}) {
    GoldenCase golden = Case(format, Fast());
    const std::vector<float> whole = golden.Logits(*golden.MakeForward(), golden.ids(), 48);
    for (const std::int64_t chunk : {1, 3, 7}) {
      EXPECT_EQ(golden.Logits(*golden.MakeForward(), golden.ids(), chunk), whole) << chunk;
    }
    GoldenCase one = Case(format, Fast(1));
    EXPECT_EQ(one.Logits(*one.MakeForward(), one.ids(), 48), whole);
  }
}

// How many matrices were dequantised because no kernel reads their format.
std::int64_t Dequantised(const std::string& name, const model::LoadOptions& given) {
  FallbackLog fallbacks;
  model::LoadOptions options = given;
  options.fallbacks = &fallbacks;
  const auto device = device::MakeCpuDevice(1);
  const auto files = tensor::FindModelFiles(GoldenFolder(name).string());
  EXPECT_TRUE(model::LoadFolder(files.value(), *device, options).ok());
  std::int64_t count = 0;
  for (const auto& [reason, times] : fallbacks.Counts()) {
    EXPECT_TRUE(reason.starts_with("weights: no CPU kernel for fp8 block 128 [")) << reason;
    count += times;
  }
  return count;
}

TEST(BlockWeightsOfFp8, DequantisingIsReported) {
  EXPECT_GT(Dequantised("glm_moe_dsa_fp8", {}), 10);
  EXPECT_EQ(Dequantised("glm_moe_dsa_fp8", {.dtype = tensor::DType::kF32}), 0);
  EXPECT_EQ(Dequantised("glm_moe_dsa", {.block_format = WeightFormat::kQ8_0}), 0);
}

}  // namespace
}  // namespace glint
