// SPDX-License-Identifier: Apache-2.0
// `glint tokenize MODEL`: text to token ids and back.
#pragma once

#include <string>
#include <vector>

namespace glint {

int RunTokenize(const std::vector<std::string>& arguments);

}  // namespace glint
