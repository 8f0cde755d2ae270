// SPDX-License-Identifier: Apache-2.0
// Finds MODEL, as every sub-command takes it, and hands out the texts beside its tensors. What they
// mean is for others: spec parses the config, text the tokenizer and the template. The tensors are
// tensor/checkpoint.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace glint::tensor {

enum class ModelKind : std::uint8_t {
  kSafetensorsFolder,
  kGgufFile,  // metadata, tokenizer and template lie in it (Checkpoint::gguf_metadata)
};

struct ModelFiles {
  std::filesystem::path path;  // the folder, or the GGUF file
  ModelKind kind = ModelKind::kSafetensorsFolder;
  std::string config_json;  // config.json, not parsed; empty for a GGUF file
  // Files that are there; read them with ReadTextFile (tensor/read_text_file.h).
  std::optional<std::filesystem::path> generation_config;  // generation_config.json
  std::optional<std::filesystem::path> tokenizer;          // tokenizer.json
  std::optional<std::filesystem::path> tokenizer_config;   // tokenizer_config.json
  std::optional<std::filesystem::path> chat_template;      // chat_template.jinja
};

inline constexpr std::int64_t kMaxConfigBytes = 16'000'000;

// Takes the first that exists of: the path `model` itself; and, for a name without "..", models/
// NAME, ../share/glint/models/NAME and ../../models/NAME, from `binary_folder`.
// kNotFound lists all places that were searched, or says that the folder has no config.json;
// kInvalidArgument for an empty name, for a file that is no GGUF, and for a config.json beyond
// kMaxConfigBytes.
Result<ModelFiles> FindModelFiles(std::string_view model,
                                  const std::filesystem::path& binary_folder);

// With the folder of the running program (/proc/self/exe).
Result<ModelFiles> FindModelFiles(std::string_view model);

}  // namespace glint::tensor
