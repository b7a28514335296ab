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

std::optional<std::vector<double>> numbers_of_row(std::string_view row) {
  std::vector<double> numbers;
  while (true) {
    while (!row.empty() && (row[0] == ' ' || row[0] == ',' || row[0] == '+')) row.remove_prefix(1);
    if (row.empty()) return numbers;
    double v = 0;
    const auto [stop, bad] = std::from_chars(row.data(), row.data() + row.size(), v);
    const bool whole = stop == row.data() + row.size() || *stop == ' ' || *stop == ',';
    if (bad != std::errc{} || !whole) return std::nullopt;
    numbers.push_back(v);
    row.remove_prefix(static_cast<std::size_t>(stop - row.data()));
  }
}

bool whole_numbers(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double v) { return v == std::rint(v); });
}

mask_values mask_of_file(const std::string& path) {
  const auto source = open_source({.path = path, .narrow = true});
  if (source->shape.empty() || source->shape.size() > 3)
    throw error(fault::bad_argument, source->name,
                fmt::format("it has {} axes and a mask has 1 to 3", source->shape.size()), "save it with as many");
  mask_values m;
  const bool one_column = source->format != file_format::npy;
  with_any_type(source->type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::vector<T> block(4096);
    for (std::uint64_t n; (n = source->read(block.data(), block.size())) > 0;)
      for (std::uint64_t i = 0; i < n; ++i) m.values.push_back(static_cast<double>(block[i]));
  });
  source->expect_end();
  m.integers = whole_numbers(m.values);
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
  std::vector<std::vector<double>> rows;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('/', at), text.size());
    auto row = numbers_of_row(std::string_view(text).substr(at, end - at));
    if (!row || row->empty())
      throw error(fault::bad_argument, fmt::format("{} '{}'", option, text), "it is neither a file nor rows of numbers",
                  "write the rows with / between them: 0 -1 0 / -1 5 -1 / 0 -1 0");
    rows.push_back(std::move(*row));
    at = end + 1;
  }
  for (const auto& row : rows) {
    if (row.size() != rows[0].size())
      throw error(fault::bad_argument, fmt::format("{} '{}'", option, text),
                  fmt::format("its rows have {} and {} numbers", rows[0].size(), row.size()), "give each as many");
    m.values.insert(m.values.end(), row.begin(), row.end());
  }
  m.size = {rows[0].size(), rows.size(), 1};
  m.integers = whole_numbers(m.values);
  return m;
}
