// SPDX-License-Identifier: Apache-2.0
// Finds added tokens ("<|user|>", "<think>") in raw text: the leftmost, and of those that start
// there the longest, as Hugging Face does.
//
// A sorted list that is narrowed byte by byte; an automaton was rejected as larger and, at a few
// dozen short tokens that share a first byte, not faster. Time is linear in the text, with the
// length of the longest token as the factor, which the reader of the file bounds.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace glint::text {

struct AddedToken {
  std::string content;  // not empty
  std::int32_t id = 0;
  bool special = false;
};

// Immutable; const calls may run at once.
class AddedTokenFinder {
 public:
  // The contents must differ.
  explicit AddedTokenFinder(std::vector<AddedToken> tokens);

  struct Match {
    std::size_t begin = 0;
    const AddedToken* token = nullptr;
  };
  // The first match that starts at `from` or later.
  [[nodiscard]] std::optional<Match> FindFirst(std::string_view text, std::size_t from) const;

  [[nodiscard]] const AddedToken* Find(std::string_view content) const;

 private:
  // The longest token that `text` starts with, or null.
  [[nodiscard]] const AddedToken* LongestAtStart(std::string_view text) const;

  struct Range {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  std::vector<AddedToken> tokens_;          // sorted by the bytes of their contents
  std::array<Range, 256> by_first_byte_{};  // into tokens_
};

}  // namespace glint::text
