// SPDX-License-Identifier: Apache-2.0
#include "tensor/checkpoint.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tensor/internal/test_checkpoint.h"

namespace glint::tensor {
namespace {

constexpr const char* kIndex = "model.safetensors.index.json";

// Shards a.safetensors with tensors a0, a1 and b.safetensors with b0; the index as it should be.
void WriteTwoShards(const TestFolder& folder) {
  WriteShard(folder.path() / "a.safetensors",
             {{"a0", DType::kU8, {3}, BytesOf<char>({'x', 'y', 'z'})}, {"a1", DType::kBF16, {2}}});
  WriteShard(folder.path() / "b.safetensors", {{"b0", DType::kF32, {2, 2}}});
  folder.Write(kIndex, R"({"metadata":{"total_size":7},"weight_map":{"b0":"b.safetensors",)"
                       R"("a0":"a.safetensors","a1":"a.safetensors"}})");
}

// Opening must fail, with a message that holds all `parts`; returns its code.
ErrorCode ExpectError(const std::filesystem::path& folder, const std::vector<std::string>& parts) {
  const Result<Checkpoint> checkpoint = Checkpoint::Open(folder);
  if (checkpoint.ok()) {
    ADD_FAILURE() << "no error";
    return ErrorCode::kCancelled;
  }
  const std::string& message = checkpoint.error().message;
  for (const std::string& part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << part << " is not in: " << message;
  }
  return checkpoint.error().code;
}

TEST(Checkpoint, OpensOneFile) {
  const Checkpoint checkpoint =
      MakeCheckpoint({{"w", DType::kU8, {2}, BytesOf<char>({'p', 'q'})}, {"v", DType::kF32, {1}}});
  const StoredTensor* tensor = checkpoint.Find("w");
  ASSERT_NE(tensor, nullptr);
  EXPECT_EQ(tensor->bytes[1], std::byte{'q'});
  EXPECT_EQ(tensor->View().At(0), 'p');
  EXPECT_EQ(checkpoint.Find("x"), nullptr);
  EXPECT_EQ(checkpoint.tensor_bytes(), 6);
  EXPECT_TRUE(checkpoint.unlisted().empty());
}

TEST(Checkpoint, OpensShardsInTheOrderOfTheirNames) {
  const TestFolder folder;
  WriteTwoShards(folder);
  const Result<Checkpoint> opened = Checkpoint::Open(folder.path());
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  const Checkpoint& checkpoint = opened.value();
  ASSERT_EQ(checkpoint.tensors().size(), 3U);
  EXPECT_EQ(checkpoint.tensors()[0].name, "a0");
  EXPECT_EQ(checkpoint.tensors()[2].name, "b0");
  EXPECT_EQ(checkpoint.Find("b0")->shard, 1);
  EXPECT_EQ(checkpoint.Find("b0")->shape, (Shape{2, 2}));
  EXPECT_EQ(checkpoint.shard_paths()[1], folder.path() / "b.safetensors");
  EXPECT_EQ(checkpoint.tensor_bytes(), 3 + 4 + 16);
  EXPECT_EQ(checkpoint.Describe(checkpoint.tensors()[1]),
            (folder.path() / "a.safetensors").native() + ": tensor \"a1\"");
}

TEST(Checkpoint, TensorsStayValidWhenItIsMoved) {
  Checkpoint first = MakeCheckpoint({{"w", DType::kU8, {1}, BytesOf<char>({'p'})}});
  const StoredTensor* tensor = first.Find("w");
  const Checkpoint second = std::move(first);
  EXPECT_EQ(second.Find("w"), tensor);
  EXPECT_EQ(tensor->bytes[0], std::byte{'p'});
}

TEST(Checkpoint, ReportsEachShard) {
  const TestFolder folder;
  WriteTwoShards(folder);
  std::vector<int> calls;
  const auto opened = Checkpoint::Open(
      folder.path(), [&](int done, int total) { calls.push_back(10 * done + total); });
  EXPECT_TRUE(opened.ok());
  EXPECT_EQ(calls, (std::vector<int>{12, 22}));
}

TEST(Checkpoint, NamesTensorsThatTheIndexLacks) {
  const TestFolder folder;
  WriteTwoShards(folder);
  folder.Write(kIndex, R"({"weight_map":{"b0":"b.safetensors","a1":"a.safetensors"}})");
  const Result<Checkpoint> checkpoint = Checkpoint::Open(folder.path());
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().message;
  ASSERT_EQ(checkpoint.value().unlisted().size(), 1U);
  EXPECT_EQ(checkpoint.value().unlisted()[0], "a0");
  EXPECT_NE(checkpoint.value().Find("a0"), nullptr);
}

TEST(Checkpoint, IndexMayNameTheSingleFile) {
  const TestFolder folder;
  WriteShard(folder.path() / "model.safetensors", {{"w", DType::kU8, {1}}});
  folder.Write(kIndex, R"({"weight_map":{"w":"model.safetensors"}})");
  EXPECT_TRUE(Checkpoint::Open(folder.path()).ok());
}

TEST(Checkpoint, RefusesTwoCheckpointsInOneFolder) {
  const TestFolder folder;
  WriteTwoShards(folder);
  WriteShard(folder.path() / "model.safetensors", {{"w", DType::kU8, {1}}});
  EXPECT_EQ(ExpectError(folder.path(), {kIndex, "holds model.safetensors too"}),
            ErrorCode::kInvalidArgument);
}

TEST(Checkpoint, RefusesWhatIsNoModelFolder) {
  const TestFolder folder;
  EXPECT_EQ(ExpectError(folder.path() / "none", {"none: no such folder"}), ErrorCode::kNotFound);
  EXPECT_EQ(ExpectError(folder.path(), {folder.path().native(), "neither model.safetensors nor"}),
            ErrorCode::kNotFound);
  EXPECT_EQ(ExpectError(folder.Write("f.safetensors", "x"), {"f.safetensors: is a file"}),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(ExpectError(folder.Write("m.gguf", "GGUF"), {"m.gguf: ends at byte 4"}),
            ErrorCode::kDataLoss);
}

TEST(Checkpoint, RefusesAMissingShardNamingItsFirstTensor) {
  const TestFolder folder;
  WriteTwoShards(folder);
  std::filesystem::remove(folder.path() / "b.safetensors");
  EXPECT_EQ(
      ExpectError(folder.path(), {kIndex, "\"b0\"", "\"b.safetensors\" is not in the folder"}),
      ErrorCode::kNotFound);
}

TEST(Checkpoint, RefusesShardsOutsideTheFolder) {
  const TestFolder folder;
  WriteShard(folder.path() / "out.safetensors", {{"w", DType::kU8, {1}}});
  const std::string absolute = (folder.path() / "out.safetensors").native();
  for (const std::string& shard :
       {std::string("../out.safetensors"), absolute, std::string(".."), std::string("."),
        std::string(""), std::string("sub/x.safetensors"), std::string("a..b"),
        std::string("out.safetensors\\u0000x")}) {
    folder.Write(std::string("model/") + kIndex, R"({"weight_map":{"w":")" + shard + R"("}})");
    EXPECT_EQ(ExpectError(folder.path() / "model", {kIndex, "\"w\"", "not the name of a file"}),
              ErrorCode::kInvalidArgument)
        << shard;
  }
}

TEST(Checkpoint, RefusesATensorMappedToTheWrongShard) {
  const TestFolder folder;
  WriteTwoShards(folder);
  folder.Write(kIndex, R"({"weight_map":{"a0":"b.safetensors","a1":"a.safetensors"}})");
  EXPECT_EQ(ExpectError(folder.path(), {kIndex, "\"a0\"", "\"b.safetensors\" does not hold it",
                                        "it is in \"a.safetensors\""}),
            ErrorCode::kDataLoss);
}

TEST(Checkpoint, RefusesATensorThatNoShardHolds) {
  const TestFolder folder;
  WriteTwoShards(folder);
  folder.Write(kIndex, R"({"weight_map":{"c0":"b.safetensors","a1":"a.safetensors"}})");
  EXPECT_EQ(ExpectError(folder.path(), {kIndex, "\"c0\"", "\"b.safetensors\"", "no shard does"}),
            ErrorCode::kDataLoss);
}

TEST(Checkpoint, RefusesATensorInTwoShards) {
  const TestFolder folder;
  WriteTwoShards(folder);
  WriteShard(folder.path() / "b.safetensors", {{"b0", DType::kF32, {1}}, {"a1", DType::kU8, {1}}});
  EXPECT_EQ(ExpectError(folder.path(), {"b.safetensors: ", "\"a1\"", "in \"a.safetensors\" too"}),
            ErrorCode::kDataLoss);
}

TEST(Checkpoint, RefusesADamagedIndex) {
  const struct {
    const char* text;
    const char* message;
  } rows[] = {
      {"", "invalid JSON"},
      {"weight_map", "invalid JSON"},
      {"[]", "has no object weight_map"},
      {R"({"weight_map":[]})", "has no object weight_map"},
      {R"({"weight_map":{}})", "weight_map is empty"},
      {R"({"weight_map":{"w":1}})", "tensor \"w\": shard is a number"},
      {R"({"weight_map":{"w":"a","w":"a"}})", "tensor \"w\" is in weight_map twice"},
      {"{\"weight_map\":{\"w\xff\":\"a\"}}", "invalid JSON"},
  };
  for (const auto& row : rows) {
    const TestFolder folder;
    WriteShard(folder.path() / "a", {{"w", DType::kU8, {1}}});
    folder.Write(kIndex, row.text);
    EXPECT_EQ(ExpectError(folder.path(), {kIndex, row.message}), ErrorCode::kDataLoss) << row.text;
  }
}

TEST(Checkpoint, NamesTheDamagedShard) {
  const TestFolder folder;
  WriteTwoShards(folder);
  const auto shard = folder.path() / "b.safetensors";
  std::filesystem::resize_file(shard, std::filesystem::file_size(shard) - 1);
  EXPECT_EQ(ExpectError(folder.path(), {shard.native(), "\"b0\"", "truncated"}),
            ErrorCode::kDataLoss);
  std::filesystem::resize_file(shard, 0);
  EXPECT_EQ(ExpectError(folder.path(), {shard.native(), "is 0 bytes"}), ErrorCode::kDataLoss);
}

TEST(Checkpoint, RefusesADirectoryInPlaceOfAFile) {
  const TestFolder folder;
  WriteTwoShards(folder);
  std::filesystem::remove(folder.path() / "b.safetensors");
  std::filesystem::create_directory(folder.path() / "b.safetensors");
  EXPECT_EQ(ExpectError(folder.path(), {"b.safetensors: is a directory"}),
            ErrorCode::kInvalidArgument);
  std::filesystem::remove(folder.path() / kIndex);
  std::filesystem::create_directory(folder.path() / kIndex);
  EXPECT_EQ(ExpectError(folder.path(), {kIndex, "is a directory"}), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace glint::tensor
