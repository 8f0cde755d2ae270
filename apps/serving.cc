// SPDX-License-Identifier: Apache-2.0
#include "apps/serving.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "apps/model_template.h"
#include "apps/model_tokenizer.h"
#include "base/format.h"
#include "base/log.h"
#include "base/progress.h"
#include "eval/open_model.h"
#include "spec/builtin_models.h"
#include "tensor/model_files.h"
#include "tensor/read_ahead.h"
#include "tensor/read_text_file.h"

namespace glint {
namespace {

// A turn of GLM ends at any of these; not every GGUF file names all three.
constexpr const char* kGlmEndTokens[] = {"<|endoftext|>", "<|user|>", "<|observation|>"};

std::vector<std::int64_t> EndTokens(const tensor::ModelFiles& files, const spec::ModelSpec& spec,
                                    const text::Tokenizer& tokenizer) {
  std::vector<std::int64_t> ids = spec.eos_ids;
  const bool glm = spec.architecture != spec::Architecture::kLlama;
  if (files.kind != tensor::ModelKind::kGgufFile || !glm) return ids;
  for (const char* token : kGlmEndTokens) {
    const auto id = tokenizer.AddedTokenId(token);
    if (id && std::find(ids.begin(), ids.end(), *id) == ids.end()) ids.push_back(*id);
  }
  return ids;
}

Result<server::GenerationDefaults> ReadDefaults(const tensor::ModelFiles& files,
                                                const std::vector<std::int64_t>& end_tokens) {
  std::string json;
  std::string where;
  if (files.generation_config) {
    where = files.generation_config->string();
    GLINT_ASSIGN(json, tensor::ReadTextFile(*files.generation_config, tensor::kMaxConfigBytes));
  }
  return server::ParseGenerationDefaults(json, where, end_tokens);
}

// Weights that lie in mapped files come into memory now, not during the first requests; those that
// do not fit stay where they are.
void ReadWeights(const OpenedModel& opened) {
  const tensor::Checkpoint* checkpoint = opened.model.checkpoint.get();
  if (checkpoint == nullptr) return;
  const std::int64_t memory = opened.device->properties().memory_bytes;
  if (checkpoint->tensor_bytes() > memory - memory / 10) {
    LogWarning(format("the weights have {}, this machine {}: they will be read again and again",
                      HumanBytes(static_cast<double>(checkpoint->tensor_bytes())),
                      HumanBytes(static_cast<double>(memory))));
    return;
  }
  tensor::ReadAhead(*checkpoint, StderrByteProgress("reading weights"));
}

Result<std::chrono::nanoseconds> Milliseconds(const char* flag, double value) {
  constexpr double kDay = 86'400'000;
  if (!(value >= 0 && value <= kDay)) {
    return InvalidArgument(format("{} is {}, must be 0 (none) to {}", flag, value, kDay));
  }
  return std::chrono::nanoseconds(static_cast<std::int64_t>(value * 1e6));
}

// A built-in shape is no file, but it is no unknown name either.
Result<tensor::ModelFiles> FindFiles(const std::string& model) {
  Result<tensor::ModelFiles> found = tensor::FindModelFiles(model);
  if (found.ok() || found.error().code != ErrorCode::kNotFound) return found;
  if (spec::FindBuiltinConfig(model)) {
    return InvalidArgument(
        format("{} is a built-in shape without a tokenizer: serve and chat need a folder with "
               "tokenizer.json (weights may be --synthetic)",
               model));
  }
  return eval::NoSuchModel(found.error());
}

}  // namespace

void ServingFlags::Visit(FlagVisitor& visitor) {
  model.Visit(visitor);
  visitor.Flag(max_context, "max-context", "TOKENS", "prompt and answer; 0: the model's");
  visitor.Flag(step_tokens, "step-tokens", "TOKENS",
               "rows of one step: prompts run in such chunks");
  visitor.Flag(cache_tokens, "cache-tokens", "TOKENS",
               "room of the cache; 0: for all requests, at most a quarter of the memory");
  visitor.Flag(page_size, "page-size", "TOKENS",
               "of one cache page; full pages of a prompt are what is found again");
  visitor.Flag(no_prefix_cache, "no-prefix-cache", "", "compute every prompt from its start");
}

void ServingFlags::VisitLimits(FlagVisitor& visitor) {
  visitor.Flag(max_sequences, "max-sequences", "N", "requests that run at once");
  visitor.Flag(max_waiting, "max-waiting", "N", "requests that may queue");
  visitor.Flag(max_waiting_tokens, "max-waiting-tokens", "N",
               "prompt tokens that may queue; 0: no bound");
  visitor.Flag(slo_ttft_ms, "slo-ttft-ms", "MS",
               "target of the first token: what would miss it gets 429; 0: none");
  visitor.Flag(slo_tpot_ms, "slo-tpot-ms", "MS",
               "target of each later token: batches grow as far as it allows; 0: none");
}

server::ServedModel Serving::Model(const std::string& name, const ServingFlags& flags) const {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {.names = {name.empty() ? flags.model.model : name},
          .created = std::chrono::duration_cast<std::chrono::seconds>(now).count(),
          .tokenizer = tokenizer.get(),
          .chat_template = chat_template.get(),
          .glm45_markup = chat_template != nullptr && server::UsesGlm45Markup(*chat_template),
          .defaults = defaults,
          .engine = engine.get()};
}

Result<Serving> StartServing(const ServingFlags& flags) {
  Serving serving;
  GLINT_ASSIGN(const auto slo_ttft, Milliseconds("--slo-ttft-ms", flags.slo_ttft_ms));
  GLINT_ASSIGN(const auto slo_tpot, Milliseconds("--slo-tpot-ms", flags.slo_tpot_ms));
  serving.fallbacks = std::make_unique<FallbackLog>();
  // What costs little is looked at first.
  GLINT_ASSIGN(const tensor::ModelFiles files, FindFiles(flags.model.model));
  GLINT_ASSIGN(serving.tokenizer, ReadModelTokenizer(files));
  GLINT_ASSIGN(ModelTemplate chat_template, ReadModelTemplate(files));
  serving.chat_template = std::move(chat_template.chat_template);
  GLINT_ASSIGN(serving.opened,
               Open(flags.model, device::CpuStreams::kQueued, serving.fallbacks.get()));
  ReadWeights(serving.opened);
  const spec::ModelSpec& spec = serving.opened.model.spec;
  if (serving.tokenizer->size() > spec.vocab_size) {
    return InvalidArgument(format("{} has {} tokens, the model {}",
                                  files.tokenizer.value_or(files.path).string(),
                                  serving.tokenizer->size(), spec.vocab_size));
  }
  GLINT_ASSIGN(serving.defaults, ReadDefaults(files, EndTokens(files, spec, *serving.tokenizer)));
  if (serving.defaults.end_tokens.empty()) {
    LogWarning("the model names no end token: answers end by length or stop strings alone");
  }
  GLINT_ASSIGN(serving.engine,
               engine::Engine::Create(serving.opened.model, *serving.opened.operations,
                                      *serving.opened.device,
                                      {.cache_dtype = flags.model.DType(),
                                       .page_tokens = flags.page_size,
                                       .cache_tokens = flags.cache_tokens,
                                       .max_context = flags.max_context,
                                       .step_tokens = flags.step_tokens,
                                       .max_sequences = flags.max_sequences,
                                       .max_waiting = flags.max_waiting,
                                       .max_waiting_tokens = flags.max_waiting_tokens,
                                       .prefix_cache = !flags.no_prefix_cache,
                                       .slo_ttft = slo_ttft,
                                       .slo_tpot = slo_tpot}));
  return serving;
}

}  // namespace glint
