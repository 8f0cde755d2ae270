// SPDX-License-Identifier: Apache-2.0
// config.json of a Hugging Face checkpoint into a ModelSpec.
//
// Reads glm_moe_dsa, glm4_moe_lite, glm4_moe, glm4, glm and llama; both spellings of rope (top
// level, as before transformers 5, and rope_parameters); the indexer schedule by its precedence:
// indexer_types, then index_topk_pattern, then the formula of index_topk_freq and
// index_skip_topk_offset, then all layers full. Source: glm-architecture.md section 1.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "spec/config_reader.h"
#include "spec/model_spec.h"

namespace glint::spec {

// `where` names the file in messages. Every field that would change the arithmetic and is not
// understood is an error (kInvalidArgument), not a guess. The description is bounded: at most
// 1,024 layers, 4,096 experts, 2^20 experts in all layers together and 10^15 parameters.
Result<ModelSpec> ParseConfig(std::string_view json, std::string_view where);

// The same from an object that is parsed already. Messages call the keys in `spelled` by the names
// there (null: none).
Result<ModelSpec> ReadConfig(const Json& config, std::string_view where,
                             const SpelledKeys* spelled);

}  // namespace glint::spec
