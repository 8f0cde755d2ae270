// SPDX-License-Identifier: Apache-2.0
#include "tensor/model_files.h"

#include <algorithm>
#include <system_error>
#include <vector>

#include "base/format.h"
#include "tensor/read_text_file.h"

namespace glint::tensor {
namespace {

using std::filesystem::path;

bool Exists(const path& file) {
  std::error_code ignored;
  return std::filesystem::exists(file, ignored);
}

std::optional<path> IfExists(path file) {
  if (!Exists(file)) return std::nullopt;
  return file;
}

// The places to look, the first that exists counts.
std::vector<path> Candidates(std::string_view model, const path& binary_folder) {
  const path name(model);
  std::vector<path> places = {name};
  const bool climbs = std::find(name.begin(), name.end(), path("..")) != name.end();
  if (name.is_absolute() || climbs) return places;
  for (const char* folder : {"models", "../share/glint/models", "../../models"}) {
    places.push_back((binary_folder / folder / name).lexically_normal());
  }
  return places;
}

Result<ModelFiles> OpenFolder(const path& folder) {
  const path config = folder / "config.json";
  if (!Exists(config)) {
    return NotFound(format("{}: has no config.json, is it a model folder?", folder.native()));
  }
  ModelFiles files;
  files.path = folder;
  GLINT_ASSIGN(files.config_json, ReadTextFile(config, kMaxConfigBytes));
  files.generation_config = IfExists(folder / "generation_config.json");
  files.tokenizer = IfExists(folder / "tokenizer.json");
  files.tokenizer_config = IfExists(folder / "tokenizer_config.json");
  files.chat_template = IfExists(folder / "chat_template.jinja");
  return files;
}

Result<ModelFiles> OpenPlace(const path& place) {
  std::error_code ignored;
  if (std::filesystem::is_directory(place, ignored)) return OpenFolder(place);
  if (place.extension() == ".gguf") {
    ModelFiles files;
    files.path = place;
    files.kind = ModelKind::kGgufFile;
    return files;
  }
  return InvalidArgument(
      format("{}: is a file, must be a model folder or a .gguf file", place.native()));
}

}  // namespace

Result<ModelFiles> FindModelFiles(std::string_view model, const path& binary_folder) {
  if (model.empty()) return InvalidArgument("the model's name is empty");
  std::string searched;
  for (const path& place : Candidates(model, binary_folder)) {
    if (Exists(place)) return OpenPlace(place);
    searched += (searched.empty() ? "" : ", ") + place.native();
  }
  return NotFound(format("model {} not found; searched: {}", Quoted(model, 200), searched));
}

Result<ModelFiles> FindModelFiles(std::string_view model) {
  std::error_code failure;
  const path binary = std::filesystem::read_symlink("/proc/self/exe", failure);
  if (failure) {
    return Unavailable(format("cannot read /proc/self/exe: {}", failure.message()));
  }
  return FindModelFiles(model, binary.parent_path());
}

}  // namespace glint::tensor
