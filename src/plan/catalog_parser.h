// SPDX-License-Identifier: Apache-2.0
// Reads the catalogue of `glint cost`: the files compiled in, and a user's own over them.
//
// A file may have any of the keys sources, machines, price_books, results, comparisons, fleets; the
// built-in files (src/plan/catalog/) show every field. `sources` gives long sources a short name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "plan/catalog.h"

namespace glint::plan {

// One file's entries; names are not checked against other files. `file` starts every message.
// Fails with kInvalidArgument, naming file, line and key.
Result<Catalog> ParseCatalog(std::string_view text, std::string_view file);

// The built-in catalogue, then each file of `paths` over it in order, all names checked.
// kNotFound: a file that is missing, or a name that no entry has.
Result<Catalog> LoadCatalog(const std::vector<std::string>& paths);

}  // namespace glint::plan
