// SPDX-License-Identifier: Apache-2.0
// Shapes that the binary knows by name: config.json texts in src/spec/shapes/, compiled in.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "spec/model_spec.h"

namespace glint::spec {

// The config of a built-in model by name ("glm-5.2"), valid for the life of the process.
std::optional<std::string_view> FindBuiltinConfig(std::string_view name);

// The same, parsed. kNotFound lists the names that there are.
Result<ModelSpec> ParseBuiltin(std::string_view name);

// All names, sorted.
std::vector<std::string> BuiltinModelNames();

}  // namespace glint::spec
