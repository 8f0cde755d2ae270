// SPDX-License-Identifier: Apache-2.0
#include "eval/inspect_model.h"

#include <gtest/gtest.h>

#include <fstream>

#include "model/synthetic_checkpoint.h"

namespace glint::eval {
namespace {

constexpr const char* kConfig = R"({"model_type":"glm4","vocab_size":96,"hidden_size":64,
  "num_hidden_layers":2,"num_attention_heads":4,"num_key_value_heads":2,"head_dim":16,
  "intermediate_size":96,"rms_norm_eps":1e-5,"max_position_embeddings":512,"rope_theta":10000,
  "attention_bias":true})";

std::filesystem::path Folder() {
  return std::filesystem::path(testing::TempDir()) /
         (std::string("inspect_") + testing::UnitTest::GetInstance()->current_test_info()->name());
}

TEST(InspectModel, AFolderIsCountedAndAccountedFor) {
  ASSERT_TRUE(model::WriteSyntheticCheckpoint(kConfig, Folder(), 1).ok());
  const auto info = InspectModel(Folder().string(), {});
  ASSERT_TRUE(info.ok()) << info.error().message;
  const CheckpointInfo& checkpoint = info.value().checkpoint.value();
  EXPECT_EQ(checkpoint.bytes, 2 * info.value().parameters.total);
  EXPECT_EQ(checkpoint.tensors, info.value().parameters.tensors);
  EXPECT_EQ(checkpoint.formats.at("BF16").weights, info.value().parameters.tensors);
  EXPECT_TRUE(checkpoint.unused.empty());
  EXPECT_FALSE(checkpoint.verified);
  EXPECT_NE(WriteModelInfo(info.value()).find("on disk"), std::string::npos);
  EXPECT_EQ(ModelInfoJson(info.value()).Find("checkpoint")->Find("files")->AsInt(), 1);
}

TEST(InspectModel, VerifyReadsEveryByteAndReportsProgress) {
  ASSERT_TRUE(model::WriteSyntheticCheckpoint(kConfig, Folder(), 1).ok());
  std::int64_t last = 0;
  std::int64_t total = -1;
  const auto info =
      InspectModel(Folder().string(), {.verify = true, .progress = [&](auto done, auto all) {
                                         EXPECT_GT(done, last);
                                         last = done;
                                         total = all;
                                       }});
  ASSERT_TRUE(info.ok()) << info.error().message;
  EXPECT_EQ(last, total);
  EXPECT_TRUE(info.value().checkpoint->verified);
}

TEST(InspectModel, VerifyFindsOneNumberThatIsNotFinite) {
  ASSERT_TRUE(model::WriteSyntheticCheckpoint(kConfig, Folder(), 1).ok());
  const std::filesystem::path file = Folder() / "model.safetensors";
  {
    std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
    stream.seekp(-4, std::ios::end);
    stream.write("\xc0\x7f", 2);  // a BF16 NaN, the second element from the end of lm_head
  }
  EXPECT_TRUE(InspectModel(Folder().string(), {}).ok()) << "headers alone do not show it";
  const auto info = InspectModel(Folder().string(), {.verify = true, .progress = {}});
  ASSERT_FALSE(info.ok());
  EXPECT_EQ(info.error().code, ErrorCode::kDataLoss);
  for (const char* part : {"model.safetensors", "lm_head.weight", "element 6142 of [96, 64]"}) {
    EXPECT_NE(info.error().message.find(part), std::string::npos) << info.error().message;
  }
}

TEST(InspectModel, UnknownNamesAreAnsweredWithWhatThereIs) {
  const Error error = InspectModel("no-such-model", {}).error();
  EXPECT_EQ(error.code, ErrorCode::kNotFound);
  EXPECT_NE(error.message.find("glm-5.2"), std::string::npos) << error.message;
}

TEST(InspectModel, ABuiltinShapeHasNothingToVerify) {
  EXPECT_TRUE(InspectModel("glm-5.2", {}).ok());
  EXPECT_EQ(InspectModel("glm-5.2", {.verify = true, .progress = {}}).error().code,
            ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace glint::eval
