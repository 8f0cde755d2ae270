// SPDX-License-Identifier: Apache-2.0
#include "tensor/read_text_file.h"

#include <unistd.h>

#include <cerrno>

#include "base/format.h"
#include "tensor/internal/regular_file.h"

namespace glint::tensor {

Result<std::string> ReadTextFile(const std::filesystem::path& path, std::int64_t most_bytes) {
  GLINT_ASSIGN(const RegularFile file, RegularFile::Open(path));
  if (file.size_bytes() > most_bytes) {
    return InvalidArgument(format("{}: is {} bytes, must be at most {}", path.native(),
                                  file.size_bytes(), most_bytes));
  }
  std::string text(static_cast<std::size_t>(file.size_bytes()), '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t got = ::read(file.descriptor(), text.data() + filled, text.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FileError(path, "cannot read", errno);
    if (got == 0) return DataLoss(format("{}: became shorter while it was read", path.native()));
    filled += static_cast<std::size_t>(got);
  }
  return text;
}

}  // namespace glint::tensor
