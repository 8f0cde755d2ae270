// SPDX-License-Identifier: Apache-2.0
#include "text/internal/jinja_replace_text.h"

#include <algorithm>

#include "text/internal/jinja_python_text.h"

namespace glint::text::jinja {

std::string ReplaceParts(Budget& budget, std::string_view text, std::string_view old_part,
                         std::string_view new_part, std::int64_t most) {
  std::string out;
  budget.SpendBytes(text.size());
  while (most != 0) {
    // With nothing to look for, the new part comes before each code point, and once at the end.
    const std::size_t at = old_part.empty() ? 0 : text.find(old_part);
    if (at == std::string_view::npos) break;
    out += text.substr(0, at);
    out += new_part;
    text.remove_prefix(at + old_part.size());
    if (most > 0) --most;
    if (!budget.HasRoom(static_cast<std::int64_t>(out.size()))) break;
    if (old_part.empty()) {
      if (text.empty()) break;
      const std::size_t length = BytePosition(text, 1);
      out += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  out += text;
  return out;
}

std::int64_t CountParts(std::string_view text, std::string_view part) {
  if (part.empty()) return CountCodePoints(text) + 1;
  std::int64_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

}  // namespace glint::text::jinja
