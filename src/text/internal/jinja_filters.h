// SPDX-License-Identifier: Apache-2.0
// The filters of jinja2 that we have, and transformers' tojson. Not here, so refused when a
// template is loaded: groupby, pprint, random, urlize, xmlattr and the like, which no chat template
// needs.
#pragma once

#include <string_view>

#include "text/internal/jinja_operation.h"

namespace glint::text::jinja {

// Null when there is none of that name.
const Operation* FindFilter(std::string_view name);

// The tables behind it, by what the filters work on.
std::span<const Operation> TextFilters();      // jinja_text_filters.cc
std::span<const Operation> ValueFilters();     // jinja_value_filters.cc
std::span<const Operation> SequenceFilters();  // jinja_sequence_filters.cc
std::span<const Operation> SelectFilters();    // jinja_select_filters.cc: map, select, reject ...

}  // namespace glint::text::jinja
