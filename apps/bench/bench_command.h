// SPDX-License-Identifier: Apache-2.0
// `glint bench machine|model`: what this machine can do, and how near a model comes to it.
#pragma once

#include <string>
#include <vector>

namespace glint {

int RunBench(const std::vector<std::string>& arguments);

}  // namespace glint
