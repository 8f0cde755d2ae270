// SPDX-License-Identifier: Apache-2.0
// MODEL as typed, loaded for computing: a folder's or a GGUF file's weights, or generated ones
// (--synthetic) for a folder's or built-in shape, whole or in a slice (--layers).
#pragma once

#include <string>

#include "base/result.h"
#include "device/device.h"
#include "model/loaded_model.h"

namespace glint::eval {

struct OpenOptions {
  bool synthetic = false;
  std::string layers;  // "dense:3,moe:4"; empty: all. Needs synthetic.
  model::LoadOptions load;
};

// The seed of every synthetic model: the same numbers in every run and on every machine.
constexpr std::uint64_t kSyntheticSeed = 20261130;

// The error for a MODEL that is neither a file nor built in: `searched` of tensor::FindModelFiles,
// and the names that there are.
Error NoSuchModel(const Error& searched);

// The description of MODEL: of a folder's config.json, of a GGUF file, or built in. kNotFound says
// where was looked.
Result<spec::ModelSpec> ReadModelSpec(const std::string& model);

// A built-in shape without --synthetic is kInvalidArgument: it has no weights.
Result<model::LoadedModel> OpenModel(const std::string& model, device::Device& device,
                                     const OpenOptions& options);

}  // namespace glint::eval
