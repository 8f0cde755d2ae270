// SPDX-License-Identifier: Apache-2.0
#include "base/text_table.h"

#include <algorithm>

#include "base/utf8.h"

namespace glint {
namespace {

// Columns on a terminal, for text of single-width code points.
std::size_t Width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    text.remove_prefix(std::max<std::size_t>(1, Utf8SequenceLength(text)));
    ++width;
  }
  return width;
}

void WriteRow(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
              int margin, std::string& out) {
  std::string line(static_cast<std::size_t>(margin), ' ');
  for (std::size_t column = 0; column < cells.size(); ++column) {
    const std::string padding(widths[column] - Width(cells[column]), ' ');
    if (column > 0) line += "  ";
    line += column == 0 ? cells[column] + padding : padding + cells[column];
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + '\n';
}

}  // namespace

std::string TextTable::Write(int margin) const {
  std::vector<std::size_t> widths;
  const auto widen = [&widths](const std::vector<std::string>& cells) {
    if (widths.size() < cells.size()) widths.resize(cells.size());
    for (std::size_t column = 0; column < cells.size(); ++column) {
      widths[column] = std::max(widths[column], Width(cells[column]));
    }
  };
  widen(header_);
  for (const auto& row : rows_) widen(row);

  std::string out;
  if (!header_.empty()) {
    WriteRow(header_, widths, margin, out);
    std::vector<std::string> rule;
    rule.reserve(widths.size());
    for (const std::size_t width : widths) rule.emplace_back(width, '-');
    WriteRow(rule, widths, margin, out);
  }
  for (const auto& row : rows_) WriteRow(row, widths, margin, out);
  return out;
}

}  // namespace glint
