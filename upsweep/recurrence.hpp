// recurrence: computes all states of x_i = f_i(x_{i-1}) in parallel.
//
// Each step is a map from state to state. Maps compose associatively, and do not commute. Blocks of steps are composed
// in parallel. Then each block computes its steps from its own start state.
//
//   upsweep::recurrence(cpu, a, b, x, 1.0f);                             // x_i = a_i·x_{i-1} + b_i, x_{-1} = 1
//   upsweep::moving_average(cpu, prices, smooth, 0.1, prices[0]);        // x_i = (1-α)·x_{i-1} + α·p_i
//   upsweep::iir_filter(cpu, upsweep::biquad{0.2, 0.4, 0.2, -0.4, 0.2}, signal, filtered);  // a second-order section
//   const auto last = upsweep::recur(gpu, n, steps_of_a_die{thrown.span().data()}, start);  // user-defined steps
//
// User-defined steps are a struct that can be copied to the device:
//
//   using state = …;  using map = …;                     // trivially copyable
//   UPSWEEP_HD map identity() const;                     // the map of no step
//   UPSWEEP_HD map extend(map f, std::uint64_t i) const; // f, then step i
//   UPSWEEP_HD map operator()(map f, map g) const;       // f, then g: associative
//   UPSWEEP_HD state apply(map f, state s) const;        // the state that f maps s to
//   UPSWEEP_HD state step(std::uint64_t i, state s) const;  // step i alone; it may also write results
//
// Result       step(i, s_{i-1}) has been called once for every i, with s_{-1} = start and s_i its result. The last
//              state is returned. The overloads on sequences write x_i.
// Requires     identity, extend, operator() and apply agree with step. recurrence() of floats on devices: the product
//              of any run of a_i must not overflow, even where the states do not; |a_i| <= 1 guarantees this. The CPU
//              computes the steps of a block one after the other if such a product overflows. In place is allowed
//              (exactly the same memory).
// Accuracy     iir_filter() is as accurate as the sequential loop, and mostly more accurate: compositions are computed
//              in doubles (in floats on OpenCL devices without doubles). Its results are infinite or NaN where those of
//              the loop are. With two poles a NaN may appear a few elements early after an infinity. A filter without
//              feedback recovers after two elements. If the response of an unstable filter grows by 2^16 or more, one
//              thread computes all steps.
// Work         n extensions, n steps, and one composition per block or thread. Each input is read twice, the second
//              time from a cache. Each CPU thread runs eight chains at once, because one chain would wait for its own
//              results. CUDA: one launch. Steps that declare the sequences they read
//              (recurrence/recurrence_by_element.hpp) move each element once; other steps may read any memory, and read
//              it twice. OpenCL: five launches, with one map per work-item in memory.
// Determinism  n alone determines the grouping: bit for bit the same every time on one backend, with any number of
//              threads. Rounding differs from that of the loop.
// Asynchrony   Calls on device spans and with a carry are enqueued. The overload that returns a state waits for it.
//              Calls on host memory return after the work is done.
// Errors       upsweep::error: different sizes, a partial overlap, missing device source where it is required, device
//              source that the device compiler rejects, with the position in it.
//
// The built-in calls take f32 and f64 (recurrence: also u32 and u64, modulo 2^32 and 2^64) from any .cpp file on every
// device. User-defined steps work on the CPU from any file. On CUDA they work when nvcc compiles the call, or when they
// are defined together with their device source (UPSWEEP_WITH_SOURCE, cuda/function_source.hpp). On OpenCL, and on CUDA
// from any file, they have device source for their functions, and name the operands that it reads and writes
// (jit/jit_operands.hpp). state and map are numbers, or have device source (jit/jit.hpp):
//
//   struct thirds {                                       // x_i = x_{i-1} / 3 + in_i
//     using state = float;
//     using map = line;                                   // opencl_type<line>: { float factor, summand; }
//     upsweep::device_span<const float> in;
//     upsweep::device_span<float> x;
//     …                                                   // identity, extend, operator(), apply and step
//     static constexpr upsweep::steps_source source{.extend = "(line){f.factor / 3, f.summand / 3 + in[i]}",
//                                                 .compose = "(line){f.factor * g.factor, "
//                                                            "f.summand * g.factor + g.summand}",
//                                                 .apply = "f.factor * s + f.summand",
//                                                 .step = "(x[i] = s / 3 + in[i])"};
//     auto named_operands() const { return upsweep::named("in", in, "x", x); }
//   };
#pragma once

#include "upsweep/buffer.hpp"
#include "upsweep/core/lossless_conversion.hpp"
#include "upsweep/recurrence/recurrence_implementation.hpp"
#include "upsweep/recurrence/recurrence_steps.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

