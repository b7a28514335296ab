#include "cli/process/checks.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cmath>

namespace checks {

namespace {

CLI::Validator of(std::function<std::string(std::string&)> error_of) {
  CLI::Validator v(std::move(error_of), "");
  return v.description("");
}

// The error prints a number as it was given.
std::string no(const std::string& text, const std::string& what) { return "'" + text + "' is not a " + what; }

template <class Good>
CLI::Validator number_that(Good good, const char* what) {
  return of([=](std::string& text) -> std::string {
    double x = 0;
    const char *first = text.data() + (text.size() > 1 && text[0] == '+'), *end = text.data() + text.size();
    const auto [stop, bad] = std::from_chars(first, end, x);
    if (bad == std::errc::result_out_of_range) return "'" + text + "' does not fit in f64";
    return bad == std::errc{} && stop == end && std::isfinite(x) && good(x) ? "" : no(text, what);
  });
}

}  // namespace

CLI::Validator count(std::uint64_t least) {
  return of([least](std::string& text) -> std::string {
    const std::string what = least ? fmt::format("whole number from {} up", least) : "whole number";
    std::uint64_t n = 0;
    const auto [stop, bad] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (bad == std::errc::result_out_of_range) return "'" + text + "' does not fit in 64 bits";
    if (bad != std::errc{} || stop != text.data() + text.size() || n < least) return no(text, what);
    if (text.size() > 1 && text[0] == '0')
      return "'" + text + "' begins with 0, which could mean octal; leave that out";
    return "";
  });
}

CLI::Validator number() {
  return number_that([](double) { return true; }, "finite number");
}
CLI::Validator positive() {
  return number_that([](double x) { return x > 0; }, "finite number above 0");
}

}  // namespace checks
