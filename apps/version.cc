// SPDX-License-Identifier: Apache-2.0
#include "apps/version.h"

namespace glint {

const char* Version() { return GLINT_VERSION; }

}  // namespace glint
