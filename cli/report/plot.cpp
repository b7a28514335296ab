#include "cli/report/plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/report/html.hpp"

namespace report {

namespace {

constexpr const char* dashes[]{"", "8 3", "3 3", "10 3 2 3", "6 2", "2 4", "12 4"};
constexpr double label_height = 15;

std::string head(double width, double height, const std::string& title, const std::string& description) {
  return fmt::format(
      "<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\"><title>{}</title><desc>{}</desc>\n", width,
      height, html_escape(title), html_escape(title), html_escape(description));
}

std::string text(double x, double y, const std::string& what, const char* anchor = "start", const char* classes = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" class=\"{}\">{}</text>", x, y, anchor, classes,
                     html_escape(what));
}

std::string line(double x1, double y1, double x2, double y2, const char* classes) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>", x1, y1, x2, y2,
                     classes);
}

// Circle, square, diamond, triangle.
std::string mark(int pattern, double x, double y, const std::string& title) {
  std::string shape;
  switch (pattern % 4) {
    case 0: shape = fmt::format("<circle class=\"m\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.6\">", x, y); break;
    case 1: shape = fmt::format("<path class=\"m\" d=\"M{:.1f} {:.1f}h6.6v6.6h-6.6z\">", x - 3.3, y - 3.3); break;
    case 2:
      shape = fmt::format("<path class=\"m\" d=\"M{:.1f} {:.1f}l4.6 4.6l-4.6 4.6l-4.6 -4.6z\">", x, y - 4.6);
      break;
    default: shape = fmt::format("<path class=\"m\" d=\"M{:.1f} {:.1f}l4.5 7.8h-9z\">", x, y - 5);
  }
  return shape + "<title>" + html_escape(title) + "</title>" + (pattern % 4 == 0 ? "</circle>" : "</path>");
}

std::string power_of_two(int exponent) {
  static const char* const digits[]{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string s = "2";
  for (char c : std::to_string(exponent)) s += digits[c - '0'];
  return s;
}

std::string plain(double value) { return value >= 1 ? fmt::format("{:.0f}", value) : fmt::format("{:g}", value); }

// Moves labels apart: down from the highest, then back up from the bottom where they ran over it.
void spread(std::vector<double>& at, double top, double bottom) {
  std::vector<std::size_t> order(at.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return at[a] < at[b]; });
  double free = top;
  for (std::size_t i : order) {
    at[i] = std::max(at[i], free);
    free = at[i] + label_height;
  }
  free = bottom;
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    at[*i] = std::min(at[*i], free);
    free = at[*i] - label_height;
  }
}

}  // namespace

std::string svg(const line_plot& p) {
  constexpr double width = 1000, left = 66, right = 742, top = 34;
  const double bottom = top + std::max(330.0, label_height * static_cast<double>(p.curves.size())),
               height = bottom + 46;
  double x_low = std::numeric_limits<double>::max(), x_high = 0, y_low = x_low, y_high = p.roof;
  for (const series& s : p.curves)
    for (const point& at : s.points) {
      x_low = std::min(x_low, at.x);
      x_high = std::max(x_high, at.x);
      // Medians set the scale; a whisker that one disturbed sample drew out is cut at the frame.
      y_low = std::min(y_low, at.y);
      y_high = std::max(y_high, at.y);
    }
  // Logarithms have no place for what is 0 or infinite, as a time of 0 makes it.
  if (!(x_low > 0) || !(y_low > 0) || !std::isfinite(x_high) || !std::isfinite(y_high)) return {};
  if (x_low > x_high) return {};  // there is no point
  const double first = std::log2(x_low), last = std::max(std::log2(x_high), first + 1);
  const double floor = std::floor(std::log10(y_low)), ceiling = std::max(std::log10(y_high) + 0.12, floor + 1);
  const auto x = [&](double v) { return left + (std::log2(v) - first) / (last - first) * (right - left); };
  const auto y = [&](double v) {  // of a whisker, which may end at what no logarithm has
    const double power = v > 0 ? std::clamp(std::log10(v), floor, ceiling) : floor;
    return bottom - (power - floor) / (ceiling - floor) * (bottom - top);
  };

  std::string out = head(width, height, p.title, p.description);
  for (double decade = floor; decade <= ceiling; ++decade)
    for (double m : {1.0, 2.0, 5.0}) {
      const double v = m * std::pow(10, decade);
      if (std::log10(v) > ceiling) continue;
      out += line(left, y(v), right, y(v), m == 1 ? "axis" : "grid");
      if (m == 1 || ceiling - floor < 2.5) out += text(left - 8, y(v) + 4, plain(v), "end");
    }
  const int step = last - first > 14 ? 2 : 1;
  for (int e = static_cast<int>(std::ceil(first)); e <= static_cast<int>(last); e += step) {
    out += line(x(std::exp2(e)), top, x(std::exp2(e)), bottom, "grid");
    out += text(x(std::exp2(e)), bottom + 19, power_of_two(e), "middle");
  }
  out += line(left, bottom, right, bottom, "axis");
  out += text((left + right) / 2, bottom + 39, "elements", "middle") + text(left - 44, 14, p.y_label, "start") + "\n";
  if (p.roof > 0) {
    out += line(left, y(p.roof), right, y(p.roof), "roof");
    out += text(left + 6, y(p.roof) - 6, p.roof_label, "start", "rooftext") + "\n";
  }

  std::vector<double> label_at;
  for (const series& s : p.curves) label_at.push_back(s.points.empty() ? bottom : y(s.points.back().y));
  spread(label_at, top + 4, bottom);
  for (std::size_t i = 0; i < p.curves.size(); ++i) {
    const series& s = p.curves[i];
    if (s.points.empty()) continue;
    std::string path, whiskers, marks;
    for (const point& at : s.points) {
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x(at.x), y(at.y));
      whiskers += line(x(at.x), y(at.low), x(at.x), y(at.high), "w");
      marks += mark(s.pattern, x(at.x), y(at.y), at.title);
    }
    out += fmt::format("<g class=\"s {}\"><path class=\"l\" d=\"{}\" stroke-dasharray=\"{}\"><title>{}</title></path>",
                       s.style, path, dashes[s.pattern % std::size(dashes)], html_escape(s.label));
    const double end_x = x(s.points.back().x), end_y = y(s.points.back().y);
    out += fmt::format("<path class=\"lead\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>", end_x + 5, end_y, right + 22,
                       label_at[i]);
    out += whiskers + marks + text(right + 27, label_at[i] + 4, s.label, "start", "t") + "</g>\n";
  }
  return out + "</svg>\n";
}

