// SPDX-License-Identifier: Apache-2.0
// For tests: small tokenizer.json files in the form that GLM's have.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/json.h"
#include "text/internal/byte_alphabet.h"
#include "text/tokenizer.h"

namespace glint::text {

inline constexpr std::string_view kGlmPattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";

// In the order of their ids. The first 18 are special.
inline constexpr std::string_view kGlmAddedTokens[] = {"<|endoftext|>",
                                                       "[MASK]",
                                                       "[gMASK]",
                                                       "[sMASK]",
                                                       "<sop>",
                                                       "<eop>",
                                                       "<|system|>",
                                                       "<|user|>",
                                                       "<|assistant|>",
                                                       "<|observation|>",
                                                       "<|begin_of_image|>",
                                                       "<|end_of_image|>",
                                                       "<|begin_of_video|>",
                                                       "<|end_of_video|>",
                                                       "<|begin_of_audio|>",
                                                       "<|end_of_audio|>",
                                                       "<|begin_of_transcription|>",
                                                       "<|end_of_transcription|>",
                                                       "<|code_prefix|>",
                                                       "<|code_middle|>",
                                                       "<|code_suffix|>",
                                                       "<think>",
                                                       "</think>",
                                                       "<tool_call>",
                                                       "</tool_call>",
                                                       "<tool_response>",
                                                       "</tool_response>",
                                                       "<arg_key>",
                                                       "</arg_key>",
                                                       "<arg_value>",
                                                       "</arg_value>",
                                                       "/nothink",
                                                       "<|begin_of_box|>",
                                                       "<|end_of_box|>",
                                                       "<|image|>",
                                                       "<|video|>"};

struct TestTokenizerOptions {
  // Pairs of byte strings. What they make gets the ids from 256 on, in this order.
  std::vector<std::pair<std::string, std::string>> merges;
  bool ignore_merges = true;
};

// Ids 0 to 255 are the bytes of the same value; after the merged tokens come GLM's added ones.
inline Json TestTokenizerFile(const TestTokenizerOptions& options = {}) {
  Json vocab(Json::Object{});
  int id = 0;
  for (int byte = 0; byte < 256; ++byte) {
    vocab.Add(SpellBytes(std::string(1, static_cast<char>(byte))), id++);
  }
  Json merges(Json::Array{});
  for (const auto& [left, right] : options.merges) {
    vocab.Add(SpellBytes(left + right), id++);
    merges.Append(SpellBytes(left) + " " + SpellBytes(right));
  }
  Json added(Json::Array{});
  for (const std::string_view content : kGlmAddedTokens) {
    const bool special = added.array()->size() < 18;
    added.Append(Json::Object{{"id", id++},
                              {"content", content},
                              {"single_word", false},
                              {"lstrip", false},
                              {"rstrip", false},
                              {"normalized", false},
                              {"special", special}});
  }
  const Json split = Json::Object{{"type", "Split"},
                                  {"pattern", Json::Object{{"Regex", kGlmPattern}}},
                                  {"behavior", "Isolated"},
                                  {"invert", false}};
  const Json byte_level =
      Json::Object{{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
  return Json::Object{
      {"added_tokens", std::move(added)},
      {"normalizer", Json()},
      {"pre_tokenizer",
       Json::Object{{"type", "Sequence"}, {"pretokenizers", Json::Array{split, byte_level}}}},
      {"post_processor", Json()},
      {"decoder", Json::Object{{"type", "ByteLevel"}}},
      {"model", Json::Object{{"type", "BPE"},
                             {"ignore_merges", options.ignore_merges},
                             {"vocab", std::move(vocab)},
                             {"merges", std::move(merges)}}}};
}

inline std::unique_ptr<const Tokenizer> MakeTestTokenizer(
    const TestTokenizerOptions& options = {}) {
  return Tokenizer::Parse(TestTokenizerFile(options).Write(), "test tokenizer").value();
}

}  // namespace glint::text
