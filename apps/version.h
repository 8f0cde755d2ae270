// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace glint {

// "0.1.0", from the project line of CMakeLists.txt.
const char* Version();

}  // namespace glint
