#include "cli/bench/sizes.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

#include "upsweep/error.hpp"

namespace {

[[noreturn]] void refuse(std::string_view item, const std::string& why) {
  throw upsweep::error(
      upsweep::fault::bad_argument, "--sizes '" + std::string(item) + "'", why,
      "write 2^10..2^28, 2^10..2^28:2, 1000, any of these minus a number as in 2^20-5, or a comma-separated list");
}

std::uint64_t number(std::string_view text, std::string_view item) {
  std::uint64_t value = 0;
  const auto [stop, bad] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (bad == std::errc::result_out_of_range) refuse(item, "the number is beyond 64 bits");
  if (bad != std::errc{} || stop != text.data() + text.size() || text.empty())
    refuse(item, std::string(text).append(" is not a whole number"));
  return value;
}

// base^exponent, or a plain number as number^1.
struct power {
  std::uint64_t base, exponent;
  std::uint64_t value(std::string_view item) const {
    std::uint64_t v = 1;
    for (std::uint64_t i = 0; i < exponent; ++i)
      if (__builtin_mul_overflow(v, base, &v)) refuse(item, "the number is beyond 64 bits");
    return v;
  }
};

power parse_power(std::string_view text, std::string_view item) {
  const auto caret = text.find('^');
  if (caret == std::string_view::npos) return {number(text, item), 1};
  const power p{number(text.substr(0, caret), item), number(text.substr(caret + 1), item)};
  if (p.base < 2) refuse(item, "the base of a power must be 2 or more");
  return p;
}

void add_range(std::string_view first, std::string_view rest, std::string_view item,
               std::vector<std::uint64_t>& sizes) {
  const auto colon = rest.find(':');
  const std::uint64_t step = colon == std::string_view::npos ? 1 : number(rest.substr(colon + 1), item);
  const std::string_view last = rest.substr(0, colon);
  if (first.find('^') == std::string_view::npos || last.find('^') == std::string_view::npos)
    refuse(item, "a range needs two powers");
  const power from = parse_power(first, item), to = parse_power(last, item);
  if (from.base != to.base) refuse(item, "the two ends are powers of different bases");
  if (from.exponent > to.exponent) refuse(item, "the range ends before it begins");
  if (step == 0) refuse(item, "the step is zero");
  to.value(item);  // in range, so every one before it is
  for (std::uint64_t e = from.exponent; e <= to.exponent; e += step) sizes.push_back(power{from.base, e}.value(item));
}

}  // namespace

std::vector<std::uint64_t> parse_sizes(std::string_view text) {
  std::vector<std::uint64_t> sizes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, end - begin);
    const auto minus = item.rfind('-');
    const std::uint64_t less = minus == std::string_view::npos ? 0 : number(item.substr(minus + 1), item);
    const std::string_view whole = item.substr(0, minus);
    const auto dots = whole.find("..");
    const std::size_t before = sizes.size();
    if (dots == std::string_view::npos) {
      sizes.push_back(parse_power(whole, item).value(item));
    } else {
      add_range(whole.substr(0, dots), whole.substr(dots + 2), item, sizes);
    }
    for (std::size_t i = before; i < sizes.size(); ++i) {
      if (sizes[i] <= less) refuse(item, "a size must be at least 1");
      sizes[i] -= less;
    }
    begin = end + 1;
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::string size_text(std::uint64_t n) {
  if (n >= 1024 && std::has_single_bit(n)) return "2^" + std::to_string(std::countr_zero(n));
  if (n >= 1019 && n + 5 > n && std::has_single_bit(n + 5))
    return "2^" + std::to_string(std::countr_zero(n + 5)) + "-5";
  return std::to_string(n);
}
