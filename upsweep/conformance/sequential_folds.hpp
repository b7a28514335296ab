// Reference folds: exact for integers and more precise than the type for floats, one element at a time.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>
#include <sstream>
#include <string>

#include "upsweep/operators.hpp"

namespace upsweep {

// Integers with wrapping, and operators that round nothing.
template <class T, class Op>
struct exact_fold {
  T value;
  exact_fold(T init, double) : value(init) {}
  void take(T x, any_transform f) { value = Op{}(value, upsweep::to_accumulator(Op{}, f(x))); }
  T result() const { return value; }
  double tolerance() const { return 0; }
  double off(T got) const { return got == value ? 0 : std::abs(static_cast<double>(got) - static_cast<double>(value)); }
  bool agrees(T got) const { return got == value; }
};

// A float sum to twice double's precision: the error of each addition is known exactly (Knuth's TwoSum) and is summed
// separately.
template <class T>
struct exact_sum {
  double sum, lost = 0, absolute_sum, eps_span;
  exact_sum(T init, double span)
      : sum(init),
        absolute_sum(std::abs(static_cast<double>(init))),
        eps_span((span + 4) * std::numeric_limits<T>::epsilon()) {}
  void take(T element, any_transform f) {
    const double x = f(static_cast<double>(element)), next = sum + x, back = next - sum;
    lost += (sum - (next - back)) + (x - back);
    sum = next;
    absolute_sum += std::abs(x);
  }
  T result() const { return static_cast<T>(sum + lost); }
  double tolerance() const {
    return eps_span * absolute_sum + static_cast<double>(std::numeric_limits<T>::denorm_min());
  }
  double off(T got) const { return std::abs((static_cast<double>(got) - sum) - lost); }
  bool agrees(T got) const { return off(got) <= tolerance(); }
};

// A float product. However it is grouped, every factor rounds once, to either side: the errors of k factors add up like
// a random walk's steps, √k; eight times that is far beyond chance.
template <class T>
struct long_product {
  long double product;
  double factors = 0;
  long_product(T init, double) : product(init) {}
  void take(T x, any_transform f) {
    product *= f(x);  // the square rounds in T, as it does everywhere: its error is not random
    ++factors;
  }
  T result() const { return static_cast<T>(product); }
  double tolerance() const {
    return (16 + 8 * std::sqrt(factors)) * std::numeric_limits<T>::epsilon() * static_cast<double>(std::abs(product)) +
           static_cast<double>(std::numeric_limits<T>::denorm_min());
  }
  double off(T got) const { return static_cast<double>(std::abs(static_cast<long double>(got) - product)); }
  bool agrees(T got) const { return off(got) <= tolerance(); }
};

template <class T, class Op>
struct fold_of {
  using type = exact_fold<T, Op>;
};
template <std::floating_point T>
struct fold_of<T, plus> {
  using type = exact_sum<T>;
};
template <std::floating_point T>
struct fold_of<T, multiplies> {
  using type = long_product<T>;
};

template <class T>
std::string number(T x) {
  std::ostringstream text;
  if constexpr (std::is_same_v<T, half>) {
    text << static_cast<float>(x);
  } else {
    text.precision(std::numeric_limits<T>::max_digits10);
    text << +x;
  }
  return text.str();
}

}  // namespace upsweep
