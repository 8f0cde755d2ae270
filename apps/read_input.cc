// SPDX-License-Identifier: Apache-2.0
#include "apps/read_input.h"

#include <array>
#include <cstdio>

#include "base/format.h"
#include "tensor/read_text_file.h"

namespace glint {
namespace {

constexpr std::size_t kMaxBytes = 256'000'000;

}  // namespace

Result<std::string> ReadInput(const std::string& file) {
  if (file != "-") return tensor::ReadTextFile(file, kMaxBytes);
  std::string text;
  std::array<char, 65536> block{};
  for (std::size_t got = 1; got > 0;) {
    got = std::fread(block.data(), 1, block.size(), stdin);
    text.append(block.data(), got);
    if (text.size() > kMaxBytes) {
      return InvalidArgument(format("stdin holds more than {}", HumanBytes(kMaxBytes)));
    }
  }
  if (std::ferror(stdin) != 0) return Unavailable("stdin cannot be read");
  return text;
}

}  // namespace glint
