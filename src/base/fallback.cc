// SPDX-License-Identifier: Apache-2.0
#include "base/fallback.h"

#include "base/log.h"

namespace glint {

void FallbackLog::Report(std::string_view reason) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    auto found = counts_.find(reason);
    if (found == counts_.end()) {
      found = counts_.emplace(std::string(reason), 0).first;
      first = true;
    }
    ++found->second;
  }
  if (first) LogWarning("fallback: " + std::string(reason));
}

std::map<std::string, std::int64_t> FallbackLog::Counts() const {
  const std::lock_guard lock(mutex_);
  return {counts_.begin(), counts_.end()};
}

}  // namespace glint
