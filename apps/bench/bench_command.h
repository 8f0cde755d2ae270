// SPDX-License-Identifier: Apache-2.0
// `glint bench machine|model|serve`: what this machine can do, how near a model comes to it, and
// what a server does under load.
#pragma once

#include <string>
#include <vector>

namespace glint {

int RunBench(const std::vector<std::string>& arguments);

}  // namespace glint
