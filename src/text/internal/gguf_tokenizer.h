// SPDX-License-Identifier: Apache-2.0
// Reads the vocabulary in a GGUF file's metadata into the tables that the tokenizer runs on.
//
// The metadata says the same as a tokenizer.json under other keys, but for the pattern, of which it
// only gives the name: a table here holds those that are known. Source: ggml-org/ggml docs/gguf.md;
// glm-architecture.md sections 3.6 and 5.1; the patterns of the models' own tokenizer.json.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "text/internal/tokenizer_file.h"

namespace glint::text {

// Every message starts with `where` and names the key. kInvalidArgument for all failures.
Result<TokenizerTables> ReadGgufTokenizer(const Json& metadata, std::string_view where);

}  // namespace glint::text
