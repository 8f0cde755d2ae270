// SPDX-License-Identifier: Apache-2.0
#include "tensor/stored_weight.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tensor/internal/test_checkpoint.h"

namespace glint::tensor {
namespace {

using Names = std::vector<std::string>;

// Looks for "p" of shape `expected` in a checkpoint of these tensors.
struct Found {
  Found(const std::vector<TestTensor>& tensors, Shape expected)
      : checkpoint(MakeCheckpoint(tensors)), weight(FindStoredWeight(checkpoint, "p", expected)) {}

  // "ok", or the code's name and the message.
  [[nodiscard]] std::string Outcome() const {
    if (weight.ok()) return "ok";
    return std::string(ErrorCodeName(weight.error().code)) + ": " + weight.error().message;
  }

  Checkpoint checkpoint;
  Result<StoredWeight> weight;
};

void ExpectFormat(const Found& found, WeightFormat format, const Names& tensors) {
  ASSERT_TRUE(found.weight.ok()) << found.weight.error().message;
  EXPECT_STREQ(WeightFormatName(found.weight.value().view.format), WeightFormatName(format));
  EXPECT_EQ(found.weight.value().tensors, tensors);
}

void ExpectError(const std::vector<TestTensor>& tensors, Shape expected, ErrorCode code,
                 const std::vector<std::string>& parts) {
  const Found found(tensors, expected);
  const std::string outcome = found.Outcome();
  EXPECT_EQ(outcome.rfind(ErrorCodeName(code), 0), 0U) << outcome;
  for (const std::string& part : parts) {
    EXPECT_NE(outcome.find(part), std::string::npos) << part << " is not in: " << outcome;
  }
}

TEST(StoredWeight, PlainMatrixAndVector) {
  const std::vector<std::uint16_t> numbers = {0x3F80, 0x4000, 0x4040, 0x4080, 0x40A0, 0x40C0};
  const Found matrix({{"p.weight", DType::kBF16, {2, 3}, BytesOf(numbers)}}, {2, 3});
  ExpectFormat(matrix, WeightFormat::kPlain, {"p.weight"});
  EXPECT_EQ(WeightElement(matrix.weight.value().view, 1, 2), 6.0);
  EXPECT_EQ(matrix.weight.value().view.scales.data, nullptr);
  for (const DType dtype : {DType::kF32, DType::kF16}) {
    ExpectFormat(Found({{"p.weight", dtype, {2, 3}}}, {2, 3}), WeightFormat::kPlain, {"p.weight"});
  }
  const Found vector({{"p.weight", DType::kBF16, {6}, BytesOf(numbers)}}, {6});
  ExpectFormat(vector, WeightFormat::kPlain, {"p.weight"});
  EXPECT_EQ(vector.weight.value().view.columns, 1);
  EXPECT_EQ(WeightElement(vector.weight.value().view, 5, 0), 6.0);
}

TEST(StoredWeight, Fp8BlockUnderBothNames) {
  const std::vector<float> scales = {1, 2, 3, 4};
  const std::vector<std::uint8_t> codes(std::size_t{130} * 200, 0x38);  // 1.0
  const Found official({{"p.weight", DType::kF8E4M3, {130, 200}, BytesOf(codes)},
                        {"p.weight_scale_inv", DType::kF32, {2, 2}, BytesOf(scales)}},
                       {130, 200});
  ExpectFormat(official, WeightFormat::kFp8Block, {"p.weight", "p.weight_scale_inv"});
  EXPECT_EQ(WeightElement(official.weight.value().view, 129, 127), 3.0);
  EXPECT_EQ(WeightElement(official.weight.value().view, 127, 128), 2.0);
  const Found other({{"p.weight", DType::kF8E4M3, {130, 200}},
                     {"p.weight_scale", DType::kBF16, {2, 2}},
                     {"p.input_scale", DType::kF32, {}}},
                    {130, 200});
  ExpectFormat(other, WeightFormat::kFp8Block, {"p.weight", "p.weight_scale", "p.input_scale"});
}

TEST(StoredWeight, Fp8ChannelByTheShapeOfItsScales) {
  for (const Shape& shape : {Shape{130, 1}, Shape{130}}) {
    std::vector<float> scales(130, 1);
    scales[129] = 0.5;
    const std::vector<std::uint8_t> codes(std::size_t{130} * 16, 0x38);
    const Found found({{"p.weight", DType::kF8E4M3, {130, 16}, BytesOf(codes)},
                       {"p.weight_scale", DType::kF32, shape, BytesOf(scales)}},
                      {130, 16});
    ExpectFormat(found, WeightFormat::kFp8Channel, {"p.weight", "p.weight_scale"});
    EXPECT_EQ(WeightElement(found.weight.value().view, 129, 15), 0.5);
  }
}

TEST(StoredWeight, Int8Channel) {
  const Found found(
      {{"p.weight", DType::kI8, {2, 2}, BytesOf<std::int8_t>({1, -2, 3, -4})},
       {"p.weight_scale", DType::kBF16, {2, 1}, BytesOf<std::uint16_t>({0x3F80, 0x4000})}},
      {2, 2});
  ExpectFormat(found, WeightFormat::kInt8Channel, {"p.weight", "p.weight_scale"});
  EXPECT_EQ(WeightElement(found.weight.value().view, 1, 1), -8.0);
}

TEST(StoredWeight, Int4GroupsOfAllSizes) {
  for (const std::int64_t group : {32, 64, 128}) {
    const std::vector<std::uint32_t> words(32, 0xFEDCBA90U);
    const std::vector<float> scales(static_cast<std::size_t>(256 / group), 0.5);
    const Found found({{"p.weight_packed", DType::kI32, {2, 16}, BytesOf(words)},
                       {"p.weight_scale", DType::kF32, {2, 128 / group}, BytesOf(scales)},
                       {"p.weight_shape", DType::kI64, {2}, BytesOf<std::int64_t>({2, 128})}},
                      {2, 128});
    ExpectFormat(found, WeightFormat::kInt4Group,
                 {"p.weight_packed", "p.weight_scale", "p.weight_shape"});
    const WeightView& view = found.weight.value().view;
    EXPECT_EQ(view.group, group);
    EXPECT_EQ(view.data.shape, (Shape{2, 64}));
    EXPECT_EQ(WeightElement(view, 1, 8), -4.0);
    EXPECT_EQ(WeightElement(view, 1, 15), 3.5);
  }
}

TEST(StoredWeight, Mxfp4InBothSpellings) {
  const std::vector<std::uint8_t> bytes(32, 0x72);
  for (const char* name : {"p.weight", "p.weight_packed"}) {
    for (const DType dtype : {DType::kU8, DType::kF8E8M0}) {
      const Found found({{name, DType::kU8, {2, 16}, BytesOf(bytes)},
                         {"p.weight_scale", dtype, {2, 1}, BytesOf<std::uint8_t>({127, 128})}},
                        {2, 32});
      ExpectFormat(found, WeightFormat::kMxfp4, {name, "p.weight_scale"});
      EXPECT_EQ(WeightElement(found.weight.value().view, 0, 0), 1.0);
      EXPECT_EQ(WeightElement(found.weight.value().view, 1, 31), 12.0);
    }
  }
}

TEST(StoredWeight, MissingTensorsAreNotFoundByName) {
  ExpectError({}, {2, 2}, ErrorCode::kNotFound, {"\"p.weight\""});
  ExpectError({{"p.weight", DType::kF8E4M3, {2, 2}}}, {2, 2}, ErrorCode::kNotFound,
              {"\"p.weight_scale\"", "\"p.weight_scale_inv\""});
  ExpectError({{"p.weight_packed", DType::kI32, {2, 4}}}, {2, 32}, ErrorCode::kNotFound,
              {"\"p.weight_scale\""});
}

TEST(StoredWeight, WrongShapesNameFileTensorAndBothShapes) {
  const std::string file = "model.safetensors: tensor ";
  ExpectError({{"p.weight", DType::kBF16, {3, 2}}}, {2, 3}, ErrorCode::kDataLoss,
              {file, "\"p.weight\"", "[3, 2]", "[2, 3]"});
  ExpectError({{"p.weight", DType::kBF16, {2, 1}}}, {2}, ErrorCode::kDataLoss, {"[2, 1]", "[2]"});
  const TestTensor fp8 = {"p.weight", DType::kF8E4M3, {576, 256}};
  ExpectError({fp8, {"p.weight_scale_inv", DType::kF32, {4, 2}}}, {576, 256}, ErrorCode::kDataLoss,
              {file, "\"p.weight_scale_inv\"", "[4, 2]", "[5, 2]"});
  ExpectError({{"p.weight", DType::kI8, {2, 2}}, {"p.weight_scale", DType::kF32, {1, 2}}}, {2, 2},
              ErrorCode::kDataLoss, {"\"p.weight_scale\"", "[1, 2]", "[2, 1]"});
  const TestTensor int4 = {"p.weight_packed", DType::kI32, {2, 16}};
  ExpectError({int4, {"p.weight_scale", DType::kF32, {2, 3}}}, {2, 128}, ErrorCode::kDataLoss,
              {"\"p.weight_scale\"", "[2, 3]", "128 / group"});
  ExpectError({int4, {"p.weight_shape", DType::kI64, {2}, BytesOf<std::int64_t>({2, 120})}},
              {2, 128}, ErrorCode::kDataLoss, {"\"p.weight_shape\"", "[2, 120]", "[2, 128]"});
  ExpectError({{"p.weight", DType::kU8, {2, 32}}, {"p.weight_scale", DType::kU8, {2, 1}}}, {2, 32},
              ErrorCode::kDataLoss, {"\"p.weight\"", "[2, 32]", "[2, 16]"});
}

TEST(StoredWeight, KnownButUnreadSchemesAreNamed) {
  const struct {
    std::vector<TestTensor> tensors;
    const char* tensor;
    const char* scheme;
  } rows[] = {
      {{{"p.qweight", DType::kI32, {8, 128}}}, "p.qweight", "GPTQ"},
      {{{"p.qweight", DType::kI32, {64, 16}}}, "p.qweight", "AWQ"},
      {{{"p.weight", DType::kU8, {128, 32}}, {"p.weight_scale_2", DType::kF32, {}}},
       "p.weight_scale_2",
       "NVFP4"},
      {{{"p.weight_packed", DType::kU8, {128, 32}}, {"p.weight_global_scale", DType::kF32, {1}}},
       "p.weight_global_scale",
       "NVFP4"},
      {{{"p.weight", DType::kU8, {128, 32}}, {"p.weight_scale", DType::kF8E4M3, {128, 4}}},
       "p.weight_scale",
       "NVFP4"},
      {{{"p.weight", DType::kF8E4M3, {128, 64}}, {"p.weight_scale", DType::kU8, {128, 2}}},
       "p.weight_scale",
       "MXFP8"},
      {{{"p.weight", DType::kF8E4M3, {256, 64}}, {"p.weight_scale", DType::kF32, {}}},
       "p.weight_scale",
       "one scale per tensor"},
      {{{"p.weight", DType::kI8, {128, 32}}, {"p.weight_scale_inv", DType::kF32, {128, 1}}},
       "p.weight",
       "W4AFP8"},
      {{{"p.weight_packed", DType::kI32, {128, 8}}, {"p.weight_zero_point", DType::kI32, {16, 2}}},
       "p.weight_zero_point",
       "zero points"},
      {{{"p.weight_packed", DType::kI32, {128, 8}}, {"p.weight_g_idx", DType::kI32, {64}}},
       "p.weight_g_idx",
       "g_idx"},
      {{{"p.weight", DType::kI8, {64, 64}}, {"p.scale_bias", DType::kF32, {128}}},
       "p.scale_bias",
       "Ascend"},
  };
  for (const auto& row : rows) {
    const Shape expected = row.tensors[0].shape == Shape{256, 64} ? Shape{256, 64} : Shape{128, 64};
    ExpectError(row.tensors, expected, ErrorCode::kInvalidArgument,
                {"model.safetensors: ", std::string("\"") + row.tensor + "\"", row.scheme,
                 "cannot be read yet"});
  }
}

TEST(StoredWeight, UnclearOrUnknownStorageIsRefused) {
  ExpectError({{"p.weight", DType::kI64, {2, 2}}}, {2, 2}, ErrorCode::kInvalidArgument,
              {"\"p.weight\"", "I64 [2, 2]"});
  ExpectError({{"p.weight", DType::kF8E4M3, {2}}}, {2}, ErrorCode::kInvalidArgument,
              {"\"p.weight\"", "F8_E4M3 [2]"});
  ExpectError({{"p.weight", DType::kBF16, {2, 2}}, {"p.weight_scale", DType::kF32, {2, 1}}}, {2, 2},
              ErrorCode::kInvalidArgument, {"\"p.weight_scale\""});
  const TestTensor fp8 = {"p.weight", DType::kF8E4M3, {2, 2}};
  ExpectError({fp8, {"p.weight_scale", DType::kF16, {2, 1}}}, {2, 2}, ErrorCode::kInvalidArgument,
              {"\"p.weight_scale\"", "F16"});
  ExpectError(
      {fp8, {"p.weight_scale", DType::kF32, {2, 1}}, {"p.weight_scale_inv", DType::kF32, {1, 1}}},
      {2, 2}, ErrorCode::kDataLoss, {"\"p.weight_scale\"", "\"p.weight_scale_inv\""});
  ExpectError({fp8, {"p.weight_packed", DType::kU8, {2, 1}}}, {2, 2}, ErrorCode::kDataLoss,
              {"\"p.weight_packed\"", "\"p.weight\""});
  ExpectError({{"p.weight_packed", DType::kI32, {2, 32}}, {"p.weight_scale", DType::kF32, {2, 1}}},
              {2, 256}, ErrorCode::kInvalidArgument, {"\"p.weight_scale\"", "256 columns"});
}

TEST(StoredWeight, PlainTensorsByTheirFullName) {
  const Checkpoint checkpoint =
      MakeCheckpoint({{"b", DType::kF32, {2}, BytesOf<float>({1, 2})}, {"q", DType::kI8, {2}}});
  EXPECT_EQ(FindPlainTensor(checkpoint, "b", {2}).value().At(1), 2.0);
  EXPECT_EQ(FindPlainTensor(checkpoint, "c", {2}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(FindPlainTensor(checkpoint, "b", {3}).error().code, ErrorCode::kDataLoss);
  EXPECT_EQ(FindPlainTensor(checkpoint, "q", {2}).error().code, ErrorCode::kInvalidArgument);
}

// The outcome of CheckScales for an FP8 weight of 256 x 256 with these four block scales.
std::string CheckFp8(DType dtype, const std::vector<std::byte>& scales) {
  const Found found(
      {{"p.weight", DType::kF8E4M3, {256, 256}}, {"p.weight_scale_inv", dtype, {2, 2}, scales}},
      {256, 256});
  const Status status = CheckScales(found.weight.value(), "m");
  return status.ok() ? "ok" : status.error().message;
}

TEST(CheckScales, NamesTheFirstThatIsNotFiniteAndPositive) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kSmallest = std::numeric_limits<float>::denorm_min();
  constexpr float kLargest = std::numeric_limits<float>::max();
  EXPECT_EQ(CheckFp8(DType::kF32, BytesOf<float>({1, kSmallest, kLargest, 2})), "ok");
  const std::string tensor = "m: tensor \"p.weight_scale_inv\": element ";
  const std::string rule = ", must be finite and > 0";
  EXPECT_EQ(CheckFp8(DType::kF32, BytesOf<float>({1, 1, std::nanf(""), -1})),
            tensor + "[1, 0] is nan" + rule);
  EXPECT_EQ(CheckFp8(DType::kF32, BytesOf<float>({1, 1, 1, kInfinity})),
            tensor + "[1, 1] is inf" + rule);
  EXPECT_EQ(CheckFp8(DType::kF32, BytesOf<float>({1, 0, 1, 1})), tensor + "[0, 1] is 0" + rule);
  EXPECT_EQ(CheckFp8(DType::kF32, BytesOf<float>({-0.5, 0, 1, 1})),
            tensor + "[0, 0] is -0.5" + rule);
  EXPECT_EQ(CheckFp8(DType::kBF16, BytesOf<std::uint16_t>({1, 0x7F7F, 0x3F80, 0x3F80})), "ok");
  EXPECT_EQ(CheckFp8(DType::kBF16, BytesOf<std::uint16_t>({1, 1, 1, 0x7F80})),
            tensor + "[1, 1] is inf" + rule);
}

TEST(CheckScales, E8M0Is255OnlyWhenNan) {
  for (const int last : {0, 254, 255}) {
    const std::vector<std::uint8_t> scales = {127, static_cast<std::uint8_t>(last)};
    const Found found({{"p.weight", DType::kU8, {2, 16}},
                       {"p.weight_scale", DType::kU8, {2, 1}, BytesOf(scales)}},
                      {2, 32});
    const Status status = CheckScales(found.weight.value(), "m");
    EXPECT_EQ(status.ok(), last != 255);
    if (last == 255) {
      EXPECT_EQ(status.error().code, ErrorCode::kDataLoss);
      EXPECT_EQ(status.error().message,
                "m: tensor \"p.weight_scale\": element [1, 0] is nan, must be finite and > 0");
    }
  }
}

TEST(CheckScales, PlainWeightsHaveNone) {
  const Found found({{"p.weight", DType::kBF16, {2, 2}}}, {2, 2});
  EXPECT_TRUE(CheckScales(found.weight.value(), "m").ok());
}

}  // namespace
}  // namespace glint::tensor
