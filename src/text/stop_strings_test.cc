// SPDX-License-Identifier: Apache-2.0
#include "text/stop_strings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace glint::text {
namespace {

struct Outcome {
  std::string text;
  bool stopped = false;
};

// Pushes `text` in pieces of `piece` bytes.
Outcome PushIn(std::vector<std::string> stops, std::string_view text, std::size_t piece) {
  StopStrings stop_strings(std::move(stops));
  Outcome outcome;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    const StopStrings::Output output = stop_strings.Push(text.substr(at, piece));
    outcome.text += output.text;
    outcome.stopped = outcome.stopped || output.stopped;
  }
  outcome.text += stop_strings.Finish();
  return outcome;
}

TEST(StopStrings, HoldsBackOnlyWhatMayBecomeAStopString) {
  StopStrings stop_strings({"END"});
  EXPECT_EQ(stop_strings.Push("abE").text, "ab");
  EXPECT_EQ(stop_strings.Push("").text, "");
  EXPECT_EQ(stop_strings.Push("Nx").text, "ENx");
  EXPECT_EQ(stop_strings.Push("EEN").text, "E");
  EXPECT_EQ(stop_strings.Finish(), "EN");
}

TEST(StopStrings, AHitAcrossPushesEndsTheText) {
  StopStrings stop_strings({"END"});
  EXPECT_EQ(stop_strings.Push("abE").text, "ab");
  const StopStrings::Output hit = stop_strings.Push("NDxyz");
  EXPECT_EQ(hit.text, "");
  EXPECT_TRUE(hit.stopped);
  const StopStrings::Output after = stop_strings.Push("more");
  EXPECT_EQ(after.text, "");
  EXPECT_TRUE(after.stopped);
  EXPECT_EQ(stop_strings.Finish(), "");
}

TEST(StopStrings, TheStopStringThatIsCompleteFirstWins) {
  for (std::size_t piece = 1; piece <= 8; ++piece) {
    EXPECT_EQ(PushIn({"abcdef", "cd"}, "xabcdef", piece).text, "xab");
    EXPECT_EQ(PushIn({"cd", "bcd"}, "xabcdef", piece).text, "xa");
    EXPECT_EQ(PushIn({"aab"}, "aaab", piece).text, "a");
    EXPECT_EQ(PushIn({"你好"}, "xx你你好", piece).text, "xx你");
    EXPECT_FALSE(PushIn({"\n\n"}, "a\nb\n", piece).stopped);
    EXPECT_EQ(PushIn({"\n\n"}, "a\nb\n", piece).text, "a\nb\n");
    EXPECT_EQ(PushIn({}, "abc", piece).text, "abc");
  }
}

TEST(StopStrings, EqualsSearchingTheWholeTextHoweverItIsCut) {
  std::mt19937 random(3);
  const auto word = [&random](std::size_t most) {
    std::string text(1 + random() % most, 'a');
    for (char& c : text) c = static_cast<char>('a' + random() % 2);
    return text;
  };
  for (int round = 0; round < 3'000; ++round) {
    const std::vector<std::string> stops = {word(5), word(7)};
    const std::string text = word(30);
    // The end that comes first; of those the start that comes first.
    std::size_t end = text.size() + 1;
    std::size_t begin = text.size();
    for (const std::string& stop : stops) {
      const std::size_t at = text.find(stop);
      if (at == std::string::npos) continue;
      if (at + stop.size() < end || (at + stop.size() == end && at < begin)) {
        end = at + stop.size();
        begin = at;
      }
    }
    const Outcome outcome = PushIn(stops, text, 1 + random() % 8);
    EXPECT_EQ(outcome.text, text.substr(0, begin));
    EXPECT_EQ(outcome.stopped, end <= text.size());
  }
}

}  // namespace
}  // namespace glint::text
