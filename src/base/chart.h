// SPDX-License-Identifier: Apache-2.0
// Charts as SVG text: points and lines over two axes, and horizontal bars.
//
// The SVG takes its colours from the CSS variables that base/report.h defines, so that it follows
// the page's light or dark theme. No script; a point's values show as its tooltip.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glint {

struct ChartSeries {
  std::string name;
  std::vector<std::pair<double, double>> points;  // (x, y); one that is not finite is left out
  bool line = true;                               // join the points in their order
  bool marks = true;                              // draw a dot at each point
  bool steps = false;                             // join by steps: y holds until the next x
};

struct XyChart {
  std::string title;
  std::string x_label;  // with its unit: "time (s)"
  std::string y_label;
  bool x_log = false;  // logarithmic; points at or below zero are left out
  bool y_log = false;
  bool from_zero = true;  // linear y starts at zero
  std::vector<ChartSeries> series;
};

struct BarChart {
  struct Bar {
    std::string label;
    double value = 0;   // >= 0
    std::string shown;  // the value as text, beside the bar
  };
  std::string title;
  std::vector<Bar> bars;
};

// A chart without a point says "no data".
std::string WriteSvg(const XyChart& chart);
std::string WriteSvg(const BarChart& chart);

// Round numbers that span [low, high], about `count` of them, 1-2-5 steps. low <= high, finite.
std::vector<double> Ticks(double low, double high, int count);

// Text as HTML or SVG shows it: & < > " and ' escaped, control characters but line breaks dropped.
std::string EscapeHtml(std::string_view text);

}  // namespace glint
