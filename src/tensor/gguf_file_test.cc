// SPDX-License-Identifier: Apache-2.0
#include "tensor/gguf_file.h"

#include <gtest/gtest.h>

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/format.h"
#include "tensor/checkpoint.h"
#include "tensor/internal/test_folder.h"
#include "tensor/internal/test_gguf.h"

namespace glint::tensor {
namespace {

constexpr std::uint32_t kF32Type = 0;
constexpr std::uint32_t kQ40Type = 2;
constexpr std::uint32_t kQ80Type = 8;
constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();

Result<GgufHeader> Parse(std::string_view file) {
  return ParseGgufHeader(std::as_bytes(std::span(file.data(), file.size())), "x.gguf");
}

std::string U32(std::string_view key, std::uint32_t value) {
  return RawValue(key, GgufType::kU32, RawNumber(value));
}

std::string OneTensor(const std::vector<std::uint64_t>& dims, std::uint32_t type,
                      std::uint64_t offset, std::size_t data_bytes) {
  return RawGguf({}, {RawTensor("w", dims, type, offset)}, std::string(data_bytes, '\0'));
}

TEST(GgufFile, GivesTensorsInElementsSlowestFirst) {
  const std::string file =
      RawGguf({}, {RawTensor("b", {64, 3, 2}, kQ80Type, 32), RawTensor("a", {2}, kF32Type, 0)},
              std::string(32 + 6 * 2 * 34, '\0'));
  const auto header = Parse(file);
  ASSERT_TRUE(header.ok()) << header.error().message;
  ASSERT_EQ(header.value().tensors.size(), 2U);
  const GgufTensor& a = header.value().tensors[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.data.size(), 8U);
  const GgufTensor& b = header.value().tensors[1];
  EXPECT_EQ(b.shape, (Shape{2, 3, 64}));
  EXPECT_EQ(b.format, WeightFormat::kQ8_0);
  EXPECT_EQ(b.data.size(), 6U * 2 * 34);
  EXPECT_EQ(reinterpret_cast<const char*>(b.data.data()),
            file.data() + header.value().data_begin + 32);
}

TEST(GgufFile, MetadataOfEveryTypeBecomesJson) {
  const std::string file =
      RawGguf({RawValue("u8", GgufType::kU8, RawNumber<std::uint8_t>(255)),
               RawValue("i8", GgufType::kI8, RawNumber<std::int8_t>(-1)),
               RawValue("u16", GgufType::kU16, RawNumber<std::uint16_t>(65535)),
               RawValue("i16", GgufType::kI16, RawNumber<std::int16_t>(-2)), U32("u32", 7),
               RawValue("i32", GgufType::kI32, RawNumber<std::int32_t>(-3)),
               RawValue("f32", GgufType::kF32, RawNumber(1e-5F)),
               RawValue("nan", GgufType::kF32, RawNumber(std::numeric_limits<float>::quiet_NaN())),
               RawValue("bool", GgufType::kBool, RawNumber<std::uint8_t>(1)),
               RawValue("text", GgufType::kString, RawString("a\"b")),
               RawValue("u64", GgufType::kU64, RawNumber(kHuge)),
               RawValue("i64", GgufType::kI64, RawNumber<std::int64_t>(-4)),
               RawValue("f64", GgufType::kF64, RawNumber(0.5)),
               RawArray("words", GgufType::kString, 2, RawString("x") + RawString("")),
               RawArray("flags", GgufType::kBool, 3, std::string("\1\0\1", 3))},
              {});
  const auto header = Parse(file);
  ASSERT_TRUE(header.ok()) << header.error().message;
  EXPECT_EQ(GgufMetadataJson(header.value().metadata, 3).Write(),
            R"({"u8":255,"i8":-1,"u16":65535,"i16":-2,"u32":7,"i32":-3,"f32":1e-05,"nan":null,)"
            R"("bool":true,"text":"a\"b","u64":18446744073709551615,"i64":-4,"f64":0.5,)"
            R"("words":["x",""],"flags":[true,false,true]})");
  const Json few = GgufMetadataJson(header.value().metadata, 2);
  EXPECT_NE(few.Find("words"), nullptr);
  EXPECT_EQ(few.Find("flags"), nullptr);
}

TEST(GgufFile, TensorsBeginAtTheFilesOwnAlignment) {
  std::string file = RawGguf({U32("general.alignment", 8)}, {RawTensor("w", {1}, kF32Type, 8)});
  file.resize(24 + (8 + 17 + 4 + 4) + (8 + 1 + 4 + 8 + 4 + 8));
  file.resize((file.size() + 7) / 8 * 8 + 12);
  const auto header = Parse(file);
  ASSERT_TRUE(header.ok()) << header.error().message;
  EXPECT_EQ(header.value().alignment, 8);
  EXPECT_EQ(header.value().data_begin % 8, 0);
}

TEST(GgufFile, ReadsVersionTwo) { EXPECT_TRUE(Parse(RawGguf({}, {}, "", 2)).ok()); }

// What is wrong, the file, and what the message must say besides the file's name.
struct BadFile {
  const char* what;
  std::string file;
  const char* message;
  ErrorCode code = ErrorCode::kDataLoss;
};

std::string Start(std::uint32_t version, std::uint64_t tensors, std::uint64_t values) {
  return "GGUF" + RawNumber(version) + RawNumber(tensors) + RawNumber(values);
}

std::vector<BadFile> BadFrames() {
  constexpr ErrorCode kInvalid = ErrorCode::kInvalidArgument;
  return {
      {"empty file", "", "does not begin with \"GGUF\""},
      {"another file", "PK\3\4 and so on", "does not begin with \"GGUF\""},
      {"magic only", "GGUF", "inside the version"},
      {"version 0", Start(0, 0, 0), "is GGUF version 0", kInvalid},
      {"version 1", Start(1, 0, 0), "is GGUF version 1, versions 2 and 3", kInvalid},
      {"version 4", Start(4, 0, 0), "is GGUF version 4", kInvalid},
      {"big-endian", Start(0x03000000, 0, 0), "is big-endian", kInvalid},
      {"cut in the counts", "GGUF" + RawNumber<std::uint32_t>(3) + "1234", "the number of tensors"},
      {"2^64 - 1 tensors", Start(3, kHuge, 0), "says 18446744073709551615 tensors"},
      {"2^64 - 1 values", Start(3, 0, kHuge), "says 18446744073709551615 metadata values"},
      {"one tensor, no bytes", Start(3, 1, 0), "says 1 tensors"},
      {"one value, no bytes", Start(3, 0, 1), "says 1 metadata values"},
      {"key beyond the file", RawGguf({RawNumber(kHuge) + std::string(20, 'k')}, {}),
       "the name of metadata value 0"},
      {"empty key", RawGguf({RawValue("", GgufType::kU8, "1")}, {}), "has 0 bytes, must be 1 to"},
      {"long key", RawGguf({U32(std::string(65536, 'k'), 1)}, {}), "has 65536 bytes, must be 1 to"},
      {"unknown type", RawGguf({RawValue("k", 13U, "1")}, {}), "\"k\": unknown value type 13"},
      {"unknown item type", RawGguf({RawArray("k", 99U, 1, "12345678")}, {}),
       "\"k\": unknown item type 99"},
      {"array of arrays", RawGguf({RawArray("k", GgufType::kArray, 1, "12345678")}, {}),
       "\"k\": an array of arrays", kInvalid},
      {"huge array", RawGguf({RawArray("k", GgufType::kF64, kHuge, "12345678")}, {}),
       "\"k\": says 18446744073709551615 items"},
      {"huge array of strings",
       RawGguf({RawArray("k", GgufType::kString, 1U << 30U, RawString("x"))}, {}),
       "\"k\": says 1073741824 items"},
      {"string beyond the file", RawGguf({RawValue("k", GgufType::kString, RawNumber(kHuge))}, {}),
       "key \"k\", string 0"},
      {"boolean 2", RawGguf({RawValue("k", GgufType::kBool, "\2")}, {}), "\"k\": a boolean is 2"},
      {"key twice", RawGguf({U32("k", 1), U32("k", 1)}, {}), "\"k\": is in the file twice"},
      {"alignment 0", RawGguf({U32("general.alignment", 0)}, {}), "alignment\": is 0, must be"},
      {"alignment 24", RawGguf({U32("general.alignment", 24)}, {}), "alignment\": is 24, must be"},
      {"alignment 2^31", RawGguf({U32("general.alignment", 1U << 31U)}, {}), "must be a power"},
      {"alignment is text",
       RawGguf({RawValue("general.alignment", GgufType::kString, RawString("32"))}, {}),
       "alignment\": must be one u32"},
  };
}

std::vector<BadFile> BadTensors() {
  constexpr ErrorCode kInvalid = ErrorCode::kInvalidArgument;
  return {
      {"no dimension", OneTensor({}, kF32Type, 0, 8), "\"w\": has 0 dimensions"},
      {"five dimensions", OneTensor({1, 1, 1, 1, 1}, kF32Type, 0, 8), "\"w\": has 5 dimensions"},
      {"dimension 0", OneTensor({0}, kF32Type, 0, 8), "\"w\": dimension 0 is 0"},
      {"dimension 2^63", OneTensor({1, std::uint64_t{1} << 63U}, kF32Type, 0, 8),
       "\"w\": dimension 1 is 9223372036854775808"},
      {"too many elements",
       OneTensor({std::uint64_t{1} << 32U, std::uint64_t{1} << 32U}, kF32Type, 0, 8),
       "\"w\": dimensions [4294967296, 4294967296] have more"},
      {"too many bytes", OneTensor({std::uint64_t{1} << 62U}, kF32Type, 0, 8),
       "has more than 2^63 - 1 bytes"},
      {"half a block", OneTensor({48}, kQ40Type, 0, 64), "\"w\": rows of 48 elements do not fill"},
      {"type Q2_K", OneTensor({256}, 10, 0, 256), "\"w\": type Q2_K is not supported", kInvalid},
      {"type IQ4_XS", OneTensor({256}, 23, 0, 256), "type IQ4_XS is not supported", kInvalid},
      {"a removed type", OneTensor({256}, 4, 0, 256), "\"w\": unknown type 4", kInvalid},
      {"type 2^32 - 1", OneTensor({256}, 0xFFFFFFFFU, 0, 256), "unknown type 4294967295", kInvalid},
      {"offset not aligned", OneTensor({2}, kF32Type, 4, 32), "\"w\": offset 4 is no multiple"},
      {"offset beyond the file", OneTensor({2}, kF32Type, 64, 8), "\"w\": offset 64 and 8 bytes"},
      {"offset 2^64 - 32", OneTensor({2}, kF32Type, kHuge - 31, 8), "reach beyond the data"},
      {"truncated", OneTensor({64}, kQ80Type, 0, 67), "\"w\": offset 0 and 68 bytes reach beyond"},
      {"no data at all", OneTensor({1}, kF32Type, 0, 0), "the data of 0 bytes"},
      {"empty name", RawGguf({}, {RawTensor("", {1}, kF32Type, 0)}, "1234"), "has 0 bytes"},
      {"long name", RawGguf({}, {RawTensor(std::string(257, 'n'), {1}, kF32Type, 0)}, "1234"),
       "has 257 bytes, must be 1 to 256"},
      {"name twice",
       RawGguf({}, {RawTensor("w", {1}, kF32Type, 0), RawTensor("w", {1}, kF32Type, 32)},
               std::string(64, '\0')),
       "\"w\": is in the file twice"},
      {"overlap",
       RawGguf({}, {RawTensor("v", {16}, kF32Type, 0), RawTensor("w", {1}, kF32Type, 32)},
               std::string(64, '\0')),
       "\"w\": its bytes overlap those of tensor \"v\""},
      {"same place",
       RawGguf({}, {RawTensor("v", {1}, kF32Type, 0), RawTensor("w", {1}, kF32Type, 0)}, "1234"),
       "\"w\": its bytes overlap"},
  };
}

void ExpectErrors(const std::vector<BadFile>& files) {
  for (const BadFile& bad : files) {
    const auto header = Parse(bad.file);
    ASSERT_FALSE(header.ok()) << bad.what;
    const std::string& message = header.error().message;
    EXPECT_EQ(header.error().code, bad.code) << bad.what << ": " << message;
    EXPECT_EQ(message.rfind("x.gguf: ", 0), 0U) << bad.what << ": " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << bad.what;
    EXPECT_NE(message.find(bad.message), std::string::npos) << bad.what << ": " << message;
  }
}

TEST(GgufFile, RefusesDamagedFramesNamingFileAndKey) { ExpectErrors(BadFrames()); }

TEST(GgufFile, RefusesDamagedTensorsNamingFileAndTensor) { ExpectErrors(BadTensors()); }

TEST(GgufFile, RefusesEveryShorterFile) {
  const std::string file =
      RawGguf({U32("a", 1), RawArray("b", GgufType::kString, 2, RawString("x") + RawString("y"))},
              {RawTensor("w", {8}, kF32Type, 0)}, std::string(32, '\0'));
  ASSERT_TRUE(Parse(file).ok());
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(Parse(std::string_view(file).substr(0, size)).ok()) << size;
  }
}

