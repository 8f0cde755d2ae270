// SPDX-License-Identifier: Apache-2.0
// `glint render MODEL`: the prompt that a model's chat template makes of messages.
#pragma once

#include <string>
#include <vector>

namespace glint {

int RunRender(const std::vector<std::string>& arguments);

}  // namespace glint
