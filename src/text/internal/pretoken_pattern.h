// SPDX-License-Identifier: Apache-2.0
// The pattern that cuts text into pre-tokens before byte-pair encoding, on PCRE2.
//
// tokenizer.json patterns are written for Oniguruma. They are translated where the two differ: \s
// means White_Space there, and in PCRE2 U+180E too. What else they spell differently is refused by
// name (\h, nested classes). Their Unicode versions differ as well: tests/program/test_tokenize.py
// lists the characters.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"

// PCRE2's own names, so that its header stays in the .cc.
struct pcre2_real_code_8;
struct pcre2_real_match_context_8;
struct pcre2_real_match_data_8;

namespace glint::text {

// Immutable; const calls may run at once.
class PretokenPattern {
 public:
  // kInvalidArgument, starting with `where`, for a pattern that is malformed or not supported.
  static Result<PretokenPattern> Compile(std::string_view pattern, std::string_view where);

 private:
  friend class PretokenReader;
  struct FreeCode {
    void operator()(pcre2_real_code_8* code) const;
  };
  explicit PretokenPattern(pcre2_real_code_8* code) : code_(code) {}
  std::unique_ptr<pcre2_real_code_8, FreeCode> code_;
};

// Cuts one text after another; holds PCRE2's buffers. One thread at a time.
class PretokenReader {
 public:
  explicit PretokenReader(const PretokenPattern& pattern);  // must outlive this object

  // Starts on `text`, which must be well-formed UTF-8 and stay as it is.
  void Start(std::string_view text);

  // The next piece: what the pattern matched, or the text between two matches. The pieces are not
  // empty and together are the text. Where PCRE2 gives up (its limit on steps grows with the text,
  // so no sane pattern meets it), the rest is one piece.
  std::optional<std::string_view> Next();

 private:
  struct FreeMatchContext {
    void operator()(pcre2_real_match_context_8* context) const;
  };
  struct FreeMatchData {
    void operator()(pcre2_real_match_data_8* data) const;
  };

  // Finds the match that comes next; where there is none, an empty one at the end of the text.
  void FindMatch();

  const PretokenPattern& pattern_;
  std::unique_ptr<pcre2_real_match_context_8, FreeMatchContext> context_;
  std::unique_ptr<pcre2_real_match_data_8, FreeMatchData> data_;
  std::string_view text_;
  std::size_t taken_ = 0;        // bytes handed out
  std::size_t match_begin_ = 0;  // the match that is found but not handed out
  std::size_t match_end_ = 0;
};

}  // namespace glint::text
