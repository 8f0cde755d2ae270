// SPDX-License-Identifier: Apache-2.0
// A template's text to its tree: tags here, expressions in jinja_expression_parser.h.
#pragma once

#include <string_view>

#include "text/internal/jinja_nodes.h"

namespace glint::text::jinja {

// Parses and resolves names. Every construct that could not run is an error here, with its line:
// unknown tags, filters, tests, functions and methods; `source` must be UTF-8.
Result<Template> ParseTemplate(std::string_view source);

}  // namespace glint::text::jinja
