// SPDX-License-Identifier: Apache-2.0
// A description that parses must be countable: no overflow, no endless list.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "spec/cache_plan.h"
#include "spec/config_parser.h"
#include "spec/weight_plan.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto model = glint::spec::ParseConfig(text, "fuzz");
  if (!model.ok()) return 0;
  const glint::spec::ParameterCounts counts = glint::spec::CountParameters(model.value());
  GLINT_CHECK(counts.total >= counts.trunk, "total holds the trunk");
  GLINT_CHECK(counts.active > 0, "something is active");
  GLINT_CHECK(glint::spec::CacheBytesPerToken(model.value()) > 0, "a token takes room");
  for (const auto format : glint::spec::AllStorageFormats()) {
    GLINT_CHECK(glint::spec::ModelBytes(model.value(), format) > 0, "a model takes room");
  }
  return 0;
}
