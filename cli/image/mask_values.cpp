#include "cli/image/filters.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

#include "cli/io/elements.hpp"
#include "upsweep/error.hpp"

using namespace upsweep;

namespace {

std::int64_t whole_of(mask_values& m, double value) {
  const bool whole = value == std::rint(value) && std::abs(value) < 0x1p63;
  m.integers = m.integers && whole;
  return whole ? static_cast<std::int64_t>(value) : 0;
}

// As a double, as a float and, of an integer, as that: each rounded once.
bool append(mask_values& m, std::string_view text) {
  const char* const end = text.data() + text.size();
  double value = 0;
  if (const auto [stop, bad] = std::from_chars(text.data(), end, value); bad != std::errc{} || stop != end)
    return false;
  float single = 0;
  const auto [ignored, bad] = std::from_chars(text.data(), end, single);
  if (bad != std::errc{}) single = static_cast<float>(value);  // infinite or 0
  std::int64_t whole = 0;
  std::uint64_t large = 0;
  if (const auto [stop, wrong] = std::from_chars(text.data(), end, whole); wrong != std::errc{} || stop != end) {
    if (const auto [last, none] = std::from_chars(text.data(), end, large); none == std::errc{} && last == end)
      whole = static_cast<std::int64_t>(large);
    else
      whole = whole_of(m, value);
  }
  m.values.push_back(value);
  m.singles.push_back(single);
  m.whole.push_back(whole);
  return true;
}

template <class T>
void append(mask_values& m, T value) {
  m.values.push_back(static_cast<double>(value));
  m.singles.push_back(static_cast<float>(value));
  if constexpr (std::is_integral_v<T>)
    m.whole.push_back(static_cast<std::int64_t>(value));
  else
    m.whole.push_back(whole_of(m, m.values.back()));
}

// How many numbers there are; nothing where one is none.
std::optional<std::uint64_t> append_row(mask_values& m, std::string_view row) {
  std::uint64_t count = 0;
  while (true) {
    while (!row.empty() && (row[0] == ' ' || row[0] == ',' || row[0] == '+')) row.remove_prefix(1);
    if (row.empty()) return count;
    const std::size_t end = std::min(row.find_first_of(" ,"), row.size());
    if (!append(m, row.substr(0, end))) return std::nullopt;
    row.remove_prefix(end);
    ++count;
  }
}

mask_values mask_of_file(const std::string& path) {
  const auto source = open_source({.path = path, .narrow = true});
  if (source->shape.empty() || source->shape.size() > 3)
    throw error(fault::bad_argument, source->name,
                fmt::format("it has {} axes, and a mask has 1 to 3", source->shape.size()), "save it with 1 to 3 axes");
  mask_values m;
  const bool one_column = source->format != file_format::npy;
  with_any_type(source->type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::vector<T> block(4096);
    for (std::uint64_t n; (n = source->read(block.data(), block.size())) > 0;)
      for (std::uint64_t i = 0; i < n; ++i) append(m, block[i]);
  });
  source->expect_end();
  std::vector<std::uint64_t> shape = source->shape;
  if (one_column) shape = {m.values.size()};
  std::ranges::reverse(shape);  // NumPy's last axis is the fastest
  shape.resize(3, 1);
  m.size = {shape[0], shape[1], shape[2]};
  return m;
}

}  // namespace

mask_values mask_of_text(const std::string& option, const std::string& text) {
  std::error_code ignored;
  if (std::filesystem::exists(text, ignored)) return mask_of_file(text);
  mask_values m;
  std::vector<std::uint64_t> widths;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('/', at), text.size());
    const auto width = append_row(m, std::string_view(text).substr(at, end - at));
    if (!width || *width == 0)
      throw error(fault::bad_argument, fmt::format("{} '{}'", option, text), "it is neither a file nor rows of numbers",
                  "separate rows by /: 0 -1 0 / -1 5 -1 / 0 -1 0");
    widths.push_back(*width);
    at = end + 1;
  }
  for (const std::uint64_t width : widths)
    if (width != widths[0])
      throw error(fault::bad_argument, fmt::format("{} '{}'", option, text),
                  fmt::format("its rows have {} and {} numbers", widths[0], width), "give all rows the same length");
  m.size = {widths[0], widths.size(), 1};
  return m;
}
