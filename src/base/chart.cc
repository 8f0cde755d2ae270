// SPDX-License-Identifier: Apache-2.0
#include "base/chart.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/format.h"

namespace glint {
namespace {

constexpr double kWidth = 720;
constexpr double kHeight = 360;
constexpr double kLeft = 70;
constexpr double kRight = 16;
constexpr double kTop = 48;  // title and legend
constexpr double kBottom = 48;
constexpr std::size_t kColours = 6;  // --s1 to --s6 of the page

std::string Number(double value) {
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1e6 || size < 1e-3) return format("{:.3g}", value);
  return format("{:.6g}", value);
}

std::string Colour(std::size_t index) { return format("var(--s{})", index % kColours + 1); }

// One axis: from values to pixels.
class Axis {
 public:
  Axis(bool logarithmic, bool from_zero, double first_pixel, double last_pixel)
      : logarithmic_(logarithmic),
        from_zero_(from_zero),
        first_pixel_(first_pixel),
        last_pixel_(last_pixel) {}

  [[nodiscard]] bool Shows(double value) const {
    return std::isfinite(value) && (!logarithmic_ || value > 0);
  }
  void Include(double value) {
    low_ = std::min(low_, Scale(value));
    high_ = std::max(high_, Scale(value));
  }
  [[nodiscard]] bool empty() const { return low_ > high_; }

  // Rounds the range to ticks; call once, after the last Include.
  void Settle() {
    if (!logarithmic_ && from_zero_) {
      low_ = std::min(low_, 0.0);
      high_ = std::max(high_, 0.0);
    }
    if (high_ - low_ < 1e-9 * std::max(1.0, std::abs(high_))) {
      const double pad = logarithmic_ ? 0.5 : std::max(std::abs(high_) * 0.1, 1e-9);
      low_ -= from_zero_ && low_ == 0 ? 0 : pad;
      high_ += pad;
    }
    ticks_ = Ticks(low_, high_, 6);
    low_ = std::min(low_, ticks_.front());
    high_ = std::max(high_, ticks_.back());
  }
  [[nodiscard]] double Pixel(double value) const { return PixelOfScaled(Scale(value)); }
  [[nodiscard]] double PixelOfScaled(double scaled) const {
    return first_pixel_ + (scaled - low_) / (high_ - low_) * (last_pixel_ - first_pixel_);
  }
  [[nodiscard]] const std::vector<double>& scaled_ticks() const { return ticks_; }
  [[nodiscard]] std::string Label(double scaled_tick) const {
    return logarithmic_ ? format("{:.3g}", std::pow(10.0, scaled_tick)) : Number(scaled_tick);
  }

 private:
  [[nodiscard]] double Scale(double value) const {
    return logarithmic_ ? std::log10(value) : value;
  }

  bool logarithmic_;
  bool from_zero_;
  double first_pixel_;
  double last_pixel_;
  double low_ = std::numeric_limits<double>::infinity();
  double high_ = -std::numeric_limits<double>::infinity();
  std::vector<double> ticks_;
};

std::string Open(std::string_view title, double height) {
  return format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\" class=\"chart\">\n"
      "<text x=\"{}\" y=\"18\" class=\"title\">{}</text>\n",
      kWidth, height, EscapeHtml(title), kLeft, EscapeHtml(title));
}

void WriteAxes(const XyChart& chart, const Axis& x, const Axis& y, std::string& out) {
  const double bottom = kHeight - kBottom;
  for (const double tick : y.scaled_ticks()) {
    const double at = y.PixelOfScaled(tick);
    out += format(
        "<path d=\"M{} {:.1f}H{}\" class=\"grid\"/>"
        "<text x=\"{}\" y=\"{:.1f}\" class=\"tick\" text-anchor=\"end\">{}</text>\n",
        kLeft, at, kWidth - kRight, kLeft - 6, at + 4, y.Label(tick));
  }
  for (const double tick : x.scaled_ticks()) {
    const double at = x.PixelOfScaled(tick);
    out += format(
        "<path d=\"M{:.1f} {}v5\" class=\"axis\"/>"
        "<text x=\"{:.1f}\" y=\"{}\" class=\"tick\" text-anchor=\"middle\">{}</text>\n",
        at, bottom, at, bottom + 18, x.Label(tick));
  }
  out += format("<path d=\"M{} {}H{}\" class=\"axis\"/>\n", kLeft, bottom, kWidth - kRight);
  out += format("<text x=\"{}\" y=\"{}\" class=\"label\" text-anchor=\"middle\">{}</text>\n",
                (kLeft + kWidth - kRight) / 2, kHeight - 8, EscapeHtml(chart.x_label));
  out += format(
      "<text transform=\"translate(14 {}) rotate(-90)\" class=\"label\" "
      "text-anchor=\"middle\">{}</text>\n",
      (kTop + bottom) / 2, EscapeHtml(chart.y_label));
}

