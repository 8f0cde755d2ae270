// SPDX-License-Identifier: Apache-2.0
// References within a JSON schema.
#pragma once

#include <string_view>

#include "base/json.h"

namespace glint::text {

// What "#" or "#/a/0/b" points at within `root`, or null. Percent escapes are decoded. Source: RFC
// 6901, sections 4 and 6.
const Json* FollowReference(const Json& root, std::string_view reference);

}  // namespace glint::text
