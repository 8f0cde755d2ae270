// SPDX-License-Identifier: Apache-2.0
#include "base/report.h"

#include <gtest/gtest.h>

#include <cmath>

namespace glint {
namespace {

Report Sample() {
  ReportTable table{
      .name = "prices", .header = {"machine", "USD"}, .rows = {{"a, \"b\"", "1.25"}, {"<i>", "2"}}};
  ReportSection section{.heading = "Costs",
                        .facts = {{"speed", "fast"}, {"as", "it is"}},
                        .notes = {"a note"},
                        .tables = {table}};
  section.charts.push_back({.title = "t",
                            .x_label = "x",
                            .y_label = "y",
                            .series = {{"s<1>", {{1, 2}, {2, NAN}, {3, 4}}}, {"s2", {{1, 1}}}}});
  section.bars.push_back({.title = "b", .bars = {{"one", 1, "$1"}, {"none", 0, "$0"}}});
  ReportSection charts_only{.heading = "Pictures", .charts = section.charts};
  return {.title = "A & B", .subtitle = "today", .sections = {section, charts_only}};
}

TEST(Report, TextHasTablesAndNotes) {
  EXPECT_EQ(
      WriteReportText(Sample()),
      "A & B\n\nCosts\n  speed  fast\n  as     it is\n  prices\n  machine   USD\n  -------  ----\n"
      "  a, \"b\"   1.25\n  <i>         2\n  a note\n");
}

TEST(Report, CsvQuotesAsRfc4180) {
  EXPECT_EQ(WriteReportCsv(Sample()),
            "Costs,speed,fast\r\nCosts,as,it is\r\n\r\ntable,machine,USD\r\nCosts: prices,\"a, "
            "\"\"b\"\"\",1.25\r\nCosts: prices,<i>,2\r\n");
}

TEST(Report, HtmlIsOneFileWithEscapedText) {
  const std::string html = WriteReportHtml(Sample());
  EXPECT_NE(html.find("<title>A &amp; B</title>"), std::string::npos);
  EXPECT_NE(html.find("<td>&lt;i&gt;</td>"), std::string::npos);
  EXPECT_NE(html.find("s&lt;1&gt;: 3, 4"), std::string::npos);
  for (const char* part : {"<i>", "http:", "https:", "<script", "nan", "inf"}) {
    EXPECT_EQ(html.find(part), std::string::npos) << part;
  }
}

TEST(Chart, TicksAreRoundAndCoverTheRange) {
  EXPECT_EQ(Ticks(0, 10, 6), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(Ticks(3, 97, 6), (std::vector<double>{0, 20, 40, 60, 80, 100}));
  EXPECT_LE(Ticks(0, 1e-12, 6).size(), 12U);
}

TEST(Chart, APointAloneAndNoPointAreDrawn) {
  EXPECT_NE(WriteSvg(XyChart{.series = {{"one", {{5, 0}}}}}).find("<circle"), std::string::npos);
  EXPECT_NE(WriteSvg(XyChart{.title = "t"}).find("no data"), std::string::npos);
  const std::string log = WriteSvg(XyChart{.y_log = true, .series = {{"one", {{1, 0}}}}});
  EXPECT_NE(log.find("no data"), std::string::npos);
}

}  // namespace
}  // namespace glint
