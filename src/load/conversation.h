// SPDX-License-Identifier: Apache-2.0
// The content of a planned conversation: the request body of each turn, from its seed.
//
// The same plan and seed give the same bodies. A prompt is a list of words of the vocabulary: first
// the prefix of its group (or a trace's blocks), then words of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "load/vocabulary.h"
#include "load/workload.h"

namespace glint::load {

struct ApiOptions {
  bool chat = true;  // chat/completions, else completions
  std::string model;
  double temperature = 0;
  bool ignore_eos = false;
  Json extra;  // an object whose members are added to every body, or null
};

class Conversation {
 public:
  // Borrows all three. Chat needs a vocabulary with text; completions takes ids when it has them.
  Conversation(const ApiOptions& api, const Vocabulary& vocabulary,
               const PlannedConversation& plan);

  // The body of turn `turn`, 0 first; each turn once, in order.
  std::string TurnBody(std::size_t turn);

  // The reply to the last turn: becomes part of the next prompt. For completions, as many random
  // words as it had tokens stand for it.
  void AddReply(std::string_view text, std::int64_t output_tokens);

  // Tokens of the prompt so far, by the vocabulary's count.
  [[nodiscard]] std::int64_t prompt_tokens() const { return prompt_tokens_; }

 private:
  [[nodiscard]] std::vector<std::uint32_t> FirstWords() const;
  void AppendRandom(std::uint64_t seed, std::int64_t count,
                    std::vector<std::uint32_t>& words) const;
  [[nodiscard]] std::string TextOf(const std::vector<std::uint32_t>& words) const;

  const ApiOptions& api_;
  const Vocabulary& vocabulary_;
  const PlannedConversation& plan_;
  std::vector<std::pair<const char*, std::string>> messages_;  // chat: role and text
  std::vector<std::uint32_t> words_;                           // completions
  std::int64_t prompt_tokens_ = 0;
};

}  // namespace glint::load
