// reproducible_sum: the sum of floats or doubles with the same bits on every device.
//
//   float total = upsweep::reproducible_sum(gpu, x.span());
//   upsweep::exact_sum<double> sum;                            // piece by piece, on whatever device holds the piece
//   sum.add(gpu, part.span());
//   sum.add(cpu, rest);
//   double total = sum.value();
//
// Result       The exact sum, rounded once to nearest, ties to even. It is the same on every backend and with every
//              thread count, tile size, order and split into pieces. NaN, or infinities of both signs, give the one
//              quiet NaN. A sum of zero is +0, and the sum of no elements is 0. Nothing overflows on the way: only a
//              sum that is itself too large is infinite.
// Requires     f32 or f64; any alignment; fewer than 2^63 elements in all.
// Work         n integer additions of two or three words; every element is read once. About 1 ns per element on one
//              core.
// Scratch      O(tiles), owned by the context.
// Asynchrony   Waits for the result.
// Errors       upsweep::error, as reduce.
#pragma once

#include "upsweep/buffer.hpp"
#include "upsweep/core/operands.hpp"
#include "upsweep/reduce/reduce_exact.hpp"

namespace upsweep {

// Adds all elements of device memory to the digits and flags. The digits are normalised afterwards.
void add_exactly(device& d, dtype type, memory in, std::uint64_t n, std::int64_t* digits, std::uint32_t& flags);

template <class T>
  requires std::same_as<T, float> || std::same_as<T, double>
class exact_sum {
 public:
  void add(T x) { flags_ |= exact_add<T>(digits_, 1, exact_bits(x)), exact_normalise<T>(digits_, 1); }
  void add(const context& where, device_span<const T> in) {
    core::require_reach_of("reproducible_sum", where, in);
    add_exactly(where.device(), dtype_of<T>, in.where(), in.size(), digits_, flags_);
  }
  void add(const context& where, device_span<T> in) { add(where, device_span<const T>(in)); }
  template <host_range R>
    requires std::same_as<std::ranges::range_value_t<R>, T>
  void add(const context& where, const R& in) {
    const auto x = core::read_operand(in);
    if (x.accessible_from(where)) return add(where, device_span<const T>(x.where(), x.size()));
    core::for_each_chunk(where.device(), x.size(), sizeof(T), [&](std::uint64_t first, std::uint64_t count) {
      const buffer<T> chunk(where, x.part(first, count).host());
      add(where, chunk.span());
    });
  }
  void add(const exact_sum& other) {
    for (int i = 0; i < exact_format<T>::digits; ++i) digits_[i] += other.digits_[i];
    exact_normalise<T>(digits_, 1);
    flags_ |= other.flags_;
  }

  T value() const {
    exact_sum copy = *this;
    const auto bits = exact_round<T>(copy.digits_, flags_);
    T x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
  }

 private:
  std::int64_t digits_[exact_format<T>::digits]{};
  std::uint32_t flags_ = 0;
};

template <class X>
  requires operands<X>
auto reproducible_sum(const context& where, const X& in) {
  exact_sum<element_of<X>> sum;
  sum.add(where, in);
  return sum.value();
}

}  // namespace upsweep
