// SPDX-License-Identifier: Apache-2.0
// A checkpoint of random numbers with the names, shapes and plausible magnitudes of a real one: for
// demonstrations, tests and timing where no weights can be had. What such a model says is noise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "spec/parameters.h"
#include "tensor/safetensors_writer.h"

namespace glint::model {

// The tensors of `model` as a BF16 checkpoint stores them (the router's bias in F32), in the order
// of spec::ListTensors, experts one by one.
std::vector<tensor::TensorSpec> SyntheticTensors(const spec::ModelSpec& model);

// The bytes of one of them, into memory of their size or a vector. Numbers depend on `seed`, the
// name and the index alone: matrices are uniform with variance 1 / in, norms lie near 1, biases
// near 0, the router's bias near 11 (where GLM-5's lies, glm-architecture.md 2.9).
void FillSynthetic(const tensor::TensorSpec& spec, std::uint64_t seed, std::byte* out);
std::vector<std::byte> SyntheticBytes(const tensor::TensorSpec& spec, std::uint64_t seed);

// Writes config.json and model.safetensors into `folder`, which is made if need be. Fails with what
// ParseConfig, SafetensorsWriter and the file system fail with.
Status WriteSyntheticCheckpoint(std::string_view config_json, const std::filesystem::path& folder,
                                std::uint64_t seed);

}  // namespace glint::model
