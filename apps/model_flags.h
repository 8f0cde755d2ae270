// SPDX-License-Identifier: Apache-2.0
// The flags of every sub-command that computes with a model, and the model that they open.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/fallback.h"
#include "base/flags.h"
#include "base/result.h"
#include "device/cpu/cpu_device.h"
#include "kernels/operations.h"
#include "model/loaded_model.h"

namespace glint {

struct ModelFlags {
  std::string model;
  bool synthetic = false;
  std::string layers;
  std::string dtype = "bf16";
  std::string weights;
  std::int64_t threads = 0;
  std::string isa = "auto";
  void Visit(FlagVisitor& visitor);
  [[nodiscard]] tensor::DType DType() const;  // of weights and caches
};

// Members go in the reverse order: the model before the device that holds its weights.
struct OpenedModel {
  std::unique_ptr<device::Device> device;
  const kernels::OperationTable* operations = nullptr;
  model::LoadedModel model;
};

// Checks the flags, loads with a bar on stderr, logs the model's warnings. `fallbacks` may be null.
Result<OpenedModel> Open(const ModelFlags& flags, device::CpuStreams streams,
                         FallbackLog* fallbacks);

}  // namespace glint
