// SPDX-License-Identifier: Apache-2.0
// The metadata of a GGUF file into a ModelSpec.
//
// Architectures glm-dsa, deepseek2 (GLM-4.7-Flash), glm4moe, glm4, chatglm and llama. The values
// are those of a config.json under other names, so they are renamed and read by the same parser,
// with the same limits. What has no key follows from the tensors. Source: glm-architecture.md
// sections 3.5 and 3.6; llama: ggml-org/ggml docs/gguf.md.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "spec/model_spec.h"

namespace glint::spec {

// What the tensor table says and no key does.
struct GgufTensorFacts {
  std::int64_t vocab_rows = 0;  // of token_embd.weight; 0: there is none
  bool has_output = false;      // output.weight; without it, the embedding is used
  bool has_qkv_bias = false;
  bool has_qk_norm = false;
};

// `metadata` is an object of all keys but the vocabulary's arrays. `where` names the file in
// messages, which name the GGUF key of a value that has one. kInvalidArgument for an architecture
// that is not read, for scaled rope, for a routing that GLM does not use, and as ParseConfig.
Result<ModelSpec> ParseGgufConfig(const Json& metadata, const GgufTensorFacts& facts,
                                  std::string_view where);

}  // namespace glint::spec
