// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace glint {

void CheckFailed(std::string_view condition, std::string_view detail, std::source_location where) {
  std::fprintf(stderr, "%s:%u: check failed: %.*s: %.*s\n", where.file_name(), where.line(),
               static_cast<int>(condition.size()), condition.data(),
               static_cast<int>(detail.size()), detail.data());
  std::abort();
}

}  // namespace glint
