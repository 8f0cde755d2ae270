// SPDX-License-Identifier: Apache-2.0
// `glint logits MODEL`: raw logits of a token sequence as a NumPy file.
#pragma once

#include <string>
#include <vector>

namespace glint {

int RunLogits(const std::vector<std::string>& arguments);

}  // namespace glint
