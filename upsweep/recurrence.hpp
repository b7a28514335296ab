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
//              element once, any others read where they like, twice. OpenCL: five launches, a map an item in memory.
// Determinism  grouped by n alone: the same bits every time on one backend, with any number of threads. Rounding
//              differs from the loop's.
// Asynchrony   device spans and the carry form: enqueued. The form that returns a state waits for it. Host memory: done
//              on return.
// Errors       upsweep::error: sizes that differ, a partial overlap, steps without their texts where they are needed, a
//              text that the device's compiler refuses, with the place in it.
//
// Built-in forms take f32 and f64 (recurrence: u32 and u64, too, modulo 2^32 and 2^64) from any .cpp file on every
// device; steps of your own work on the CPU anywhere, and on CUDA where nvcc compiles the call, or where they are
// defined with their text (UPSWEEP_WITH_TEXT, cuda/code.hpp). On OpenCL, and on CUDA from any file, they carry their
// functions' texts and name what these read and write (opencl/operands.hpp); state and map are numbers, or have
// their text (opencl/custom.hpp):
//
//   struct thirds {                                       // x_i = x_{i-1} / 3 + in_i
//     using state = float;
//     using map = line;                                   // opencl_type<line>: { float factor, summand; }
//     upsweep::device_span<const float> in;
//     upsweep::device_span<float> x;
//     …                                                   // identity, extend, operator(), apply and step
//     static constexpr upsweep::steps_text opencl{.extend = "(line){f.factor / 3, f.summand / 3 + in[i]}",
//                                                 .compose = "(line){f.factor * g.factor, "
//                                                            "f.summand * g.factor + g.summand}",
//                                                 .apply = "f.factor * s + f.summand",
//                                                 .step = "(x[i] = s / 3 + in[i])"};
//     auto named_operands() const { return upsweep::named("in", in, "x", x); }
//   };
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
  recurrence_room::run<Steps, CompiledBy>(where, n, steps, carry.where());
}

template <class Steps, class CompiledBy = this_compiler>
typename Steps::state recur(const context& where, std::uint64_t n, const Steps& steps, typename Steps::state start) {
  return recurrence_room::carried(
      where, start, [&](memory carry) { recurrence_room::run<Steps, CompiledBy>(where, n, steps, carry); });
}

// What a sequence is made of. Nothing but a sequence has it, so that calls of other functions of these names are not
// taken for these.
template <class X>
  requires host_range<X> || is_device_span<X>
using sequence_element = element_of<X>;

// Returns x_{n-1}, or `start` where n is 0.
template <class A, class B, class X, class CompiledBy = this_compiler>
sequence_element<B> recurrence(const context& where, const A& a, const B& b, X&& x,
                               std::type_identity_t<sequence_element<B>> start = {}) {
  using T = element_of<B>;
  static_assert(std::is_same_v<element_of<A>, T> && std::is_same_v<element_of<std::remove_cvref_t<X>>, T>,
                "upsweep: a recurrence has coefficients, summands and results of one type");
  recurrence_room::sequences<T> all(where, "recurrence");
  recurrence_room::problem p;
  p.in = all.in(a), p.in2 = all.in(b);
  p.out = all.out(x), p.n = all.size();
  if constexpr (folding_type<T>) p.type = dtype_of<T>;
  const T last = recurrence_room::run_sequences<affine_steps<T>, CompiledBy>(where, p, start, [&] {
    return affine_steps<T>{p.in.template as<const T>(), p.in2.template as<const T>(), p.out.template as<T>()};
  });
  all.bring_back(x);
  return last;
}

// x_i = (1 - alpha)·x_{i-1} + alpha·in_i. Returns the last.
template <class In, class X, class CompiledBy = this_compiler>
sequence_element<In> moving_average(const context& where, const In& in, X&& x, double alpha,
                                    std::type_identity_t<sequence_element<In>> start = {}) {
  using T = element_of<In>;
  if (!(alpha >= 0 && alpha <= 1))
    throw error(fault::bad_argument, "moving_average", "alpha is " + std::to_string(alpha),
                "give a number from 0 to 1");
  recurrence_room::sequences<T> all(where, "moving_average");
  const T keep = static_cast<T>(1 - alpha), weight = static_cast<T>(alpha);
  recurrence_room::problem p;
  p.what = recurrence_room::primitive::moving_average;
  p.in = all.in(in), p.out = all.out(x), p.n = all.size();
  if constexpr (folding_type<T>) p.type = dtype_of<T>, p.keep = keep, p.weight = weight;
  const T last = recurrence_room::run_sequences<decay_steps<T>, CompiledBy>(where, p, start, [&] {
    return decay_steps<T>{keep, weight, p.in.template as<const T>(), p.out.template as<T>()};
  });
  all.bring_back(x);
  return last;
}

// y = b0·x + b1·x₋₁ + b2·x₋₂ - a1·y₋₁ - a2·y₋₂. Returns the state that the next piece of the signal starts from.
template <class In, class X, class CompiledBy = this_compiler>
biquad_state<sequence_element<In>> filter(const context& where, const biquad& section, const In& in, X&& y,
                                          std::type_identity_t<biquad_state<sequence_element<In>>> start = {}) {
  using T = element_of<In>;
  recurrence_room::sequences<T> all(where, "filter");
  recurrence_room::problem p;
  p.what = recurrence_room::primitive::biquad;
  p.in = all.in(in), p.out = all.out(y), p.n = all.size();
  const biquad_steps<T> steps(section, p.in.template as<const T>(),
                              p.out.template as<T>());  // refuses what is no filter
  if constexpr (folding_type<T>) p.type = dtype_of<T>, p.section = steps.section();
  const auto last = recurrence_room::run_sequences<biquad_steps<T>, CompiledBy>(where, p, start, [&] { return steps; });
  all.bring_back(y);
  return last;
}

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep
