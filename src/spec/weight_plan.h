// SPDX-License-Identifier: Apache-2.0
// Exact bytes of a model's tensors in each format that glint writes: what `glint info` and
// `glint convert --plan` print. Tensor data only, without the file headers.
//
// Layouts (glm-architecture.md section 4): fp8 is E4M3 with an F32 scale per 128 x 128 block; int8
// has a BF16 scale a row; w4a8 is int4 with a BF16 scale per group of columns and the I64[2] shape
// that compressed-tensors stores; mxfp4 has an E8M0 scale per 32 columns.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "spec/parameters.h"

namespace glint::spec {

enum class StorageFormat : std::uint8_t { kBf16, kFp8, kInt8, kW4A8, kMxfp4 };

std::span<const StorageFormat> AllStorageFormats();
const char* StorageFormatName(StorageFormat format);  // "bf16", "fp8", "int8", "w4a8", "mxfp4"
std::optional<StorageFormat> ParseStorageFormat(std::string_view name);

// How one tensor is stored when its model is converted to a format.
enum class TensorStorage : std::uint8_t {
  kF32,
  kBf16,
  kFp8Block,
  kInt8Channel,
  kInt4Group,
  kMxfp4
};

// The choice for a tensor. Router, norms, biases, the indexer's weights_proj and MTP's eh_proj keep
// 16 bits (the router's bias 32) in every format; embeddings and lm_head do too, except that w4a8
// stores them as int8. A matrix whose width no group divides falls back to int8 (w4a8) or bf16
// (mxfp4).
TensorStorage ChooseStorage(const TensorGroup& tensor, StorageFormat format);

// Columns per scale of an int4 matrix: the largest of 128, 64 and 32 that divides `columns`; 0:
// none.
std::int64_t Int4GroupSize(std::int64_t columns);

// Bytes of one copy of the tensor, scales included.
std::int64_t StoredBytesEach(const TensorGroup& tensor, TensorStorage storage);

// Bytes of all tensors of the model.
std::int64_t ModelBytes(const ModelSpec& model, StorageFormat format);

// Bytes that the weights of one token's forward pass take (no embedding, no MTP, top_k experts):
// what decode at batch 1 must read from memory.
std::int64_t ActiveBytes(const ModelSpec& model, StorageFormat format);

}  // namespace glint::spec
