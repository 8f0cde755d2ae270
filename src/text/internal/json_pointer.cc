// SPDX-License-Identifier: Apache-2.0
#include "text/internal/json_pointer.h"

#include <charconv>
#include <string>
#include <system_error>

namespace glint::text {
namespace {

// Of `token`: percent escapes first, then ~0 and ~1.
std::string Decoded(std::string_view token) {
  std::string plain;
  for (std::size_t at = 0; at < token.size(); ++at) {
    unsigned byte = 0;
    const std::string_view digits = token.substr(at).substr(1, 2);
    if (token[at] == '%' && digits.size() == 2 &&
        std::from_chars(digits.begin(), digits.end(), byte, 16).ptr == digits.end()) {
      plain += static_cast<char>(byte);
      at += 2;
    } else {
      plain += token[at];
    }
  }
  std::string key;
  for (std::size_t at = 0; at < plain.size(); ++at) {
    const bool escaped = plain[at] == '~' && at + 1 < plain.size();
    key += !escaped ? plain[at] : plain[++at] == '1' ? '/' : '~';
  }
  return key;
}

const Json* Step(const Json& from, std::string_view token) {
  if (const Json::Array* items = from.array()) {
    std::size_t index = 0;
    const auto [stop, failure] = std::from_chars(token.data(), token.data() + token.size(), index);
    const bool whole = failure == std::errc() && stop == token.data() + token.size();
    return whole && index < items->size() ? &(*items)[index] : nullptr;
  }
  return from.Find(Decoded(token));
}

}  // namespace

const Json* FollowReference(const Json& root, std::string_view reference) {
  if (!reference.starts_with('#')) return nullptr;
  reference.remove_prefix(1);
  const Json* at = &root;
  while (at != nullptr && reference.starts_with('/')) {
    reference.remove_prefix(1);
    const std::string_view token = reference.substr(0, reference.find('/'));
    at = Step(*at, token);
    reference.remove_prefix(token.size());
  }
  return reference.empty() ? at : nullptr;
}

}  // namespace glint::text
