// Integers of any length, for conditions whose products and sums exceed 128 bits: as in Python, with a remainder that
// has the divisor's sign.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

class big_integer {
 public:
  big_integer() = default;
  big_integer(__int128);
  static big_integer of_digits(std::string_view decimal);

  static big_integer of_whole(double);  // a finite one that is an integer

  bool is_zero() const { return limbs_.empty(); }
  bool is_negative() const { return negative_; }
  std::optional<__int128> small() const;  // where it has 128 bits
  std::string digits() const;             // decimal, with a minus where it is negative
  double rounded() const;                 // to the nearest double, half to even; infinite beyond them

  big_integer operator-() const;
  friend big_integer operator+(const big_integer&, const big_integer&);
  friend big_integer operator-(const big_integer& a, const big_integer& b) { return a + -b; }
  friend big_integer operator*(const big_integer&, const big_integer&);
  friend std::strong_ordering operator<=>(const big_integer&, const big_integer&);
  friend bool operator==(const big_integer& a, const big_integer& b) { return (a <=> b) == 0; }
  // Of divisors other than 0.
  friend big_integer remainder(const big_integer& a, const big_integer& b);
  friend double quotient(const big_integer& a, const big_integer& b);  // rounded once

 private:
  using limbs = std::vector<std::uint32_t>;  // the lowest first, none of them leading zeros
  struct division {
    limbs whole, rest;
  };
  static void trim(limbs&);
  static std::strong_ordering compared(const limbs&, const limbs&);
  static limbs sum(const limbs&, const limbs&);
  static limbs difference(const limbs& larger, const limbs& smaller);
  static limbs shifted(const limbs&, std::uint64_t bits);
  static division divided(const limbs&, const limbs&);
  static std::uint64_t bits_of(const limbs&);
  static double rounded(const limbs&, bool more, std::int64_t power);

  bool negative_ = false;
  limbs limbs_;
};
