// SPDX-License-Identifier: Apache-2.0
// glint serve MODEL: the HTTP service.
#pragma once

#include <string>
#include <vector>

namespace glint {

int RunServe(const std::vector<std::string>& arguments);

}  // namespace glint