std::string svg(const bar_plot& p) {
  constexpr double width = 1000, left = 300, right = 800, row = 25, top = 26;
  const double bottom = top + row * static_cast<double>(p.bars.size());
  double longest = p.roof;
  for (const bar& b : p.bars) longest = std::max(longest, b.length);
  if (!(longest > 0) || !std::isfinite(longest)) return {};
  const auto x = [&](double v) { return left + std::max(v, 0.0) / longest * (right - left); };
  std::string out = head(width, bottom + 10, p.title, p.description);
  if (p.roof > 0)
    out += line(x(p.roof), top - 4, x(p.roof), bottom, "roof") +
           text(x(p.roof), top - 10, p.roof_label, "end", "rooftext");
  for (std::size_t i = 0; i < p.bars.size(); ++i) {
    const bar& b = p.bars[i];
    const double at = top + row * static_cast<double>(i);
    out += fmt::format(
        "<g class=\"s {}\"><rect class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
        "rx=\"2\"><title>{}</title></rect>",
        b.style, left, at + 3, std::max(x(b.length) - left, 1.0), row - 7, html_escape(b.title));
    out += text(left - 10, at + 17, b.label, "end", "bartext") +
           text(x(b.length) + 8, at + 17, b.value, "start", "rooftext") + "</g>\n";
  }
  return out + "</svg>\n";
}

std::string svg(const dot_plot& p) {
  constexpr double width = 1000, left = 230, right = 900, row = 27, top = 62;
  const double bottom = top + row * static_cast<double>(p.lines.size());
  double low = p.reference > 0 ? p.reference : std::numeric_limits<double>::max(), high = p.reference;
  for (const dot_plot::line& l : p.lines)
    for (const double v : l.values)
      if (v > 0) low = std::min(low, v), high = std::max(high, v);
  if (!(high > 0)) return {};
  const double first = std::log10(low) - 0.05, last = std::max(std::log10(high), first + 0.5) + 0.05;
  const auto x = [&](double v) { return left + (std::log10(v) - first) / (last - first) * (right - left); };
  std::string out = head(width, bottom + 34, p.title, p.description);
  for (double decade = std::floor(first); decade <= last; ++decade)
    for (const double m : {1.0, 2.0, 5.0}) {
      const double v = m * std::pow(10, decade);
      if (std::log10(v) < first || std::log10(v) > last) continue;
      out += line(x(v), top - 6, x(v), bottom, m == 1 ? "axis" : "grid");
      if (m == 1 || last - first < 3) out += text(x(v), bottom + 19, p.text(v), "middle");
    }
  out += "\n";
  double legend = left;
  for (std::size_t k = 0; k < p.kinds.size(); ++k) {
    const bool strong = k + 1 == p.kinds.size();
    out += fmt::format("<g class=\"s {}k{}\">", strong ? "ours " : "", k) +
           mark(static_cast<int>(k), legend, 16, p.kinds[k]) + text(legend + 11, 21, p.kinds[k], "start", "t") +
           "</g>\n";
    legend += 46 + 7.3 * static_cast<double>(p.kinds[k].size());
  }
  if (p.reference > 0)
    out += line(x(p.reference), top - 8, x(p.reference), bottom, "roof") +
           text(x(p.reference), top - 14, p.reference_label, x(p.reference) < (left + right) / 2 ? "start" : "end",
                "rooftext") +
           "\n";
  for (std::size_t i = 0; i < p.lines.size(); ++i) {
    const dot_plot::line& l = p.lines[i];
    const double at = top + row * (static_cast<double>(i) + 0.5);
    double nearest = std::numeric_limits<double>::max(), farthest = 0;
    for (const double v : l.values)
      if (v > 0) nearest = std::min(nearest, v), farthest = std::max(farthest, v);
    out += text(left - 14, at + 4, l.label, "end", "bartext");
    if (!(farthest > 0)) continue;
    out += line(x(nearest), at, x(farthest), at, "axis");
    for (std::size_t k = 0; k < l.values.size(); ++k)
      if (l.values[k] > 0)
        out += fmt::format("<g class=\"s {}k{}\">", k + 1 == l.values.size() ? "ours " : "", k) +
               mark(static_cast<int>(k), x(l.values[k]), at, l.title) + "</g>";
    if (l.values.back() > 0) out += text(right + 14, at + 4, p.text(l.values.back()), "start", "bartext");
    out += "\n";
  }
  return out + "</svg>\n";
}

}  // namespace report
