// SPDX-License-Identifier: Apache-2.0
#include "tensor/safetensors_writer.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <span>
#include <string>
#include <vector>

#include "tensor/internal/test_folder.h"
#include "tensor/safetensors.h"

namespace glint::tensor {
namespace {

std::span<const std::byte> Bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

TEST(SafetensorsWriter, WhatItWritesReadsBack) {
  const TestFolder folder;
  const auto path = folder.path() / "model.safetensors";
  auto writer = SafetensorsWriter::Create(path,
                                          {{"odd", DType::kU8, {3}},
                                           {"none", DType::kF32, {0, 4}},
                                           {"a \"quoted\" \xc3\xa9", DType::kBF16, {1, 2}}},
                                          {{"format", "glint"}});
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  for (const char* data : {"abc", "", "wxyz"}) {
    ASSERT_TRUE(writer.value().Append(Bytes(data)).ok());
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_TRUE(writer.value().Finish().ok());

  const Result<SafetensorsFile> file = OpenSafetensors(path);
  ASSERT_TRUE(file.ok()) << file.error().message;
  const SafetensorsHeader& header = file.value().header;
  EXPECT_EQ(header.metadata.at("format"), "glint");
  EXPECT_EQ(header.data_begin % 64, 0);
  ASSERT_EQ(header.entries.size(), 3U);
  EXPECT_EQ(header.entries[0].data[2], std::byte{'c'});
  EXPECT_EQ(header.entries[1].name, "none");
  EXPECT_EQ(header.entries[2].name, "a \"quoted\" \xc3\xa9");
  EXPECT_EQ(header.entries[2].dtype, DType::kBF16);
  EXPECT_EQ(header.entries[2].shape, (Shape{1, 2}));
  EXPECT_EQ(header.entries[2].data[3], std::byte{'z'});
}

TEST(SafetensorsWriter, UnfinishedFileLeavesNothingBehind) {
  const TestFolder folder;
  {
    auto writer = SafetensorsWriter::Create(folder.path() / "a", {{"w", DType::kU8, {3}}});
    ASSERT_TRUE(writer.ok());
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "a.partial"));
    const SafetensorsWriter moved = std::move(writer).value();
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(SafetensorsWriter, ReplacesTheFileOfThatNameOnlyAtTheEnd) {
  const TestFolder folder;
  const auto path = folder.Write("a", "old");
  auto writer = SafetensorsWriter::Create(path, {});
  ASSERT_TRUE(writer.ok());
  EXPECT_EQ(std::filesystem::file_size(path), 3U);
  ASSERT_TRUE(writer.value().Finish().ok());
  EXPECT_TRUE(OpenSafetensors(path).ok());
}

TEST(SafetensorsWriter, RefusesWhatTheFormatCannotSay) {
  const auto code = [](std::vector<TensorSpec> tensors) {
    return WriteSafetensorsHeader(tensors).error().message;
  };
  EXPECT_EQ(code({{"w", DType::kU8, {1}}, {"w", DType::kU8, {1}}}), "tensor \"w\" is given twice");
  EXPECT_EQ(code({{"w\xff", DType::kU8, {1}}}), "tensor name \"w\\xff\" is no UTF-8");
  EXPECT_EQ(code({{"__metadata__", DType::kU8, {1}}}), "a tensor cannot be named __metadata__");
  const Shape large = {std::int64_t{1} << 62};
  EXPECT_EQ(code({{"w", DType::kF32, large}}), "tensor \"w\" ends beyond 2^63 - 1 bytes");
  EXPECT_EQ(code({{"v", DType::kU8, large}, {"w", DType::kU8, large}}),
            "tensor \"w\" ends beyond 2^63 - 1 bytes");
}

TEST(SafetensorsWriter, FolderThatIsMissingIsNotFound) {
  const TestFolder folder;
  const auto path = folder.path() / "none" / "a";
  const Error error = SafetensorsWriter::Create(path, {}).error();
  EXPECT_EQ(error.code, ErrorCode::kNotFound);
  EXPECT_NE(error.message.find(path.native()), std::string::npos) << error.message;
}

// A limit on the size of files stands for a disk that is full.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
    signal_ = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~SmallFiles() {
    std::signal(SIGXFSZ, signal_);
    ::setrlimit(RLIMIT_FSIZE, &before_);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  rlimit before_ = {};
  void (*signal_)(int) = nullptr;
};

TEST(SafetensorsWriter, FullDiskIsSeenBeforeTheFirstTensor) {
  const TestFolder folder;
  const SmallFiles limit(4096);
  const auto writer =
      SafetensorsWriter::Create(folder.path() / "a", {{"w", DType::kU8, {1'000'000}}});
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.error().code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(writer.error().message.rfind((folder.path() / "a").native() + ": cannot ", 0), 0U)
      << writer.error().message;
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(SafetensorsWriter, FullDiskWhileWritingIsAnError) {
  const TestFolder folder;
  auto writer = SafetensorsWriter::Create(folder.path() / "a", {{"w", DType::kU8, {100'000}}});
  ASSERT_TRUE(writer.ok());
  const SmallFiles limit(4096);
  const std::vector<std::byte> data(100'000);
  EXPECT_EQ(writer.value().Append(data).error().code, ErrorCode::kResourceExhausted);
}

TEST(SafetensorsWriterDeathTest, WrongSizeAndMissingTensorsAreBugs) {
  const TestFolder folder;
  auto writer = SafetensorsWriter::Create(folder.path() / "a", {{"w", DType::kU8, {3}}});
  ASSERT_TRUE(writer.ok());
  EXPECT_DEATH((void)writer.value().Append(Bytes("ab")), "w");
  EXPECT_DEATH((void)writer.value().Finish(), "w");
}

}  // namespace
}  // namespace glint::tensor
