// SPDX-License-Identifier: Apache-2.0
// Where a page's bytes lie: one allocation holds the caches of all layers, each a run of
// [pages, page_tokens, width]. One page number means the same positions in every layer's latents
// (or keys and values), in the indexer keys of the full layers and in the MTP layer's caches, so
// they move, roll back and are evicted together.
//
// Which page belongs to whom is sched/page_table.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "kernels/batch_tables.h"
#include "spec/model_spec.h"
#include "tensor/dtype.h"

namespace glint::model {

class CacheLayout {
 public:
  struct Options {
    tensor::DType dtype = tensor::DType::kBF16;  // F32 or BF16
    std::int64_t page_count = 0;                 // > 0
    std::int64_t page_tokens = 16;               // > 0
  };
  // Fails with kInvalidArgument when an option is out of its range or the bytes do not fit 63 bits.
  static Result<CacheLayout> Create(const spec::ModelSpec& model, Options options);

  [[nodiscard]] std::int64_t total_bytes() const { return total_bytes_; }
  [[nodiscard]] std::int64_t BytesPerToken() const;

  // Layer 0 .. AllLayers() - 1, MTP's last. `base` is the allocation. Latents exist under latent
  // attention, keys and values under grouped-query attention, indexer keys on full layers; asking
  // for another is a bug.
  [[nodiscard]] kernels::CacheView Latents(std::byte* base, std::int64_t layer) const;
  [[nodiscard]] kernels::CacheView Keys(std::byte* base, std::int64_t layer) const;
  [[nodiscard]] kernels::CacheView Values(std::byte* base, std::int64_t layer) const;
  [[nodiscard]] kernels::CacheView IndexerKeys(std::byte* base, std::int64_t layer) const;

 private:
  struct Part {
    std::int64_t width = 0;  // 0: this layer has no such cache
    std::int64_t offset = 0;
  };
  struct Layer {
    Part latents;
    Part keys;
    Part values;
    Part indexer_keys;
  };

  CacheLayout() = default;
  [[nodiscard]] kernels::CacheView View(std::byte* base, const Part& part) const;

  Options options_;
  std::vector<Layer> layers_;
  std::int64_t total_bytes_ = 0;
};

}  // namespace glint::model
