// out[i] = f(in[i], …), for all elements or those that pass a test, on OpenCL and CUDA if the function has device
// source (jit/jit.hpp): an expression in x of one input, in a, b, c, … of several, in i of none.
#pragma once

#include "upsweep/expression.hpp"
#include "upsweep/jit/jit.hpp"
#include "upsweep/operators/runtime_operators.hpp"

namespace upsweep::opencl {

struct map_input {
  memory where;
  std::size_t bytes = 0;  // of an element
  std::string type;
};

inline constexpr std::size_t most_map_inputs = 8;

// The C++ types of one call, erased.
struct map_kernel {
  const char* call = nullptr;
  preamble before;
  std::string options, result_type, result;  // result: an expression in the inputs
  bool result_is_source = false;             // the user's own; else after operators.cl
  std::string function_type;                 // of a device source's result, where it is another than what is stored
  std::size_t bytes = 0;                     // of the result
  std::vector<map_input> in;
  // If there is a test, it applies to the last input: an expression in x and threshold. If there is a value too, it is
  // written where the test passes, and the first input elsewhere; otherwise the result is written where the test
  // passes, and nothing elsewhere.
  std::string test, threshold, value;  // the bytes of the latter two
  bool test_is_source = false;
  mutable kept_program made = {};
};

// transform/opencl/transform_opencl.cpp; without OpenCL in the build it throws (transform_jit_absent.cpp).
void map(upsweep::device&, const map_kernel&, std::uint64_t first, std::uint64_t n, memory out);

}  // namespace upsweep::opencl

namespace upsweep::cuda {
// Maps on CUDA, where NVRTC compiles the source: transform/cuda/transform_cuda_jit.cpp; without CUDA in the build it
// throws (transform_jit_absent.cpp).
void map(upsweep::device&, const opencl::map_kernel&, std::uint64_t first, std::uint64_t n, memory out);
// The device source for NVRTC, for this number of indices.
struct kernel_source;  // cuda/nvrtc.hpp
kernel_source map_kernel_source(const opencl::map_kernel&, std::uint64_t n);
}  // namespace upsweep::cuda

namespace upsweep::opencl {

inline compiler compiler_of(const upsweep::device& d) {
  return d.kind() == backend::cuda ? compiler::cuda : compiler::opencl;
}
inline void map_there(upsweep::device& d, const map_kernel& k, std::uint64_t first, std::uint64_t n, memory out) {
  d.kind() == backend::cuda ? cuda::map(d, k, first, n, out) : opencl::map(d, k, first, n, out);
}

// Whether NVRTC has source for a function and its element types, or the library a name for the function. Tests must
// have source.
template <class T, class F, class... V>
inline constexpr bool has_map_source =
    has_type_source<T> && (has_type_source<V> && ...) &&
    (has_source<F> || (builtin_op<F> && sizeof...(V) == 2 && (builtin_type<V> && ...)) ||
     (builtin_transform<F> && sizeof...(V) == 1 && (builtin_type<V> && ...)));
template <class S, class Test>
inline constexpr bool has_test_source = has_source<Test> || std::same_as<Test, compared<S>>;

template <class T>
std::string type_source(map_kernel& k) {
  k.before.call = k.call;
  return k.before.type<T>();
}

template <class F, class... V>
void set_function(map_kernel& k, [[maybe_unused]] const F& f) {
  constexpr auto all_one = []<class First, class... Rest>(std::type_identity<First>, std::type_identity<Rest>...) {
    return folding_type<First> && (std::same_as<First, Rest> && ...);
  };
  if constexpr (has_source<F>) {
    k.result = opencl::source_of(f), k.result_is_source = true;
    if constexpr (is_expression<F> && sizeof...(V) != 0)
      k.function_type = opencl::type_source<std::common_type_t<V...>>(k);
    if constexpr (is_expression<F> && sizeof...(V) == 0) k.function_type = "ulong";
    k.options += " -D TYPE_u32";  // for operators.cl, which is compiled too but not called
  } else {
    if constexpr (builtin_op<F> && sizeof...(V) == 2) {
      if constexpr (all_one(std::type_identity<V>{}...)) {
        (((k.options += " -D TYPE_") += name_of(dtype_of<std::common_type_t<V...>>)) += " -D OP_") += name_of(f.kind);
        k.result = k.before.of == compiler::cuda ? "upsweep::" + std::string(name_of(f.kind)) + "{}(a, b)" : "OP(a, b)";
      }
    } else if constexpr (builtin_transform<F> && sizeof...(V) == 1) {
      if constexpr (all_one(std::type_identity<V>{}...)) {
        (((k.options += " -D TYPE_") += name_of(dtype_of<std::common_type_t<V...>>)) += " -D TRANSFORM_") +=
            name_of(f.kind);
        k.result = k.before.of == compiler::cuda ? "upsweep::" + std::string(name_of(f.kind)) + "{}(x)" : "F(x)";
      }
    }
    if (k.result.empty())
      core::throw_error(needs_source(
          k.call, "this function",
          sizeof...(V) == 0   ? "give it `static constexpr const char* source`, an expression in i"
          : sizeof...(V) == 1 ? "give it `static constexpr const char* source`, an expression in x"
                              : "give it `static constexpr const char* source`, an expression in a, b, …"));
  }
}

template <class S, class Test>
void set_test(map_kernel& k, [[maybe_unused]] const Test& test) {
  if constexpr (has_source<Test>) {
    k.test = opencl::source_of(test), k.test_is_source = true;
  } else if constexpr (std::same_as<Test, compared<S>>) {
    k.test = "x " + std::string(name_of(test.how)) + " threshold";
    k.threshold.assign(reinterpret_cast<const char*>(&test.threshold), sizeof(S));
  } else {
    core::throw_error(
        needs_source(k.call, "this test", "give it `static constexpr const char* source`, an expression in x"));
  }
}

}  // namespace upsweep::opencl
