// SPDX-License-Identifier: Apache-2.0
// Methods of Python's str, dict, list and tuple that templates may call.
//
// A name that Python has and we do not is still known: a dict's key of that name is hidden behind
// the method, as in Python. Methods that change their object are Undefined, as in jinja2's
// immutable sandbox.
#pragma once

#include <string_view>

#include "text/internal/jinja_operation.h"

namespace glint::text::jinja {

// What an attribute of that name of the object's type is.
struct FoundMethod {
  bool exists = false;
  bool unsafe = false;                   // the sandbox hides it
  const Operation* operation = nullptr;  // null when exists but cannot be called here
};
FoundMethod FindMethod(const Value& receiver, std::string_view name);

// True when some type has the method and it can be called, or the sandbox hides it: what a template
// may name.
bool IsKnownMethod(std::string_view name);

std::span<const Operation> StringMethods();        // jinja_string_methods.cc
std::span<const Operation> StringSearchMethods();  // jinja_string_search_methods.cc

}  // namespace glint::text::jinja
