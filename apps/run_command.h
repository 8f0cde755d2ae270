// SPDX-License-Identifier: Apache-2.0
// What every sub-command does around its work: flags in, messages and exit code out.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "base/flags.h"
#include "base/log.h"
#include "base/result.h"

namespace glint {

// Parses the flags and calls `run`. 0, also after --help; 1 when it failed, its error logged; 2 for
// wrong use, which is said on stderr.
template <typename Flags>
int RunCommand(const CommandText& text, const std::vector<std::string>& arguments,
               Status (*run)(const Flags& flags)) {
  Flags flags;
  const FlagOutcome outcome = ParseFlags(text, arguments, flags);
  if (!outcome.run) {
    std::fputs(outcome.text.c_str(), outcome.exit_code == 0 ? stdout : stderr);
    return outcome.exit_code;
  }
  const Status status = run(flags);
  if (status.ok()) return 0;
  LogError(status.error().message);
  return 1;
}

}  // namespace glint
