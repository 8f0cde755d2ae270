// SPDX-License-Identifier: Apache-2.0
// For the tests of this module: a folder that is gone after the test, and safetensors files that
// are damaged in a chosen way (safetensors_writer.h makes only sound ones).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "base/check.h"

namespace glint::tensor {

class TestFolder {
 public:
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "glint_tensor_XXXXXX").native();
    GLINT_CHECK(::mkdtemp(name.data()) != nullptr, name);
    path_ = name;
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  // Writes `bytes` as the file `name` (with folders, when it has '/') and returns its path.
  // NOLINTNEXTLINE(modernize-use-nodiscard): often only the file is wanted
  std::filesystem::path Write(std::string_view name, std::string_view bytes) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }

 private:
  std::filesystem::path path_;
};

// The eight bytes of a header length.
inline std::string LengthBytes(std::uint64_t length) {
  std::string bytes;
  for (int byte = 0; byte < 8; ++byte) bytes += static_cast<char>((length >> (8 * byte)) & 0xFF);
  return bytes;
}

// A file with this header text and `data_bytes` zeros after it.
inline std::string RawSafetensors(std::string_view header, std::size_t data_bytes) {
  return LengthBytes(header.size()) + std::string(header) + std::string(data_bytes, '\0');
}

}  // namespace glint::tensor
