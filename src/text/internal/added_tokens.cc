// SPDX-License-Identifier: Apache-2.0
#include "text/internal/added_tokens.h"

#include <algorithm>
#include <utility>

namespace glint::text {

AddedTokenFinder::AddedTokenFinder(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  std::sort(tokens_.begin(), tokens_.end(),
            [](const AddedToken& a, const AddedToken& b) { return a.content < b.content; });
  for (std::uint32_t i = 0; i < tokens_.size(); ++i) {
    Range& range = by_first_byte_[static_cast<unsigned char>(tokens_[i].content[0])];
    if (range.end == 0) range.begin = i;
    range.end = i + 1;
  }
}

std::optional<AddedTokenFinder::Match> AddedTokenFinder::FindFirst(std::string_view text,
                                                                   std::size_t from) const {
  for (std::size_t begin = from; begin < text.size(); ++begin) {
    if (by_first_byte_[static_cast<unsigned char>(text[begin])].end == 0) continue;
    const AddedToken* token = LongestAtStart(text.substr(begin));
    if (token != nullptr) return Match{.begin = begin, .token = token};
  }
  return std::nullopt;
}

const AddedToken* AddedTokenFinder::Find(std::string_view content) const {
  const auto found = std::lower_bound(
      tokens_.begin(), tokens_.end(), content,
      [](const AddedToken& token, std::string_view wanted) { return token.content < wanted; });
  return found != tokens_.end() && found->content == content ? &*found : nullptr;
}

const AddedToken* AddedTokenFinder::LongestAtStart(std::string_view text) const {
  const Range range = by_first_byte_[static_cast<unsigned char>(text[0])];
  auto begin = tokens_.begin() + range.begin;
  auto end = tokens_.begin() + range.end;
  const AddedToken* longest = nullptr;
  // [begin, end): the tokens that agree with the first `depth` bytes of the text. The one that is
  // no longer than that, if any, comes first.
  for (std::size_t depth = 1; begin != end; ++depth) {
    if (begin->content.size() == depth) longest = &*begin++;
    if (depth == text.size()) break;
    const auto wanted = static_cast<unsigned char>(text[depth]);
    const auto byte_at = [depth](const AddedToken& token) {
      return static_cast<unsigned char>(token.content[depth]);
    };
    begin =
        std::partition_point(begin, end, [&](const AddedToken& t) { return byte_at(t) < wanted; });
    end =
        std::partition_point(begin, end, [&](const AddedToken& t) { return byte_at(t) == wanted; });
  }
  return longest;
}

}  // namespace glint::text
