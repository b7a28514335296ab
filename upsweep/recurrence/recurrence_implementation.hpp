// From the public calls to the algorithm's descriptor, or to the steps' own code, and the memory for the forms on
// sequences.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "upsweep/buffer.hpp"
#include "upsweep/core/operands.hpp"
#include "upsweep/core/thread_exit.hpp"
#include "upsweep/recurrence/cpu/recurrence_cpu.hpp"
#include "upsweep/recurrence/cuda/recurrence_cuda_jit.hpp"
#include "upsweep/recurrence/jit/recurrence_jit.hpp"
#include "upsweep/recurrence/recurrence_problem.hpp"
#if defined(__CUDACC__)
#include "upsweep/recurrence/recurrence_cuda.cuh"
#endif

namespace upsweep::detail::recurrence_impl {

// User-defined steps, or steps of types that the library was not compiled for.
template <class Steps, class CompiledBy>
void run_custom(device& d, std::uint64_t n, const Steps& steps, typename Steps::state* carry) {
  if (d.kind() == backend::cpu) return cpu::recur(d, n, steps, carry);
#if defined(__CUDACC__)
  cuda::recur(d, n, steps, carry);
#else
  if constexpr (core::has_code_source<Steps>) {
    [[maybe_unused]] static thread_local const bool reserved = core::reserve_thread_exit_hook();
    static thread_local opencl::kept_program made;
    cuda::recur_jit(d, n, cuda::coded_steps_of(steps), carry, made);
  } else {
    core::throw_error(error(
        fault::unsupported, "recurrence",
        "steps of your own run on CUDA by their device source, or only where nvcc compiles the call",
        "define them with UPSWEEP_WITH_SOURCE (upsweep/cuda/function_source.hpp), or move the call into a .cu file"));
  }
#endif
}

// `carry` is the start, and the last state afterwards.
inline void run(const context& where, problem p, memory carry) {
  p.in3 = p.out2 = carry;
  detail::recurrence_impl::run(where, p);
}
template <class Steps, class CompiledBy>
void run(const context& where, std::uint64_t n, const Steps& steps, memory carry) {
  static_assert(
      std::is_trivially_copyable_v<typename Steps::map> && std::is_trivially_copyable_v<typename Steps::state>,
      "upsweep: maps and states of a recurrence are trivially copyable");
  if constexpr (opencl::has_steps_source<Steps>)
    if (where.kind() != backend::cpu) {
      const opencl::recurrence_source t = opencl::recurrence_source_of(steps);
      return where.kind() == backend::cuda ? cuda::recur_jit(where.device(), n, t, carry)
                                           : opencl::recur_jit(where.device(), n, t, carry, carry);
    }
  if (where.kind() == backend::opencl)
    core::throw_error(
        error(fault::unsupported, "recurrence", "C++ does not run on OpenCL devices",
              "give the steps device source and name their operands (upsweep/jit/jit_operands.hpp), or use a CPU or a "
              "CUDA context"));
  if constexpr (builtin_steps<Steps>) {
    problem p = problem_of(steps);
    p.n = n;
    detail::recurrence_impl::run(where, p, carry);
  } else if constexpr (!opencl::has_steps_source<Steps>) {
    run_custom<Steps, CompiledBy>(where.device(), n, steps, carry.template as<typename Steps::state>());
  } else {
    cpu::recur(where.device(), n, steps, carry.template as<typename Steps::state>());
  }
}

// Calls run(carry), where `carry` is the start in the device's memory, and returns the final state.
template <class State, class Run>
State carried(const context& where, State start, const Run& run) {
  if (where.kind() == backend::cpu) {
    run(memory{&start, 0});
    return start;
  }
  const memory carry = where.device().scratch("recurrence/carry", std::max<std::uint64_t>(sizeof(State), 16));
  where.device().upload(carry, &start, sizeof start);
  run(carry);
  where.device().download(&start, carry, sizeof start);
  return start;
}

// The forms on sequences: their problem where the library was compiled for it, elsewhere the steps that `make` gives.
template <class Steps, class CompiledBy, class Make>
typename Steps::state run_sequences(const context& where, const problem& p, typename Steps::state start,
                                    const Make& make) {
  return detail::recurrence_impl::carried(where, start, [&](memory carry) {
    if constexpr (builtin_steps<Steps>) {
      detail::recurrence_impl::run(where, p, carry);
    } else {
      detail::recurrence_impl::run<Steps, CompiledBy>(where, p.n, make(), carry);
    }
  });
}

// Inputs and the output of one call, all of one size, where the device can reach them.
template <class T>
class sequences {
 public:
  sequences(const context& where, const char* call) : where_(where), call_(call) {}

  template <class X>
  memory in(const X& x) {
    static_assert(std::is_same_v<element_of<X>, T>, "upsweep: the sequences of a recurrence are of one type");
    const auto o = core::read_operand(x);
    check_size(o.size());
    inputs_.push_back(o);
    if (o.accessible_from(where_)) return o.where();
    there_.emplace_back(where_, o.host());
    return there_.back().span().where();
  }

  template <class X>
  memory out(X&& x) {
    static_assert(std::is_same_v<element_of<std::remove_cvref_t<X>>, T>,
                  "upsweep: the sequences of a recurrence are of one type");
    out_ = core::written_operand(x);
    check_size(out_.size());
    core::require_reach(call_, where_, {{"the output", out_}});
    for (const auto& in : inputs_)
      core::require_no_overlap(call_, where_, {{"the input", in}, {"the output", out_}}, 1);
    if (out_.accessible_from(where_)) return out_.where();
    result_.emplace(where_, *size_);
    return result_->span().where();
  }

  template <class X>
  void bring_back(X&&) {
    if (result_) result_->download(out_.host());
  }

  std::uint64_t size() const { return size_.value_or(0); }

 private:
  void check_size(std::uint64_t n) {
    core::require_same_size(call_, "sequences of # and # elements", size_.value_or(n), n, "give all one size");
    size_ = n;
  }

  const context& where_;
  const char* call_;
  std::optional<std::uint64_t> size_;
  std::vector<core::operand<const T>> inputs_;
  core::operand<T> out_;
  std::vector<buffer<T>> there_;
  std::optional<buffer<T>> result_;
};

}  // namespace upsweep::detail::recurrence_impl
