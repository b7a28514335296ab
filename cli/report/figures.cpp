#include "cli/report/figures.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/process/message.hpp"

namespace figures {

std::string three_figures(double x) {
  if (x == 0) return "0";
  const int before = static_cast<int>(std::floor(std::log10(std::abs(x)))) + 1;
  return fmt::format("{:.{}f}", x, std::clamp(3 - before, 0, 3));
}

std::string time_text(double s) {
  if (s <= 0) return "-";
  if (s < 1e-6) return three_figures(s * 1e9) + " ns";
  if (s < 1e-3) return three_figures(s * 1e6) + " µs";
  if (s < 1) return three_figures(s * 1e3) + " ms";
  return three_figures(s) + " s";
}

std::string rate_text(double x) {
  if (x <= 0) return "-";
  if (x >= 1e12) return three_figures(x * 1e-12) + " T";
  if (x >= 1e9) return three_figures(x * 1e-9) + " G";
  if (x >= 1e6) return three_figures(x * 1e-6) + " M";
  return three_figures(x * 1e-3) + " k";
}

std::string ratio_text(double r) { return r > 0 ? fmt::format("{:.2f}×", r) : "-"; }

std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}
std::string left(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, columns_of(text)), ' ');
}
std::string right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, columns_of(text)), ' ') + text;
}

progress_line::progress_line() : terminal_(isatty(STDERR_FILENO) != 0) {}

void progress_line::show(const std::string& text) {
  if (!terminal_) return;
  winsize size{};
  const std::size_t width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : 79u;
  std::string line = text;
  while (columns_of(line) > width) line.pop_back();
  print_message("\r\033[K{}", line);
  std::fflush(stderr);
  shown_ = true;
}

void progress_line::clear() {
  if (shown_) print_message("\r\033[K");
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace figures
