// Three kinds of plot as SVG: curves over n on logarithmic axes, bars, and dots on a logarithmic axis.
#pragma once

#include <string>
#include <vector>

namespace report {

struct point {
  double x, y, low, high;
  std::string title;  // what a pointer held over it shows
};

struct series {
  std::string label;
  std::string style;  // "ours k0", "k1", "textbook": the page's classes
  int pattern = 0;    // of the dashes and the marks, so that colour is never alone
  std::vector<point> points;
};

struct line_plot {
  std::string title, description;  // for those who hear the page
  std::string y_label;
  double roof = 0;  // a dashed line; 0: none
  std::string roof_label;
  std::vector<series> curves;
};

std::string svg(const line_plot&);

struct bar {
  std::string label, style, value, title;
  double length;
};

struct bar_plot {
  std::string title, description;
  double roof = 0;
  std::string roof_label;
  std::vector<bar> bars;
};

std::string svg(const bar_plot&);

// Values of a few kinds in lines of their own, on one logarithmic axis: how they compare, and how far apart they are.
struct dot_plot {
  std::string title, description;
  std::vector<std::string> kinds;  // the last is drawn full, and its value written beside it
  std::string (*text)(double);     // of a value
  double reference = 0;            // a dashed line; 0: none
  std::string reference_label;
  struct line {
    std::string label;
    std::vector<double> values;  // of each kind; 0: none
    std::string title;
  };
  std::vector<line> lines;
};

std::string svg(const dot_plot&);

}  // namespace report
