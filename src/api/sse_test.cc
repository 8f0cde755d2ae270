// SPDX-License-Identifier: Apache-2.0
#include "api/sse.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace glint::api {
namespace {

std::vector<SseEvent> ReadAll(std::string_view text, std::size_t piece) {
  SseReader reader;
  std::vector<SseEvent> all;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    auto events = reader.Push(text.substr(at, piece));
    EXPECT_TRUE(events.ok());
    for (SseEvent& event : events.value()) all.push_back(std::move(event));
  }
  return all;
}

TEST(Sse, EveryEventIsReadBackWhateverThePieces) {
  const std::vector<std::string> data = {"{\"a\":1}", "two\nlines", "",
                                         "[DONE]",    " leading",   "é\n"};
  std::string stream;
  for (const std::string& one : data) stream += WriteSse(one);
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    const std::vector<SseEvent> events = ReadAll(stream, piece);
    ASSERT_EQ(events.size(), data.size()) << "pieces of " << piece;
    for (std::size_t i = 0; i < data.size(); ++i) {
      EXPECT_EQ(events[i].data, data[i]);
      EXPECT_EQ(events[i].event, "message");
    }
  }
}

TEST(Sse, NamedEventsAndEveryLineBreak) {
  EXPECT_EQ(WriteSse("ping", "x"), "event: ping\ndata: x\n\n");
  for (const std::string_view stream :
       {"event: ping\r\ndata:x\r\n\r\n", "event:ping\rdata: x\r\r", "event: ping\ndata: x\n\n",
        "\xEF\xBB\xBF: a comment\nid: 3\nevent: ping\ndata: x\n\n"}) {
    const std::vector<SseEvent> events = ReadAll(stream, 1);
    ASSERT_EQ(events.size(), 1U) << stream;
    EXPECT_EQ(events[0].event, "ping");
    EXPECT_EQ(events[0].data, "x");
  }
}

TEST(Sse, ACutStreamIsSeen) {
  SseReader reader;
  ASSERT_TRUE(reader.Push("data: a\n\n").ok());
  EXPECT_FALSE(reader.HasPartialEvent());
  ASSERT_TRUE(reader.Push("data: b\n").ok());
  EXPECT_TRUE(reader.HasPartialEvent());
}

TEST(Sse, AnEndlessEventIsRefused) {
  SseReader reader;
  const std::string megabyte(std::size_t{1} << 20, 'x');
  bool refused = false;
  for (int i = 0; i < 80 && !refused; ++i) refused = !reader.Push(megabyte).ok();
  EXPECT_TRUE(refused);
}

}  // namespace
}  // namespace glint::api
