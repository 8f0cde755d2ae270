// SPDX-License-Identifier: Apache-2.0
// `glint cost`: what a token costs.
#pragma once

#include <string>
#include <vector>

namespace glint {

int RunCost(const std::vector<std::string>& arguments);

}  // namespace glint
