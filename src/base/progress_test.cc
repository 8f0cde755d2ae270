// SPDX-License-Identifier: Apache-2.0
#include "base/progress.h"

#include <gtest/gtest.h>

namespace glint {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Screen {
  std::chrono::nanoseconds now{0};
  std::string text;
  Progress::Options Options(bool terminal) {
    return {.label = "reading",
            .total = 4000,
            .bytes = true,
            .terminal = terminal,
            .clock = [this] { return now; },
            .sink = [this](const std::string& part) { text += part; }};
  }
};

TEST(Progress, QuickWorkPrintsNothing) {
  Screen screen;
  {
    Progress progress(screen.Options(true));
    progress.Update(4000);
  }
  EXPECT_EQ(screen.text, "");
}

TEST(Progress, TerminalShowsBarRateAndTimeLeftAndEndsTheLine) {
  Screen screen;
  {
    Progress progress(screen.Options(true));
    screen.now = seconds(1);
    progress.Update(1000);
    screen.now += milliseconds(1);
    progress.Update(1001);  // too soon to draw again
    screen.now = seconds(4);
    progress.Update(4000);
  }
  EXPECT_EQ(
      screen.text,
      "\r\033[Kreading [#######.......................]  25 % of 4.000 kB, 1.000 kB/s, 3 s left"
      "\r\033[Kreading [##############################] 100 % of 4.000 kB, 1.000 kB/s\n");
}

TEST(Progress, WorkThatGoesOnAfterItsTotalIsNotDrawnEachTime) {
  Screen screen;
  Progress progress(screen.Options(false));
  screen.now = seconds(10);
  progress.Update(2000);
  for (int i = 0; i < 5; ++i) {
    screen.now += milliseconds(100);
    progress.Update(4000, "1 running");
  }
  EXPECT_EQ(screen.text,
            "reading  50 % of 4.000 kB, 200 B/s, 10 s left\n"
            "reading 100 % of 4.000 kB, 396 B/s, 1 running\n");
}

TEST(Progress, ANoteStandsAtTheEndOfTheLine) {
  Screen screen;
  Progress progress(screen.Options(false));
  screen.now = seconds(10);
  progress.Update(4000, "3 failed");
  EXPECT_EQ(screen.text, "reading 100 % of 4.000 kB, 400 B/s, 3 failed\n");
}

TEST(Progress, LogGetsALineEveryTenSeconds) {
  Screen screen;
  Progress progress(screen.Options(false));
  for (int second = 1; second <= 20; ++second) {
    screen.now = seconds(second);
    progress.Update(std::int64_t{100} * second);
  }
  EXPECT_EQ(screen.text,
            "reading  25 % of 4.000 kB, 100 B/s, 30 s left\n"
            "reading  50 % of 4.000 kB, 100 B/s, 20 s left\n");
}

}  // namespace
}  // namespace glint
