// SPDX-License-Identifier: Apache-2.0
// Whatever parses must come out of the writer as text that parses to the same text again.
#include <cstddef>
#include <cstdint>

#include "base/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const glint::Result<glint::Json> parsed = glint::ParseJson(text, "fuzz");
  if (!parsed.ok()) return 0;
  const std::string written = parsed.value().Write();
  const glint::Result<glint::Json> again = glint::ParseJson(written, "fuzz");
  GLINT_CHECK(again.ok(), written);
  GLINT_CHECK(again.value().Write() == written, written);
  return 0;
}
