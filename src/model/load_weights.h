// SPDX-License-Identifier: Apache-2.0
// Weights into a store that the forward pass reads: as they lie in the mapped files where the
// format fits, converted once where it does not.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "base/fallback.h"
#include "base/result.h"
#include "device/device.h"
#include "model/checkpoint_weights.h"
#include "model/weight_store.h"

namespace glint::model {

struct LoadOptions {
  // F32 or BF16: what plain weights are computed from. F32 leaves every plain weight as stored
  // (BF16 and F16 widen exactly where they are read); BF16 rounds F32 and F16 matrices. Vectors
  // (norms, biases) and the router's bias are never rounded.
  tensor::DType dtype = tensor::DType::kBF16;
  // With BF16 only: plain matrices that the integer kernels read are rounded to this block format
  // (encode_block.h). The embedding, kv_b, the router and the indexer's weights stay as they are.
  std::optional<tensor::WeightFormat> block_format;
  // Told of each matrix that is dequantised because no kernel reads its format. May be null.
  FallbackLog* fallbacks = nullptr;
  // Bytes made so far, and in all, where weights are converted or generated; on any thread, one at
  // a time. May be empty.
  std::function<void(std::int64_t done, std::int64_t total)> progress;
};

// Scales are checked (kDataLoss names the tensor). With BF16, quantised matrices that the integer
// kernels read keep their numbers and are laid out anew (tensor/interleaved.h); with F32, and where
// no kernel reads the format (FP8), they are dequantised to `dtype`; a split kv_b is joined. Views
// of what needs no conversion point into the checkpoint, which must outlive the store. Fails with
// kResourceExhausted when the device has no room.
Result<std::unique_ptr<ResidentStore>> LoadWeights(const CheckpointWeights& weights,
                                                   const tensor::Checkpoint& checkpoint,
                                                   device::Device& device,
                                                   const LoadOptions& options);

// Generated weights of the model's shapes (synthetic_checkpoint.h), BF16 or F32 as options.dtype
// says.
Result<std::unique_ptr<ResidentStore>> MakeSyntheticWeights(const spec::ModelSpec& model,
                                                            device::Device& device,
                                                            std::uint64_t seed,
                                                            const LoadOptions& options);

}  // namespace glint::model
