#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "cli/histogram/histogram.hpp"
#include "cli/io/nearest_half.hpp"

using namespace upsweep;

namespace {

constexpr __int128 beyond = static_cast<__int128>(1) << 120;  // what is larger than all elements

constexpr long farthest = 1L << 40;  // an exponent that no digits make up for

listed_number number_from(__int128 x) { return {true, x, static_cast<double>(x)}; }

// The integer that a decimal is, or the one above it, from its digits: a double has not room for all of them.
void find_whole(std::string_view text, listed_number& n) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t power = std::min(text.find_first_of("eE"), text.size());
  long exponent = power < text.size() ? std::strtol(std::string(text.substr(power + 1)).c_str(), nullptr, 10) : 0;
  exponent = std::clamp(exponent, -farthest, farthest);
  std::string digits(text.substr(0, power));
  if (const std::size_t point = digits.find('.'); point != std::string::npos) {
    exponent -= static_cast<long>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  while (digits.ends_with('0')) digits.pop_back(), ++exponent;
  digits.erase(0, digits.find_first_not_of('0'));
  if (digits.empty()) exponent = 0;                                 // of 0E999999999, too
  const long places = static_cast<long>(digits.size()) + exponent;  // before the point
  __int128 whole = 0;
  if (!digits.empty() && places > 35) {
    whole = beyond;
  } else {
    for (long i = 0; i < places; ++i)
      whole = whole * 10 + (i < static_cast<long>(digits.size()) ? digits[static_cast<std::size_t>(i)] - '0' : 0);
    n.integer = digits.empty() || exponent >= 0;
    if (!n.integer && !negative) ++whole;
  }
  n.whole = negative ? -whole : whole;
}

}  // namespace

listed_number number_from(double x) {
  listed_number n{false, 0, x};
  if (std::fabs(x) < 0x1p100) {
    n.whole = static_cast<__int128>(std::ceil(x));
    n.integer = std::ceil(x) == x;
  } else if (x == x) {
    n.whole = x > 0 ? beyond : -beyond;
  }
  return n;
}

bool listed_number::operator<(const listed_number& other) const {
  if (real != real || other.real != other.real) return false;
  if (!integer && !other.integer && real != other.real) return real < other.real;
  return whole != other.whole ? whole < other.whole : !integer && other.integer;
}

std::string listed_number::text() const {
  return integer ? fmt::format("{}", static_cast<__int128_t>(whole)) : fmt::format("{}", real);
}

std::optional<listed_number> number_of_text(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  double x = 0;
  const auto [stop, bad] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (bad == std::errc::invalid_argument || stop != text.data() + text.size()) return std::nullopt;
  if (bad != std::errc{}) x = std::strtod(std::string(text).c_str(), nullptr);
  listed_number n = number_from(x);
  if (text.find_first_not_of("-.0123456789eE") == std::string_view::npos) find_whole(text, n);
  return n;
}

std::optional<number_list> parse_number_list(const std::string& text) {
  number_list all;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const auto one = number_of_text(std::string_view(text).substr(at, comma - at));
    if (!one) return std::nullopt;
    all.push_back(*one);
    at = comma + 1;
  }
  return all;
}

number_list read_numbers(element_source& source) {
  return with_any_type(source.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    number_list all;
    std::vector<T> block(1 << 14);
    for (std::uint64_t n; (n = source.read(block.data(), block.size())) > 0;)
      for (std::uint64_t i = 0; i < n; ++i) {
        if constexpr (std::is_integral_v<T>)
          all.push_back(number_from(static_cast<__int128>(block[i])));
        else
          all.push_back(number_from(static_cast<double>(block[i])));
      }
    source.expect_end();
    return all;
  });
}

template <class T>
std::optional<T> first_not_below(const listed_number& number) {
  if constexpr (std::is_integral_v<T>) {
    constexpr __int128 low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    if (number.whole > high) return std::nullopt;
    return static_cast<T>(std::max(number.whole, low));
  } else {
    // Rounding may have gone below; the next one up is not.
    const auto below = [&](double rounded) {
      return number.integer && std::fabs(rounded) < 0x1p100 ? static_cast<__int128>(rounded) < number.whole
                                                            : rounded < number.real;
    };
    if constexpr (std::is_same_v<T, half>) {
      const half nearest = nearest_half(number.real);
      // Of a positive number the next bits, of a negative one those before.
      return below(static_cast<double>(nearest)) ? half::of_bits(static_cast<std::uint16_t>(
                                                       nearest.bits & 0x8000 ? nearest.bits - 1 : nearest.bits + 1))
                                                 : nearest;
    } else {
      const T nearest = static_cast<T>(number.real);
      return below(static_cast<double>(nearest)) ? std::nextafter(nearest, std::numeric_limits<T>::infinity())
                                                 : nearest;
    }
  }
}

template std::optional<std::int8_t> first_not_below(const listed_number&);
template std::optional<std::uint8_t> first_not_below(const listed_number&);
template std::optional<std::int16_t> first_not_below(const listed_number&);
template std::optional<std::uint16_t> first_not_below(const listed_number&);
template std::optional<std::int32_t> first_not_below(const listed_number&);
template std::optional<std::uint32_t> first_not_below(const listed_number&);
template std::optional<std::int64_t> first_not_below(const listed_number&);
template std::optional<std::uint64_t> first_not_below(const listed_number&);
template std::optional<half> first_not_below(const listed_number&);
template std::optional<float> first_not_below(const listed_number&);
template std::optional<double> first_not_below(const listed_number&);