void WriteSeries(const ChartSeries& series, std::size_t index, const Axis& x, const Axis& y,
                 std::string& out) {
  std::string path;
  std::string marks;
  double last_y = 0;
  for (const auto& [x_value, y_value] : series.points) {
    if (!x.Shows(x_value) || !y.Shows(y_value)) continue;
    const double px = x.Pixel(x_value);
    const double py = y.Pixel(y_value);
    if (path.empty()) {
      path = format("M{:.1f} {:.1f}", px, py);
    } else {
      if (series.steps) path += format("L{:.1f} {:.1f}", px, last_y);
      path += format("L{:.1f} {:.1f}", px, py);
    }
    last_y = py;
    if (series.marks) {
      marks += format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"><title>{}: {}, {}</title>"
          "</circle>\n",
          px, py, Colour(index), EscapeHtml(series.name), Number(x_value), Number(y_value));
    }
  }
  if (series.line && !path.empty()) {
    out += format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", path,
                  Colour(index));
  }
  out += marks;
}

void WriteLegend(const std::vector<ChartSeries>& series, std::string& out) {
  if (series.size() < 2) return;
  double at = kLeft;
  for (std::size_t i = 0; i < series.size(); ++i) {
    out += format(
        "<rect x=\"{:.1f}\" y=\"26\" width=\"10\" height=\"10\" fill=\"{}\"/>"
        "<text x=\"{:.1f}\" y=\"35\" class=\"tick\">{}</text>\n",
        at, Colour(i), at + 14, EscapeHtml(series[i].name));
    at += 7.0 * static_cast<double>(series[i].name.size()) + 30;
  }
}

}  // namespace

std::vector<double> Ticks(double low, double high, int count) {
  const double span = std::max(high - low, 1e-300);
  const double raw = span / std::max(1, count - 1);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw * 0.999) {
      step = factor * power;
      break;
    }
  }
  const double first = std::floor(low / step + 1e-9);
  const double last = std::ceil(high / step - 1e-9);
  const int steps = static_cast<int>(std::min(last - first, 100.0));
  std::vector<double> ticks;
  ticks.reserve(static_cast<std::size_t>(steps) + 1);
  for (int i = 0; i <= steps; ++i) ticks.push_back((first + i) * step);
  return ticks;
}

std::string EscapeHtml(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\n') out += c;
    }
  }
  return out;
}

std::string WriteSvg(const XyChart& chart) {
  Axis x(chart.x_log, false, kLeft, kWidth - kRight);
  Axis y(chart.y_log, chart.from_zero, kHeight - kBottom, kTop);
  for (const ChartSeries& series : chart.series) {
    for (const auto& [x_value, y_value] : series.points) {
      if (!x.Shows(x_value) || !y.Shows(y_value)) continue;
      x.Include(x_value);
      y.Include(y_value);
    }
  }
  std::string out = Open(chart.title, kHeight);
  if (x.empty()) {
    out += format("<text x=\"{}\" y=\"{}\" class=\"label\">no data</text>\n", kLeft, kHeight / 2);
    return out + "</svg>\n";
  }
  x.Settle();
  y.Settle();
  WriteAxes(chart, x, y, out);
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    WriteSeries(chart.series[i], i, x, y, out);
  }
  WriteLegend(chart.series, out);
  return out + "</svg>\n";
}

std::string WriteSvg(const BarChart& chart) {
  constexpr double kBarTop = 34;
  std::size_t longest = 0;
  for (const BarChart::Bar& bar : chart.bars) longest = std::max(longest, bar.label.size());
  const double label_width = std::clamp(6.5 * static_cast<double>(longest) + 16, 100.0, 440.0);
  constexpr double kShownWidth = 110;
  constexpr double kRowHeight = 26;
  double most = 0;
  for (const BarChart::Bar& bar : chart.bars) {
    if (std::isfinite(bar.value)) most = std::max(most, bar.value);
  }
  std::string out =
      Open(chart.title,
           kBarTop + kRowHeight * static_cast<double>(std::max<std::size_t>(chart.bars.size(), 1)));
  if (chart.bars.empty()) out += format("<text x=\"{}\" y=\"52\">no data</text>\n", kLeft);
  double top = kBarTop;
  for (const BarChart::Bar& bar : chart.bars) {
    const bool drawn = std::isfinite(bar.value) && bar.value > 0;
    const double width = drawn ? bar.value / most * (kWidth - label_width - kShownWidth) : 0;
    out += format(
        "<text x=\"{}\" y=\"{}\" class=\"tick\" text-anchor=\"end\">{}</text>"
        "<rect x=\"{}\" y=\"{}\" width=\"{:.1f}\" height=\"18\" fill=\"{}\"/>"
        "<text x=\"{:.1f}\" y=\"{}\" class=\"tick\">{}</text>\n",
        label_width - 8, top + 14, EscapeHtml(bar.label), label_width, top, width, Colour(0),
        label_width + width + 6, top + 14, EscapeHtml(bar.shown));
    top += kRowHeight;
  }
  return out + "</svg>\n";
}

}  // namespace glint
