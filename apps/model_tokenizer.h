// SPDX-License-Identifier: Apache-2.0
// The tokenizer of MODEL, wherever the model keeps it.
#pragma once

#include <memory>

#include "base/json.h"
#include "base/result.h"
#include "tensor/model_files.h"
#include "text/tokenizer.h"

namespace glint {

// Of tokenizer.json, or of a GGUF file's metadata. kNotFound when a folder has no tokenizer.json;
// kInvalidArgument when it cannot be parsed.
Result<std::unique_ptr<const text::Tokenizer>> ReadModelTokenizer(const tensor::ModelFiles& files);

// All metadata of the GGUF file in `files`, vocabulary included.
Result<Json> ReadGgufMetadata(const tensor::ModelFiles& files);

}  // namespace glint
