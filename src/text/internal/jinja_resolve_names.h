// SPDX-License-Identifier: Apache-2.0
// Which variable each name of a template means, decided once when the template is loaded.
//
// As jinja2 does, with its surprises: a `set` in a loop body is local to one turn of the loop, and
// a name that a scope assigns before it is read starts undefined there, even if the caller gave a
// variable of that name; unless the assignment stands in an `if`.
#pragma once

#include "text/internal/jinja_nodes.h"

namespace glint::text::jinja {

// Fills every Scope and SlotRef of the tree. An error for a call of a function that is neither a
// builtin nor assigned anywhere, and for an assignment to `loop` in a loop.
Status ResolveNames(Template& parsed);

// The function of that name, or nothing.
std::optional<Builtin> FindBuiltin(std::string_view name);

}  // namespace glint::text::jinja
