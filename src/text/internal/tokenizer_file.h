// SPDX-License-Identifier: Apache-2.0
// Reads a tokenizer.json of Hugging Face `tokenizers` into the tables that the tokenizer runs on.
//
// Taken: model BPE, pre-tokenizer Split then ByteLevel, no normalizer, decoder ByteLevel, added
// tokens that match anywhere. Everything else that would change a result is refused by name. The
// post-processor is left out: chat templates write the begin tokens themselves.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "text/internal/added_tokens.h"
#include "text/internal/bpe.h"
#include "text/internal/vocabulary.h"

namespace glint::text {

struct TokenizerTables {
  Vocabulary vocabulary;  // base entries are indexed, added tokens have bytes only
  MergeTable merges;      // none makes an added token
  std::array<std::int32_t, 256> byte_ids = {};  // Vocabulary::kNoToken where !every_byte
  bool every_byte = true;                       // else bytes without a token are left out of a text
  bool ignore_merges = false;                   // a pre-token that is a token is taken whole
  std::string pattern;                          // as the file has it
  std::vector<AddedToken> added;
};

// How messages call the parts of a vocabulary, and whether it may lack bytes: SmolLM2 has no token
// for bytes that its texts never held, and leaves them out.
struct TokenizerSource {
  std::string_view vocabulary = "model.vocab";
  std::string_view merges = "model.merges";
  std::string_view added = "added_tokens";
  bool may_lack_bytes = false;
};

// Every message starts with `where`. kInvalidArgument for all failures.
Result<TokenizerTables> ReadTokenizerFile(std::string_view json, std::string_view where);

// The same of what is parsed already.
Result<TokenizerTables> ReadTokenizerObject(const Json& file, std::string_view where,
                                            const TokenizerSource& source);

}  // namespace glint::text
