// From the public forms to the room's problem, or to the steps' own code, and the memory that the forms on sequences
// work in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "upsweep/buffer.hpp"
#include "upsweep/core/custom.hpp"
#include "upsweep/recurrence/cpu/recurrence.hpp"
#include "upsweep/recurrence/problem.hpp"
#if defined(__CUDACC__)
#include "upsweep/recurrence/cuda.cuh"
#endif

namespace upsweep::recurrence_room {

// Steps of the caller's own, or of types that the library was not compiled for.
template <class Steps, class CompiledBy>
void run_custom(device& d, std::uint64_t n, const Steps& steps, typename Steps::state* carry) {
  if (d.kind() == backend::cpu) return cpu::recur(d, n, steps, carry);
#if defined(__CUDACC__)
  cuda::recur(d, n, steps, carry);
#else
  throw error(fault::unsupported, "recurrence", "steps of your own run on CUDA only where nvcc compiles the call",
              "move the call into a .cu file");
#endif
}

// carry[0] is the start, and the last state afterwards.
template <class Steps, class CompiledBy>
void run(const context& where, std::uint64_t n, const Steps& steps, typename Steps::state* carry) {
  static_assert(
      std::is_trivially_copyable_v<typename Steps::map> && std::is_trivially_copyable_v<typename Steps::state>,
      "upsweep: maps and states of a recurrence are trivially copyable");
  if (where.kind() == backend::opencl)
    throw error(fault::unsupported, "recurrence", "it does not run on OpenCL devices",
                "use a CPU or CUDA context, or scan the steps' maps with an operator that has OpenCL text");
  if constexpr (builtin_steps<Steps>) {
    problem p = problem_of(steps);
    p.n = n, p.in3 = p.out2 = {carry, 0};
    recurrence_room::run(where, p);
  } else {
    run_custom<Steps, CompiledBy>(where.dev(), n, steps, carry);
  }
}

template <class Steps, class CompiledBy>
typename Steps::state run_from(const context& where, std::uint64_t n, const Steps& steps, typename Steps::state start) {
  using state = typename Steps::state;
  if (where.kind() != backend::cuda) {
    run<Steps, CompiledBy>(where, n, steps, &start);
    return start;
  }
  const memory carry = where.dev().scratch("recurrence/carry", std::max<std::uint64_t>(sizeof(state), 16));
  where.dev().upload(carry, &start, sizeof start);
  run<Steps, CompiledBy>(where, n, steps, carry.template as<state>());
  where.dev().download(&start, carry, sizeof start);
  return start;
}

// Inputs and the output of one call, all of one size, where the device can reach them.
template <class T>
class sequences {
 public:
  sequences(const context& where, const char* call) : where_(where), call_(call) {}

  template <class X>
  const T* in(const X& x) {
    static_assert(std::is_same_v<element_of<X>, T>, "upsweep: the sequences of a recurrence are of one type");
    check_size(std::ranges::size(x));
    if constexpr (is_device_span<X>) {
      add(x.where());
      return x.data();
    } else {
      const T* const data = std::ranges::data(x);
      add(host_memory(data));
      if (where_.kind() == backend::cpu) return data;
      there_.emplace_back(where_, std::span<const T>(data, *size_));
      return there_.back().span().data();
    }
  }

  template <class X>
  T* out(X&& x) {
    static_assert(std::is_same_v<element_of<std::remove_cvref_t<X>>, T>,
                  "upsweep: the sequences of a recurrence are of one type");
    check_size(std::ranges::size(x));
    if constexpr (is_device_span<std::remove_cvref_t<X>>) {
      check_overlap_with(x.where());
      return x.data();
    } else {
      T* const data = std::ranges::data(x);
      check_overlap_with(host_memory(data));
      if (where_.kind() == backend::cpu) return data;
      result_.emplace(where_, *size_);
      return result_->span().data();
    }
  }

  template <class X>
  void bring_back(X&& x) {
    if constexpr (!is_device_span<std::remove_cvref_t<X>>)
      if (result_) result_->download(std::span<T>(std::ranges::data(x), *size_));
  }

  std::uint64_t size() const { return size_.value_or(0); }

 private:
  void check_size(std::uint64_t n) {
    if (size_ && *size_ != n)
      throw error(fault::bad_argument, call_,
                  "sequences of " + std::to_string(*size_) + " and " + std::to_string(n) + " elements",
                  "give all one size");
    size_ = n;
  }
  void add(memory m) { inputs_.push_back(m); }
  void check_overlap_with(memory out) const {
    for (const memory& m : inputs_) check_scan_spans(m, *size_, out, *size_, sizeof(T));
  }

  const context& where_;
  const char* call_;
  std::optional<std::uint64_t> size_;
  std::vector<memory> inputs_;
  std::vector<buffer<T>> there_;
  std::optional<buffer<T>> result_;
};

}  // namespace upsweep::recurrence_room
