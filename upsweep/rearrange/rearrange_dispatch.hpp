// Requirements of rearrange.hpp's calls on their operands, and their implementation on devices other than the CPU: a
// descriptor of words, on device memory or on a device copy of host memory.
#pragma once

#include "upsweep/core/operands.hpp"
#include "upsweep/rearrange/cpu/rearrange_cpu.hpp"
#include "upsweep/rearrange/rearrange_problem.hpp"

namespace upsweep::detail::rearrange_impl {

using core::operand;

template <class X, class Y>
constexpr bool require_copies() {
  static_assert(operands<X, Y>,
                "upsweep: this call rearranges memory: give spans, buffers or contiguous ranges, all in host memory or "
                "all in device memory; what is made as it is read goes through upsweep::copy");
  if constexpr (operands<X, Y>) {
    constexpr bool same = std::same_as<element_of<X>, element_of<Y>>;
    static_assert(same, "upsweep: elements are moved without conversion; give both sides elements of one type");
    return same;
  }
  return false;
}

template <class T>
void require_places(const context& where, const char* call, operand<const T> in, operand<T> out) {
  core::require_same_size(call, "the input has # elements and the output #", in.size(), out.size());
  core::require_no_overlap(call, where, {{"the input", in}, {"the output", out}});
}

inline void require_within(const char* call, std::uint64_t first, std::uint64_t n) {
  if (first > n)
    core::throw_error(
        error(fault::bad_argument, call,
              "element " + std::to_string(first) + " is to become first, past the end of " + std::to_string(n),
              "give an index below the size; take it modulo the size"));
}

template <class T>
void require_countable(std::uint64_t n) {
  if (sizeof(T) == 4 && n > std::uint64_t{1} << 32)
    core::throw_error(error(fault::bad_argument, "random_permutation",
                            std::to_string(n) + " indices are more than u32 counts", "give an output of u64"));
}

inline problem asked(primitive what, std::uint64_t shift = 0, std::uint64_t seed = 0) {
  problem p;
  p.what = what, p.shift = shift, p.seed = seed;
  return p;
}

// As words: the widest that elements of T are made of.
template <class T>
problem problem_on(problem p, operand<const T> in, operand<T> out) {
  constexpr std::size_t word = std::min<std::size_t>({sizeof(T) & (~sizeof(T) + 1), alignof(T), 8});
  p.type = word == 1 ? dtype::u8 : word == 2 ? dtype::u16 : word == 4 ? dtype::u32 : dtype::u64;
  p.words = sizeof(T) / word;
  p.n = out.size(), p.in = in.where(), p.out = out.where();
  return p;
}

template <class T>
void run_in_place(const context& where, const char* call, operand<T> x, const problem& what) {
  if constexpr (!std::is_trivially_copyable_v<T>) {
    core::throw_error(core::needs_trivial_copies(call, where.kind()));
  } else if (!x.on_host()) {
    core::require_reach(call, where, {{"the input", operand<const T>(x)}});
    detail::rearrange_impl::run(where, detail::rearrange_impl::problem_on<T>(what, x, x));
  } else {
    where.device().require_no_capture(call);
    const bool read = what.what != primitive::random_permutation;
    buffer<T> there = read ? buffer<T>(where, x.host()) : buffer<T>(where, x.size());
    detail::rearrange_impl::run_in_place(where, call, operand<T>(there), what);
    there.download(x.host());
  }
}

template <class T>
void run_apart(const context& where, const char* call, operand<const T> in, operand<T> out, const problem& what) {
  if constexpr (!std::is_trivially_copyable_v<T>) {
    core::throw_error(core::needs_trivial_copies(call, where.kind()));
  } else if (!out.on_host()) {
    detail::rearrange_impl::run(where, detail::rearrange_impl::problem_on<T>(what, in, out));
  } else {
    const buffer<T> from(where, in.host());
    buffer<T> to(where, out.size());
    detail::rearrange_impl::run(where, detail::rearrange_impl::problem_on<T>(what, from, to));
    to.download(out.host());
  }
}

template <class T>
void exchange(const context& where, operand<T> a, operand<T> b) {
  if constexpr (!std::is_trivially_copyable_v<T>) {
    core::throw_error(core::needs_trivial_copies("swap_ranges", where.kind()));
  } else if (!a.on_host()) {
    problem p = detail::rearrange_impl::problem_on<T>(detail::rearrange_impl::asked(primitive::swap_ranges), a, a);
    p.in2 = p.out2 = b.where();
    detail::rearrange_impl::run(where, p);
  } else {
    buffer<T> x(where, a.host()), y(where, b.host());
    detail::rearrange_impl::exchange<T>(where, x, y);
    x.download(a.host()), y.download(b.host());
  }
}

}  // namespace upsweep::detail::rearrange_impl
