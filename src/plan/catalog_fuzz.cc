// SPDX-License-Identifier: Apache-2.0
// A catalogue that parses has only usable numbers, and its listing can be written.
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "plan/catalog_parser.h"
#include "plan/cost_report.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto catalog = glint::plan::ParseCatalog(text, "fuzz");
  if (!catalog.ok()) {
    GLINT_CHECK(catalog.error().message.starts_with("fuzz:"), "an error names its file");
    return 0;
  }
  for (const auto& book : catalog.value().price_books) {
    for (const auto& [machine, price] : book.usd_per_gpu_hour) {
      GLINT_CHECK(std::isfinite(price) && price > 0, "a price is above zero");
    }
  }
  for (const auto& result : catalog.value().results) {
    GLINT_CHECK(result.output_tok_per_s > 0 && result.gpus >= 1, "a speed is above zero");
  }
  GLINT_CHECK(!glint::WriteReportHtml(glint::plan::ReportCatalog(catalog.value())).empty(), "html");
  return 0;
}
