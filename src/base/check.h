// SPDX-License-Identifier: Apache-2.0
// GLINT_CHECK: a precondition or invariant of our own code. When it does not hold the process
// prints where, what and the given detail, and ends. Nothing that a client sends and no file may
// reach one: outside input goes through Result (base/result.h).
#pragma once

#include <source_location>
#include <string_view>

namespace glint {

// Prints "file:line: check failed: condition: detail" to stderr and aborts.
[[noreturn]] void CheckFailed(std::string_view condition, std::string_view detail,
                              std::source_location where = std::source_location::current());

}  // namespace glint

// GLINT_CHECK(condition, detail): detail is anything that converts to std::string_view and is
// evaluated only on failure.
#define GLINT_CHECK(condition, detail)          \
  do {                                          \
    if (!(condition)) [[unlikely]] {            \
      ::glint::CheckFailed(#condition, detail); \
    }                                           \
  } while (false)

// The same, in debug builds only: for hot loops.
#ifdef NDEBUG
#define GLINT_DCHECK(condition, detail) \
  do {                                  \
  } while (false && (condition))
#else
#define GLINT_DCHECK(condition, detail) GLINT_CHECK(condition, detail)
#endif
