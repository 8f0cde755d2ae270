// SPDX-License-Identifier: Apache-2.0
#include "eval/inspect_model.h"

#include <optional>
#include <string_view>
#include <utility>

#include "base/format.h"
#include "eval/open_model.h"
#include "eval/verify.h"
#include "model/checkpoint_weights.h"
#include "model/loaded_model.h"
#include "spec/builtin_models.h"
#include "spec/config_parser.h"
#include "tensor/checkpoint.h"
#include "tensor/model_files.h"

namespace glint::eval {
namespace {

std::string FormatNameOf(const tensor::WeightView& view) {
  return view.format == tensor::WeightFormat::kPlain ? tensor::DTypeName(view.data.dtype)
                                                     : tensor::WeightFormatName(view.format);
}

CheckpointInfo Summarise(const tensor::Checkpoint& checkpoint, model::CheckpointWeights weights) {
  CheckpointInfo info;
  info.shards = static_cast<std::int64_t>(checkpoint.shard_paths().size());
  info.bytes = checkpoint.tensor_bytes();
  info.tensors = static_cast<std::int64_t>(checkpoint.tensors().size());
  info.unused = std::move(weights.unused);
  info.warnings = std::move(weights.warnings);
  for (const std::string& name : checkpoint.unlisted()) {
    info.warnings.push_back("the index does not name tensor " + Quoted(name));
  }
  for (const model::LocatedWeight& located : weights.located) {
    for (const tensor::WeightView& view : located.StoredViews()) {
      StoredFormat& format = info.formats[FormatNameOf(view)];
      ++format.weights;
      format.bytes += tensor::WeightBytes(view);
    }
  }
  return info;
}

Result<ModelInfo> InspectFolder(const std::string& name, const tensor::ModelFiles& files,
                                const InspectOptions& options) {
  GLINT_ASSIGN(const tensor::Checkpoint checkpoint, tensor::Checkpoint::Open(files.path));
  GLINT_ASSIGN(const spec::ModelSpec spec, model::ReadSpec(files, checkpoint));
  GLINT_ASSIGN(model::CheckpointWeights weights, model::LocateWeights(spec, checkpoint));
  if (options.verify) {
    GLINT_TRY(VerifyTensors(checkpoint, weights, [&](std::int64_t done) {
      if (options.progress) options.progress(done, checkpoint.tensor_bytes());
    }));
  }
  ModelInfo info = DescribeModel(name, weights.model);
  CheckpointInfo summary = Summarise(checkpoint, std::move(weights));
  summary.verified = options.verify;
  info.checkpoint = std::move(summary);
  return info;
}

Result<ModelInfo> InspectBuiltin(const std::string& name, std::string_view config,
                                 const InspectOptions& options) {
  if (options.verify) {
    return InvalidArgument(
        format("{} is a built-in shape without weights, there is nothing to verify", name));
  }
  GLINT_ASSIGN(const spec::ModelSpec spec, spec::ParseConfig(config, name));
  return DescribeModel(name, spec);
}

}  // namespace

Result<ModelInfo> InspectModel(const std::string& model, const InspectOptions& options) {
  const auto files = tensor::FindModelFiles(model);
  if (files.ok()) return InspectFolder(model, files.value(), options);
  if (files.error().code != ErrorCode::kNotFound) return files.error();
  if (const auto config = spec::FindBuiltinConfig(model)) {
    return InspectBuiltin(model, *config, options);
  }
  return NoSuchModel(files.error());
}

}  // namespace glint::eval
