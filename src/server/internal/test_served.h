// SPDX-License-Identifier: Apache-2.0
// For tests: a served model of random weights, bytes as tokens and a template of one line.
#pragma once

#include <memory>
#include <string>

#include "engine/test_engine.h"
#include "server/served_model.h"
#include "text/test_tokenizer.h"

namespace glint::server {

// Members go in the reverse order: the engine before what it runs.
struct TestServed {
  static constexpr const char* kTemplate =
      "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}{% endfor %}"
      "<think>{% if enable_thinking is defined and not enable_thinking %}</think>{% endif %}";

  TestServed() {
    model = {.names = {"test"},
             .tokenizer = tokenizer.get(),
             .chat_template = chat_template.get(),
             .defaults = {.top_p = 0.5, .end_tokens = {256}},
             .engine = engine.get()};
  }
  std::unique_ptr<const text::Tokenizer> tokenizer = text::MakeTestTokenizer();
  std::unique_ptr<const text::ChatTemplate> chat_template =
      text::ChatTemplate::Parse(kTemplate, "test").value();
  engine::TestEngine machine{tokenizer->size()};
  std::unique_ptr<engine::Engine> engine = machine.Start();
  ServedModel model;
};

}  // namespace glint::server
