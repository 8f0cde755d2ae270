// SPDX-License-Identifier: Apache-2.0
// An input file of a sub-command, which may be stdin.
#pragma once

#include <string>

#include "base/result.h"

namespace glint {

// All of the file, or of stdin for "-". kInvalidArgument beyond 256 MB; otherwise as ReadTextFile
// (tensor/read_text_file.h).
Result<std::string> ReadInput(const std::string& file);

}  // namespace glint
