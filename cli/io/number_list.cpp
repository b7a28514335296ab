#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "cli/histogram/histogram.hpp"

using namespace upsweep;

std::string number_list::text_at(std::uint64_t i) const {
  return integers ? (whole[i] < 0 ? "-" : "") +
                        fmt::format("{}", static_cast<std::uint64_t>(whole[i] < 0 ? -whole[i] : whole[i]))
                  : fmt::format("{}", real[i]);
}

void number_list::append(const number_list& more) {
  if (integers && more.integers) {
    whole.insert(whole.end(), more.whole.begin(), more.whole.end());
    return;
  }
  if (integers) real.assign(whole.begin(), whole.end());
  integers = false;
  for (std::uint64_t i = 0; i < more.size(); ++i) real.push_back(more.real_at(i));
}

std::optional<number_list> parse_number_list(const std::string& text) {
  number_list all;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    std::string_view item = std::string_view(text).substr(at, comma - at);
    while (item.starts_with(' ')) item.remove_prefix(1);
    while (item.ends_with(' ')) item.remove_suffix(1);
    if (item.starts_with('+')) item.remove_prefix(1);
    const char* const end = item.data() + item.size();
    number_list one;
    if (std::int64_t i;
        std::from_chars(item.data(), end, i).ptr == end && std::from_chars(item.data(), end, i).ec == std::errc{}) {
      one.whole.push_back(i);
    } else if (std::uint64_t u; std::from_chars(item.data(), end, u).ptr == end &&
                                std::from_chars(item.data(), end, u).ec == std::errc{}) {
      one.whole.push_back(u);
    } else {
      double d;
      const auto [stop, bad] = std::from_chars(item.data(), end, d);
      if (bad != std::errc{} || stop != end) return std::nullopt;
      one.integers = false;
      one.real.push_back(d);
    }
    all.append(one);
    at = comma + 1;
  }
  return all;
}

number_list read_numbers(element_source& source) {
  return with_any_type(source.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    number_list all;
    all.integers = std::is_integral_v<T>;
    std::vector<T> block(1 << 14);
    for (std::uint64_t n; (n = source.read(block.data(), block.size())) > 0;)
      for (std::uint64_t i = 0; i < n; ++i) {
        if constexpr (std::is_integral_v<T>)
          all.whole.push_back(block[i]);
        else
          all.real.push_back(static_cast<double>(block[i]));
      }
    source.expect_end();
    return all;
  });
}

template <class T>
std::optional<T> first_not_below(const number_list& numbers, std::uint64_t i) {
  if constexpr (std::is_integral_v<T>) {
    constexpr __int128 low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    __int128 w;
    if (numbers.integers) {
      w = numbers.whole[i];
    } else {
      const double x = std::ceil(numbers.real[i]);
      w = x >= 0x1p100 ? high + 1 : x <= -0x1p100 ? low : static_cast<__int128>(x);
    }
    if (w > high) return std::nullopt;
    return static_cast<T>(std::max(w, low));
  } else {
    const double x = numbers.real_at(i);
    if constexpr (std::is_same_v<T, double>) {
      return x;
    } else if constexpr (std::is_same_v<T, float>) {
      const float nearest = static_cast<float>(x);
      return static_cast<double>(nearest) < x ? std::nextafter(nearest, std::numeric_limits<float>::infinity())
                                              : nearest;
    } else {
      half nearest(static_cast<float>(x));
      // The next one up: of a positive number the next bits, of a negative one those before.
      if (static_cast<double>(nearest) < x)
        nearest =
            half::of_bits(static_cast<std::uint16_t>(nearest.bits & 0x8000 ? nearest.bits - 1 : nearest.bits + 1));
      return nearest;
    }
  }
}

template std::optional<std::int8_t> first_not_below(const number_list&, std::uint64_t);
template std::optional<std::uint8_t> first_not_below(const number_list&, std::uint64_t);
template std::optional<std::int16_t> first_not_below(const number_list&, std::uint64_t);
template std::optional<std::uint16_t> first_not_below(const number_list&, std::uint64_t);
template std::optional<std::int32_t> first_not_below(const number_list&, std::uint64_t);
template std::optional<std::uint32_t> first_not_below(const number_list&, std::uint64_t);
template std::optional<std::int64_t> first_not_below(const number_list&, std::uint64_t);
template std::optional<std::uint64_t> first_not_below(const number_list&, std::uint64_t);
template std::optional<half> first_not_below(const number_list&, std::uint64_t);
template std::optional<float> first_not_below(const number_list&, std::uint64_t);
template std::optional<double> first_not_below(const number_list&, std::uint64_t);
