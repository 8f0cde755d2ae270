// SPDX-License-Identifier: Apache-2.0
// model.safetensors.index.json: which shard holds which tensor.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glint::tensor {

struct ShardIndex {
  struct Row {
    std::string tensor;
    int shard = 0;  // index into shards
  };
  std::vector<std::string> shards;  // file names without folder, sorted, each once
  std::vector<Row> rows;            // as in the file; each tensor once
};

// Pure: `path` is for messages. kDataLoss when the text is no such index (no JSON, no weight_map, a
// tensor twice), kInvalidArgument for a shard that is not the name of a file in the same folder.
// metadata.total_size is not believed: nothing reads it.
Result<ShardIndex> ParseShardIndex(std::string_view text, std::string_view path);

}  // namespace glint::tensor
