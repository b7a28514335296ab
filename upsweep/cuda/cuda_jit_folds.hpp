// Run-time compiled folds on CUDA: whether the functions have device source, and the type-erased fold, which is kept
// for the next equal call.
#pragma once

#include <cstring>
#include <memory>
#include <string>

#include "upsweep/core/thread_exit.hpp"
#include "upsweep/jit/jit.hpp"

namespace upsweep::cuda {

// Whether every type and function has a device source that NVRTC can compile. Built-in ones do.
template <class T, class Op, class F>
inline constexpr bool has_fold_source =
    opencl::has_type_source<T> && (opencl::has_source<Op> || (builtin_op<Op> && opencl::named_in_cuda<T>)) &&
    (opencl::has_source<F> || builtin_transform<F>);

template <class X>
std::string source_or_empty(const X& x) {
  if constexpr (opencl::has_source<X>) return opencl::source_of(x);
  return {};
}

// The device source is assembled if it differs from that in this thread's last call with these types.
template <class T, class Op, class F>
const opencl::custom_kernel& fold_jit(const char* call, const T& init, const Op& op, const F& f) {
  struct last_call {
    std::string op, f;
    T e;
    opencl::custom_kernel k;
  };
  [[maybe_unused]] static thread_local const bool reserved = core::reserve_thread_exit_hook();
  thread_local std::unique_ptr<last_call> last;
  const T e = identity_of<T>(op);
  std::string op_source = source_or_empty(op), f_source = source_or_empty(f);
  // Compares bytes, since a type need not have ==. Different padding only costs time.
  if (!last || last->op != op_source || last->f != f_source || std::memcmp(&last->e, &e, sizeof e) != 0)
    last = std::make_unique<last_call>(
        last_call{std::move(op_source), std::move(f_source), e,
                  opencl::make_custom<T, Op, F>(call, init, op, f, opencl::compiler::cuda)});
  last->k.where = call, last->k.init = &init;
  return last->k;
}

}  // namespace upsweep::cuda
