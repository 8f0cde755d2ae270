// SPDX-License-Identifier: Apache-2.0
// JSON strings other than some: the keys of undeclared members.
#pragma once

#include <string>
#include <vector>

#include "text/internal/automaton.h"

namespace glint::text {

// `prelude` is the automaton of json_prelude.h. The states follow the names byte by byte; where a
// string leaves them all, it goes on in the prelude's rule of keys, so that masks need not be found
// anew for each name.
Fragment KeysExcept(const std::vector<std::string>& names, const Automaton& prelude);

}  // namespace glint::text
