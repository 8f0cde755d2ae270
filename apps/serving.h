// SPDX-License-Identifier: Apache-2.0
// A model with its tokenizer, chat template and engine: what `serve` and `chat` have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "apps/model_flags.h"
#include "base/fallback.h"
#include "engine/engine.h"
#include "server/served_model.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace glint {

struct ServingFlags {
  ModelFlags model;
  std::int64_t max_context = 0;
  std::int64_t max_sequences = 32;
  std::int64_t max_waiting = 1024;
  std::int64_t max_waiting_tokens = 0;
  double slo_ttft_ms = 0;
  double slo_tpot_ms = 0;
  std::int64_t step_tokens = 512;
  std::int64_t cache_tokens = 0;
  std::int64_t page_size = 16;
  bool no_prefix_cache = false;
  void Visit(FlagVisitor& visitor);        // all but the next
  void VisitLimits(FlagVisitor& visitor);  // how many requests at once
};

// Members go in the reverse order: the engine before what it runs.
struct Serving {
  std::unique_ptr<FallbackLog> fallbacks;
  OpenedModel opened;
  std::unique_ptr<const text::Tokenizer> tokenizer;
  std::unique_ptr<const text::ChatTemplate> chat_template;  // null: the model has none
  server::GenerationDefaults defaults;
  std::unique_ptr<engine::Engine> engine;

  // `name`: as replies say; empty: the model as typed.
  [[nodiscard]] server::ServedModel Model(const std::string& name, const ServingFlags& flags) const;
};

// Fails with what its parts fail with, and with kNotFound when the model has no tokenizer.json.
Result<Serving> StartServing(const ServingFlags& flags);

}  // namespace glint
