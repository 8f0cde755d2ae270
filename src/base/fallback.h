// SPDX-License-Identifier: Apache-2.0
// No silent slow path: whoever takes a fallback in kernel, precision or device says so here.
// The first report of a reason is logged; every one is counted; /metrics and `glint info` show the
// counts.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace glint {

// Thread-safe. One per process, made in apps and handed down.
class FallbackLog {
 public:
  // `reason` names what was wanted and what was taken: "linear: no avx512 kernel for mxfp4,
  // reference". Takes a lock: report when a choice is made, not in a hot loop.
  void Report(std::string_view reason);

  // Reason to count, sorted by reason.
  [[nodiscard]] std::map<std::string, std::int64_t> Counts() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::int64_t, std::less<>> counts_;
};

}  // namespace glint