// Enqueued: carry[0] is the start state. The call overwrites it with the last state.
template <class Steps, class Carry, class CompiledBy = this_compiler>
  requires is_device_span<Carry>
void recur(const context& where, std::uint64_t n, const Steps& steps, Carry carry) {
  static_assert(std::is_same_v<element_of<Carry>, typename Steps::state>,
                "upsweep: the carry of a recurrence is one of its states");
  if (carry.size() != 1)
    core::throw_error(error(fault::bad_argument, "recur", "the carry has " + std::to_string(carry.size()) + " states",
                            "give it one"));
  detail::recurrence_impl::run<Steps, CompiledBy>(where, n, steps, carry.where());
}

template <class Steps, class CompiledBy = this_compiler>
typename Steps::state recur(const context& where, std::uint64_t n, const Steps& steps, typename Steps::state start) {
  return detail::recurrence_impl::carried(
      where, start, [&](memory carry) { detail::recurrence_impl::run<Steps, CompiledBy>(where, n, steps, carry); });
}

// The element type of a sequence. Only sequences have it, so overload resolution ignores these calls for other
// arguments (functions of the same names).
template <class X>
  requires host_range<X> || is_device_span<X>
using sequence_element = element_of<X>;

// Returns x_{n-1}, or `start` if n is 0.
template <class A, class B, class X, class CompiledBy = this_compiler>
sequence_element<B> recurrence(const context& where, const A& a, const B& b, X&& x,
                               core::init_for<sequence_element<B>> start = {}) {
  using T = element_of<B>;
  static_assert(std::is_same_v<element_of<A>, T> && std::is_same_v<element_of<std::remove_cvref_t<X>>, T>,
                "upsweep: a recurrence has coefficients, summands and results of one type");
  detail::recurrence_impl::sequences<T> all(where, "recurrence");
  detail::recurrence_impl::problem p;
  p.in = all.in(a), p.in2 = all.in(b);
  p.out = all.out(x), p.n = all.size();
  if constexpr (folding_type<T>) p.type = dtype_of<T>;
  const T last = detail::recurrence_impl::run_sequences<affine_steps<T>, CompiledBy>(where, p, T(start), [&] {
    return affine_steps<T>{p.in.template as<const T>(), p.in2.template as<const T>(), p.out.template as<T>()};
  });
  all.bring_back(x);
  return last;
}

// x_i = (1 - alpha)·x_{i-1} + alpha·in_i. Returns the last x_i.
template <class In, class X, class CompiledBy = this_compiler>
sequence_element<In> moving_average(const context& where, const In& in, X&& x, double alpha,
                                    core::init_for<sequence_element<In>> start = {}) {
  using T = element_of<In>;
  if (!(alpha >= 0 && alpha <= 1))
    core::throw_error(
        error(fault::bad_argument, "moving_average", "alpha is " + std::to_string(alpha), "give a number from 0 to 1"));
  detail::recurrence_impl::sequences<T> all(where, "moving_average");
  const T keep = static_cast<T>(1 - alpha), weight = static_cast<T>(alpha);
  detail::recurrence_impl::problem p;
  p.what = detail::recurrence_impl::primitive::moving_average;
  p.in = all.in(in), p.out = all.out(x), p.n = all.size();
  if constexpr (folding_type<T>) p.type = dtype_of<T>, p.keep = keep, p.weight = weight;
  const T last = detail::recurrence_impl::run_sequences<decay_steps<T>, CompiledBy>(where, p, T(start), [&] {
    return decay_steps<T>{keep, weight, p.in.template as<const T>(), p.out.template as<T>()};
  });
  all.bring_back(x);
  return last;
}

// y = b0·x + b1·x₋₁ + b2·x₋₂ - a1·y₋₁ - a2·y₋₂. Coefficients of 0 at the end of b, and of 0 in a, add no term. Returns
// the state that the next piece of the signal starts from.
template <class In, class X, class CompiledBy = this_compiler>
biquad_state<sequence_element<In>> iir_filter(const context& where, const biquad& section, const In& in, X&& y,
                                              std::type_identity_t<biquad_state<sequence_element<In>>> start = {}) {
  using T = element_of<In>;
  detail::recurrence_impl::sequences<T> all(where, "iir_filter");
  detail::recurrence_impl::problem p;
  p.what = detail::recurrence_impl::primitive::biquad;
  p.in = all.in(in), p.out = all.out(y), p.n = all.size();
  const biquad_steps<T> steps(section, p.in.template as<const T>(),
                              p.out.template as<T>());  // throws if the coefficients are not a filter
  if constexpr (folding_type<T>) p.type = dtype_of<T>, p.section = steps.section();
  const auto last =
      detail::recurrence_impl::run_sequences<biquad_steps<T>, CompiledBy>(where, p, start, [&] { return steps; });
  all.bring_back(y);
  return last;
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
