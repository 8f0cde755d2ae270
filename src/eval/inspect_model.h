// SPDX-License-Identifier: Apache-2.0
// From MODEL as typed to what `glint info` prints: a built-in shape, or a checkpoint whose tensors
// are all accounted for.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "eval/model_info.h"

namespace glint::eval {

struct InspectOptions {
  bool verify = false;  // read every byte (eval/verify.h); of a built-in shape: refused
  // Called while reading, with bytes done and in all.
  std::function<void(std::int64_t done, std::int64_t total)> progress;
};

// A path or model name that exists wins over a built-in shape of that name. kNotFound says where
// was looked and which names are built in; otherwise the errors of config_parser.h, checkpoint.h,
// checkpoint_weights.h and verify.h.
Result<ModelInfo> InspectModel(const std::string& model, const InspectOptions& options);

}  // namespace glint::eval
