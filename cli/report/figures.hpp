// Figures as people read them, text set in columns, and a line of progress.
#pragma once

#include <cstddef>
#include <string>

namespace figures {

// Three figures that count, as far as they are not zeros behind a whole number.
std::string three_figures(double);
std::string time_text(double seconds);     // "8.31 µs"
std::string rate_text(double per_second);  // "393 G"
std::string ratio_text(double ratio);      // "1.27×"

// The number of terminal columns a text takes.
std::size_t columns_of(const std::string& text);
std::string left(const std::string& text, std::size_t columns);
std::string right(const std::string& text, std::size_t columns);

// A line on the terminal that shows what is going on and goes away again; nothing when standard error is no terminal.
class progress_line {
 public:
  progress_line();
  ~progress_line() { clear(); }
  void show(const std::string&);
  void clear();

 private:
  bool terminal_;
  bool shown_ = false;
};

}  // namespace figures
