// Folds by key and by segment with types, operators, transforms and equalities that have device source (jit/jit.hpp):
// on OpenCL, and on CUDA from files that nvcc does not compile.
#pragma once

#include <map>
#include <string>

#include "upsweep/core/thread_exit.hpp"
#include "upsweep/cuda/cuda_jit_folds.hpp"
#include "upsweep/segmented/segmented_problem.hpp"
#include "upsweep/select/jit/select_jit.hpp"

namespace upsweep::opencl {

// segmented/opencl/segmented_opencl.cpp; without OpenCL in the build they throw (segmented_jit_absent.cpp). Enqueued:
// the primitive p.what on k's elements; p.type, p.op, p.transform and p.init are not read. Keys are compared by
// `keys`, or, if it is null, as built-in ones of p.key_type.
void fold_by_key(upsweep::device&, const custom_kernel& k, const question* keys,
                 const detail::segmented_impl::problem& p);
void fold_by_segment(upsweep::device&, const custom_kernel& k, const detail::segmented_impl::problem& p);

template <class K, class T, class Op, class F, class Equal>
void fold_by_key(upsweep::device& d, const char* call, const T& init, const Op& op, const F& f, const Equal& equal,
                 detail::segmented_impl::problem p) {
  if constexpr (!std::is_trivially_copyable_v<K> || !std::is_trivially_copyable_v<T>) {
    core::throw_error(core::needs_trivial_copies(call, backend::opencl));
  } else {
    const custom_kernel k = make_custom<T, Op, F>(call, init, op, f);
    if constexpr (builtin_type<K> && std::same_as<Equal, core::equals>) {
      p.key_type = dtype_of<K>;
      opencl::fold_by_key(d, k, nullptr, p);
    } else {
      const question keys = opencl::ask_neighbours<K>(call, equal);
      opencl::fold_by_key(d, k, &keys, p);
    }
  }
}
template <class T, class Op, class F>
void fold_by_segment(upsweep::device& d, const char* call, const T& init, const Op& op, const F& f,
                     const detail::segmented_impl::problem& p) {
  if constexpr (!std::is_trivially_copyable_v<T>)
    core::throw_error(core::needs_trivial_copies(call, backend::opencl));
  else
    opencl::fold_by_segment(d, make_custom<T, Op, F>(call, init, op, f), p);
}

}  // namespace upsweep::opencl

namespace upsweep::cuda {

// Folds on CUDA, where NVRTC compiles the algorithm's kernels with the user's source:
// segmented/cuda/segmented_cuda_jit.cpp; without CUDA in the build they throw (segmented_jit_absent.cpp). Enqueued.
// `form` identifies the keys' type.
struct kernel_source;  // cuda/nvrtc.hpp
struct keys_jit {
  const void* form = nullptr;
  std::string before;     // bool same(T a, T b), T being a macro; nothing by segment
  std::size_t bytes = 0;  // of a key
};
void fold_by_key(upsweep::device&, const opencl::custom_kernel& k, const keys_jit& keys,
                 const detail::segmented_impl::problem& p);
kernel_source by_key_kernel_source(const opencl::custom_kernel& k, const keys_jit& keys,
                                   detail::segmented_impl::primitive what, std::uint64_t shared_limit);

template <class K, class T, class Op, class F, class Equal>
inline constexpr bool has_by_key_source =
    has_fold_source<T, Op, F> && opencl::has_type_source<K> &&
    (opencl::has_source<Equal> || (std::same_as<Equal, core::equals> && has_equality_source<K>));

// One entry for each source that this thread has used. Entries are never removed, so that no two forms have one
// address.
template <class K, class Equal>
const keys_jit& keys_that(const char* call, const Equal& equal) {
  struct met {
    char form[2]{};
    keys_jit keys;
  };
  [[maybe_unused]] static thread_local const bool reserved = core::reserve_thread_exit_hook();
  thread_local std::map<std::string, met> all;
  met& m = all[cuda::source_or_empty(equal)];
  if (m.keys.form == nullptr) {
    opencl::question q = opencl::ask_neighbours<K, opencl::compiler::cuda>(call, equal);
    m.keys = {m.form, std::move(q.before), q.bytes};
  }
  return m.keys;
}

template <class K, class T, class Op, class F, class Equal>
void fold_by_key_source(upsweep::device& d, const char* call, const T& init, const Op& op, const F& f,
                        const Equal& equal, const detail::segmented_impl::problem& p) {
  cuda::fold_by_key(d, fold_jit<T, Op, F>(call, init, op, f), keys_that<K>(call, equal), p);
}
template <class T, class Op, class F>
void fold_by_segment_source(upsweep::device& d, const char* call, const T& init, const Op& op, const F& f,
                            const detail::segmented_impl::problem& p) {
  cuda::fold_by_key(d, fold_jit<T, Op, F>(call, init, op, f), {}, p);
}

}  // namespace upsweep::cuda
