// SPDX-License-Identifier: Apache-2.0
#include "apps/model_flags.h"

#include "base/format.h"
#include "base/log.h"
#include "base/progress.h"
#include "eval/choose_operations.h"
#include "eval/open_model.h"
#include "tensor/encode_block.h"

namespace glint {

void ModelFlags::Visit(FlagVisitor& visitor) {
  visitor.Positional(model, "MODEL",
                     "a folder in Hugging Face layout, a .gguf file, or a built-in name");
  visitor.Flag(synthetic, "synthetic", "", "generated weights instead of the model's");
  visitor.Flag(layers, "layers", "LIST", "a slice such as dense:3,moe:4, with --synthetic");
  visitor.Flag(dtype, "dtype", "f32|bf16", "precision of weights and cache");
  visitor.Flag(weights, "weights", "FORMAT",
               "round plain weights to q8_0, q6_k, q4_k, q4_0 or mxfp4 while loading");
  visitor.Flag(threads, "threads", "N", "kernel threads; 0: all processors");
  visitor.Flag(isa, "isa", "NAME", "auto, amx, avx512, avx2, baseline or reference");
}

tensor::DType ModelFlags::DType() const {
  return dtype == "f32" ? tensor::DType::kF32 : tensor::DType::kBF16;
}

Result<OpenedModel> Open(const ModelFlags& flags, device::CpuStreams streams,
                         FallbackLog* fallbacks) {
  if (flags.dtype != "f32" && flags.dtype != "bf16") {
    return InvalidArgument(format("--dtype is {}, must be f32 or bf16", Quoted(flags.dtype)));
  }
  if (flags.threads < 0 || flags.threads > 1024) {
    return InvalidArgument(format("--threads is {}, must be 0 to 1024", flags.threads));
  }
  const auto block_format = tensor::ParseBlockFormat(flags.weights);
  if (!flags.weights.empty() && !block_format) {
    return InvalidArgument(
        format("--weights is {}, must be q8_0, q6_k, q4_k, q4_0 or mxfp4", Quoted(flags.weights)));
  }
  if (block_format && flags.dtype != "bf16") {
    return InvalidArgument("--weights needs --dtype bf16: with f32 nothing is rounded");
  }
  OpenedModel opened;
  GLINT_ASSIGN(opened.operations, eval::ChooseOperations(flags.isa));
  opened.device = device::MakeCpuDevice(static_cast<int>(flags.threads), fallbacks, streams);
  GLINT_ASSIGN(opened.model,
               eval::OpenModel(flags.model, *opened.device,
                               {.synthetic = flags.synthetic,
                                .layers = flags.layers,
                                .load = {.dtype = flags.DType(),
                                         .block_format = block_format,
                                         .fallbacks = fallbacks,
                                         .progress = StderrByteProgress("loading")}}));
  for (const std::string& warning : opened.model.warnings) LogWarning(warning);
  return opened;
}

}  // namespace glint
