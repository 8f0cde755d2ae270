// SPDX-License-Identifier: Apache-2.0
// Messages for the person who runs the program: one line each on stderr, with time and level.
// Results go to stdout and never through here. Thread-safe. Underneath: spdlog.
#pragma once

#include <string_view>

namespace glint {

void LogInfo(std::string_view message);
void LogWarning(std::string_view message);
void LogError(std::string_view message);

}  // namespace glint
