#include "upsweep/conformance/random_samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace upsweep {

namespace {

template <class T>
inline constexpr bool is_float = std::is_floating_point_v<T> || std::is_same_v<T, half>;

template <class T>
T of_double(double x) {
  if constexpr (std::is_same_v<T, half>) {
    return half(static_cast<float>(x));
  } else {
    return static_cast<T>(x);
  }
}

// Values that compare differently from ordinary numbers.
template <class T>
T special(std::uint64_t bits) {
  const bool minus = bits & 1;
  double x = 0;
  switch (bits >> 1 & 3) {
    case 0: x = std::numeric_limits<double>::quiet_NaN(); break;
    case 1: x = std::numeric_limits<double>::infinity(); break;
    case 2: x = 0; break;
    default: x = std::is_same_v<T, double> ? 0x1p-1074 : std::is_same_v<T, float> ? 0x1p-149 : 0x1p-24; break;
  }
  return of_double<T>(minus ? -x : x);
}

template <class T>
T any_value(std::uint64_t bits) {
  if constexpr (is_float<T>) {
    if ((bits & 63) == 0) return special<T>(bits >> 6);
    return of_double<T>(signed_unit(bits));
  } else {
    return static_cast<T>(bits >> (64 - 8 * sizeof(T)));
  }
}

// `share` of the way from the lowest to the highest value, in 2^-64.
template <class T>
T along(std::uint64_t share) {
  if constexpr (is_float<T>) {
    return of_double<T>(2 * unit(share) - 1);
  } else {
    using U = std::make_unsigned_t<T>;
    const U rank = static_cast<U>(share >> (64 - 8 * sizeof(T)));
    return static_cast<T>(std::is_signed_v<T> ? static_cast<U>(rank ^ U(U(1) << (8 * sizeof(T) - 1))) : rank);
  }
}

template <class T>
T few(std::uint64_t k) {
  if constexpr (is_float<T>) {
    constexpr double values[]{0.5, -0.0, 0.0, -0.75};
    return of_double<T>(values[k & 3]);
  } else {
    return static_cast<T>(mixed(k & 3));
  }
}

std::uint64_t zipf_rank(std::uint64_t bits, double log_of_values) {
  return static_cast<std::uint64_t>(std::exp2(unit(bits) * log_of_values)) - 1;
}

double log_of_values(std::uint64_t n) { return std::log2(std::clamp<double>(static_cast<double>(n), 2, 0x1p20)); }

}  // namespace

samples::samples(dtype type, input_kind kind, std::uint64_t n, std::uint64_t seed)
    : type_(type),
      kind_(kind),
      n_(std::max<std::uint64_t>(n, 1)),
      seed_(mixed(seed ^ mixed(n))),
      values_(log_of_values(n)) {}

template <class T>
T samples::element(std::uint64_t i) const {
  const std::uint64_t bits = mixed(seed_ + i), step = ~std::uint64_t{0} / n_;
  switch (kind_) {
    case input_kind::uniform: return any_value<T>(bits);
    case input_kind::sorted: return along<T>(i * step);
    case input_kind::reversed: return along<T>((n_ - 1 - i) * step);
    case input_kind::few: return few<T>(bits >> 60);
    case input_kind::zipf: return any_value<T>(mixed(zipf_rank(bits, values_) + 77));
    case input_kind::constant: break;
  }
  return few<T>(0);
}

void samples::fill(void* to, std::uint64_t first, std::uint64_t count) const {
  with_any_type(type_, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* out = static_cast<T*>(to);
    for (std::uint64_t i = 0; i < count; ++i) out[i] = element<T>(first + i);
  });
}

scalar samples::quantile(dtype type, double share) {
  return with_any_type(type, [&](auto tag) {
    return scalar::of(along<typename decltype(tag)::type>(static_cast<std::uint64_t>(share * 0x1p63) << 1));
  });
}

scalar samples::one_of_few(dtype type, std::uint64_t k) {
  return with_any_type(type, [&](auto tag) { return scalar::of(few<typename decltype(tag)::type>(k)); });
}

runs::runs(dtype type, input_kind kind, std::uint64_t n, std::uint64_t seed)
    : each_(type, kind, n, seed), type_(type), kind_(kind), seed_(mixed(seed + n)) {}

