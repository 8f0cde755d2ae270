// SPDX-License-Identifier: Apache-2.0
#include "base/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/format.h"

namespace glint {
namespace {

constexpr int kBarWidth = 30;
constexpr std::chrono::milliseconds kRedraw(100);
constexpr std::chrono::seconds kNewLine(10);

}  // namespace

Progress::Progress(Options options) : options_(std::move(options)) {
  GLINT_CHECK(options_.clock && options_.sink, "Progress needs a clock and a sink");
  start_ = options_.clock();
  last_draw_ = start_;
}

Progress::~Progress() {
  if (options_.terminal && drawn_) options_.sink("\n");
}

void Progress::Update(std::int64_t done, const std::string& note) {
  done_ = done;
  const std::chrono::nanoseconds now = options_.clock();
  const std::chrono::nanoseconds pause =
      options_.terminal ? std::chrono::nanoseconds(kRedraw) : std::chrono::nanoseconds(kNewLine);
  const bool reached = done >= options_.total && drawn_ && !total_drawn_;
  if (now - last_draw_ < pause && !reached) return;
  total_drawn_ = done >= options_.total;
  last_draw_ = now;
  Draw(done, note, now);
}

void Progress::Draw(std::int64_t done, const std::string& note, std::chrono::nanoseconds now) {
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double share =
      options_.total > 0
          ? std::min(1.0, static_cast<double>(done) / static_cast<double>(options_.total))
          : 1.0;
  const auto amount = [this](double value) {
    return options_.bytes ? HumanBytes(value) : HumanCount(value);
  };
  std::string line = options_.label;
  if (options_.terminal) {
    const int filled = static_cast<int>(share * kBarWidth);
    line += " [" + std::string(static_cast<std::size_t>(filled), '#') +
            std::string(static_cast<std::size_t>(kBarWidth - filled), '.') + "]";
  }
  line += format(" {:3.0f} % of {}", share * 100, amount(static_cast<double>(options_.total)));
  if (seconds > 0) line += format(", {}/s", amount(static_cast<double>(done) / seconds));
  if (share > 0 && share < 1) line += format(", {:.0f} s left", seconds / share - seconds);
  if (!note.empty()) line += format(", {}", note);
  options_.sink(options_.terminal ? "\r\033[K" + line : line + "\n");
  drawn_ = true;
}

Progress::Options StderrProgress(std::string label, std::int64_t total, bool bytes) {
  return {.label = std::move(label),
          .total = total,
          .bytes = bytes,
          .terminal = isatty(STDERR_FILENO) == 1,
          .clock = [] { return std::chrono::steady_clock::now().time_since_epoch(); },
          .sink =
              [](const std::string& text) {
                std::fputs(text.c_str(), stderr);
                std::fflush(stderr);
              }};
}

std::function<void(std::int64_t done, std::int64_t total)> StderrByteProgress(std::string label) {
  // Shared, because a std::function must be copyable; in fact it has one user.
  auto bar = std::make_shared<std::unique_ptr<Progress>>();
  return [bar, label = std::move(label)](std::int64_t done, std::int64_t total) {
    if (*bar == nullptr) *bar = std::make_unique<Progress>(StderrProgress(label, total, true));
    (*bar)->Update(done);
  };
}

}  // namespace glint
