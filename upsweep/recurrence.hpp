// Recurrences: every state of x_i = f_i(x_{i-1}), all at once. Each step is a map from state to state; maps compose
// associatively (and do not commute), so that blocks of steps are composed side by side, and each block then steps from
// the state it starts in.
//
//   upsweep::recurrence(cpu, a, b, x, 1.0f);                             // x_i = a_i·x_{i-1} + b_i, x_{-1} = 1
//   upsweep::moving_average(cpu, prices, smooth, 0.1, prices[0]);        // x_i = (1-α)·x_{i-1} + α·p_i
//   upsweep::filter(cpu, upsweep::biquad{0.2, 0.4, 0.2, -0.4, 0.2}, signal, filtered);  // a second-order section
//   const auto last = upsweep::recur(gpu, n, steps_of_a_die{thrown.span().data()}, start);  // steps of your own
//
// Steps of your own are a struct that the device can copy:
//   using state = …;  using map = …;                     // trivially copyable
//   UPSWEEP_HD map identity() const;                     // no step at all
//   UPSWEEP_HD map extend(map f, std::uint64_t i) const; // f, then step i
//   UPSWEEP_HD map operator()(map f, map g) const;       // f, then g: associative
//   UPSWEEP_HD state apply(map f, state s) const;        // where f leads from s
//   UPSWEEP_HD state step(std::uint64_t i, state s) const;  // step i alone; it may write what is to be kept of it
//
// Result       step(i, s_{i-1}) has been called once for every i with s_{-1} = start, s_i its result; the last state is
//              returned. The forms on sequences write x_i.
// Requires     identity, extend, operator() and apply agree with step. Floats: the product of any run of a_i must not
//              overflow, even where the states do not; |a_i| <= 1 never does. In place (the same memory exactly) is
//              allowed.
// Work         n extensions, n steps, and a composition per block or thread: each input is read twice, the second time
//              from a cache. A CPU runs eight chains side by side in each thread, because one would only wait for
//              itself. CUDA: one launch; steps that say which sequences they read (by_element, steps.hpp) move each
//              element once, any others read where they like, twice.
// Determinism  grouped by n alone: the same bits every time on one backend, with any number of threads. Rounding
//              differs from the loop's.
// Asynchrony   device spans and the carry form: enqueued. The form that returns a state waits for it. Host memory: done
//              on return.
// Errors       upsweep::error: sizes that differ, a partial overlap, OpenCL (there, scan pairs with an operator's text:
//              examples/recurrences.cpp).
//
// Built-in forms take f32 and f64 (recurrence: u32 and u64, too, modulo 2^32 and 2^64) from any .cpp file; steps of
// your own work on the CPU anywhere, and on CUDA where nvcc compiles the call, or where they are defined with their
// text (UPSWEEP_WITH_TEXT, cuda/code.hpp), from any .cpp file.
#pragma once

#include "upsweep/buffer.hpp"
#include "upsweep/recurrence/run.hpp"
#include "upsweep/recurrence/steps.hpp"

namespace upsweep {
inline namespace UPSWEEP_COMPILED {

// Enqueued: carry[0] is the start, and is the last state afterwards.
template <class Steps, class Carry, class CompiledBy = this_compiler>
  requires is_device_span<Carry>
void recur(const context& where, std::uint64_t n, const Steps& steps, Carry carry) {
  static_assert(std::is_same_v<element_of<Carry>, typename Steps::state>,
                "upsweep: the carry of a recurrence is one of its states");
  if (carry.size() != 1)
    throw error(fault::bad_argument, "recur", "the carry has " + std::to_string(carry.size()) + " states",
                "give it one");
  recurrence_room::run<Steps, CompiledBy>(where, n, steps, carry.data());
}

template <class Steps, class CompiledBy = this_compiler>
typename Steps::state recur(const context& where, std::uint64_t n, const Steps& steps, typename Steps::state start) {
  return recurrence_room::run_from<Steps, CompiledBy>(where, n, steps, start);
}

// What a sequence is made of. Nothing but a sequence has it, so that calls of other functions of these names are not
// taken for these.
template <class X>
  requires host_range<X> || is_device_span<X>
using sequence_element = element_of<X>;

// Returns x_{n-1}, or `start` where n is 0.
template <class A, class B, class X>
sequence_element<B> recurrence(const context& where, const A& a, const B& b, X&& x,
                               std::type_identity_t<sequence_element<B>> start = {}) {
  using T = element_of<B>;
  static_assert(std::is_same_v<element_of<A>, T> && std::is_same_v<element_of<std::remove_cvref_t<X>>, T>,
                "upsweep: a recurrence has coefficients, summands and results of one type");
  recurrence_room::sequences<T> all(where, "recurrence");
  const T* const factors = all.in(a);
  const T* const summands = all.in(b);
  const affine_steps<T> steps{factors, summands, all.out(x)};
  const T last = upsweep::recur(where, all.size(), steps, start);
  all.bring_back(x);
  return last;
}

// x_i = (1 - alpha)·x_{i-1} + alpha·in_i. Returns the last.
template <class In, class X>
sequence_element<In> moving_average(const context& where, const In& in, X&& x, double alpha,
                                    std::type_identity_t<sequence_element<In>> start = {}) {
  using T = element_of<In>;
  if (!(alpha >= 0 && alpha <= 1))
    throw error(fault::bad_argument, "moving_average", "alpha is " + std::to_string(alpha),
                "give a number from 0 to 1");
  recurrence_room::sequences<T> all(where, "moving_average");
  const T* const from = all.in(in);
  const decay_steps<T> steps{static_cast<T>(1 - alpha), static_cast<T>(alpha), from, all.out(x)};
  const T last = upsweep::recur(where, all.size(), steps, start);
  all.bring_back(x);
  return last;
}

// y = b0·x + b1·x₋₁ + b2·x₋₂ - a1·y₋₁ - a2·y₋₂. Returns the state that the next piece of the signal starts from.
template <class In, class X>
biquad_state<sequence_element<In>> filter(const context& where, const biquad& section, const In& in, X&& y,
                                          std::type_identity_t<biquad_state<sequence_element<In>>> start = {}) {
  using T = element_of<In>;
  recurrence_room::sequences<T> all(where, "filter");
  const T* const from = all.in(in);
  const biquad_steps<T> steps(section, from, all.out(y));
  const auto last = upsweep::recur(where, all.size(), steps, start);
  all.bring_back(y);
  return last;
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
