// SPDX-License-Identifier: Apache-2.0
#include "tensor/safetensors.h"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "base/format.h"
#include "tensor/internal/test_folder.h"

namespace glint::tensor {
namespace {

Result<SafetensorsHeader> Parse(std::string_view file) {
  return ParseSafetensorsHeader(std::as_bytes(std::span(file.data(), file.size())),
                                "x.safetensors");
}

Result<SafetensorsHeader> ParseHeader(std::string_view header, std::size_t data_bytes) {
  return Parse(RawSafetensors(header, data_bytes));
}

TEST(Safetensors, GivesTensorsInFileOrderAndMetadata) {
  const std::string file = RawSafetensors(
      R"({"b":{"dtype":"U8","shape":[3],"data_offsets":[4,7]},"__metadata__":{"format":"pt"},)"
      R"("a":{"data_offsets":[0,4],"shape":[1,2],"dtype":"BF16"}}  )",
      7);
  const Result<SafetensorsHeader> header = Parse(file);
  ASSERT_TRUE(header.ok()) << header.error().message;
  ASSERT_EQ(header.value().entries.size(), 2U);
  const SafetensorsEntry& first = header.value().entries[0];
  EXPECT_EQ(first.name, "a");
  EXPECT_EQ(first.dtype, DType::kBF16);
  EXPECT_EQ(first.shape, (Shape{1, 2}));
  const SafetensorsEntry& second = header.value().entries[1];
  EXPECT_EQ(second.begin, 4);
  EXPECT_EQ(second.end, 7);
  EXPECT_EQ(reinterpret_cast<const char*>(second.data.data()),
            file.data() + header.value().data_begin + 4);
  EXPECT_EQ(header.value().metadata.at("format"), "pt");
}

TEST(Safetensors, FileWithoutTensorsIsSound) {
  EXPECT_TRUE(ParseHeader("{}", 0).value().entries.empty());
}

TEST(Safetensors, EmptyTensorsMayLieBetweenOthers) {
  const auto header = ParseHeader(R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                                  R"("y":{"dtype":"F32","shape":[0,9],"data_offsets":[0,0]},)"
                                  R"("z":{"dtype":"F32","shape":[0],"data_offsets":[1,1]}})",
                                  1);
  ASSERT_TRUE(header.ok()) << header.error().message;
  EXPECT_EQ(header.value().entries[0].name, "y");
  EXPECT_EQ(header.value().entries[2].name, "z");
}

TEST(Safetensors, NumbersNeedNoAlignment) {
  const auto header = ParseHeader(R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                                  R"("y":{"dtype":"F32","shape":[],"data_offsets":[1,5]}})",
                                  5);
  ASSERT_TRUE(header.ok()) << header.error().message;
  EXPECT_EQ(header.value().entries[1].shape, Shape());
}

TEST(Safetensors, NamesAreShownWithoutControlCharacters) {
  const Error error = ParseHeader(R"({"a\u001b[2J":1})", 0).error();
  EXPECT_EQ(error.message, "x.safetensors: tensor \"a\\x1b[2J\": is a number, must be an object");
}

// What is wrong, the file, and what the message must say besides the file's name.
struct BadFile {
  const char* what;
  std::string file;
  const char* message;
  ErrorCode code = ErrorCode::kDataLoss;
};

// A file with tensor "w" that has these fields.
std::string Tensor(std::string_view dtype, std::string_view shape, std::string_view offsets,
                   std::size_t data_bytes) {
  return RawSafetensors(
      format(R"({{"w":{{"dtype":{},"shape":{},"data_offsets":{}}}}})", dtype, shape, offsets),
      data_bytes);
}

// Two tensors of bytes, "v" and "w".
std::string TwoTensors(std::string_view first, std::string_view second, std::size_t data_bytes) {
  return RawSafetensors(format(R"({{"v":{{"dtype":"U8","shape":[2],"data_offsets":{}}},)"
                               R"("w":{{"dtype":"U8","shape":[2],"data_offsets":{}}}}})",
                               first, second),
                        data_bytes);
}

std::vector<BadFile> BadFrames() {
  return {
      {"empty file", "", "is 0 bytes"},
      {"file shorter than the length", "\x02", "is 1 bytes"},
      {"header length 0", LengthBytes(0) + "{}", "not a JSON object"},
      {"header beyond the file", LengthBytes(100) + "{}", "header of 100 bytes in a file of 10"},
      {"huge header", LengthBytes(100'000'001) + "{}", "at most 100000000",
       ErrorCode::kInvalidArgument},
      {"header length 2^64 - 1", LengthBytes(~std::uint64_t{0}) + "{}", "at most 100000000",
       ErrorCode::kInvalidArgument},
      {"header is an array", RawSafetensors("[]", 0), "not a JSON object"},
      {"header starts with a space", RawSafetensors(" {}", 0), "not a JSON object"},
      {"header is cut", RawSafetensors(R"({"w":)", 0), "invalid JSON"},
      {"header has two values", RawSafetensors("{}{}", 0), "invalid JSON"},
      {"name is no UTF-8", RawSafetensors("{\"w\xff\":1}", 0), "invalid JSON"},
      {"deep header", RawSafetensors(R"({"w":[[[[]]]]})", 0), "nested deeper"},
      {"metadata is a list", RawSafetensors(R"({"__metadata__":[]})", 0), "__metadata__ is an arr"},
      {"metadata holds a number", RawSafetensors(R"({"__metadata__":{"a":1}})", 0),
       "\"a\" is a nu"},
      {"data without tensors", RawSafetensors("{}", 3), "3 bytes of data after"},
  };
}

std::vector<BadFile> BadTensors() {
  return {
      {"tensor is a number", RawSafetensors(R"({"w":1})", 0), "\"w\": is a number"},
      {"no dtype", RawSafetensors(R"({"w":{}})", 0), "\"w\": has no dtype"},
      {"no offsets", RawSafetensors(R"({"w":{"dtype":"U8","shape":[]}})", 0),
       "has no data_offsets"},
      {"unknown field", RawSafetensors(R"({"w":{"type":"U8"}})", 0),
       "\"w\": unknown field \"type\""},
      {"field twice", RawSafetensors(R"({"w":{"dtype":"U8","dtype":"I8"}})", 0), "\"dtype\" twice"},
      {"unknown dtype", Tensor("\"F6\"", "[1]", "[0,1]", 1), "\"w\": unknown dtype \"F6\"",
       ErrorCode::kInvalidArgument},
      {"dtype is a number", Tensor("3", "[1]", "[0,1]", 1), "\"w\": dtype is a number"},
      {"wrong shape", Tensor("\"F32\"", "[2,3]", "[0,20]", 20),
       "\"w\": data_offsets [0, 20) are 20"},
      {"rank 9", Tensor("\"U8\"", "[1,1,1,1,1,1,1,1,1]", "[0,1]", 1), "\"w\": shape has 9 dim",
       ErrorCode::kInvalidArgument},
      {"shape overflow", Tensor("\"U8\"", "[4294967296,4294967296]", "[0,0]", 0),
       "2^63 - 1 elements"},
      {"byte count overflow", Tensor("\"F32\"", "[4611686018427387904]", "[0,0]", 0), "that many"},
      {"negative dimension", Tensor("\"U8\"", "[-1]", "[0,1]", 1), "\"w\": shape holds \"-1\""},
      {"broken dimension", Tensor("\"U8\"", "[1.0]", "[0,1]", 1), "\"w\": shape holds \"1.0\""},
      {"shape is a number", Tensor("\"U8\"", "1", "[0,1]", 1), "\"w\": shape is a number"},
      {"negative offset", Tensor("\"U8\"", "[1]", "[-1,0]", 1), "\"w\": data_offsets holds \"-1\""},
      {"offset 2^63", Tensor("\"U8\"", "[1]", "[0,9223372036854775808]", 1), "9223372036854775808"},
      {"offset 1e400", Tensor("\"U8\"", "[1]", "[0,1e400]", 1), "invalid JSON"},
      {"one offset", Tensor("\"U8\"", "[1]", "[0]", 1), "\"w\": data_offsets has 1 numbers"},
      {"begin after end", Tensor("\"U8\"", "[1]", "[1,0]", 1), "\"w\": data_offsets [1, 0) end"},
      {"truncated", Tensor("\"U8\"", "[4]", "[0,4]", 3), "\"w\": data_offsets [0, 4) reach beyond"},
      {"end at 2^63 - 1", Tensor("\"U8\"", "[1]", "[0,9223372036854775807]", 1), "reach beyond"},
      {"trailing bytes", Tensor("\"U8\"", "[1]", "[0,1]", 3), "2 bytes of data after"},
      {"gap", TwoTensors("[0,2]", "[3,5]", 5), "\"w\": data_offsets [3, 5) leave a gap"},
      {"gap at the start", TwoTensors("[1,3]", "[3,5]", 5),
       "\"v\": data_offsets [1, 3) leave a gap"},
      {"overlap", TwoTensors("[0,2]", "[1,3]", 3), "\"w\": data_offsets [1, 3) overlap"},
      {"same range", TwoTensors("[0,2]", "[0,2]", 2), "\"w\": data_offsets [0, 2) overlap"},
      {"duplicate tensor",
       RawSafetensors(R"({"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                      R"("w":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
                      2),
       "\"w\": is in the header twice"},
  };
}

void ExpectErrors(const std::vector<BadFile>& files) {
  for (const BadFile& bad : files) {
    const Result<SafetensorsHeader> header = Parse(bad.file);
    ASSERT_FALSE(header.ok()) << bad.what;
    const std::string& message = header.error().message;
    EXPECT_EQ(header.error().code, bad.code) << bad.what << ": " << message;
    EXPECT_EQ(message.rfind("x.safetensors: ", 0), 0U) << bad.what << ": " << message;
    EXPECT_NE(message.find(bad.message), std::string::npos) << bad.what << ": " << message;
  }
}

TEST(Safetensors, RefusesDamagedFramesNamingTheFile) { ExpectErrors(BadFrames()); }

TEST(Safetensors, RefusesDamagedTensorsNamingFileAndTensor) { ExpectErrors(BadTensors()); }

// Cutting a sound file anywhere must be noticed: nothing but all of it is the file.
TEST(Safetensors, RefusesEveryShorterFile) {
  const std::string file = TwoTensors("[0,2]", "[2,4]", 4);
  ASSERT_TRUE(Parse(file).ok());
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(Parse(std::string_view(file).substr(0, size)).ok()) << size;
  }
}

TEST(Safetensors, OpensAFileAndNamesItsPathInErrors) {
  const TestFolder folder;
  const auto good = folder.Write("good", TwoTensors("[0,2]", "[2,4]", 4));
  EXPECT_EQ(OpenSafetensors(good).value().header.entries.size(), 2U);
  const auto bad = folder.Write("bad", "x");
  EXPECT_EQ(OpenSafetensors(bad).error().message.rfind(bad.native() + ": ", 0), 0U);
  EXPECT_EQ(OpenSafetensors(folder.path()).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace glint::tensor
