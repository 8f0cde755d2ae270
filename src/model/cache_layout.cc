// SPDX-License-Identifier: Apache-2.0
#include "model/cache_layout.h"

#include <array>

#include "base/check.h"
#include "base/checked_math.h"
#include "base/format.h"

namespace glint::model {

Result<CacheLayout> CacheLayout::Create(const spec::ModelSpec& model, Options options) {
  if (options.dtype != tensor::DType::kF32 && options.dtype != tensor::DType::kBF16) {
    return InvalidArgument(
        format("cache dtype is {}, must be F32 or BF16", tensor::DTypeName(options.dtype)));
  }
  if (options.page_count <= 0 || options.page_tokens <= 0) {
    return InvalidArgument(format("cache of {} pages of {} tokens, both must be above 0",
                                  options.page_count, options.page_tokens));
  }
  CacheLayout layout;
  layout.options_ = options;
  for (std::int64_t index = 0; index < model.AllLayers(); ++index) {
    Layer layer;
    if (model.mla) layer.latents.width = model.mla->kv_lora_rank + model.mla->rope_dim;
    if (model.gqa) layer.keys.width = model.gqa->kv_heads * model.gqa->head_dim;
    layer.values.width = layer.keys.width;
    if (model.Layer(index).indexer == spec::IndexerRole::kFull) {
      layer.indexer_keys.width = model.indexer->head_dim;
    }
    for (Part* part : {&layer.latents, &layer.keys, &layer.values, &layer.indexer_keys}) {
      part->offset = layout.total_bytes_;
      const std::array<std::int64_t, 4> factors = {
          part->width, options.page_count, options.page_tokens, tensor::DTypeBytes(options.dtype)};
      const auto bytes = CheckedProduct(factors);
      const auto total = bytes ? CheckedAdd(layout.total_bytes_, *bytes) : std::nullopt;
      if (!total) {
        return InvalidArgument(format("cache of {} pages of {} tokens is too large",
                                      options.page_count, options.page_tokens));
      }
      layout.total_bytes_ = *total;
    }
    layout.layers_.push_back(layer);
  }
  return layout;
}

std::int64_t CacheLayout::BytesPerToken() const {
  return total_bytes_ / options_.page_count / options_.page_tokens;
}

kernels::CacheView CacheLayout::View(std::byte* base, const Part& part) const {
  GLINT_CHECK(part.width > 0, "this layer has such a cache");
  return {.data = base + part.offset,
          .dtype = options_.dtype,
          .width = part.width,
          .page_tokens = options_.page_tokens};
}

kernels::CacheView CacheLayout::Latents(std::byte* base, std::int64_t layer) const {
  return View(base, layers_.at(static_cast<std::size_t>(layer)).latents);
}
kernels::CacheView CacheLayout::Keys(std::byte* base, std::int64_t layer) const {
  return View(base, layers_.at(static_cast<std::size_t>(layer)).keys);
}
kernels::CacheView CacheLayout::Values(std::byte* base, std::int64_t layer) const {
  return View(base, layers_.at(static_cast<std::size_t>(layer)).values);
}
kernels::CacheView CacheLayout::IndexerKeys(std::byte* base, std::int64_t layer) const {
  return View(base, layers_.at(static_cast<std::size_t>(layer)).indexer_keys);
}

}  // namespace glint::model
