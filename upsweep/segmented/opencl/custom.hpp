// Folds by key and by segment on OpenCL with types, operators, transforms and equalities that carry their text in
// OpenCL C: opencl/custom.hpp says how.
#pragma once

#include <map>
#include <string>

#include "upsweep/core/thread_end.hpp"
#include "upsweep/cuda/folds_by_text.hpp"
#include "upsweep/segmented/problem.hpp"
#include "upsweep/select/opencl/custom.hpp"

namespace upsweep::opencl {

// segmented/opencl/segmented.cpp; without OpenCL in the build they throw (core/opencl_absent.cpp). Enqueued: what
// p.what says, of k's elements; p.type, p.op, p.transform and p.init are not read. Keys are equal as `keys` says, or,
// where it is null, as built-in ones of p.key_type.
void fold_by_key(upsweep::device&, const custom_kernel& k, const question* keys, const segmented_room::problem& p);
void fold_by_segment(upsweep::device&, const custom_kernel& k, const segmented_room::problem& p);

template <class K, class T, class Op, class F, class Equal>
void fold_by_key(upsweep::device& d, const char* call, const T& init, const Op& op, const F& f, const Equal& equal,
                 segmented_room::problem p) {
  if constexpr (!std::is_trivially_copyable_v<K> || !std::is_trivially_copyable_v<T>) {
    throw core::needs_trivial_copies(call, backend::opencl);
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
                     const segmented_room::problem& p) {
  if constexpr (!std::is_trivially_copyable_v<T>)
    throw core::needs_trivial_copies(call, backend::opencl);
  else
    opencl::fold_by_segment(d, make_custom<T, Op, F>(call, init, op, f), p);
}

}  // namespace upsweep::opencl

namespace upsweep::cuda {

// The same on CUDA, where NVRTC compiles the room's kernels with the texts: segmented/cuda/text.cpp; without CUDA in
// the build it throws (core/cuda_absent.cpp). Enqueued. `form` stands for the keys' type.
struct kernel_text;  // cuda/nvrtc.hpp
struct keys_by_text {
  const void* form = nullptr;
  std::string before;     // bool same(T a, T b), T being a macro; nothing by segment
  std::size_t bytes = 0;  // of a key
};
void fold_by_key(upsweep::device&, const opencl::custom_kernel& k, const keys_by_text& keys,
                 const segmented_room::problem& p);
kernel_text by_key_kernel_text(const opencl::custom_kernel& k, const keys_by_text& keys, segmented_room::primitive what,
                               std::uint64_t shared_limit);

template <class K, class T, class Op, class F, class Equal>
inline constexpr bool has_by_key_text =
    has_fold_text<T, Op, F> && opencl::has_type_text<K> &&
    (opencl::has_opencl_text<Equal> || (std::same_as<Equal, core::equals> && has_equality_text<K>));

// One for each text that this thread has met: none goes, so that no two forms ever stand at one address.
template <class K, class Equal>
const keys_by_text& keys_that(const char* call, const Equal& equal) {
  struct met {
    char form[2]{};
    keys_by_text keys;
  };
  [[maybe_unused]] static thread_local const bool room = core::room_for_thread_end();
  thread_local std::map<std::string, met> all;
  met& m = all[cuda::text_or_nothing(equal)];
  if (m.keys.form == nullptr) {
    opencl::question q = opencl::ask_neighbours<K, opencl::compiler::cuda>(call, equal);
    m.keys = {m.form, std::move(q.before), q.bytes};
  }
  return m.keys;
}

template <class K, class T, class Op, class F, class Equal>
void fold_by_key_text(upsweep::device& d, const char* call, const T& init, const Op& op, const F& f, const Equal& equal,
                      const segmented_room::problem& p) {
  cuda::fold_by_key(d, fold_by_text<T, Op, F>(call, init, op, f), keys_that<K>(call, equal), p);
}
template <class T, class Op, class F>
void fold_by_segment_text(upsweep::device& d, const char* call, const T& init, const Op& op, const F& f,
                          const segmented_room::problem& p) {
  cuda::fold_by_key(d, fold_by_text<T, Op, F>(call, init, op, f), {}, p);
}

}  // namespace upsweep::cuda
