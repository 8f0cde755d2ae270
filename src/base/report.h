// SPDX-License-Identifier: Apache-2.0
// A report as data, and its three forms: text for the terminal, CSV, and one self-contained HTML
// file (style and charts inside, no script, nothing fetched).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/chart.h"

namespace glint {

struct ReportTable {
  std::string name;                 // a heading; may be empty
  std::vector<std::string> header;  // may be empty
  std::vector<std::vector<std::string>> rows;
};

struct ReportSection {
  std::string heading;                                     // may be empty
  std::vector<std::pair<std::string, std::string>> facts;  // name and value; names may repeat
  std::vector<std::string> notes;
  std::vector<ReportTable> tables;
  std::vector<XyChart> charts;  // HTML only
  std::vector<BarChart> bars;   // HTML only
};

struct Report {
  std::string title;
  std::string subtitle;  // one line: when, by which version
  std::vector<ReportSection> sections;
};

std::string WriteReportText(const Report& report);

// Every section's facts, then its tables with header and rows, one after the other, an empty line
// between; RFC 4180 quoting. A table's first column names the section and table, so that rows stay
// apart when lines are mixed.
std::string WriteReportCsv(const Report& report);

std::string WriteReportHtml(const Report& report);

}  // namespace glint
