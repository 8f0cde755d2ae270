// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/bench_model_command.h"

#include <cstdio>
#include <thread>

#include "apps/version.h"
#include "base/flags.h"
#include "base/format.h"
#include "base/log.h"
#include "base/progress.h"
#include "device/cpu/cpu_device.h"
#include "eval/bench_model.h"
#include "eval/choose_operations.h"
#include "eval/open_model.h"

namespace glint {
namespace {

struct ModelFlags {
  std::string model;
  bool synthetic = false;
  std::string layers;
  std::string dtype = "bf16";
  std::int64_t prompt = 64;
  std::int64_t generate = 32;
  std::int64_t runs = 3;
  std::int64_t threads = 0;
  std::string isa = "auto";
  bool json = false;
  void Visit(FlagVisitor& visitor) {
    visitor.Positional(model, "MODEL", "a folder in Hugging Face layout, or a built-in name");
    visitor.Flag(synthetic, "synthetic", "", "generated weights instead of the model's");
    visitor.Flag(layers, "layers", "LIST", "a slice such as dense:3,moe:4, with --synthetic");
    visitor.Flag(dtype, "dtype", "f32|bf16", "precision of weights and cache");
    visitor.Flag(prompt, "prompt", "TOKENS", "tokens of the prompt");
    visitor.Flag(generate, "generate", "TOKENS", "tokens to generate");
    visitor.Flag(runs, "runs", "N", "runs after one warm-up; medians count");
    visitor.Flag(threads, "threads", "N", "kernel threads; 0: all processors");
    visitor.Flag(isa, "isa", "NAME", "auto, avx2, baseline or reference");
    visitor.Flag(json, "json", "", "print JSON");
  }
};

Status CheckFlags(const ModelFlags& flags) {
  if (flags.dtype != "f32" && flags.dtype != "bf16") {
    return InvalidArgument(format("--dtype is {}, must be f32 or bf16", Quoted(flags.dtype)));
  }
  if (flags.prompt < 1 || flags.generate < 1 || flags.runs < 1) {
    return InvalidArgument("--prompt, --generate and --runs must be 1 or more");
  }
  if (flags.threads < 0 || flags.threads > 1024) {
    return InvalidArgument(format("--threads is {}, must be 0 to 1024", flags.threads));
  }
  return Ok();
}

Result<eval::BenchModelResult> Measure(const ModelFlags& flags, int threads) {
  GLINT_TRY(CheckFlags(flags));
  GLINT_ASSIGN(const kernels::OperationTable* operations, eval::ChooseOperations(flags.isa));
  const tensor::DType dtype = flags.dtype == "f32" ? tensor::DType::kF32 : tensor::DType::kBF16;
  const auto device = device::MakeCpuDevice(threads);
  GLINT_ASSIGN(
      model::LoadedModel model,
      eval::OpenModel(flags.model, *device,
                      {.synthetic = flags.synthetic,
                       .layers = flags.layers,
                       .load = {.dtype = dtype, .progress = StderrByteProgress("loading")}}));
  for (const std::string& warning : model.warnings) LogWarning(warning);
  if (flags.prompt + flags.generate > model.spec.max_positions) {
    return InvalidArgument(
        format("--prompt {} and --generate {} are more than the model's {} "
               "positions",
               flags.prompt, flags.generate, model.spec.max_positions));
  }
  return eval::BenchModel(model, *operations, *device,
                          {.prompt_tokens = flags.prompt,
                           .generate_tokens = flags.generate,
                           .runs = flags.runs,
                           .threads = threads,
                           .cache_dtype = dtype});
}

void Print(ModelFlags& flags, const eval::BenchModelResult& result) {
  if (flags.json) {
    Json json = eval::BenchModelJson(result);
    json.Add("version", Version());
    json.Add("flags", DescribeFlags(flags));
    std::fputs((json.WriteIndented() + "\n").c_str(), stdout);
    return;
  }
  std::printf("  prefill  %8.2f tok/s\n", result.prefill_tok_s);
  std::printf("  decode   %8.2f tok/s, %.1f %% of the read limit (%s a token at %.1f GB/s)\n",
              result.decode_tok_s, 100 * result.decode_limit_fraction,
              HumanBytes(result.decode_bytes_per_token).c_str(), result.read_gb_s);
}

}  // namespace

int RunBenchModel(const std::vector<std::string>& arguments) {
  ModelFlags flags;
  const CommandText text{
      .name = "glint bench model",
      .summary = "Measures prefill and decode, with the memory bandwidth read between the runs.",
      .examples = "  glint bench model bench-dense --synthetic --threads 2"};
  const FlagOutcome outcome = ParseFlags(text, arguments, flags);
  if (!outcome.run) {
    std::fputs(outcome.text.c_str(), outcome.exit_code == 0 ? stdout : stderr);
    return outcome.exit_code;
  }
  const unsigned processors = std::max(1U, std::thread::hardware_concurrency());
  const int threads = static_cast<int>(flags.threads > 0 ? flags.threads : processors);
  const auto result = Measure(flags, threads);
  if (!result.ok()) {
    LogError(result.error().message);
    return 1;
  }
  Print(flags, result.value());
  return 0;
}

}  // namespace glint
