#include "upsweep/core/build_log.hpp"

#include <charconv>
#include <cstdint>

namespace upsweep::core {

namespace {

// Removes `beginning` from the front of `text`, if it is there.
bool take(std::string_view& text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  return true;
}
// Removes and returns leading digits and the colon after them; empty if there are none.
std::string_view take_number(std::string_view& text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  if (end == 0 || end == std::string_view::npos || text[end] != ':') return {};
  const std::string_view number = text.substr(0, end);
  text.remove_prefix(end + 1);
  return number;
}
// Removes and returns the first line with its end.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}
std::string_view trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view()
                                         : line.substr(first, line.find_last_not_of(" \t") - first + 1);
}
std::uint64_t value_of(std::string_view digits) {
  std::uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

// The position in user-defined source of line `wanted` of the program, or nothing if the line is not in such source.
// `shown` is the compiler's copy of the line, if known.
std::optional<std::string> place_in_source(std::string_view program, std::uint64_t wanted, std::string_view shown) {
  std::string_view name;
  std::uint64_t line_of_source = 0;
  for (std::uint64_t at = 1; !program.empty(); ++at, ++line_of_source) {
    std::string_view line = take_line(program);
    if (at == wanted)
      return name.starts_with("the ") && (shown.empty() || trimmed(line) == shown)
                 ? std::optional(std::string(name) + ", line " + std::to_string(line_of_source))
                 : std::nullopt;
    if (!take(line, "#line ")) continue;
    const std::size_t open = line.find('"'), close = line.rfind('"');
    if (open == close) continue;
    name = line.substr(open + 1, close - open - 1);
    line_of_source = value_of(line.substr(0, line.find(' '))) - 1;
  }
  return std::nullopt;
}

// The first line that is not empty.
std::string first_line(std::string_view log) {
  const auto begin = log.find_first_not_of(" \r\n\t");
  if (begin == std::string::npos) return "the compiler gave no reason";
  log.remove_prefix(begin);
  return std::string(take_line(log));
}

}  // namespace

std::optional<complaint> complaint_about_source(std::string_view log, std::string_view program) {
  while (!log.empty()) {
    std::string_view line = take_line(log);
    const bool told = take(line, "error: "), of_program = line.starts_with("<kernel>:");
    const std::size_t colon = line.find(':');
    if (!(of_program || line.starts_with("the ")) || colon == std::string_view::npos) continue;
    const std::string name(line.substr(0, colon));
    line.remove_prefix(colon + 1);
    const std::string row(take_number(line)), column(take_number(line));
    take(line, " ");
    if (row.empty() || column.empty() || !(take(line, "error: ") || take(line, "fatal error: ") || told)) continue;
    std::optional<std::string> place = name + ", line " + row;
    if (of_program) {
      std::string_view below = log;
      place = place_in_source(program, value_of(row), trimmed(take_line(below)));
      if (!place) continue;
    }
    return complaint{*place + ", character " + column, std::string(line)};
  }
  return std::nullopt;
}

std::string first_error(const std::string& log) {
  const auto at = log.find("error:");
  if (at == std::string::npos) return first_line(log);
  const auto begin = log.rfind('\n', at);
  return first_line(std::string_view(log).substr(begin == std::string::npos ? 0 : begin));
}

}  // namespace upsweep::core
