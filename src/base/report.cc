// SPDX-License-Identifier: Apache-2.0
#include "base/report.h"

#include <algorithm>
#include <string_view>

#include "base/format.h"
#include "base/text_table.h"

namespace glint {
namespace {

// Series colours keep their distance for the common kinds of colour blindness, light and dark.
constexpr std::string_view kStyle = R"(
:root{--bg:#fff;--fg:#1b1f24;--dim:#5b6470;--grid:#e3e6ea;--s1:#2563a8;--s2:#d9730d;--s3:#2b8a57;
--s4:#b3336b;--s5:#7a5cc4;--s6:#8a7a1f}
@media(prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e6e8ea;--dim:#9aa3ad;--grid:#2c3238;
--s1:#6aa8e8;--s2:#f0a05a;--s3:#63c08d;--s4:#e57fab;--s5:#ac96ea;--s6:#c9b84e}}
body{background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif;margin:2rem auto;
max-width:60rem;padding:0 1rem}
h1{font-size:1.5rem;margin-bottom:0}h2{font-size:1.15rem;margin-top:2rem}h3{font-size:1rem}
p.sub,p.note{color:var(--dim)}p.note{margin:.3rem 0}
div.wide{overflow-x:auto}
table{border-collapse:collapse;margin:.6rem 0;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .7rem;text-align:right;border-bottom:1px solid var(--grid);vertical-align:top}
th:first-child,td:first-child,table.facts td{text-align:left}table.facts td:first-child{color:var(--dim);white-space:nowrap}
th{color:var(--dim);font-weight:600}
svg.chart{width:100%;max-width:720px;height:auto;display:block;margin:1rem 0}
svg.chart text{fill:var(--fg);font:12px system-ui,sans-serif}
svg.chart .title{font-size:14px;font-weight:600}svg.chart .tick,svg.chart .label{fill:var(--dim)}
svg.chart .grid{stroke:var(--grid)}svg.chart .axis{stroke:var(--dim)}
)";

std::string CsvCell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

void AddCsvRow(const std::string& first, const std::vector<std::string>& cells, std::string& out) {
  out += CsvCell(first);
  for (const std::string& cell : cells) {
    out += ',';
    out += CsvCell(cell);
  }
  out += "\r\n";
}

void AddHtmlRow(const char* tag, const std::vector<std::string>& cells, std::string& out) {
  out += "<tr>";
  for (const std::string& cell : cells) {
    out += format("<{0}>{1}</{0}>", tag, EscapeHtml(cell));
  }
  out += "</tr>\n";
}

void AddHtmlTable(const ReportTable& table, std::string& out) {
  if (!table.name.empty()) out += format("<h3>{}</h3>\n", EscapeHtml(table.name));
  out += "<div class=\"wide\"><table>\n";
  if (!table.header.empty()) AddHtmlRow("th", table.header, out);
  for (const auto& row : table.rows) AddHtmlRow("td", row, out);
  out += "</table></div>\n";
}

}  // namespace

std::string WriteReportText(const Report& report) {
  std::string out = report.title + "\n";
  for (const ReportSection& section : report.sections) {
    if (section.facts.empty() && section.tables.empty() && section.notes.empty()) continue;
    out += "\n";
    if (!section.heading.empty()) out += section.heading + "\n";
    std::size_t widest = 0;
    for (const auto& [name, value] : section.facts) widest = std::max(widest, name.size());
    for (const auto& [name, value] : section.facts) {
      out += format("  {:<{}}  {}\n", name, widest, value);
    }
    for (const ReportTable& table : section.tables) {
      if (!table.name.empty()) out += format("  {}\n", table.name);
      TextTable text(table.header);
      for (const auto& row : table.rows) text.AddRow(row);
      out += text.Write();
    }
    for (const std::string& note : section.notes) out += format("  {}\n", note);
  }
  return out;
}

std::string WriteReportCsv(const Report& report) {
  std::string out;
  for (const ReportSection& section : report.sections) {
    if (!section.facts.empty() && !out.empty()) out += "\r\n";
    for (const auto& [name, value] : section.facts) AddCsvRow(section.heading, {name, value}, out);
    for (const ReportTable& table : section.tables) {
      if (!out.empty()) out += "\r\n";
      const std::string name = section.heading.empty() || table.name.empty()
                                   ? section.heading + table.name
                                   : section.heading + ": " + table.name;
      if (!table.header.empty()) AddCsvRow("table", table.header, out);
      for (const auto& row : table.rows) AddCsvRow(name, row, out);
    }
  }
  return out;
}

std::string WriteReportHtml(const Report& report) {
  const std::string title = EscapeHtml(report.title);
  std::string out = format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style></head><body>\n<h1>{0}</h1>\n",
      title, kStyle);
  if (!report.subtitle.empty()) {
    out += format("<p class=\"sub\">{}</p>\n", EscapeHtml(report.subtitle));
  }
  for (const ReportSection& section : report.sections) {
    out += "<section>\n";
    if (!section.heading.empty()) out += format("<h2>{}</h2>\n", EscapeHtml(section.heading));
    if (!section.facts.empty()) {
      out += "<div class=\"wide\"><table class=\"facts\">\n";
      for (const auto& [name, value] : section.facts) AddHtmlRow("td", {name, value}, out);
      out += "</table></div>\n";
    }
    for (const ReportTable& table : section.tables) AddHtmlTable(table, out);
    for (const std::string& note : section.notes) {
      out += format("<p class=\"note\">{}</p>\n", EscapeHtml(note));
    }
    for (const BarChart& bars : section.bars) out += WriteSvg(bars);
    for (const XyChart& chart : section.charts) out += WriteSvg(chart);
    out += "</section>\n";
  }
  return out + "</body></html>\n";
}

}  // namespace glint
