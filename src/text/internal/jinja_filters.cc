// SPDX-License-Identifier: Apache-2.0
#include "text/internal/jinja_filters.h"

namespace glint::text::jinja {

const Operation* FindFilter(std::string_view name) {
  for (const auto table : {TextFilters(), ValueFilters(), SequenceFilters(), SelectFilters()}) {
    if (const Operation* found = FindOperation(table, name)) return found;
  }
  return nullptr;
}

}  // namespace glint::text::jinja
