// SPDX-License-Identifier: Apache-2.0
// Text to token ids and back: byte-level BPE as Hugging Face `tokenizers` runs it for the GLM
// family, from the model's tokenizer.json or the metadata of its GGUF file.
//
// Left out: special tokens that a post-processor would add around a text (chat templates write
// them), and streaming (text/detokenizer.h). Source: glm-architecture.md section 5.1.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace glint::text {

struct TokenizerTables;

// Immutable after Parse, so any thread may call at any time. Ids are 0 to size() - 1, not each of
// them a token.
class Tokenizer {
 public:
  // `where` starts every message. kInvalidArgument names what is damaged or unsupported: another
  // model type, normalizer, pre-tokenizer or decoder, two tokens with one id, and so on.
  static Result<std::unique_ptr<const Tokenizer>> Parse(std::string_view json,
                                                        std::string_view where);

  // The tokenizer that the metadata of a GGUF file describes: an object of all its keys. Byte-level
  // BPE only, and only the values of tokenizer.ggml.pre whose pattern is known: glm4, chatglm-bpe,
  // llama-bpe, smollm and gpt-2. A byte that the vocabulary lacks is left out of a text, as Hugging
  // Face does without an unknown token. kInvalidArgument names the key. No token is ever put before
  // a text, whatever add_bos_token says: chat templates write theirs.
  static Result<std::unique_ptr<const Tokenizer>> ParseGguf(const Json& metadata,
                                                            std::string_view where);
  ~Tokenizer();
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;

  // Whether text like "<|user|>" becomes the control token. Ignore for text that is not to be
  // trusted: then no added token longer than a byte can come out, however the text is spelled.
  enum class AddedTokens : std::uint8_t { kMatch, kIgnore };

  // Takes any bytes: those that are not UTF-8 become the tokens of their bytes. No text takes more
  // than O(n log n) time. Below 4 GiB.
  [[nodiscard]] std::vector<std::int32_t> Encode(std::string_view text, AddedTokens added) const;

  // The bytes that the token stands for, which may be half a character; empty for an unknown id.
  // Valid as long as the tokenizer.
  [[nodiscard]] std::string_view Bytes(std::int32_t id) const;

  // An added token, and one that the file marks as special. False for an unknown id.
  [[nodiscard]] bool IsAdded(std::int32_t id) const;
  [[nodiscard]] bool IsSpecial(std::int32_t id) const;

  // The added token that is spelled so.
  [[nodiscard]] std::optional<std::int32_t> AddedTokenId(std::string_view content) const;

  // Highest id + 1.
  [[nodiscard]] std::int32_t size() const;

  // Joins the tokens' bytes; what is not UTF-8 becomes U+FFFD, one for each maximal subpart.
  // Unknown ids are left out, special tokens too if asked for.
  [[nodiscard]] std::string Decode(std::span<const std::int32_t> ids, bool skip_special) const;

 private:
  struct Tables;
  class Encoder;
  static Result<std::unique_ptr<const Tokenizer>> Make(TokenizerTables file,
                                                       std::string_view where);
  explicit Tokenizer(std::unique_ptr<const Tables> tables);

  std::unique_ptr<const Tables> tables_;
};

}  // namespace glint::text
