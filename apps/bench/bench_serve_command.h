// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace glint {

int RunBenchServe(const std::vector<std::string>& arguments);

}  // namespace glint
