// SPDX-License-Identifier: Apache-2.0
#include "text/internal/jinja_budget.h"

#include "base/format.h"

namespace glint::text::jinja {

Status Budget::Check() const {
  if (steps_left_ < 0) {
    return InvalidArgument(
        format("the template takes more than {} steps", WithThousands(limits_.steps)));
  }
  if (overfull_) {
    return InvalidArgument(format("the template's values take more than {}",
                                  HumanBytes(static_cast<double>(limits_.live_bytes))));
  }
  return Ok();
}

}  // namespace glint::text::jinja
