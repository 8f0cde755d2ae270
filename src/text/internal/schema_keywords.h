// SPDX-License-Identifier: Apache-2.0
// Which keywords of JSON Schema grammars support, and whether one schema is well-formed.
#pragma once

#include "base/json.h"
#include "base/result.h"

namespace glint::text {

// Looks at the keywords of `schema` itself, not at the schemas in it. kInvalidArgument names a
// keyword that narrows values and is not supported, or one whose value has the wrong type.
Status CheckKeywords(const Json& schema);

}  // namespace glint::text
