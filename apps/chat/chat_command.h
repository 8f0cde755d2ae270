// SPDX-License-Identifier: Apache-2.0
// glint chat MODEL: talk in the terminal, or answer one prompt.
#pragma once

#include <string>
#include <vector>

namespace glint {

int RunChat(const std::vector<std::string>& arguments);

}  // namespace glint
