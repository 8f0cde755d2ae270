// SPDX-License-Identifier: Apache-2.0
#include "kernels/embedding/embedding_cpu.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/embedding/embedding_reference.h"
#include "kernels/internal/test_cpu.h"
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
  args.samples = samples.data();
  args.sample_count = static_cast<std::int64_t>(samples.size());
  args.table = table.view();
  args.out = out.view();
  return args;
}

using EmbeddingCpuOn = IsaTest;
INSTANTIATE_TEST_SUITE_P(Isa, EmbeddingCpuOn, EachIsa(), IsaTestName);

TEST_P(EmbeddingCpuOn, IsExactlyTheReference) {
  const std::vector<std::int32_t> tokens = {4, -1, 0, 2, -2, -3, 1};
  const std::vector<std::int32_t> samples = {3, 1, -1};
  const std::vector<std::int32_t> sequence = {0, 0, 1, -1, 2, 2, -1};
  for (const DType dtype : {DType::kF32, DType::kBF16, DType::kF16, DType::kI8}) {
    for (const std::int64_t columns : {1, 8, 13, 6000}) {
      const TestWeight table(dtype == DType::kI8
                                 ? TestWeight::Form{WeightFormat::kInt8Channel, DType::kF32}
                                 : TestWeight::Form{WeightFormat::kPlain, dtype},
                             5, columns, 1);
      const TestActivation out(DType::kF32, 7, columns, 2);
      EmbeddingArgs args = ArgsOf(tokens, samples, table, out);
      args.tables.row_sequence = sequence.data();
      ASSERT_EQ(CpuFallbackReason(args), "");
      for (const int threads : {1, 2, 3}) RunOnCpu(EmbeddingCpu, isa(), threads, args);
      EXPECT_TRUE(out.GapsAreUntouched());
      EXPECT_TRUE(out.IsUntouched(3, 0, columns));
      EXPECT_TRUE(out.IsUntouched(6, 0, columns));
      const TestActivation want(DType::kF32, 7, columns, 2);
      args.out = want.view();
      EmbeddingReference(args);
      ASSERT_TRUE(SameRows(out.view(), want.view())) << IsaName(isa()) << tensor::DTypeName(dtype);
    }
  }
}

TEST(EmbeddingCpu, ReadsBlocksInRowsAndInterleaved) {
  const std::vector<std::int32_t> tokens = {4, 0, 15, 7};
  for (const TestWeight::Form& form : InterleavedForms()) {
    const TestWeight stored(form, 16, 512, 1);
    const TestInterleaved interleaved(stored);
    for (const tensor::WeightView& table : {stored.view(), interleaved.view()}) {
      const TestActivation out(DType::kF32, 4, 512, 2);
      const TestActivation want(DType::kF32, 4, 512, 2);
      EmbeddingArgs args = ArgsOf(tokens, {}, stored, out);
      args.table = table;
      ASSERT_EQ(CpuFallbackReason(args), "");
      RunOnCpu(EmbeddingCpu, Isa::kBaseline, 3, args);
      args.out = want.view();
      EmbeddingReference(args);
      ASSERT_TRUE(SameRows(out.view(), want.view())) << tensor::WeightFormatName(form.format);
    }
  }
}

TEST(EmbeddingCpu, LeavesWhatItLacksToTheReferenceAndSaysWhy) {
  const std::vector<std::int32_t> tokens = {1, 0};
  const TestWeight table({WeightFormat::kPlain, DType::kF32}, 2, 8, 1);
  const TestActivation out(DType::kBF16, 2, 8);
  const TestActivation want(DType::kBF16, 2, 8);
  EmbeddingArgs args = ArgsOf(tokens, {}, table, out);
  EXPECT_EQ(CpuFallbackReason(args), "embedding: no CPU kernel for BF16 activations, reference");
  RunOnCpu(EmbeddingCpu, Isa::kBaseline, 2, args);
  args.out = want.view();
  EmbeddingReference(args);
  for (std::int64_t column = 0; column < 8; ++column) {
    EXPECT_EQ(out.At(0, column), want.At(0, column));
  }
}

}  // namespace
}  // namespace glint::kernels
