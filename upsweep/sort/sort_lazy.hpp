// Lazy views of keys (views.hpp), for sorts of memory: materialized first, in the output, or in the call's own
// memory.
#pragma once

#include "upsweep/core/lazy_view.hpp"

namespace upsweep::detail::sort_impl {

template <class X>
concept made_keys = core::readable_input<X> && !core::in_memory<X>;
template <class... X>
concept some_made_keys = (core::readable_input<X> && ...) && !(core::in_memory<X> && ...);

inline namespace UPSWEEP_COMPILED {

// to[i] = x_i, for all places of `to`.
template <class CompiledBy, class X, class T>
void store(const context& where, const char* call, const X& x, core::operand<T> to) {
  static_assert(std::same_as<core::value_of<X>, T>, "upsweep: keys of one type go to memory of the same type");
  if (core::elements_in(x) != to.size())
    core::throw_error(error(
        fault::bad_argument, call,
        std::to_string(core::elements_in(x)) + " keys and an output of " + std::to_string(to.size()), "give as many"));
  core::require_reach(call, where, {{"the output", to}});
  const core::as_array in{core::reading(where.device(), call, x)};
  if (to.on_host() || where.kind() == backend::cpu) {
    if constexpr (core::memory_space_of<X> == memory_space::device) {
      if (where.kind() != backend::cpu)
        core::throw_error(error(fault::bad_argument, call,
                                "keys are a view of device memory, and the output is in host memory",
                                "give an output in device memory"));
    }
    cpu::for_each_paced_piece(to.size(), 1 << 15, [&](std::uint64_t from, std::uint64_t end) {
      for (std::uint64_t i = from; i < end; ++i) to.data()[i] = in[i];
    });
  } else if constexpr (core::memory_space_of<X> == memory_space::host) {
    core::throw_error(error(fault::bad_argument, call,
                            "keys are a view of host memory, and the output is in device memory",
                            "give an output in host memory"));
  } else {
    using jit = core::jit_materializer<std::remove_const_t<decltype(in)>, identity>;
#if defined(__CUDACC__)
    if constexpr (!jit::is_only_source)
      if (where.kind() == backend::cuda)
        return cuda::for_each_index(where.device(), to.size(),
                                    core::making<T, std::remove_const_t<decltype(in)>, identity>{in, {}, to.data()});
#endif
    if constexpr (jit::is_there) {
      if (to.size()) jit::template store<T>(where, call, in, to.size(), identity{}, to.where());
    } else {
      core::throw_error(core::made_elsewhere(call, where.kind()));
    }
  }
}

// Keys in memory as long as this object exists: in place, or materialized; on a device in scratch memory of that
// name.
template <class CompiledBy, class X>
class in_memory_for_now {
  using T = core::value_of<X>;

 public:
  in_memory_for_now(const context& where, const char* call, const char* scratch, const X& x, bool on_host) {
    if constexpr (core::in_memory<X>) {
      keys_ = core::read_operand(x);
    } else {
      const std::uint64_t n = core::elements_in(x);
      if (on_host) here_ = core::host_array<T>(n);
      const core::operand<T> to(
          on_host ? memory{here_.data()} : where.device().scratch(scratch, std::max<std::uint64_t>(n * sizeof(T), 16)),
          n, on_host);
      detail::sort_impl::store<CompiledBy>(where, call, x, to);
      keys_ = to;
    }
  }
  core::operand<const T> keys() const { return keys_; }

 private:
  core::host_array<T> here_;
  core::operand<const T> keys_;
};

}  // namespace UPSWEEP_COMPILED
}  // namespace upsweep::detail::sort_impl
