// What a call that folds by texts on CUDA is made of: whether there are texts for it, and the erased fold, which the
// same call finds again.
#pragma once

#include <cstring>
#include <memory>
#include <string>

#include "upsweep/core/thread_end.hpp"
#include "upsweep/opencl/custom.hpp"

namespace upsweep::cuda {

// Whether all that nvcc did not compile has a text, so that NVRTC can. What is built in has.
template <class T, class Op, class F>
inline constexpr bool has_fold_text =
    opencl::has_type_text<T> && (opencl::has_opencl_text<Op> || (builtin_op<Op> && opencl::named_in_cuda<T>)) &&
    (opencl::has_opencl_text<F> || builtin_transform<F>);

template <class X>
std::string text_or_nothing(const X& x) {
  if constexpr (opencl::has_opencl_text<X>) return opencl::text_of(x);
  return {};
}

// The texts are put together when they are others than in this thread's last call with these types.
template <class T, class Op, class F>
const opencl::custom_kernel& fold_by_text(const char* call, const T& init, const Op& op, const F& f) {
  struct last_call {
    std::string op, f;
    T e;
    opencl::custom_kernel k;
  };
  [[maybe_unused]] static thread_local const bool room = core::room_for_thread_end();
  thread_local std::unique_ptr<last_call> last;
  const T e = identity_of<T>(op);
  std::string op_text = text_or_nothing(op), f_text = text_or_nothing(f);
  // Bytes, as no type need have ==; what padding holds costs time alone.
  if (!last || last->op != op_text || last->f != f_text || std::memcmp(&last->e, &e, sizeof e) != 0)
    last = std::make_unique<last_call>(
        last_call{std::move(op_text), std::move(f_text), e,
                  opencl::make_custom<T, Op, F>(call, init, op, f, opencl::compiler::cuda)});
  last->k.where = call, last->k.init = &init;
  return last->k;
}

}  // namespace upsweep::cuda
