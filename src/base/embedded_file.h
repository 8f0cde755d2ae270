// SPDX-License-Identifier: Apache-2.0
// A file that was compiled into the binary by glint_embed (cmake/glint.cmake): built-in model
// shapes, price books, the web page. Lives as long as the process.
#pragma once

#include <string_view>

namespace glint {

struct EmbeddedFile {
  std::string_view name;  // file name without folder
  std::string_view bytes;
};

}  // namespace glint
