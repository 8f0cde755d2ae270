// SPDX-License-Identifier: Apache-2.0
#include "eval/open_model.h"

#include <fmt/format.h>

#include "base/format.h"
#include "spec/builtin_models.h"
#include "spec/config_parser.h"
#include "spec/slice.h"
#include "tensor/checkpoint.h"
#include "tensor/model_files.h"

namespace glint::eval {

Error NoSuchModel(const Error& searched) {
  return NotFound(format("{}; built-in shapes: {}", searched.message,
                         fmt::join(spec::BuiltinModelNames(), ", ")));
}

Result<spec::ModelSpec> ReadModelSpec(const std::string& model) {
  const auto files = tensor::FindModelFiles(model);
  if (files.ok() && files.value().kind == tensor::ModelKind::kGgufFile) {
    GLINT_ASSIGN(const tensor::Checkpoint checkpoint, tensor::Checkpoint::Open(files.value().path));
    return model::ReadSpec(files.value(), checkpoint);
  }
  if (files.ok()) {
    return spec::ParseConfig(files.value().config_json,
                             (files.value().path / "config.json").string());
  }
  if (files.error().code != ErrorCode::kNotFound) return files.error();
  if (const auto config = spec::FindBuiltinConfig(model)) return spec::ParseConfig(*config, model);
  return NoSuchModel(files.error());
}

Result<model::LoadedModel> OpenModel(const std::string& model, device::Device& device,
                                     const OpenOptions& options) {
  if (options.synthetic) {
    GLINT_ASSIGN(spec::ModelSpec spec, ReadModelSpec(model));
    if (!options.layers.empty()) {
      GLINT_ASSIGN(spec, spec::SliceLayers(spec, options.layers));
    }
    return model::LoadSynthetic(spec, device, kSyntheticSeed, options.load);
  }
  if (!options.layers.empty()) {
    return InvalidArgument("--layers needs --synthetic: a checkpoint runs whole");
  }
  const auto files = tensor::FindModelFiles(model);
  if (files.ok()) return model::LoadFolder(files.value(), device, options.load);
  if (files.error().code == ErrorCode::kNotFound && spec::FindBuiltinConfig(model)) {
    return InvalidArgument(
        format("{} is a built-in shape without weights; --synthetic generates some", model));
  }
  return files.error();
}

}  // namespace glint::eval
