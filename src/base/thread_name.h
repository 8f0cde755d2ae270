// SPDX-License-Identifier: Apache-2.0
// Names of threads, as top, gdb and perf show them.
#pragma once

namespace glint {

// Names the calling thread; at most 15 characters count. "glint-engine", "glint-http", ...
void NameThread(const char* name);

}  // namespace glint
