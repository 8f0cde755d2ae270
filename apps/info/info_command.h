// SPDX-License-Identifier: Apache-2.0
// `glint info MODEL`: what a model is.
#pragma once

#include <string>
#include <vector>

namespace glint {

int RunInfo(const std::vector<std::string>& arguments);

}  // namespace glint
