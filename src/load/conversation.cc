// SPDX-License-Identifier: Apache-2.0
#include "load/conversation.h"

#include <algorithm>
#include <random>

#include "base/check.h"
#include "base/format.h"

namespace glint::load {
namespace {

// Seeds that never meet: of groups, of a trace's blocks, of turns and replies.
std::uint64_t Mix(std::uint64_t kind, std::uint64_t value) {
  std::seed_seq mixed{kind, value & 0xFFFFFFFF, value >> 32};
  std::uint32_t words[2];
  mixed.generate(std::begin(words), std::end(words));
  return (std::uint64_t{words[0]} << 32) | words[1];
}

enum Kind : std::uint64_t { kGroup = 1, kBlock = 2, kTurn = 3, kReply = 4 };

}  // namespace

Conversation::Conversation(const ApiOptions& api, const Vocabulary& vocabulary,
                           const PlannedConversation& plan)
    : api_(api), vocabulary_(vocabulary), plan_(plan) {
  GLINT_CHECK(!api.chat || vocabulary.has_text(), "chat needs words");
}

void Conversation::AppendRandom(std::uint64_t seed, std::int64_t count,
                                std::vector<std::uint32_t>& words) const {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::uint32_t> pick(
      0, static_cast<std::uint32_t>(vocabulary_.size() - 1));
  words.reserve(words.size() + static_cast<std::size_t>(std::max<std::int64_t>(0, count)));
  for (std::int64_t i = 0; i < count; ++i) words.push_back(pick(random));
}

std::vector<std::uint32_t> Conversation::FirstWords() const {
  const std::int64_t count = plan_.turns[0].input_tokens;
  std::vector<std::uint32_t> words;
  std::int64_t left = count;
  for (const std::int64_t block : plan_.block_ids) {
    const std::int64_t now = std::min(left, kTraceBlockTokens);
    AppendRandom(Mix(kBlock, static_cast<std::uint64_t>(block)), now, words);
    left -= now;
  }
  if (plan_.block_ids.empty()) {
    AppendRandom(Mix(kGroup, static_cast<std::uint64_t>(plan_.prefix_group)), plan_.prefix_tokens,
                 words);
    left -= plan_.prefix_tokens;
  }
  AppendRandom(Mix(kTurn, plan_.seed), left, words);
  return words;
}

std::string Conversation::TextOf(const std::vector<std::uint32_t>& words) const {
  std::string text;
  for (const std::uint32_t word : words) text += vocabulary_.piece(word);
  return text;
}

std::string Conversation::TurnBody(std::size_t turn) {
  std::vector<std::uint32_t> words;
  if (turn == 0) {
    words = FirstWords();
  } else {
    AppendRandom(Mix(kTurn, plan_.seed + turn), plan_.turns[turn].input_tokens, words);
  }
  prompt_tokens_ += static_cast<std::int64_t>(words.size());
  Json body;
  body.Add("model", api_.model);
  if (api_.chat) {
    messages_.emplace_back("user", TextOf(words));
    Json messages(Json::Array{});
    for (const auto& [role, text] : messages_) {
      Json message;
      message.Add("role", role);
      message.Add("content", text);
      messages.Append(std::move(message));
    }
    body.Add("messages", std::move(messages));
  } else {
    words_.insert(words_.end(), words.begin(), words.end());
    if (vocabulary_.has_ids()) {
      Json::Array ids;
      ids.reserve(words_.size());
      for (const std::uint32_t word : words_) ids.emplace_back(vocabulary_.id(word));
      body.Add("prompt", std::move(ids));
    } else {
      body.Add("prompt", TextOf(words_));
    }
  }
  body.Add("max_tokens", plan_.turns[turn].output_tokens);
  body.Add("temperature", api_.temperature);
  if (api_.ignore_eos) body.Add("ignore_eos", true);
  body.Add("stream", true);
  Json usage;
  usage.Add("include_usage", true);
  body.Add("stream_options", std::move(usage));
  if (const Json::Object* extra = api_.extra.object()) {
    for (const auto& [key, value] : *extra) body.Add(key, value);
  }
  return body.Write();
}

void Conversation::AddReply(std::string_view text, std::int64_t output_tokens) {
  prompt_tokens_ += output_tokens;
  if (api_.chat) {
    messages_.emplace_back("assistant", std::string(text));
    return;
  }
  AppendRandom(Mix(kReply, plan_.seed + words_.size()), output_tokens, words_);
}

}  // namespace glint::load