std::uint64_t runs::start(std::uint64_t i) const {
  // A stretch has runs of one length. Some stretches of stretches are a single run.
  constexpr std::uint64_t stretch = 777, many = 64 * stretch;
  constexpr std::uint64_t lengths[]{1, 1, 2, 3, 5, 31, 64, 777};
  if (mixed(seed_ + i / many) % 8 == 0) return i / many * many;
  const std::uint64_t begin = i / stretch * stretch, length = lengths[mixed(seed_ ^ begin) % 8];
  return begin + (i - begin) / length * length;
}

void runs::fill(void* to, std::uint64_t first, std::uint64_t count) const {
  if (kind_ == input_kind::few || kind_ == input_kind::zipf || kind_ == input_kind::constant)
    return each_.fill(to, first, count);
  const std::uint64_t size = size_of(type_);
  std::uint64_t last = ~std::uint64_t{0};
  std::byte value[8];
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t begin = start(first + i);
    if (begin != last) each_.fill(value, begin, 1);
    last = begin;
    std::memcpy(static_cast<std::byte*>(to) + i * size, value, size);
  }
}

indices::indices(input_kind kind, std::uint64_t n, std::uint64_t range, std::uint64_t seed)
    : kind_(kind), n_(std::max<std::uint64_t>(n, 1)), range_(range), seed_(mixed(seed ^ mixed(n + range))) {}

std::uint64_t indices::operator()(std::uint64_t i) const {
  const std::uint64_t bits = mixed(seed_ + i);
  const auto share = [&](double x) {
    return std::min(range_ - 1, static_cast<std::uint64_t>(x * static_cast<double>(range_)));
  };
  switch (kind_) {
    case input_kind::uniform: return bits % range_;
    case input_kind::sorted: return share(static_cast<double>(i) / static_cast<double>(n_));
    case input_kind::reversed: return range_ - 1 - share(static_cast<double>(i) / static_cast<double>(n_));
    case input_kind::few: return mixed(bits >> 62) % range_;
    case input_kind::zipf: return mixed(zipf_rank(bits, log_of_values(range_))) % range_;
    case input_kind::constant: break;
  }
  return 0;
}

places::places(input_kind kind, std::uint64_t n, std::uint64_t range, std::uint64_t seed)
    : range_(std::max<std::uint64_t>(range, 1)) {
  falling_ = kind == input_kind::reversed;
  if (kind == input_kind::sorted || kind == input_kind::reversed) return;
  // i · factor modulo the range takes every value once if the two have no common divisor.
  factor_ = mixed(seed + n) % range_ | 1;
  while (std::gcd(factor_, range_) != 1) ++factor_;
  first_ = mixed(seed) % range_;
}

std::uint64_t places::operator()(std::uint64_t i) const {
  const auto product = static_cast<unsigned __int128>(i) * factor_ + first_;
  const auto place = static_cast<std::uint64_t>(product % range_);
  return falling_ ? range_ - 1 - place : place;
}

bool flagged(input_kind kind, std::uint64_t i, std::uint64_t n, std::uint64_t seed) {
  const std::uint64_t bits = mixed(seed + i);
  switch (kind) {
    case input_kind::uniform: return bits & 1;
    case input_kind::sorted: return i < n / 2;
    case input_kind::reversed: return i >= n / 2;
    case input_kind::few: return bits % 64 == 0;
    case input_kind::zipf: return bits % 64 != 0;
    case input_kind::constant: break;
  }
  return true;
}

void fill_flags(input_kind kind, std::uint64_t n, std::uint64_t seed, void* to, std::uint64_t first,
                std::uint64_t count) {
  auto* flags = static_cast<std::uint8_t*>(to);
  for (std::uint64_t i = 0; i < count; ++i)
    flags[i] = flagged(kind, first + i, n, seed) ? static_cast<std::uint8_t>(1u << (mixed(seed ^ (first + i)) % 8)) : 0;
}

void fill_bytes(std::uint64_t seed, void* to, std::uint64_t first, std::uint64_t count) {
  auto* bytes = static_cast<std::uint8_t*>(to);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = first + i;
    bytes[i] = static_cast<std::uint8_t>(mixed(seed + at / 8) >> (at % 8 * 8));
  }
}

}  // namespace upsweep
