// SPDX-License-Identifier: Apache-2.0
#include "apps/logits/logits_command.h"

#include <cstdio>

#include "base/flags.h"
#include "base/format.h"
#include "base/log.h"
#include "base/progress.h"
#include "device/cpu/cpu_device.h"
#include "eval/choose_operations.h"
#include "eval/logits.h"
#include "eval/npy.h"
#include "eval/open_model.h"
#include "tensor/read_text_file.h"

namespace glint {
namespace {

constexpr std::int64_t kMaxIdsBytes = 64'000'000;
constexpr std::int64_t kMaxGreedy = 1'000'000;

struct LogitsFlags {
  std::string model;
  std::string ids;
  std::string ids_file;
  std::string out;
  std::int64_t greedy = 0;
  std::string dtype = "bf16";
  bool synthetic = false;
  std::string layers;
  std::int64_t chunk = 256;
  std::int64_t threads = 0;
  std::string isa = "auto";
  void Visit(FlagVisitor& visitor) {
    visitor.Positional(model, "MODEL", "a folder in Hugging Face layout, or a built-in name");
    visitor.Flag(ids, "ids", "LIST", "token ids, separated by commas or spaces");
    visitor.Flag(ids_file, "ids-file", "FILE", "a file of token ids instead");
    visitor.Flag(out, "out", "FILE", "the .npy file to write, <f4 [tokens, vocabulary]");
    visitor.Flag(greedy, "greedy", "TOKENS", "print so many most likely tokens that follow");
    visitor.Flag(dtype, "dtype", "f32|bf16", "precision of weights and cache");
    visitor.Flag(synthetic, "synthetic", "", "generated weights instead of the model's");
    visitor.Flag(layers, "layers", "LIST", "a slice such as dense:3,moe:4, with --synthetic");
    visitor.Flag(chunk, "chunk", "TOKENS", "rows of one pass; does not change the result");
    visitor.Flag(threads, "threads", "N", "kernel threads; 0: all processors");
    visitor.Flag(isa, "isa", "NAME", "auto, avx2, baseline or reference");
  }
};

Result<std::vector<std::int32_t>> ReadIds(const LogitsFlags& flags, std::int64_t vocab_size) {
  if (flags.ids.empty() == flags.ids_file.empty()) {
    return InvalidArgument("one of --ids and --ids-file must be given");
  }
  if (!flags.ids.empty()) return eval::ParseIds(flags.ids, vocab_size, "--ids");
  GLINT_ASSIGN(const std::string text, tensor::ReadTextFile(flags.ids_file, kMaxIdsBytes));
  return eval::ParseIds(text, vocab_size, flags.ids_file);
}

Status Compute(const LogitsFlags& flags) {
  if (flags.dtype != "f32" && flags.dtype != "bf16") {
    return InvalidArgument(format("--dtype is {}, must be f32 or bf16", Quoted(flags.dtype)));
  }
  if (flags.out.empty() && flags.greedy == 0) {
    return InvalidArgument("--out FILE or --greedy TOKENS must be given");
  }
  if (flags.greedy < 0 || flags.greedy > kMaxGreedy) {
    return InvalidArgument(format("--greedy is {}, must be 0 to {}", flags.greedy, kMaxGreedy));
  }
  if (flags.chunk < 1)
    return InvalidArgument(format("--chunk is {}, must be 1 or more", flags.chunk));
  const tensor::DType dtype = flags.dtype == "f32" ? tensor::DType::kF32 : tensor::DType::kBF16;
  GLINT_ASSIGN(const kernels::OperationTable* operations, eval::ChooseOperations(flags.isa));
  if (flags.threads < 0 || flags.threads > 1024) {
    return InvalidArgument(format("--threads is {}, must be 0 to 1024", flags.threads));
  }
  const auto device = device::MakeCpuDevice(static_cast<int>(flags.threads));
  GLINT_ASSIGN(
      model::LoadedModel model,
      eval::OpenModel(flags.model, *device,
                      {.synthetic = flags.synthetic,
                       .layers = flags.layers,
                       .load = {.dtype = dtype, .progress = StderrByteProgress("loading")}}));
  for (const std::string& warning : model.warnings) LogWarning(warning);
  GLINT_ASSIGN(const std::vector<std::int32_t> ids, ReadIds(flags, model.spec.vocab_size));
  const eval::LogitsOptions options{.cache_dtype = dtype, .chunk_rows = flags.chunk};
  if (flags.greedy > 0) {
    GLINT_ASSIGN(const auto tokens,
                 eval::GreedyTokens(model, *operations, *device, ids, flags.greedy, options));
    std::printf("%s\n", format("{}", fmt::join(tokens, " ")).c_str());
  }
  if (flags.out.empty()) return Ok();
  GLINT_ASSIGN(eval::NpyWriter writer,
               eval::NpyWriter::Create(flags.out, static_cast<std::int64_t>(ids.size()),
                                       model.spec.vocab_size));
  GLINT_TRY(eval::ComputeLogits(model, *operations, *device, ids, options,
                                [&](std::span<const float> rows) { return writer.Append(rows); }));
  return writer.Finish();
}

}  // namespace

int RunLogits(const std::vector<std::string>& arguments) {
  LogitsFlags flags;
  const CommandText text{
      .name = "glint logits",
      .summary = "Writes the raw logits of a token sequence, for comparison with other programs.",
      .examples =
          "  glint logits ./model --ids 1,2,3 --out logits.npy --dtype f32\n"
          "  glint logits ./model --ids 1,2,3 --greedy 16"};
  const FlagOutcome outcome = ParseFlags(text, arguments, flags);
  if (!outcome.run) {
    std::fputs(outcome.text.c_str(), outcome.exit_code == 0 ? stdout : stderr);
    return outcome.exit_code;
  }
  const Status status = Compute(flags);
  if (status.ok()) return 0;
  LogError(status.error().message);
  return 1;
}

}  // namespace glint
