// SPDX-License-Identifier: Apache-2.0
// Progress of long work on stderr: a bar that redraws in place on a terminal, a line every ten
// seconds elsewhere (so a log stays readable).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace glint {

class Progress {
 public:
  using Clock = std::function<std::chrono::nanoseconds()>;  // time since any fixed point
  using Sink = std::function<void(const std::string& text)>;
  struct Options {
    std::string label;       // "reading weights"
    std::int64_t total = 0;  // units in all, >= 0
    bool bytes = false;      // units are bytes: show GB and GB/s
    bool terminal = false;   // redraw one line instead of adding lines
    Clock clock;             // both must be set; MakeProgress sets the real ones
    Sink sink;
  };
  explicit Progress(Options options);
  ~Progress();  // ends the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `done` units of `total` are finished. Cheap when called often: draws at most ten times a
  // second.
  void Update(std::int64_t done) { Update(done, ""); }
  // The same, with more to say at the end of the line.
  void Update(std::int64_t done, const std::string& note);

 private:
  void Draw(std::int64_t done, const std::string& note, std::chrono::nanoseconds now);

  Options options_;
  std::chrono::nanoseconds start_;
  std::chrono::nanoseconds last_draw_;
  std::int64_t done_ = 0;
  bool drawn_ = false;
  bool total_drawn_ = false;  // the end is drawn at once, but once
};

// Options with the steady clock and stderr filled in.
Progress::Options StderrProgress(std::string label, std::int64_t total, bool bytes);

// A function of (bytes done, bytes in all) that draws a bar on stderr from its first call on, until
// it is destroyed. One thread at a time.
std::function<void(std::int64_t done, std::int64_t total)> StderrByteProgress(std::string label);

}  // namespace glint
