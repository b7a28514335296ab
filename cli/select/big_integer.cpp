#include "cli/select/big_integer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

big_integer::big_integer(__int128 x) : negative_(x < 0) {
  auto left = static_cast<unsigned __int128>(x);
  if (negative_) left = -left;
  for (; left != 0; left >>= 32) limbs_.push_back(static_cast<std::uint32_t>(left));
}

big_integer big_integer::of_digits(std::string_view decimal) {
  big_integer x;
  for (const char digit : decimal) {
    std::uint64_t carry = static_cast<std::uint64_t>(digit - '0');
    for (std::uint32_t& limb : x.limbs_) {
      carry += std::uint64_t{limb} * 10;
      limb = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry) x.limbs_.push_back(static_cast<std::uint32_t>(carry));
  }
  return x;
}

big_integer big_integer::of_whole(double x) {
  int power = 0;
  const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &power), 53));
  big_integer whole = static_cast<__int128>(power >= 53 ? mantissa : mantissa >> (53 - power));
  if (power > 53) whole.limbs_ = shifted(whole.limbs_, static_cast<std::uint64_t>(power - 53));
  return whole;
}

std::string big_integer::digits() const {
  constexpr std::uint64_t base = 1'000'000'000;
  std::string backwards;
  for (limbs rest = limbs_; !rest.empty(); trim(rest)) {
    std::uint64_t left = 0;
    for (std::size_t i = rest.size(); i-- > 0;) {
      left = left << 32 | rest[i];
      rest[i] = static_cast<std::uint32_t>(left / base);
      left %= base;
    }
    for (int k = 0; k < 9; ++k, left /= 10) backwards += static_cast<char>('0' + left % 10);
  }
  while (backwards.ends_with('0')) backwards.pop_back();
  if (backwards.empty()) return "0";
  if (negative_) backwards += '-';
  return {backwards.rbegin(), backwards.rend()};
}

std::optional<__int128> big_integer::small() const {
  if (limbs_.size() > 4) return std::nullopt;
  unsigned __int128 x = 0;
  for (std::size_t i = limbs_.size(); i-- > 0;) x = x << 32 | limbs_[i];
  constexpr unsigned __int128 half = static_cast<unsigned __int128>(1) << 127;
  if (x > half || (x == half && !negative_)) return std::nullopt;
  return static_cast<__int128>(negative_ ? -x : x);
}

void big_integer::trim(limbs& x) {
  while (!x.empty() && x.back() == 0) x.pop_back();
}

std::strong_ordering big_integer::compared(const limbs& a, const limbs& b) {
  if (a.size() != b.size()) return a.size() <=> b.size();
  return std::lexicographical_compare_three_way(a.rbegin(), a.rend(), b.rbegin(), b.rend());
}

big_integer::limbs big_integer::sum(const limbs& a, const limbs& b) {
  limbs s;
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()) || carry; ++i) {
    carry += std::uint64_t{i < a.size() ? a[i] : 0} + (i < b.size() ? b[i] : 0);
    s.push_back(static_cast<std::uint32_t>(carry));
    carry >>= 32;
  }
  return s;
}

big_integer::limbs big_integer::difference(const limbs& larger, const limbs& smaller) {
  limbs d = larger;
  std::int64_t borrowed = 0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    const std::int64_t here = std::int64_t{d[i]} - (i < smaller.size() ? smaller[i] : 0) + borrowed;
    d[i] = static_cast<std::uint32_t>(here);
    borrowed = here < 0 ? -1 : 0;
  }
  trim(d);
  return d;
}

big_integer::limbs big_integer::shifted(const limbs& x, std::uint64_t bits) {
  limbs s(bits / 32, 0);
  std::uint64_t carry = 0;
  for (const std::uint32_t limb : x) {
    carry |= std::uint64_t{limb} << bits % 32;
    s.push_back(static_cast<std::uint32_t>(carry));
    carry >>= 32;
  }
  if (carry) s.push_back(static_cast<std::uint32_t>(carry));
  trim(s);
  return s;
}

std::uint64_t big_integer::bits_of(const limbs& x) {
  return x.empty() ? 0 : 32 * x.size() - static_cast<std::uint64_t>(std::countl_zero(x.back()));
}

