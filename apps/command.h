// SPDX-License-Identifier: Apache-2.0
// A sub-command: what main's table holds.
#pragma once

#include <string>
#include <vector>

namespace glint {

struct Command {
  const char* name;     // "info"
  const char* summary;  // one line for `glint --help`
  // Gets the words after the command's name. Returns the exit code: 0, 1 failed, 2 wrong use.
  int (*run)(const std::vector<std::string>& arguments);
};

}  // namespace glint
