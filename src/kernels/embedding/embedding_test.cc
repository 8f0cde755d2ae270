// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>

#include "kernels/embedding/embedding_reference.h"
#include "kernels/test_tensors.h"

namespace glint::kernels {
namespace {

using tensor::DType;
using tensor::WeightFormat;

EmbeddingArgs ArgsOf(const std::vector<std::int32_t>& tokens,
                     const std::vector<std::int32_t>& samples, const TestWeight& table,
                     const TestActivation& out) {
  EmbeddingArgs args;
  args.tables.row_count = static_cast<std::int64_t>(tokens.size());
  args.tokens = tokens.data();
  args.samples = samples.empty() ? nullptr : samples.data();
  args.sample_count = static_cast<std::int64_t>(samples.size());
  args.table = table.view();
  args.out = out.view();
  return args;
}

std::string MessageOf(const EmbeddingArgs& args) {
  const Status status = CheckEmbeddingArgs(args);
  return status.ok() ? "" : status.error().message;
}

TEST(EmbeddingReference, CopiesTheRowsOfTokens) {
  TestWeight table({WeightFormat::kPlain, DType::kBF16}, 3, 2, 1);
  const std::array values = {0.5, -1.0, 2.0, 3.0, 4.5, 5.0};
  for (std::int64_t i = 0; i < 6; ++i) table.SetData(i, values[static_cast<std::size_t>(i)]);
  const TestActivation out(DType::kF32, 3, 2, 1);
  const std::vector<std::int32_t> tokens = {2, 0, 2};
  const EmbeddingArgs args = ArgsOf(tokens, {}, table, out);
  EXPECT_EQ(MessageOf(args), "");
  EmbeddingReference(args);
  EXPECT_EQ(out.At(0, 0), 4.5);
  EXPECT_EQ(out.At(0, 1), 5.0);
  EXPECT_EQ(out.At(1, 0), 0.5);
  EXPECT_EQ(out.At(1, 1), -1.0);
  EXPECT_EQ(out.At(2, 0), 4.5);
  EXPECT_TRUE(out.GapsAreUntouched());
}

TEST(EmbeddingReference, ReadsNegativeSlotsFromSamples) {
  const TestWeight table({WeightFormat::kPlain, DType::kF32}, 5, 3, 2);
  const TestActivation out(DType::kF32, 3, 3);
  const std::vector<std::int32_t> tokens = {-1, 4, -2};
  const std::vector<std::int32_t> samples = {3, 1};
  EmbeddingReference(ArgsOf(tokens, samples, table, out));
  for (std::int64_t column = 0; column < 3; ++column) {
    EXPECT_EQ(out.At(0, column), table.At(3, column));
    EXPECT_EQ(out.At(1, column), table.At(4, column));
    EXPECT_EQ(out.At(2, column), table.At(1, column));
  }
}

TEST(EmbeddingReference, ASampleThatFailedCountsAsIdZero) {
  const TestWeight table({WeightFormat::kPlain, DType::kF32}, 5, 3, 2);
  const TestActivation out(DType::kF32, 1, 3);
  const std::vector<std::int32_t> tokens = {-1};
  const std::vector<std::int32_t> samples = {-1};
  EmbeddingReference(ArgsOf(tokens, samples, table, out));
  for (std::int64_t column = 0; column < 3; ++column) {
    EXPECT_EQ(out.At(0, column), table.At(0, column));
  }
}

TEST(EmbeddingReference, SkipsPaddingRows) {
  const TestWeight table({WeightFormat::kPlain, DType::kF32}, 2, 4, 3);
  const TestActivation out(DType::kBF16, 3, 4);
  // A padding row's slot is not read: 99 is outside the table.
  const std::vector<std::int32_t> tokens = {1, 99, -9};
  const std::array<std::int32_t, 3> sequence = {0, -1, -1};
  EmbeddingArgs args = ArgsOf(tokens, {}, table, out);
  args.tables.row_sequence = sequence.data();
  EmbeddingReference(args);
  EXPECT_FALSE(out.IsUntouched(0, 0, 4));
  EXPECT_TRUE(out.IsUntouched(1, 0, 4));
  EXPECT_TRUE(out.IsUntouched(2, 0, 4));
}

TEST(EmbeddingReference, ReadsEveryWeightFormatAndRoundsOnce) {
  for (const TestWeight::Form& form : AllWeightForms()) {
    const TestWeight table(form, 3, 64, 4);
    for (const DType dtype : {DType::kF32, DType::kBF16}) {
      const TestActivation out(dtype, 1, 64);
      const std::vector<std::int32_t> tokens = {2};
      EmbeddingReference(ArgsOf(tokens, {}, table, out));
      for (std::int64_t column = 0; column < 64; ++column) {
        const auto exact = static_cast<float>(table.At(2, column));
        const float want =
            dtype == DType::kF32 ? exact : tensor::Bf16ToFloat(tensor::FloatToBf16(exact));
        ASSERT_EQ(out.At(0, column), want) << WeightFormatName(form.format);
      }
    }
  }
}

TEST(EmbeddingReference, EndsOnAnIdOutsideTheTable) {
  const TestWeight table({WeightFormat::kPlain, DType::kF32}, 2, 4, 3);
  const TestActivation out(DType::kF32, 1, 4);
  EXPECT_DEATH(EmbeddingReference(ArgsOf({2}, {}, table, out)), "token 2 of 2 in row 0");
  EXPECT_DEATH(EmbeddingReference(ArgsOf({-2}, {0}, table, out)), "sample 1 of 1 in row 0");
}

TEST(CheckEmbeddingArgs, NamesWhatDoesNotFit) {
  const TestWeight table({WeightFormat::kPlain, DType::kF32}, 2, 4, 3);
  const TestActivation out(DType::kF32, 2, 4);
  const std::vector<std::int32_t> tokens = {0, 1};
  const EmbeddingArgs good = ArgsOf(tokens, {}, table, out);
  EXPECT_EQ(MessageOf(good), "");
  EmbeddingArgs args = good;
  args.tokens = nullptr;
  EXPECT_EQ(MessageOf(args), "embedding: tokens is null");
  args = good;
  args.sample_count = 1;
  EXPECT_EQ(MessageOf(args), "embedding: samples is null");
  args.sample_count = -1;
  EXPECT_EQ(MessageOf(args), "embedding: sample_count is -1, must be >= 0");
  args = good;
  args.out.columns = 3;
  EXPECT_EQ(MessageOf(args), "embedding: out is [2, 3], must be [2, 4]");
  args = good;
  args.tokens = static_cast<const std::int32_t*>(out.view().data);
  EXPECT_EQ(MessageOf(args), "embedding: out shares memory with tokens");
}

}  // namespace
}  // namespace glint::kernels
