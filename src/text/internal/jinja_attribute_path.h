// SPDX-License-Identifier: Apache-2.0
// "name.other.0": the attribute that filters such as map, sort and selectattr take as an argument.
#pragma once

#include <vector>

#include "text/internal/jinja_value.h"

namespace glint::text::jinja {

class AttributePath {
 public:
  AttributePath() = default;  // the item itself
  // From a string or an integer; None gives the item itself.
  explicit AttributePath(Budget& budget, const Value& attribute);

  // The attribute of an item; Undefined when the last step finds none, an error when one before
  // does.
  [[nodiscard]] Result<Value> Of(Budget& budget, const Value& item) const;

 private:
  std::vector<Value> steps_;
};

}  // namespace glint::text::jinja
