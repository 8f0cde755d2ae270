// SPDX-License-Identifier: Apache-2.0
// The tensors of a model: a folder with one safetensors file, or with many and an index, or a GGUF
// file, which may lie in parts.
//
// Opening reads headers only; the numbers stay on disk until they are touched (mapped_file.h says
// what happens when a file changes meanwhile). What a tensor is for is not known here: stored
// formats are stored_weight.h, expected names and shapes are spec's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "tensor/gguf_file.h"
#include "tensor/mapped_file.h"
#include "tensor/tensor_view.h"
#include "tensor/weight_view.h"

namespace glint::tensor {

struct ShardIndex;

struct StoredTensor {
  std::string name;
  DType dtype = DType::kF32;         // kU8 for the blocks of a GGUF file
  Shape shape;                       // in elements
  std::span<const std::byte> bytes;  // row-major, any alignment
  int shard = 0;                     // index into Checkpoint::shard_paths()
  // A block format of GGUF (tensor/block_format.h); everything else is plain here, whatever scales
  // lie beside it.
  WeightFormat format = WeightFormat::kPlain;

  // Of plain tensors only.
  [[nodiscard]] TensorView View() const { return {dtype, shape, bytes.data()}; }
};

// Thread-safe after Open. Tensors, names and bytes live as long as the Checkpoint, also when it is
// moved.
class Checkpoint {
 public:
  // Called after each shard, on the caller's thread.
  using OnProgress = std::function<void(int shards_done, int shards_total)>;

  // Opens `folder` by its model.safetensors.index.json, or else by its model.safetensors; or, when
  // it is a file NAME.gguf, that file and the parts that belong to it (gguf_file.h has the errors).
  // Every message names the file and, where there is one, the tensor.
  //   kNotFound: no such folder, neither file in it, or a shard of the index is missing
  //   kInvalidArgument: not a folder, a shard's name leaves the folder, or both files are there and
  //     the index does not name the other; and what safetensors.h says
  //   kDataLoss: a damaged shard or index, a tensor that its shard does not hold, or a tensor in
  //     two shards
  static Result<Checkpoint> Open(const std::filesystem::path& folder,
                                 const OnProgress& on_progress = {});

  // The tensor of that name, or null. O(1).
  [[nodiscard]] const StoredTensor* Find(std::string_view name) const;

  // All tensors by shard (sorted by name) and place in it: reading in this order reads each disk
  // block once.
  [[nodiscard]] std::span<const StoredTensor> tensors() const { return tensors_; }

  // Tensors that lie in a shard but that the index does not name, in the order of tensors(). They
  // can be found and read; a caller should say that they are there.
  [[nodiscard]] std::span<const std::string> unlisted() const { return unlisted_; }

  [[nodiscard]] std::int64_t tensor_bytes() const { return tensor_bytes_; }
  [[nodiscard]] std::span<const std::filesystem::path> shard_paths() const { return shard_paths_; }

  // A GGUF file's metadata; of safetensors there is none. is_gguf says which of the two it is.
  [[nodiscard]] bool is_gguf() const { return is_gguf_; }
  [[nodiscard]] std::span<const GgufValue> gguf_metadata() const { return gguf_metadata_; }

  // "PATH: tensor NAME", as messages about a tensor begin.
  [[nodiscard]] std::string Describe(const StoredTensor& tensor) const;

 private:
  Checkpoint() = default;
  static Result<Checkpoint> OpenGgufModel(const std::filesystem::path& path);
  Status AddShard(const std::filesystem::path& path);
  Status BuildNames();
  [[nodiscard]] std::string ShardName(const StoredTensor& tensor) const;
  Status CompareWithIndex(const ShardIndex& index, const std::filesystem::path& index_path);

  std::vector<MappedFile> shards_;
  std::vector<std::filesystem::path> shard_paths_;
  std::vector<StoredTensor> tensors_;
  std::vector<std::string> unlisted_;
  // Keys point into tensors_, whose elements stay in place once all shards are read.
  std::unordered_map<std::string_view, std::size_t> by_name_;
  std::int64_t tensor_bytes_ = 0;
  bool is_gguf_ = false;
  std::vector<GgufValue> gguf_metadata_;
};

}  // namespace glint::tensor
