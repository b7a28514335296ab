// Which backend runs the steps, and the memory that the forms on sequences work in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "upsweep/buffer.hpp"
#include "upsweep/core/custom.hpp"
#include "upsweep/recurrence/cpu/recurrence.hpp"
#include "upsweep/recurrence/steps.hpp"
#if defined(__CUDACC__)
#include "upsweep/recurrence/cuda.cuh"
#endif

namespace upsweep::recurrence_room {

// The library's own steps, which it is compiled for.
template <class Steps>
inline constexpr bool builtin_steps = false;
template <class T>
inline constexpr bool builtin_steps<affine_steps<T>> =
    folding_type<T> && (std::is_floating_point_v<T> || std::is_unsigned_v<T>);
template <class T>
inline constexpr bool builtin_steps<decay_steps<T>> = std::is_floating_point_v<T>;
template <class T>
inline constexpr bool builtin_steps<biquad_steps<T>> = std::is_floating_point_v<T>;

// cuda.cu; throws where CUDA is off.
template <class Steps>
void run_on_cuda(device&, std::uint64_t n, const Steps&, typename Steps::state* carry);

template <class Steps, class CompiledBy>
void run(const context& where, std::uint64_t n, const Steps& steps, typename Steps::state* carry) {
  static_assert(
      std::is_trivially_copyable_v<typename Steps::map> && std::is_trivially_copyable_v<typename Steps::state>,
      "upsweep: maps and states of a recurrence are trivially copyable");
  switch (where.kind()) {
    case backend::cpu: return cpu::recur(where.dev(), n, steps, carry);
    case backend::opencl:
      throw error(fault::unsupported, "recurrence", "it does not run on OpenCL devices",
                  "use a CPU or CUDA context, or scan the steps' maps with an operator that has OpenCL text");
    case backend::cuda: break;
  }
  if constexpr (builtin_steps<Steps>) {
    return run_on_cuda(where.dev(), n, steps, carry);
  } else {
#if defined(__CUDACC__)
    return cuda::recur(where.dev(), n, steps, carry);
#else
    throw error(fault::unsupported, "recurrence", "steps of your own run on CUDA only where nvcc compiles the call",
                "move the call into a .cu file");
#endif
  }
}

template <class Steps, class CompiledBy>
typename Steps::state run_from(const context& where, std::uint64_t n, const Steps& steps, typename Steps::state start) {
  using state = typename Steps::state;
  if (where.kind() == backend::cpu) {
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