// Part `number` of `count`, with one tensor.
std::string Part(std::uint16_t number, std::uint16_t count, std::int32_t tensors) {
  return RawGguf({RawValue("split.no", GgufType::kU16, RawNumber(number)),
                  RawValue("split.count", GgufType::kU16, RawNumber(count)),
                  RawValue("split.tensors.count", GgufType::kI32, RawNumber(tensors))},
                 {RawTensor(format("w{}", number), {1}, kF32Type, 0)}, "1234");
}

TEST(GgufFile, OpensAllPartsFromAnyOfThem) {
  const TestFolder folder;
  folder.Write("m-00001-of-00002.gguf", Part(0, 2, 2));
  const auto second = folder.Write("m-00002-of-00002.gguf", Part(1, 2, 2));
  const auto checkpoint = Checkpoint::Open(second);
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
  EXPECT_TRUE(checkpoint.value().is_gguf());
  EXPECT_EQ(checkpoint.value().Find("w0")->shard, 0);
  EXPECT_EQ(checkpoint.value().Find("w1")->shard, 1);
  EXPECT_EQ(checkpoint.value().gguf_metadata().size(), 3U);
}

TEST(GgufFile, RefusesPartsThatDoNotBelongTogether) {
  const TestFolder folder;
  const auto expect = [](const std::filesystem::path& path, const std::string& message) {
    const auto parts = OpenGgufParts(path);
    ASSERT_FALSE(parts.ok()) << message;
    EXPECT_NE(parts.error().message.find(message), std::string::npos) << parts.error().message;
  };
  expect(folder.Write("a.gguf", Part(0, 2, 2)), "must end in -00001-of-00002.gguf");
  const auto alone = folder.Write("b-00001-of-00002.gguf", Part(0, 2, 2));
  expect(alone, "b-00002-of-00002.gguf");
  folder.Write("b-00002-of-00002.gguf", Part(0, 2, 2));
  expect(alone, "is part 0 of 2, expected part 1 of 2");
  folder.Write("c-00002-of-00002.gguf", Part(1, 2, 3));
  expect(folder.Write("c-00001-of-00002.gguf", Part(0, 2, 3)), "is 3, the parts have 2 tensors");
}

}  // namespace
}  // namespace glint::tensor
