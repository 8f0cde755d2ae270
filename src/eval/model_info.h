// SPDX-License-Identifier: Apache-2.0
// What `glint info` says of a model: parameters, bytes per precision, cache bytes per token,
// layers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "spec/model_spec.h"
#include "spec/parameters.h"
#include "spec/weight_plan.h"

namespace glint::eval {

struct FormatBytes {
  spec::StorageFormat format;
  std::int64_t bytes = 0;         // of all tensors
  std::int64_t active_bytes = 0;  // read for one token at batch 1
};

struct StoredFormat {
  std::int64_t weights = 0;  // an expert's matrix counts as one
  std::int64_t bytes = 0;    // scales included
};

// What lies on disk. Every tensor is used by the model or listed as unused.
struct CheckpointInfo {
  std::int64_t shards = 0;
  std::int64_t tensors = 0;
  std::int64_t bytes = 0;
  std::map<std::string, StoredFormat> formats;  // "BF16", "fp8 block 128", ...
  std::vector<std::string> unused;              // names
  std::vector<std::string> warnings;            // sentences
  bool verified = false;                        // every byte was read
};

struct ModelInfo {
  std::string name;
  spec::ModelSpec spec;
  spec::ParameterCounts parameters;
  std::vector<FormatBytes> formats;
  std::int64_t cache_bytes_per_token = 0;
  std::optional<std::int64_t> cache_bytes_per_token_fp8;
  std::optional<CheckpointInfo> checkpoint;  // of a folder; a built-in shape has none
};

ModelInfo DescribeModel(std::string name, const spec::ModelSpec& model);

// For people: a heading, the shape, a table of formats. Ends with a newline.
std::string WriteModelInfo(const ModelInfo& info);

// The same figures under stable keys: parameters_total, parameters_trunk, parameters_active,
// cache_bytes_per_token, cache_bytes_per_token_fp8 (null where no such layout exists),
// bytes.FORMAT, active_bytes.FORMAT, the shape under "shape", what is on disk under "checkpoint"
// (or null).
Json ModelInfoJson(const ModelInfo& info);

}  // namespace glint::eval
