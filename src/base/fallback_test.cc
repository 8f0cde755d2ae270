// SPDX-License-Identifier: Apache-2.0
#include "base/fallback.h"

#include <gtest/gtest.h>

#include <thread>

namespace glint {
namespace {

TEST(FallbackLog, LogsOnceAndCountsEveryReport) {
  FallbackLog log;
  testing::internal::CaptureStderr();
  {
    std::jthread other([&log] { log.Report("linear: no avx2 kernel, reference"); });
    log.Report("linear: no avx2 kernel, reference");
  }
  log.Report("moe: {braces} are text");
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_EQ(log.Counts().at("linear: no avx2 kernel, reference"), 2);
  EXPECT_EQ(printed.find("no avx2"), printed.rfind("no avx2")) << printed;
  EXPECT_NE(printed.find("{braces}"), std::string::npos) << printed;
}

}  // namespace
}  // namespace glint
