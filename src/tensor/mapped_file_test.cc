// SPDX-License-Identifier: Apache-2.0
#include "tensor/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "tensor/internal/test_folder.h"
#include "tensor/read_text_file.h"

namespace glint::tensor {
namespace {

std::string Text(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

// The error of opening `path`, which must be the same for both ways to read and name the path.
Error OpenError(const std::filesystem::path& path) {
  const Result<MappedFile> mapped = MappedFile::Open(path);
  const Result<std::string> text = ReadTextFile(path, 1000);
  if (mapped.ok() || text.ok()) return {ErrorCode::kCancelled, "no error"};
  EXPECT_EQ(mapped.error().message, text.error().message);
  EXPECT_EQ(mapped.error().message.rfind(path.native() + ": ", 0), 0U) << mapped.error().message;
  return mapped.error();
}

TEST(MappedFile, GivesTheBytesOfTheFile) {
  const TestFolder folder;
  const auto path = folder.Write("a", "hello");
  const Result<MappedFile> file = MappedFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(Text(file.value()), "hello");
  EXPECT_EQ(file.value().path(), path);
}

TEST(MappedFile, EmptyFileIsEmptyBytes) {
  const TestFolder folder;
  EXPECT_TRUE(MappedFile::Open(folder.Write("a", "")).value().bytes().empty());
  EXPECT_EQ(ReadTextFile(folder.path() / "a", 0).value(), "");
}

TEST(MappedFile, MovingKeepsTheAddress) {
  const TestFolder folder;
  MappedFile first = MappedFile::Open(folder.Write("a", "first")).value();
  MappedFile second = MappedFile::Open(folder.Write("b", "second")).value();
  const std::byte* address = second.bytes().data();
  first = std::move(second);
  const MappedFile moved = std::move(first);
  EXPECT_EQ(moved.bytes().data(), address);
  EXPECT_EQ(Text(moved), "second");
}

TEST(MappedFile, SurvivesRemovalOfTheName) {
  const TestFolder folder;
  const MappedFile file = MappedFile::Open(folder.Write("a", "kept")).value();
  std::filesystem::remove(folder.path() / "a");
  EXPECT_EQ(Text(file), "kept");
}

TEST(MappedFile, MissingFileIsNotFound) {
  const TestFolder folder;
  folder.Write("file", "x");
  EXPECT_EQ(OpenError(folder.path() / "none").code, ErrorCode::kNotFound);
  EXPECT_EQ(OpenError(folder.path() / "file" / "below").code, ErrorCode::kNotFound);
}

TEST(MappedFile, RefusesADirectory) {
  const TestFolder folder;
  const Error error = OpenError(folder.path());
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_NE(error.message.find("is a directory"), std::string::npos) << error.message;
}

TEST(MappedFile, RefusesAPipeWithoutWaiting) {
  const TestFolder folder;
  const auto path = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const Error error = OpenError(path);
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_NE(error.message.find("is a pipe"), std::string::npos) << error.message;
}

TEST(MappedFile, RefusesAnUnreadableFile) {
  if (::geteuid() == 0) GTEST_SKIP() << "SKIPPED: root may read every file";
  const TestFolder folder;
  const auto path = folder.Write("a", "x");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  EXPECT_EQ(OpenError(path).code, ErrorCode::kInvalidArgument);
}

TEST(ReadTextFile, HoldsItsLimit) {
  const TestFolder folder;
  const auto path = folder.Write("a", "12345");
  EXPECT_EQ(ReadTextFile(path, 5).value(), "12345");
  const Error error = ReadTextFile(path, 4).error();
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error.message, path.native() + ": is 5 bytes, must be at most 4");
}

}  // namespace
}  // namespace glint::tensor
