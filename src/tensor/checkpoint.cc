// SPDX-License-Identifier: Apache-2.0
#include "tensor/checkpoint.h"

#include <algorithm>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "base/format.h"
#include "tensor/internal/shard_index.h"
#include "tensor/read_text_file.h"
#include "tensor/safetensors.h"

namespace glint::tensor {
namespace {

constexpr const char* kSingleFile = "model.safetensors";
constexpr const char* kIndexFile = "model.safetensors.index.json";
constexpr std::int64_t kMaxIndexBytes = 100'000'000;  // GLM-5.2-FP8: about 13 MB

bool Exists(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

Status CheckFolder(const std::filesystem::path& folder) {
  if (!Exists(folder)) return NotFound(format("{}: no such folder", folder.native()));
  std::error_code ignored;
  if (std::filesystem::is_directory(folder, ignored)) return Ok();
  return InvalidArgument(
      format("{}: is a file, must be a model folder or a .gguf file", folder.native()));
}

// The file names to open: those of the index, or the single file (then the index has no rows).
Result<ShardIndex> FindShards(const std::filesystem::path& folder) {
  const std::filesystem::path index_path = folder / kIndexFile;
  const bool has_single = Exists(folder / kSingleFile);
  if (!Exists(index_path)) {
    if (has_single) return ShardIndex{.shards = {kSingleFile}, .rows = {}};
    return NotFound(
        format("{}: holds neither {} nor {}", folder.native(), kSingleFile, kIndexFile));
  }
  GLINT_ASSIGN(const std::string text, ReadTextFile(index_path, kMaxIndexBytes));
  GLINT_ASSIGN(ShardIndex index, ParseShardIndex(text, index_path.native()));
  const bool named =
      std::find(index.shards.begin(), index.shards.end(), kSingleFile) != index.shards.end();
  if (has_single && !named) {
    return InvalidArgument(format("{}: holds {} too, which the index does not name: remove one",
                                  index_path.native(), kSingleFile));
  }
  for (std::size_t shard = 0; shard < index.shards.size(); ++shard) {
    if (Exists(folder / index.shards[shard])) continue;
    const auto row = std::find_if(
        index.rows.begin(), index.rows.end(),
        [shard](const ShardIndex::Row& any) { return any.shard == static_cast<int>(shard); });
    return NotFound(format("{}: tensor {}: shard {} is not in the folder", index_path.native(),
                           Quoted(row->tensor, 200), Quoted(index.shards[shard], 200)));
  }
  return index;
}

}  // namespace

Result<Checkpoint> Checkpoint::Open(const std::filesystem::path& folder,
                                    const OnProgress& on_progress) {
  std::error_code ignored;
  if (folder.extension() == ".gguf" && std::filesystem::is_regular_file(folder, ignored)) {
    return OpenGgufModel(folder);
  }
  GLINT_TRY(CheckFolder(folder));
  GLINT_ASSIGN(const ShardIndex index, FindShards(folder));
  Checkpoint checkpoint;
  const auto total = static_cast<int>(index.shards.size());
  for (int shard = 0; shard < total; ++shard) {
    GLINT_TRY(checkpoint.AddShard(folder / index.shards[static_cast<std::size_t>(shard)]));
    if (on_progress) on_progress(shard + 1, total);
  }
  GLINT_TRY(checkpoint.BuildNames());
  if (!index.rows.empty()) {
    GLINT_TRY(checkpoint.CompareWithIndex(index, folder / kIndexFile));
  }
  return checkpoint;
}

Result<Checkpoint> Checkpoint::OpenGgufModel(const std::filesystem::path& path) {
  GLINT_ASSIGN(std::vector<GgufFile> parts, OpenGgufParts(path));
  Checkpoint checkpoint;
  checkpoint.is_gguf_ = true;
  checkpoint.gguf_metadata_ = std::move(parts.front().header.metadata);
  for (GgufFile& part : parts) {
    const auto shard = static_cast<int>(checkpoint.shards_.size());
    for (GgufTensor& one : part.header.tensors) {
      checkpoint.tensor_bytes_ += static_cast<std::int64_t>(one.data.size());
      checkpoint.tensors_.push_back(
          {std::move(one.name), one.dtype, one.shape, one.data, shard, one.format});
    }
    checkpoint.shard_paths_.push_back(part.file.path());
    checkpoint.shards_.push_back(std::move(part.file));
  }
  GLINT_TRY(checkpoint.BuildNames());
  return checkpoint;
}

Status Checkpoint::AddShard(const std::filesystem::path& path) {
  GLINT_ASSIGN(SafetensorsFile file, OpenSafetensors(path));
  const auto shard = static_cast<int>(shards_.size());
  for (SafetensorsEntry& entry : file.header.entries) {
    tensor_bytes_ += static_cast<std::int64_t>(entry.data.size());
    tensors_.push_back({std::move(entry.name), entry.dtype, entry.shape, entry.data, shard});
  }
  shards_.push_back(std::move(file.file));
  shard_paths_.push_back(path);
  return Ok();
}

Status Checkpoint::BuildNames() {
  by_name_.reserve(tensors_.size());
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const auto [known, added] = by_name_.emplace(tensors_[i].name, i);
    if (!added) {
      return DataLoss(
          format("{}: is in {} too", Describe(tensors_[i]), ShardName(tensors_[known->second])));
    }
  }
  return Ok();
}

Status Checkpoint::CompareWithIndex(const ShardIndex& index,
                                    const std::filesystem::path& index_path) {
  std::unordered_set<std::string_view> listed;
  listed.reserve(index.rows.size());
  for (const ShardIndex::Row& row : index.rows) {
    listed.insert(row.tensor);
    const StoredTensor* tensor = Find(row.tensor);
    if (tensor != nullptr && tensor->shard == row.shard) continue;
    const std::string where =
        tensor == nullptr ? "no shard does" : "it is in " + ShardName(*tensor);
    return DataLoss(format("{}: tensor {}: shard {} does not hold it, {}", index_path.native(),
                           Quoted(row.tensor, 200),
                           Quoted(index.shards[static_cast<std::size_t>(row.shard)], 200), where));
  }
  for (const StoredTensor& tensor : tensors_) {
    if (!listed.contains(tensor.name)) unlisted_.push_back(tensor.name);
  }
  return Ok();
}

const StoredTensor* Checkpoint::Find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &tensors_[found->second];
}

std::string Checkpoint::ShardName(const StoredTensor& tensor) const {
  return Quoted(shard_paths_[static_cast<std::size_t>(tensor.shard)].filename().native(), 200);
}

std::string Checkpoint::Describe(const StoredTensor& tensor) const {
  return format("{}: tensor {}", shard_paths_[static_cast<std::size_t>(tensor.shard)].native(),
                Quoted(tensor.name, 200));
}

}  // namespace glint::tensor
