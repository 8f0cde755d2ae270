// SPDX-License-Identifier: Apache-2.0
// Messages for the person who runs the program: one line each on stderr, with time and level.
// Results go to stdout and never through here. Thread-safe. Underneath: spdlog.
#pragma once

#include <string_view>

namespace glint {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

// Messages below `level` are dropped from now on. The start value is kInfo.
void SetLogLevel(LogLevel level);

void LogDebug(std::string_view message);
void LogInfo(std::string_view message);
void LogWarning(std::string_view message);
void LogError(std::string_view message);

}  // namespace glint
