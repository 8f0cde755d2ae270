// SPDX-License-Identifier: Apache-2.0
// Values as text: Python's str(), repr() and json.dumps().
#pragma once

#include <optional>
#include <string>

#include "text/internal/jinja_value.h"

namespace glint::text::jinja {

// repr() of a float: the shortest digits that read back, 1e16 as "1e+16", 1.0 as "1.0".
std::string RealText(double value);

// str(): what {{ }} prints. An error for values whose text in Python is an address in memory, such
// as a generator. A list's text may be long: it is cut when the budget runs out.
Result<std::string> Str(Budget& budget, const Value& value);
// repr(): strings in quotes and with escapes.
Result<std::string> Repr(Budget& budget, const Value& value);
// Appends str() to `out`.
Status AppendStr(Budget& budget, const Value& value, std::string& out);

struct JsonStyle {
  bool ensure_ascii = false;
  bool sort_keys = false;
  std::optional<std::string> indent;  // of a level; none: on one line
  std::string item_separator = ", ";
  std::string key_separator = ": ";
};
// json.dumps(). An error for what JSON does not have (Undefined, generators, ...).
Result<std::string> DumpJson(Budget& budget, const Value& value, const JsonStyle& style);

}  // namespace glint::text::jinja
