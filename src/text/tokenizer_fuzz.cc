// SPDX-License-Identifier: Apache-2.0
// Whatever file parses must encode any text into tokens that stand for that text again. The input
// is a tokenizer.json; behind its first NUL byte, if it has one, follows the text.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "text/tokenizer.h"

namespace {

// Larger inputs only take longer.
constexpr std::size_t kMaxInputBytes = 100'000;

void CheckRoundTrip(const glint::text::Tokenizer& tokenizer, std::string_view text) {
  using AddedTokens = glint::text::Tokenizer::AddedTokens;
  for (const AddedTokens added : {AddedTokens::kMatch, AddedTokens::kIgnore}) {
    std::string joined;
    for (const std::int32_t id : tokenizer.Encode(text, added)) {
      GLINT_CHECK(
          added == AddedTokens::kMatch || tokenizer.Bytes(id).size() == 1 || !tokenizer.IsAdded(id),
          "no added token where they are ignored");
      joined += tokenizer.Bytes(id);
    }
    GLINT_CHECK(joined == text, "the tokens are the text");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kMaxInputBytes) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t border = std::min(input.find('\0'), size);
  const auto tokenizer = glint::text::Tokenizer::Parse(input.substr(0, border), "fuzz");
  if (!tokenizer.ok()) return 0;
  CheckRoundTrip(*tokenizer.value(), input.substr(std::min(border + 1, size)));
  CheckRoundTrip(
      *tokenizer.value(),
      "It's <|user|>\r\n\r\n  12345 \xE4\xBD\xA0\xE5\xA5\xBD \xF0\x9F\x98\x80 \xFF\xE4\xBD x");
  return 0;
}
