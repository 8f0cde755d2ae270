// SPDX-License-Identifier: Apache-2.0
#include "spec/weight_plan.h"

#include <gtest/gtest.h>

#include "spec/builtin_models.h"
#include "spec/config_parser.h"

namespace glint::spec {
namespace {

ModelSpec Builtin(std::string_view name) { return ParseBuiltin(name).value(); }

TEST(WeightPlan, PublishedBytesOfGlm52) {
  const ModelSpec model = Builtin("glm-5.2");
  EXPECT_EQ(ModelBytes(model, StorageFormat::kBf16), 1'506'659'919'872);
  EXPECT_EQ(ModelBytes(model, StorageFormat::kFp8), 755'617'140'416);
}

TEST(WeightPlan, FourBitFormatsOfGlm52AreAtMost28PercentOfBf16) {
  const ModelSpec model = Builtin("glm-5.2");
  const auto bf16 = static_cast<double>(ModelBytes(model, StorageFormat::kBf16));
  EXPECT_LT(static_cast<double>(ModelBytes(model, StorageFormat::kW4A8)), 0.28 * bf16);
  EXPECT_LT(static_cast<double>(ModelBytes(model, StorageFormat::kMxfp4)), 0.28 * bf16);
}

TEST(WeightPlan, BytesOfOneTensorInEachStorage) {
  const TensorGroup kv_a{
      .name = "kv_a", .rows = 576, .columns = 6144, .role = TensorRole::kAttention};
  EXPECT_EQ(StoredBytesEach(kv_a, TensorStorage::kBf16), 576 * 6144 * 2);
  EXPECT_EQ(StoredBytesEach(kv_a, TensorStorage::kFp8Block), 576 * 6144 + 5 * 48 * 4);
  EXPECT_EQ(StoredBytesEach(kv_a, TensorStorage::kInt8Channel), 576 * 6144 + 576 * 2);
  EXPECT_EQ(StoredBytesEach(kv_a, TensorStorage::kInt4Group), 576 * 3072 + 576 * 48 * 2 + 16);
  EXPECT_EQ(StoredBytesEach(kv_a, TensorStorage::kMxfp4), 576 * 3072 + 576 * 192);
}

TEST(WeightPlan, SensitiveTensorsKeepTheirPrecision) {
  for (const StorageFormat format : AllStorageFormats()) {
    for (const TensorRole role :
         {TensorRole::kNorm, TensorRole::kRouter, TensorRole::kIndexerWeights,
          TensorRole::kMtpProjection, TensorRole::kBias}) {
      const TensorGroup tensor{.name = "t", .rows = 128, .columns = 128, .role = role};
      EXPECT_EQ(ChooseStorage(tensor, format), TensorStorage::kBf16) << StorageFormatName(format);
    }
    const TensorGroup bias{.name = "b", .rows = 256, .role = TensorRole::kRouterBias};
    EXPECT_EQ(ChooseStorage(bias, format), TensorStorage::kF32);
  }
  const TensorGroup head{.name = "h", .rows = 9, .columns = 128, .role = TensorRole::kLmHead};
  EXPECT_EQ(ChooseStorage(head, StorageFormat::kW4A8), TensorStorage::kInt8Channel);
  EXPECT_EQ(ChooseStorage(head, StorageFormat::kInt8), TensorStorage::kBf16);
}

TEST(WeightPlan, WidthsThatNoGroupDividesFallBack) {
  EXPECT_EQ(Int4GroupSize(10944), 64);  // GLM-4.5-Air's dense width
  EXPECT_EQ(Int4GroupSize(1408), 128);
  EXPECT_EQ(Int4GroupSize(100), 0);
  const TensorGroup odd{.name = "o", .rows = 8, .columns = 100, .role = TensorRole::kDenseMlp};
  EXPECT_EQ(ChooseStorage(odd, StorageFormat::kW4A8), TensorStorage::kInt8Channel);
  EXPECT_EQ(ChooseStorage(odd, StorageFormat::kMxfp4), TensorStorage::kBf16);
}

TEST(WeightPlan, ActiveBytesCountChosenExpertsOnly) {
  const ModelSpec model = Builtin("bench-s");
  const ParameterCounts counts = CountParameters(model);
  const std::int64_t router_bias = std::int64_t{11} * 64;  // stored F32: two bytes more each
  EXPECT_EQ(ActiveBytes(model, StorageFormat::kBf16), 2 * counts.active + 2 * router_bias);
}

TEST(WeightPlan, NamesParseBack) {
  for (const StorageFormat format : AllStorageFormats()) {
    EXPECT_EQ(ParseStorageFormat(StorageFormatName(format)), format);
  }
  EXPECT_EQ(ParseStorageFormat("fp16"), std::nullopt);
}

}  // namespace
}  // namespace glint::spec
