// SPDX-License-Identifier: Apache-2.0
#include "tensor/model_files.h"

#include <gtest/gtest.h>

#include <string>

#include "tensor/internal/test_folder.h"

namespace glint::tensor {
namespace {

std::string Message(const Result<ModelFiles>& files) {
  return files.ok() ? "ok" : files.error().message;
}

TEST(ModelFiles, GivesConfigAndTheFilesThatAreThere) {
  const TestFolder folder;
  folder.Write("m/config.json", "{}\n");
  folder.Write("m/tokenizer.json", "{}");
  folder.Write("m/chat_template.jinja", "x");
  const Result<ModelFiles> files = FindModelFiles((folder.path() / "m").native(), "/nowhere");
  ASSERT_TRUE(files.ok()) << files.error().message;
  EXPECT_EQ(files.value().kind, ModelKind::kSafetensorsFolder);
  EXPECT_EQ(files.value().path, folder.path() / "m");
  EXPECT_EQ(files.value().config_json, "{}\n");
  EXPECT_EQ(files.value().tokenizer, folder.path() / "m/tokenizer.json");
  EXPECT_EQ(files.value().chat_template, folder.path() / "m/chat_template.jinja");
  EXPECT_EQ(files.value().generation_config, std::nullopt);
  EXPECT_EQ(files.value().tokenizer_config, std::nullopt);
}

TEST(ModelFiles, SearchesBesideTheBinaryInOrder) {
  const TestFolder folder;
  const auto binary_folder = folder.path() / "build/dev";
  std::filesystem::create_directories(binary_folder);
  const char* places[] = {"models/demo", "build/share/glint/models/demo", "build/dev/models/demo"};
  for (const char* place : places) {  // the last one first: each new one wins over those before
    folder.Write(std::string(place) + "/config.json", place);
    const Result<ModelFiles> files = FindModelFiles("demo", binary_folder);
    ASSERT_TRUE(files.ok()) << files.error().message;
    EXPECT_EQ(files.value().config_json, place);
    EXPECT_EQ(files.value().path, folder.path() / place);
  }
}

TEST(ModelFiles, NotFoundListsThePlacesSearched) {
  const Result<ModelFiles> files = FindModelFiles("no-such-model", "/opt/glint/bin");
  EXPECT_EQ(files.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(Message(files),
            "model \"no-such-model\" not found; searched: no-such-model, "
            "/opt/glint/bin/models/no-such-model, /opt/glint/share/glint/models/no-such-model, "
            "/opt/models/no-such-model");
}

TEST(ModelFiles, PathsOutsideAreOnlyTakenAsTheyAre) {
  const TestFolder folder;
  folder.Write("secret/config.json", "{}");
  std::filesystem::create_directories(folder.path() / "bin/models");
  const Result<ModelFiles> files = FindModelFiles("../../secret", folder.path() / "bin");
  EXPECT_EQ(Message(files), "model \"../../secret\" not found; searched: ../../secret");
  EXPECT_EQ(Message(FindModelFiles("/no/such", folder.path())),
            "model \"/no/such\" not found; searched: /no/such");
}

TEST(ModelFiles, FolderWithoutConfigIsNotFound) {
  const TestFolder folder;
  const Result<ModelFiles> files = FindModelFiles(folder.path().native(), "/nowhere");
  EXPECT_EQ(files.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(Message(files), folder.path().native() + ": has no config.json, is it a model folder?");
}

TEST(ModelFiles, RefusesAConfigBeyondTheLimit) {
  const TestFolder folder;
  const auto config = folder.Write("config.json", "{}");
  std::filesystem::resize_file(config, kMaxConfigBytes + 1);
  const Result<ModelFiles> files = FindModelFiles(folder.path().native(), "/nowhere");
  EXPECT_EQ(files.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Message(files), config.native() + ": is 16000001 bytes, must be at most 16000000");
}

TEST(ModelFiles, RecognisesAGgufFile) {
  const TestFolder folder;
  const auto path = folder.Write("m.gguf", "GGUF");
  const Result<ModelFiles> files = FindModelFiles(path.native(), "/nowhere");
  ASSERT_TRUE(files.ok()) << files.error().message;
  EXPECT_EQ(files.value().kind, ModelKind::kGgufFile);
  EXPECT_EQ(files.value().path, path);
}

TEST(ModelFiles, RefusesOtherFilesAndTheEmptyName) {
  const TestFolder folder;
  const auto path = folder.Write("model.safetensors", "x");
  EXPECT_EQ(FindModelFiles(path.native(), "/nowhere").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(Message(FindModelFiles("", "/nowhere")), "the model's name is empty");
}

TEST(ModelFiles, TheRunningProgramsFolderIsTheDefault) {
  const std::string message = Message(FindModelFiles("no-such-model"));
  const auto here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  EXPECT_NE(message.find((here / "models/no-such-model").native()), std::string::npos) << message;
}

}  // namespace
}  // namespace glint::tensor