// Long division. Each digit of 32 bits is guessed from the leading ones and is then one or two too large at most
// (Knuth, The Art of Computer Programming, 4.3.1, algorithm D).
big_integer::division big_integer::divided(const limbs& a, const limbs& b) {
  division d;
  if (compared(a, b) < 0) return {{}, a};
  const auto shift = static_cast<std::uint64_t>(std::countl_zero(b.back()));
  const limbs by = shifted(b, shift);
  limbs rest = shifted(a, shift);
  rest.resize(std::max(rest.size(), a.size()) + 1, 0);
  const std::size_t n = by.size();
  d.whole.assign(rest.size() - n, 0);
  for (std::size_t j = d.whole.size(); j-- > 0;) {
    const std::uint64_t top = std::uint64_t{rest[j + n]} << 32 | rest[j + n - 1];
    std::uint64_t digit = std::min<std::uint64_t>(top / by[n - 1], 0xffffffffu);
    // digit · by is taken away from rest at j; where that was too much, by is added again.
    std::uint64_t carry = 0;
    std::int64_t borrowed = 0;
    for (std::size_t i = 0; i <= n; ++i) {
      carry += i < n ? digit * by[i] : 0;
      const std::int64_t here = std::int64_t{rest[j + i]} - static_cast<std::uint32_t>(carry) + borrowed;
      rest[j + i] = static_cast<std::uint32_t>(here);
      borrowed = here < 0 ? -1 : 0;
      carry >>= 32;
    }
    while (borrowed) {
      --digit;
      carry = 0;
      for (std::size_t i = 0; i <= n; ++i) {
        carry += std::uint64_t{rest[j + i]} + (i < n ? by[i] : 0);
        rest[j + i] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
      }
      borrowed += static_cast<std::int64_t>(carry);
    }
    d.whole[j] = static_cast<std::uint32_t>(digit);
  }
  trim(d.whole);
  trim(rest);
  for (std::size_t i = 0; i < rest.size(); ++i)
    d.rest.push_back(static_cast<std::uint32_t>(
        (std::uint64_t{rest[i]} | std::uint64_t{i + 1 < rest.size() ? rest[i + 1] : 0} << 32) >> shift));
  trim(d.rest);
  return d;
}

// x · 2^power, of which `more` says that it is a little more than that.
double big_integer::rounded(const limbs& x, bool more, std::int64_t power) {
  const auto bits = static_cast<std::int64_t>(bits_of(x));
  // 53 bits, and fewer of what is below the normal doubles.
  const std::int64_t keep = std::min<std::int64_t>(53, bits + power + 1074),
                     out = bits - std::max<std::int64_t>(keep, 0);
  if (out <= 0 && !more) {
    double value = 0;
    for (std::size_t i = x.size(); i-- > 0;) value = value * 0x1p32 + x[i];
    return std::ldexp(value, static_cast<int>(power));
  }
  const auto bit = [&](std::int64_t i) {
    return i >= 0 && i < bits && (x[static_cast<std::size_t>(i / 32)] >> i % 32 & 1) != 0;
  };
  std::uint64_t kept = 0;
  for (std::int64_t i = bits - 1; i >= out; --i) kept = kept << 1 | bit(i);
  bool rest = more;
  for (std::int64_t i = 0; i < out - 1 && !rest; ++i) rest = bit(i);
  if (out > 0 && bit(out - 1) && (rest || (kept & 1) != 0)) ++kept;
  const std::int64_t exponent = std::min<std::int64_t>(power + out, 5000);
  return std::ldexp(static_cast<double>(kept), static_cast<int>(exponent));
}

double big_integer::rounded() const {
  const double x = rounded(limbs_, false, 0);
  return negative_ ? -x : x;
}

big_integer big_integer::operator-() const {
  big_integer x = *this;
  x.negative_ = !negative_ && !is_zero();
  return x;
}

big_integer operator+(const big_integer& a, const big_integer& b) {
  big_integer s;
  if (a.negative_ == b.negative_) {
    s.limbs_ = big_integer::sum(a.limbs_, b.limbs_);
    s.negative_ = a.negative_;
  } else {
    const bool a_larger = big_integer::compared(a.limbs_, b.limbs_) > 0;
    s.limbs_ = a_larger ? big_integer::difference(a.limbs_, b.limbs_) : big_integer::difference(b.limbs_, a.limbs_);
    s.negative_ = (a_larger ? a : b).negative_ && !s.limbs_.empty();
  }
  return s;
}

big_integer operator*(const big_integer& a, const big_integer& b) {
  big_integer p;
  p.limbs_.assign(a.limbs_.size() + b.limbs_.size(), 0);
  for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < b.limbs_.size() || carry; ++j) {
      carry += p.limbs_[i + j] + (j < b.limbs_.size() ? std::uint64_t{a.limbs_[i]} * b.limbs_[j] : 0);
      p.limbs_[i + j] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }
  big_integer::trim(p.limbs_);
  p.negative_ = a.negative_ != b.negative_ && !p.limbs_.empty();
  return p;
}

std::strong_ordering operator<=>(const big_integer& a, const big_integer& b) {
  if (a.negative_ != b.negative_) return a.negative_ ? std::strong_ordering::less : std::strong_ordering::greater;
  return a.negative_ ? big_integer::compared(b.limbs_, a.limbs_) : big_integer::compared(a.limbs_, b.limbs_);
}

big_integer remainder(const big_integer& a, const big_integer& b) {
  big_integer r;
  r.limbs_ = big_integer::divided(a.limbs_, b.limbs_).rest;
  r.negative_ = a.negative_ && !r.limbs_.empty();
  return !r.is_zero() && r.negative_ != b.negative_ ? r + b : r;
}

double quotient(const big_integer& a, const big_integer& b) {
  // As many bits of the quotient as settle the rounding, and whether anything is left.
  const auto behind = static_cast<std::int64_t>(big_integer::bits_of(a.limbs_)) -
                      static_cast<std::int64_t>(big_integer::bits_of(b.limbs_));
  const std::int64_t up = std::max<std::int64_t>(0, 66 - behind);
  const auto d = big_integer::divided(big_integer::shifted(a.limbs_, static_cast<std::uint64_t>(up)), b.limbs_);
  const double x = big_integer::rounded(d.whole, !d.rest.empty(), -up);
  return a.negative_ != b.negative_ ? -x : x;
}
