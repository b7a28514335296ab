// Types, operators and transforms of your own under OpenCL: each carries its text in OpenCL C, because an OpenCL device
// compiles its kernels where the program runs. The C++ stays what the CPU and CUDA run; the text must say the same.
//
//   struct entry { int empty; float x; };
//   template <> struct upsweep::opencl_type<entry> {
//     static constexpr const char* name = "entry";
//     static constexpr const char* definition = "typedef struct { int empty; float x; } entry;";
//   };
//   struct first_non_empty {
//     entry operator()(entry a, entry b) const { return a.empty ? b : a; }
//     static entry identity() { return {1, 0}; }
//     static constexpr const char* opencl = "(a.empty ? b : a)";             // an expression in a and b
//   };
//   struct halve {
//     float operator()(float x) const { return x / 2; }
//     static constexpr const char* opencl = "(x / 2)";                       // an expression in x
//   };
//
// `definition` may also hold functions, for operators that are no single expression. The type is laid out alike on host
// and device when its members are numbers of a fixed width (or arrays of them) in C's natural alignment. The identity
// and init travel as bytes; an operator's or a transform's members do not travel. The built-in types, and the built-in
// operators and transforms on built-in types, have their text already. What has none throws fault::unsupported with the
// sentence that says what to add.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>

#include "upsweep/core/problem.hpp"

namespace upsweep {

template <class T>
struct opencl_type {};

}  // namespace upsweep

namespace upsweep::opencl {

// The C++ types of one call, erased.
struct custom_kernel {
  const char* where = nullptr;  // "reduce" or "scan", for errors
  // Built-in ones by name ("u32", "plus", "square"), or null; then there is text.
  const char* type_name = nullptr;
  const char* op_name = nullptr;
  const char* transform_name = nullptr;
  std::string type_text, type_definition, op_text, transform_text;
  bool commutes = false;
  std::size_t size = 0;  // of an element, in bytes
  std::string identity;  // its bytes
  const void* init = nullptr;
};

template <class T>
concept has_opencl_type = requires {
  { opencl_type<T>::name } -> std::convertible_to<const char*>;
  { opencl_type<T>::definition } -> std::convertible_to<const char*>;
};

template <class X>
concept has_opencl_text = requires {
  { X::opencl } -> std::convertible_to<const char*>;
};

inline error needs_text(const char* where, const char* what, const char* remedy) {
  return {fault::unsupported, where, std::string(what) + " has no OpenCL C text", remedy};
}

template <class T, class Op, class F>
custom_kernel make_custom(const char* where, const T& init, const Op& op) {
  custom_kernel k;
  k.where = where;
  k.size = sizeof(T);
  k.init = &init;
  if constexpr (folding_type<T>) {
    k.type_name = name_of(dtype_of<T>).data();
  } else if constexpr (has_opencl_type<T>) {
    k.type_text = opencl_type<T>::name;
    k.type_definition = opencl_type<T>::definition;
  } else {
    throw needs_text(where, "this element type", "specialize upsweep::opencl_type for it with `name` and `definition`");
  }
  if constexpr (builtin_op<Op> && folding_type<T>) {
    k.op_name = name_of(Op::kind).data();
    k.commutes = upsweep::commutes(Op::kind);
  } else if constexpr (has_opencl_text<Op>) {
    k.op_text = Op::opencl;
  } else {
    throw needs_text(where, "this operator", "give it `static constexpr const char* opencl`, an expression in a and b");
  }
  if constexpr (builtin_transform<F>) {
    if (F::kind != transform_kind::identity && !folding_type<T>)
      throw needs_text(where, "this built-in transform of an element type of your own",
                       "write a transform with `static constexpr const char* opencl`, an expression in x");
    k.transform_name = name_of(F::kind).data();
  } else if constexpr (has_opencl_text<F>) {
    k.transform_text = F::opencl;
  } else {
    throw needs_text(where, "this transform", "give it `static constexpr const char* opencl`, an expression in x");
  }
  // Padding is cleared where the compiler can, so that the same operator gives the same program and it is built once.
  alignas(T) unsigned char bytes[sizeof(T)]{};
  T* identity = ::new (bytes) T(identity_of<T>(op));
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
  __builtin_clear_padding(identity);
#endif
#endif
  k.identity.assign(reinterpret_cast<const char*>(identity), sizeof(T));
  return k;
}

// reduce/opencl/reduce.cpp and scan/opencl/scan.cpp; without OpenCL in the build they throw (opencl_absent.cpp).
void reduce_custom(upsweep::device& d, const custom_kernel& k, memory in, std::uint64_t n, memory out);
void scan_custom(upsweep::device& d, const custom_kernel& k, memory in, std::uint64_t n, memory out, bool inclusive);

}  // namespace upsweep::opencl
