// SPDX-License-Identifier: Apache-2.0
#include "load/vocabulary.h"

#include <algorithm>

#include "base/format.h"

namespace glint::load {
namespace {

constexpr std::size_t kMostWords = 4096;
constexpr std::size_t kLeastWords = 16;

bool IsWord(std::string_view piece) {
  return piece.size() >= 2 && piece[0] == ' ' &&
         std::all_of(piece.begin() + 1, piece.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

}  // namespace

Result<Vocabulary> Vocabulary::OfIds(std::int32_t low, std::int32_t high) {
  if (low < 0 || low >= high || high - low > 10'000'000) {
    return InvalidArgument(
        format("token ids are {} to {}, must be 0 or more and rising", low, high));
  }
  Vocabulary out;
  out.ids_.reserve(static_cast<std::size_t>(high - low));
  for (std::int32_t id = low; id < high; ++id) out.ids_.push_back(id);
  return out;
}

Result<Vocabulary> Vocabulary::OfTokenizer(const text::Tokenizer& tokenizer) {
  Vocabulary out;
  out.ids_.reserve(kMostWords);
  out.pieces_.reserve(kMostWords);
  for (std::int32_t id = 0; id < tokenizer.size() && out.ids_.size() < kMostWords; ++id) {
    const std::string_view piece = tokenizer.Bytes(id);
    if (tokenizer.IsAdded(id) || !IsWord(piece)) continue;
    const auto again = tokenizer.Encode(piece, text::Tokenizer::AddedTokens::kIgnore);
    if (again.size() != 1 || again[0] != id) continue;
    out.ids_.push_back(id);
    out.pieces_.emplace_back(piece);
  }
  if (out.ids_.size() < kLeastWords) {
    return InvalidArgument(format("the tokenizer has {} whole words, random prompts need {}",
                                  out.ids_.size(), kLeastWords));
  }
  return out;
}

Vocabulary Vocabulary::OfWords() {
  constexpr std::string_view kWords[] = {
      " time",  " water", " house", " light", " road",  " stone", " paper", " river",
      " table", " green", " small", " early", " north", " music", " bread", " glass",
      " horse", " night", " plant", " salt",  " wind",  " story", " field", " color",
      " clock", " cloud", " chair", " train", " ship",  " bird",  " tree",  " door"};
  Vocabulary out;
  out.pieces_.assign(std::begin(kWords), std::end(kWords));
  return out;
}

}  // namespace glint::load
