// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace glint {
namespace {

// Made at the first message. The one process-wide object of base: a log line may come from any
// module, and handing a logger through every call would hide what the call is about.
spdlog::logger& Logger() {
  static spdlog::logger logger = [] {
    spdlog::logger made("glint", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made.set_pattern("%Y-%m-%dT%H:%M:%S.%e %^%l%$ %v");
    made.flush_on(spdlog::level::warn);
    return made;
  }();
  return logger;
}

// The message is an argument, not the format, so braces in a file name are harmless.
void Write(spdlog::level::level_enum level, std::string_view message) {
  Logger().log(level, spdlog::string_view_t(message.data(), message.size()));
}

}  // namespace

void LogInfo(std::string_view message) { Write(spdlog::level::info, message); }
void LogWarning(std::string_view message) { Write(spdlog::level::warn, message); }
void LogError(std::string_view message) { Write(spdlog::level::err, message); }

}  // namespace glint
