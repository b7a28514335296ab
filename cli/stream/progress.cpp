#include "cli/stream/progress.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "cli/process/message.hpp"
#include "cli/process/printable.hpp"

namespace {

// 12345678 as "12.3 M"
std::string count_text(double n) {
  if (n < 1e4) return fmt::format("{:.0f}", n);
  if (n < 1e6) return fmt::format("{:.1f} k", n / 1e3);
  if (n < 1e9) return fmt::format("{:.1f} M", n / 1e6);
  return fmt::format("{:.2f} G", n / 1e9);
}

std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 10 ? size.ws_col : 80;
}

void draw(const std::string& text) {
  std::string line = printable(text);
  if (line.size() >= terminal_width()) line.resize(terminal_width() - 1);
  print_message("\r{}\x1b[K", line);
  std::fflush(stderr);
}

}  // namespace

progress::progress(std::string what, std::uint64_t all, std::string unit)
    : what_(std::move(what)), unit_(std::move(unit)), all_(all), terminal_(isatty(STDERR_FILENO) == 1) {}

progress::~progress() {
  if (drawn_) print_message("\r\x1b[K");
}

void progress::at(std::uint64_t done, const std::string& detail) {
  if (!terminal_) return;
  const auto now = clock::now();
  // Work of half a second needs no line; more than ten a second are not read.
  if (now - began_ < std::chrono::milliseconds(500) || now - shown_ < std::chrono::milliseconds(100)) return;
  shown_ = now;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - began_).count();
  std::string line = what_ + ": ";
  if (all_ > 0)
    line += fmt::format("{:3.0f} % of {} {}", 100.0 * static_cast<double>(done) / static_cast<double>(all_),
                        count_text(static_cast<double>(all_)), unit_);
  else
    line += fmt::format("{} {}", count_text(static_cast<double>(done)), unit_);
  line += fmt::format(", {:.0f} s", seconds);
  if (all_ > done && done > 0)
    line += fmt::format(", {:.0f} s to go", seconds * static_cast<double>(all_ - done) / static_cast<double>(done));
  if (!detail.empty()) line += "  " + detail;
  draw(line);
}

at_work::at_work(std::string what, std::uint64_t steps) : what_(std::move(what)), steps_(steps) {
  if (isatty(STDERR_FILENO) == 1) thread_ = std::thread([this] { tell(); });
}

at_work::~at_work() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard hold(lock_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void at_work::step(std::uint64_t number, std::string name) {
  const std::lock_guard hold(lock_);
  step_ = number, name_ = std::move(name);
}

void at_work::tell() {
  const auto began = std::chrono::steady_clock::now();
  bool drawn = false;
  for (std::unique_lock hold(lock_); !changed_.wait_for(hold, std::chrono::milliseconds(250), [&] { return over_; });) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    if (seconds < 0.5) continue;
    std::string line = what_ + ": ";
    if (step_ > 0) line += fmt::format("step {} of {}, ", step_, steps_);
    if (!name_.empty()) line += name_ + ", ";
    line += fmt::format("{:.0f} s", seconds);
    draw(line);
    drawn = true;
  }
  if (drawn) print_message("\r\x1b[K");
}
