// From a problem with its types erased to the passes that move elements: only the width of a type matters, so that
// one kernel serves every type of a width. Comparisons and equality work on bits.
#pragma once

#include <bit>

#include "upsweep/select/select_cuda.cuh"
#include "upsweep/select/select_problem.hpp"

namespace upsweep::cuda {

// Calls f(type_tag<U>{}) with the unsigned type of that many bytes.
template <class F>
void with_width(std::uint64_t bytes, F&& f) {
  switch (bytes) {
    case 1: return f(type_tag<std::uint8_t>{});
    case 2: return f(type_tag<std::uint16_t>{});
    case 4: return f(type_tag<std::uint32_t>{});
    default: return f(type_tag<std::uint64_t>{});
  }
}

// Elements of 1 and 2 bytes omit the kernels that save microseconds at some sizes.
template <class U>
inline constexpr bool at_every_size = sizeof(U) >= 4;

template <class U>
constexpr U infinity_bits(dtype t) {
  return static_cast<U>(t == dtype::f16 ? 0x7c00 : t == dtype::f32 ? 0x7f800000 : 0x7ff0000000000000);
}

// The bits of a float, with all but the sign flipped if it is negative, are ordered as signed integers; NaN is at
// both ends. So every comparison with a threshold is a range of such integers, or its complement.
template <class U>
struct test_on_bits {
  U flip, low, width;
  bool negated;
  static test_on_bits nothing() { return {0, 0, static_cast<U>(~U{0}), true}; }
  UPSWEEP_HD bool operator()(const U& x) const {
    using S = std::make_signed_t<U>;
    const U key = static_cast<U>(x ^ (static_cast<U>(static_cast<S>(x) >> (8 * sizeof(U) - 1)) & flip));
    return (static_cast<U>(key - low) <= width) != negated;
  }
};

template <class U>
test_on_bits<U> make_test(dtype type, comparison how, scalar threshold) {
  constexpr U all = static_cast<U>(~U{0}), top = static_cast<U>(U{1} << (8 * sizeof(U) - 1)),
              magnitude = static_cast<U>(all ^ top);
  const U flip = is_floating(type) ? magnitude : U{0};
  const auto key_of = [&](U bits) { return bits & top ? static_cast<U>(bits ^ flip) : bits; };
  U lowest = is_signed(type) ? top : U{0}, highest = is_signed(type) ? magnitude : all;
  const U bits = threshold.as<U>();
  U from = key_of(bits), to = from;  // the threshold itself
  const auto range = [&](U low, U high) { return test_on_bits<U>{flip, low, static_cast<U>(high - low), false}; };
  const test_on_bits<U> none{flip, 0, all, true}, everything{flip, 0, all, false};
  if (is_floating(type)) {
    const U infinity = infinity_bits<U>(type);
    if ((bits & magnitude) > infinity) return how == comparison::not_equal ? everything : none;
    lowest = key_of(static_cast<U>(infinity | top)), highest = infinity;
    if ((bits & magnitude) == 0) from = all, to = 0;  // -0 and +0
  }
  switch (how) {
    case comparison::less: return from == lowest ? none : range(lowest, static_cast<U>(from - 1));
    case comparison::less_equal: return range(lowest, to);
    case comparison::greater: return to == highest ? none : range(static_cast<U>(to + 1), highest);
    case comparison::greater_equal: return range(from, highest);
    default: break;
  }
  test_on_bits<U> test = range(from, to);
  test.negated = how == comparison::not_equal;
  return test;
}

// As == of the type: of floats, -0 equals +0 and NaN nothing. For integers both masks are all ones.
template <class U>
struct equal_on_bits {
  U magnitude, infinity;
  UPSWEEP_HD bool operator()(const U& a, const U& b) const {
    return (a == b && (a & magnitude) <= infinity) || ((a | b) & magnitude) == 0;
  }
};
template <class U>
equal_on_bits<U> make_equal(dtype type) {
  constexpr U all = static_cast<U>(~U{0});
  if (!is_floating(type)) return {all, all};
  return {static_cast<U>(all >> 1), infinity_bits<U>(type)};
}

// The first of each run: compiled in select_first_of_runs.cu.
template <class U>
using firsts_pass = compact_pass<U, no_array, group_firsts<equal_on_bits<U>>, true>;
extern template void run_compact<false>(device&, firsts_pass<std::uint8_t>, const char*);
extern template void run_compact<false>(device&, firsts_pass<std::uint16_t>, const char*);
extern template void run_compact(device&, firsts_pass<std::uint32_t>, const char*);
extern template void run_compact(device&, firsts_pass<std::uint64_t>, const char*);

// Values of any size follow the elements' indices, as many as are kept or all of them.
// select_cuda.cu
void move_values_by_index(device& d, const detail::select_impl::problem& p, const own_index* from, bool all);

// Moves the problem's elements, and its values if there are any, by group.
template <bool Drops, class U, class Group>
void move_groups(device& d, const detail::select_impl::problem& p, Group group) {
  const auto with_values = [&]<class V>(type_tag<V>, V* values_out) {
    compact_pass<U, V, Group, Drops> pass{};
    pass.in = p.in.as<const U>();
    if constexpr (is_read<V>) pass.values = p.in2.as<const V>();
    if constexpr (Group::reads_flags) pass.flags = p.in3.as<const std::uint8_t>();
    pass.n = p.n;
    for (auto& out : pass.out) out = p.out.as<U>();
    for (auto& out : pass.values_out) out = values_out;
    pass.counts = p.count.as<std::uint64_t>();
    pass.one_output = !Drops;
    pass.group = group;
    run_compact<at_every_size<U> && !decltype(pass)::seldom>(d, pass, "select on cuda");
  };
  if (p.value_bytes == 0) return with_values(type_tag<no_array>{}, static_cast<no_array*>(nullptr));
  if constexpr (Drops || Group::groups == 3) {  // a partition in two moves values as one in three (select_partition.cu)
    const auto fits = [&](std::uint32_t bytes) {
      return p.value_bytes == bytes && reinterpret_cast<std::uintptr_t>(p.in2.address()) % bytes == 0 &&
             reinterpret_cast<std::uintptr_t>(p.out2.address()) % bytes == 0;
    };
    if constexpr (Drops && sizeof(U) >= 4) {
      if (fits(4)) return with_values(type_tag<std::uint32_t>{}, p.out2.as<std::uint32_t>());
      if (fits(8)) return with_values(type_tag<std::uint64_t>{}, p.out2.as<std::uint64_t>());
    }
    auto* const indices = d.scratch("select/cuda/indices", p.n * sizeof(own_index)).as<own_index>();
    with_values(type_tag<own_index>{}, indices);
    if (p.n != 0) move_values_by_index(d, p, indices, !Drops);
  }
}

}  // namespace upsweep::cuda
