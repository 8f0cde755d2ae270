// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/bench_model_command.h"

#include <cstdio>
#include <thread>

#include "apps/model_flags.h"
#include "apps/version.h"
#include "base/flags.h"
#include "base/format.h"
#include "base/log.h"
#include "eval/bench_model.h"

namespace glint {
namespace {

struct BenchModelFlags {
  ModelFlags model;
  std::int64_t prompt = 64;
  std::int64_t generate = 32;
  std::int64_t batch = 1;
  std::int64_t context = 0;
  std::string fill = "prompt";
  std::int64_t runs = 3;
  bool operations = false;
  bool json = false;
  void Visit(FlagVisitor& visitor) {
    model.Visit(visitor);
    visitor.Flag(prompt, "prompt", "TOKENS", "tokens of each sequence's prompt");
    visitor.Flag(generate, "generate", "TOKENS", "tokens to generate in each sequence");
    visitor.Flag(batch, "batch", "N", "sequences that decode together");
    visitor.Flag(context, "context", "TOKENS", "tokens in the caches before the prompt");
    visitor.Flag(fill, "fill", "HOW",
                 "where the context comes from: prompt (computed) or random (numbers only; fast)");
    visitor.Flag(runs, "runs", "N", "runs after one warm-up; medians count");
    visitor.Flag(operations, "operations", "", "print where the time goes, operation by operation");
    visitor.Flag(json, "json", "", "print JSON");
  }
};

Result<eval::ContextFill> FillOf(const BenchModelFlags& flags) {
  if (flags.fill == "prompt") return eval::ContextFill::kPrompt;
  if (flags.fill == "random") return eval::ContextFill::kRandom;
  return InvalidArgument(format("--fill is {}, must be prompt or random", Quoted(flags.fill)));
}

Status Check(const BenchModelFlags& flags) {
  constexpr std::int64_t kMostSequences = 4096;
  if (flags.prompt < 1 || flags.generate < 1 || flags.runs < 1 || flags.batch < 1) {
    return InvalidArgument("--prompt, --generate, --batch and --runs must be 1 or more");
  }
  if (flags.batch > kMostSequences) {
    return InvalidArgument(format("--batch is {}, at most {}", flags.batch, kMostSequences));
  }
  if (flags.context < 0) {
    return InvalidArgument(format("--context is {}, must be 0 or more", flags.context));
  }
  return Ok();
}

Result<eval::BenchModelResult> Measure(const BenchModelFlags& flags, int threads) {
  GLINT_TRY(Check(flags));
  GLINT_ASSIGN(const eval::ContextFill fill, FillOf(flags));
  FallbackLog fallbacks;
  GLINT_ASSIGN(OpenedModel opened, Open(flags.model, device::CpuStreams::kImmediate, &fallbacks));
  return eval::BenchModel(opened.model, *opened.operations, *opened.device,
                          {.prompt_tokens = flags.prompt,
                           .generate_tokens = flags.generate,
                           .batch = flags.batch,
                           .context_tokens = flags.context,
                           .fill = fill,
                           .runs = flags.runs,
                           .threads = threads,
                           .cache_dtype = flags.model.DType()});
}

void PrintSummary(const eval::BenchModelResult& result) {
  std::printf("  prefill  %8.2f tok/s, %.1f %% of the limit (%.0f Gop/s of bytes, %.0f of F32)\n",
              result.prefill.tok_s, 100 * result.prefill.limit_fraction,
              result.rates.int8_ops / 1e9, result.rates.f32_ops / 1e9);
  std::printf("  decode   %8.2f tok/s, %.1f %% of the read limit (%s a step at %.1f GB/s)\n",
              result.decode.tok_s, 100 * result.decode.limit_fraction,
              HumanBytes(result.bytes_per_step).c_str(), result.rates.read_bytes / 1e9);
}

void Print(BenchModelFlags& flags, const eval::BenchModelResult& result) {
  if (flags.json) {
    Json json = eval::BenchModelJson(result);
    json.Add("version", Version());
    json.Add("flags", DescribeFlags(flags));
    std::fputs((json.WriteIndented() + "\n").c_str(), stdout);
    return;
  }
  PrintSummary(result);
  if (flags.operations) std::printf("\n%s", eval::OperationsText(result).c_str());
}

}  // namespace

int RunBenchModel(const std::vector<std::string>& arguments) {
  BenchModelFlags flags;
  const CommandText text{
      .name = "glint bench model",
      .summary =
          "Measures prefill and decode, with the machine's limits measured between the runs.",
      .examples =
          "  glint bench model bench-dense --synthetic --threads 2\n"
          "  glint bench model bench-s --synthetic --weights q4_0 --batch 16 --operations\n"
          "  glint bench model model.gguf --context 32768 --fill random --prompt 1 --json"};
  const FlagOutcome outcome = ParseFlags(text, arguments, flags);
  if (!outcome.run) {
    std::fputs(outcome.text.c_str(), outcome.exit_code == 0 ? stdout : stderr);
    return outcome.exit_code;
  }
  const unsigned processors = std::max(1U, std::thread::hardware_concurrency());
  const int threads = static_cast<int>(flags.model.threads > 0 ? flags.model.threads : processors);
  const auto result = Measure(flags, threads);
  if (!result.ok()) {
    LogError(result.error().message);
    return 1;
  }
  Print(flags, result.value());
  return 0;
}

}  // namespace glint
