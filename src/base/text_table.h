// SPDX-License-Identifier: Apache-2.0
// A table of text for the terminal: columns as wide as their content, the first left-aligned, the
// others right-aligned.
#pragma once

#include <string>
#include <vector>

namespace glint {

class TextTable {
 public:
  // `header` may be empty: then no header and no rule are printed.
  explicit TextTable(std::vector<std::string> header) : header_(std::move(header)) {}

  // Rows may be shorter than the header; missing cells are empty.
  void AddRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // Every line starts with `margin` spaces and ends with a newline, without trailing spaces.
  [[nodiscard]] std::string Write(int margin = 2) const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace glint
