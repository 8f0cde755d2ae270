// SPDX-License-Identifier: Apache-2.0
#include "base/text_table.h"

#include <gtest/gtest.h>

namespace glint {
namespace {

TEST(TextTable, AlignsColumnsAndLeavesNoTrailingSpaces) {
  TextTable table({"format", "bytes"});
  table.AddRow({"bf16", "1,506"});
  table.AddRow({"é", "7"});
  table.AddRow({"short"});
  EXPECT_EQ(table.Write(0),
            "format  bytes\n"
            "------  -----\n"
            "bf16    1,506\n"
            "é           7\n"
            "short\n");
}

TEST(TextTable, WithoutHeaderPrintsRowsOnly) {
  TextTable table({});
  table.AddRow({"a", "1"});
  EXPECT_EQ(table.Write(2), "  a  1\n");
}

}  // namespace
}  // namespace glint
