// SPDX-License-Identifier: Apache-2.0
// For tests: a tokenizer of single bytes and GLM's added tokens, so that every character of several
// bytes is split across tokens.
#pragma once

#include <memory>
#include <string>

#include "base/json.h"
#include "text/tokenizer.h"

namespace glint::server {

inline std::unique_ptr<const text::Tokenizer> MakeByteTokenizer() {
  // GPT-2's alphabet: printable bytes stand for themselves, the others for U+0100 and on.
  Json vocabulary;
  int next = 256;
  for (int byte = 0; byte < 256; ++byte) {
    const bool printable =
        (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
    const int point = printable ? byte : next++;
    std::string text;
    if (point < 128) {
      text += static_cast<char>(point);
    } else {
      text += static_cast<char>(0xC0 | (point >> 6));
      text += static_cast<char>(0x80 | (point & 0x3F));
    }
    vocabulary.Add(text, byte);
  }
  Json added;
  int id = 256;
  for (const char* content :
       {"<|endoftext|>", "<|user|>", "<think>", "</think>", "<tool_call>", "</tool_call>",
        "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"}) {
    Json token;
    token.Add("id", id++);
    token.Add("content", content);
    token.Add("special", content[1] == '|');
    for (const char* flag : {"single_word", "lstrip", "rstrip", "normalized"}) {
      token.Add(flag, false);
    }
    added.Append(std::move(token));
  }
  Json model;
  model.Add("type", "BPE");
  model.Add("ignore_merges", true);
  model.Add("vocab", std::move(vocabulary));
  model.Add("merges", Json(Json::Array{}));
  Json json = ParseJson(R"({"normalizer": null, "post_processor": null,
    "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
      {"type": "Split", "pattern": {"Regex": "\\p{L}+|\\p{N}{1,3}|\\s+|[^\\s\\p{L}\\p{N}]+"},
       "behavior": "Isolated", "invert": false},
      {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false}]},
    "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true,
                "use_regex": true}})",
                        "test")
                  .value();
  json.Add("added_tokens", std::move(added));
  json.Add("model", std::move(model));
  return text::Tokenizer::Parse(json.Write(), "test").value();
}

}  // namespace glint::server
