// SPDX-License-Identifier: Apache-2.0
// The engine's options, checked, with what was left to the engine filled in.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "engine/engine.h"
#include "spec/model_spec.h"

namespace glint::engine {

// "NAME is VALUE, must be LEAST to MOST".
Error OutOfRange(const char* name, std::int64_t value, std::int64_t least, std::int64_t most);

// The caches get what all sequences can use, or a quarter of `memory_bytes`. kInvalidArgument for a
// value out of its range.
Result<EngineOptions> ResolveOptions(EngineOptions options, const spec::ModelSpec& model,
                                     std::int64_t memory_bytes);

}  // namespace glint::engine
