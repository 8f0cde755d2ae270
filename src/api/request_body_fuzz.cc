// SPDX-License-Identifier: Apache-2.0
// A request body, as every route parses it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/requests.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto body = glint::ParseJson(text, "request body");
  if (!body.ok()) return 0;
  (void)glint::api::ParseChatRequest(body.value());
  (void)glint::api::ParseCompletionRequest(body.value());
  (void)glint::api::ParseSimpleRequest(body.value());
  return 0;
}
