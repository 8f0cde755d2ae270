// SPDX-License-Identifier: Apache-2.0
// Python's string formatting: `text % values` and text.format(...), as far as templates use it.
#pragma once

#include <string>
#include <string_view>

#include "text/internal/jinja_operation.h"

namespace glint::text::jinja {

// %s %r %d %i %x %X %o %e %f %g %c %%, with flags, width and precision. `values` is one value, a
// tuple of them, or a dict for %(name)s.
Result<std::string> FormatPercent(Budget& budget, std::string_view pattern, const Value& values);

// {} {0} {name} {0.attribute} {name[key]} with !s or !r, without a format after ':'.
Result<std::string> FormatBraces(Budget& budget, std::string_view pattern,
                                 const Arguments& arguments);

}  // namespace glint::text::jinja
