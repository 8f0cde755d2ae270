// SPDX-License-Identifier: Apache-2.0
#include "load/trace.h"

#include <gtest/gtest.h>

namespace glint::load {
namespace {

constexpr std::string_view kAzure =
    "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
    "2023-11-16 18:17:03.9799600,4808,10\r\n"
    "2023-11-16 18:17:04.0319600,3180,8\r\n"
    "2023-11-17 00:00:00,110,0\r\n";

constexpr std::string_view kMooncake =
    "{\"timestamp\": 1000, \"input_length\": 1030, \"output_length\": 52, \"hash_ids\": [1, 2, "
    "3]}\n"
    "{\"timestamp\": 4500, \"input_length\": 512, \"output_length\": 26, \"hash_ids\": [1]}\n";

Error ErrorOf(std::string_view text) {
  const auto trace = ParseTrace(text, "t");
  return trace.ok() ? Error{ErrorCode::kCancelled, "no error"} : trace.error();
}

TEST(Trace, Azure2023) {
  const auto trace = ParseTrace(kAzure, "t").value();
  ASSERT_EQ(trace.size(), 3U);
  EXPECT_EQ(trace[0].at_s, 0);
  EXPECT_EQ(trace[0].input_tokens, 4808);
  EXPECT_NEAR(trace[1].at_s, 0.052, 1e-6);
  EXPECT_EQ(trace[1].output_tokens, 8);
  EXPECT_NEAR(trace[2].at_s, 5 * 3600 + 42 * 60 + 56.02004, 1e-5);  // over midnight
  EXPECT_EQ(trace[2].output_tokens, 1);
}

TEST(Trace, Mooncake) {
  const auto trace = ParseTrace(kMooncake, "t").value();
  ASSERT_EQ(trace.size(), 2U);
  EXPECT_DOUBLE_EQ(trace[1].at_s, 3.5);
  EXPECT_EQ(trace[0].block_ids, (std::vector<std::int64_t>{1, 2, 3}));
}

TEST(Trace, AFileThatWasCutIsDataLossAtEveryByteThatLosesSomething) {
  for (const std::string_view whole : {kAzure, kMooncake}) {
    const std::size_t last_line = whole.rfind('\n', whole.size() - 2) + 1;
    for (std::size_t size = last_line + 1; size + 2 < whole.size(); ++size) {
      const Error error = ErrorOf(whole.substr(0, size));
      EXPECT_EQ(error.code, ErrorCode::kDataLoss) << size << ": " << error.message;
    }
  }
  EXPECT_EQ(ErrorOf("").code, ErrorCode::kDataLoss);
  EXPECT_EQ(ErrorOf("TIMESTAMP,ContextTokens,GeneratedTokens\n").code, ErrorCode::kDataLoss);
  // An object shows by itself that it is whole.
  EXPECT_TRUE(ParseTrace(kMooncake.substr(0, kMooncake.size() - 1), "t").ok());
}

TEST(Trace, NamesTheLine) {
  for (const auto& [text, part] :
       {std::pair{"2023-11-16 18:17:03,0,1\n", "t:1: the prompt has 0 tokens"},
        {"2023-11-16 18:17:03,-5,1\n", "t:1: the prompt has -5 tokens"},
        {"2023-11-16 18:17:03,5,-1\n", "t:1: the answer has -1 tokens"},
        {"2023-11-16 18:17:03,99999999999999999999,1\n", "t:1:"},
        {"2023-11-16 18:17:03,5\n", "t:1:"},
        {"2023-13-16 18:17:03,5,1\n", "t:1:"},
        {"2023-11-31 18:17:03,5,1\n", "t:1:"},
        {"2023-11-16 24:17:03,5,1\n", "t:1:"},
        {"2023-11-16 18:17:03,5,1\n2023-11-16 18:17:02,5,1\n", "t:2: its time"},
        {"{\"timestamp\": 1, \"input_length\": 5}\n", "t:1:"},
        {"{\"timestamp\": 1, \"input_length\": 5.5, \"output_length\": 1}\n", "t:1:"},
        {"{\"timestamp\": 1, \"input_length\": 513, \"output_length\": 1, \"hash_ids\": [1]}\n",
         "t:1: 1 hash_ids for 513 prompt tokens, must be 2"}}) {
    EXPECT_NE(ErrorOf(text).message.find(part), std::string::npos) << ErrorOf(text).message;
  }
}

}  // namespace
}  // namespace glint::load
