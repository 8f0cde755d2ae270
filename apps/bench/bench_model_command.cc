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
  std::int64_t runs = 3;
  bool json = false;
  void Visit(FlagVisitor& visitor) {
    model.Visit(visitor);
    visitor.Flag(prompt, "prompt", "TOKENS", "tokens of the prompt");
    visitor.Flag(generate, "generate", "TOKENS", "tokens to generate");
    visitor.Flag(runs, "runs", "N", "runs after one warm-up; medians count");
    visitor.Flag(json, "json", "", "print JSON");
  }
};

Result<eval::BenchModelResult> Measure(const BenchModelFlags& flags, int threads) {
  if (flags.prompt < 1 || flags.generate < 1 || flags.runs < 1) {
    return InvalidArgument("--prompt, --generate and --runs must be 1 or more");
  }
  FallbackLog fallbacks;
  GLINT_ASSIGN(OpenedModel opened, Open(flags.model, device::CpuStreams::kImmediate, &fallbacks));
  const std::int64_t positions = opened.model.spec.max_positions;
  if (flags.prompt + flags.generate > positions) {
    return InvalidArgument(
        format("--prompt {} and --generate {} are more than the model's {} positions", flags.prompt,
               flags.generate, positions));
  }
  return eval::BenchModel(opened.model, *opened.operations, *opened.device,
                          {.prompt_tokens = flags.prompt,
                           .generate_tokens = flags.generate,
                           .runs = flags.runs,
                           .threads = threads,
                           .cache_dtype = flags.model.DType()});
}

void Print(BenchModelFlags& flags, const eval::BenchModelResult& result) {
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
  BenchModelFlags flags;
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
