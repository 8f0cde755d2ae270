// SPDX-License-Identifier: Apache-2.0
#include "tensor/internal/shard_index.h"

#include <algorithm>
#include <unordered_set>

#include "base/format.h"
#include "base/json.h"

namespace glint::tensor {
namespace {

constexpr JsonLimits kIndexLimits = {.depth = 16, .values = 8'000'000};

// Whether a shard's name stays in the folder. What a symbolic link of that name points to is the
// operator's business: download caches are made of them.
bool IsPlainFileName(std::string_view name) {
  return !name.empty() && name != "." && name.find("..") == std::string_view::npos &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string_view::npos;
}

Result<const std::string*> ShardName(const std::string& tensor, const Json& value,
                                     std::string_view path) {
  const std::string* shard = value.string();
  if (shard == nullptr) {
    return DataLoss(format("{}: tensor {}: shard is {}, must be a string", path,
                           Quoted(tensor, 200), value.TypeName()));
  }
  if (!IsPlainFileName(*shard)) {
    return InvalidArgument(
        format("{}: tensor {}: shard {} is not the name of a file in this folder", path,
               Quoted(tensor, 200), Quoted(*shard, 200)));
  }
  return shard;
}

}  // namespace

Result<ShardIndex> ParseShardIndex(std::string_view text, std::string_view path) {
  const Result<Json> parsed = ParseJson(text, path, kIndexLimits);
  if (!parsed.ok()) return DataLoss(parsed.error().message);
  const Json* map = parsed.value().Find("weight_map");
  if (map == nullptr || map->object() == nullptr) {
    return DataLoss(format("{}: has no object weight_map", path));
  }
  if (map->object()->empty()) return DataLoss(format("{}: weight_map is empty", path));
  ShardIndex index;
  for (const auto& [tensor, value] : *map->object()) {
    GLINT_ASSIGN(const std::string* shard, ShardName(tensor, value, path));
    // Shards are few and tensors of one shard mostly stand together, so this is no set.
    if (index.shards.empty() || index.shards.back() != *shard) index.shards.push_back(*shard);
  }
  std::sort(index.shards.begin(), index.shards.end());
  index.shards.erase(std::unique(index.shards.begin(), index.shards.end()), index.shards.end());

  std::unordered_set<std::string_view> tensors;
  index.rows.reserve(map->object()->size());
  for (const auto& [tensor, value] : *map->object()) {
    if (!tensors.insert(tensor).second) {
      return DataLoss(format("{}: tensor {} is in weight_map twice", path, Quoted(tensor, 200)));
    }
    const auto shard = std::lower_bound(index.shards.begin(), index.shards.end(), *value.string());
    index.rows.push_back({tensor, static_cast<int>(shard - index.shards.begin())});
  }
  return index;
}

}  // namespace glint::tensor
