// SPDX-License-Identifier: Apache-2.0
// str.replace() and str.count().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "text/internal/jinja_budget.h"

namespace glint::text::jinja {

// `text` with up to `most` occurrences (-1: all) of `old_part` replaced. An empty `old_part` is
// between all code points and at both ends. Cut when the budget runs out.
std::string ReplaceParts(Budget& budget, std::string_view text, std::string_view old_part,
                         std::string_view new_part, std::int64_t most);

// Occurrences of `part` that do not overlap; of the empty part, one more than code points.
std::int64_t CountParts(std::string_view text, std::string_view part);

}  // namespace glint::text::jinja
