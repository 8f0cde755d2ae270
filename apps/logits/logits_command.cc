// SPDX-License-Identifier: Apache-2.0
#include "apps/logits/logits_command.h"

#include <fmt/format.h>

#include <cstdio>

#include "apps/model_flags.h"
#include "apps/run_command.h"
#include "base/flags.h"
#include "base/format.h"
#include "base/log.h"
#include "eval/logits.h"
#include "eval/npy.h"
#include "tensor/read_text_file.h"

namespace glint {
namespace {

constexpr std::int64_t kMaxIdsBytes = 64'000'000;
constexpr std::int64_t kMaxGreedy = 1'000'000;

struct LogitsFlags {
  ModelFlags model;
  std::string ids;
  std::string ids_file;
  std::string out;
  std::int64_t greedy = 0;
  std::int64_t chunk = 256;
  void Visit(FlagVisitor& visitor) {
    model.Visit(visitor);
    visitor.Flag(ids, "ids", "LIST", "token ids, separated by commas or spaces");
    visitor.Flag(ids_file, "ids-file", "FILE", "a file of token ids instead");
    visitor.Flag(out, "out", "FILE", "the .npy file to write, <f4 [tokens, vocabulary]");
    visitor.Flag(greedy, "greedy", "TOKENS", "print so many most likely tokens that follow");
    visitor.Flag(chunk, "chunk", "TOKENS", "rows of one pass; does not change the result");
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
  if (flags.out.empty() && flags.greedy == 0) {
    return InvalidArgument("--out FILE or --greedy TOKENS must be given");
  }
  if (flags.greedy < 0 || flags.greedy > kMaxGreedy) {
    return InvalidArgument(format("--greedy is {}, must be 0 to {}", flags.greedy, kMaxGreedy));
  }
  if (flags.chunk < 1) {
    return InvalidArgument(format("--chunk is {}, must be 1 or more", flags.chunk));
  }
  FallbackLog fallbacks;
  GLINT_ASSIGN(OpenedModel opened, Open(flags.model, device::CpuStreams::kImmediate, &fallbacks));
  model::LoadedModel& model = opened.model;
  GLINT_ASSIGN(const std::vector<std::int32_t> ids, ReadIds(flags, model.spec.vocab_size));
  const eval::LogitsOptions options{.cache_dtype = flags.model.DType(), .chunk_rows = flags.chunk};
  if (flags.greedy > 0) {
    GLINT_ASSIGN(const auto tokens, eval::GreedyTokens(model, *opened.operations, *opened.device,
                                                       ids, flags.greedy, options));
    std::printf("%s\n", format("{}", fmt::join(tokens, " ")).c_str());
  }
  if (flags.out.empty()) return Ok();
  GLINT_ASSIGN(eval::NpyWriter writer,
               eval::NpyWriter::Create(flags.out, static_cast<std::int64_t>(ids.size()),
                                       model.spec.vocab_size));
  GLINT_TRY(eval::ComputeLogits(model, *opened.operations, *opened.device, ids, options,
                                [&](std::span<const float> rows) { return writer.Append(rows); }));
  return writer.Finish();
}

}  // namespace

int RunLogits(const std::vector<std::string>& arguments) {
  const CommandText text{
      .name = "glint logits",
      .summary = "Writes the raw logits of a token sequence, for comparison with other programs.",
      .examples =
          "  glint logits ./model --ids 1,2,3 --out logits.npy --dtype f32\n"
          "  glint logits ./model --ids 1,2,3 --greedy 16"};
  return RunCommand(text, arguments, Compute);
}

}  // namespace glint
