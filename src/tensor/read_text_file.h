// SPDX-License-Identifier: Apache-2.0
// Reads the small files of a model folder (config, index, tokenizer, template) whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.h"

namespace glint::tensor {

// The bytes of the file, which need not be text. Fails as MappedFile::Open does, and with
// kInvalidArgument when it holds more than `most_bytes`. A copy, so later changes do not matter.
Result<std::string> ReadTextFile(const std::filesystem::path& path, std::int64_t most_bytes);

}  // namespace glint::tensor
