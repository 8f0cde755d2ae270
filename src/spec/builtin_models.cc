// SPDX-License-Identifier: Apache-2.0
#include "spec/builtin_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/embedded_file.h"
#include "base/format.h"
#include "spec/config_parser.h"

namespace glint::spec {

// Made by glint_embed from src/spec/shapes/*.json.
std::span<const EmbeddedFile> EmbeddedShapes();

namespace {

constexpr std::string_view kSuffix = ".json";

std::string_view NameOf(const EmbeddedFile& file) {
  return file.name.substr(0, file.name.size() - kSuffix.size());
}

}  // namespace

std::optional<std::string_view> FindBuiltinConfig(std::string_view name) {
  for (const EmbeddedFile& file : EmbeddedShapes()) {
    if (NameOf(file) == name) return file.bytes;
  }
  return std::nullopt;
}

Result<ModelSpec> ParseBuiltin(std::string_view name) {
  if (const auto config = FindBuiltinConfig(name)) return ParseConfig(*config, name);
  return NotFound(format("no built-in shape is named {}; there are {}", Quoted(name),
                         fmt::join(BuiltinModelNames(), ", ")));
}

std::vector<std::string> BuiltinModelNames() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : EmbeddedShapes()) names.emplace_back(NameOf(file));
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace glint::spec
