// User-defined types, operators and transforms under OpenCL, and on CUDA in files that nvcc does not compile. Each
// has a device source in OpenCL C, which is compiled at run time: by the device's OpenCL compiler, or by NVRTC with
// the library's own CUDA kernels. The CPU, and CUDA in a .cu file, run the C++; the source must compute the same.
//
//   struct entry { int empty; float x; };
//   template <> struct upsweep::opencl_type<entry> {
//     static constexpr const char* name = "entry";
//     static constexpr const char* definition = "typedef struct { int empty; float x; } entry;";
//   };
//   struct first_non_empty {
//     entry operator()(entry a, entry b) const { return a.empty ? b : a; }
//     static entry identity() { return {1, 0}; }
//     static constexpr const char* source = "(a.empty ? b : a)";             // an expression in a and b
//   };
//   struct halve {
//     float operator()(float x) const { return x / 2; }
//     static constexpr const char* source = "(x / 2)";                       // an expression in x
//   };
//
// `definition` may also contain functions, for operators that are not a single expression. `equal`, an expression in
// a and b, is true for equal elements; calls that compare neighbours need it (unique, run lengths, keys). The layout
// is equal on host and device if the members are fixed-width numbers (or arrays of them) in C's natural alignment.
// The identity and init are passed as bytes. The members of an operator or a transform are not passed, but its source
// may be a member: a std::string, made at run time. A monoid uses its function's source. The sources of comparators
// and equalities are expressions in a and b, that of a predicate is one in x. The built-in types, and the built-in
// operators and transforms on built-in types, already have a source. A type or function without one throws
// fault::unsupported with a message that says what to add. A source that the device's compiler rejects throws
// fault::bad_argument with the compiler's message and the position in that source.
//
// CUDA compiles the source as C++ with the names that both languages share: OpenCL C's number types, (entry){1, 2},
// as_int and the like, clamp, mad and popcount. Vectors and their literals are not available. Sums of products are
// not fused, as on OpenCL. The first call with a source takes up to a second or so; the compiled code is kept in
// memory and on disk (core/compiled_code_cache.hpp). An operator with `static constexpr bool commutes = true` may be
// reordered. docs/calls.md lists the calls that accept device source on CUDA; the others need nvcc, and their error
// says so.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>

#include "upsweep/bfloat16.hpp"
#include "upsweep/core/optional_value.hpp"
#include "upsweep/core/problem_base.hpp"
#include "upsweep/operators/monoid.hpp"

namespace upsweep {

template <class T>
struct opencl_type {};

}  // namespace upsweep

namespace upsweep::opencl {

template <class T>
concept has_opencl_type = requires {
  { opencl_type<T>::name } -> std::convertible_to<const char*>;
  { opencl_type<T>::definition } -> std::convertible_to<const char*>;
};

template <class T>
concept has_opencl_equality = requires {
  { opencl_type<T>::equal } -> std::convertible_to<const char*>;
};

template <class X>
concept has_source_member = requires(const X& x) {
  { x.source } -> std::convertible_to<std::string>;
};
template <class X>
inline constexpr bool has_source = has_source_member<X>;
template <class F, class T>
inline constexpr bool has_source<monoid<F, T>> = has_source_member<F>;
template <class Op, class T>
inline constexpr bool has_source<core::operator_on_present<Op, T>> = has_source<Op>;

using core::is_only_source;

template <class X>
std::string source_of(const X& x) {
  return x.source;
}
template <class F, class T>
std::string source_of(const monoid<F, T>& m) {
  return m.f.source;
}
template <class Op, class T>
std::string source_of(const core::operator_on_present<Op, T>& o) {
  return opencl::source_of(o.op);
}

inline error needs_source(const char* where, const char* what, const char* remedy) {
  return {fault::unsupported, where, std::string(what) + " has no device source", remedy};
}

// The compiler of the device source: OpenCL's, or CUDA's, for which some names of OpenCL C are C++.
enum class compiler : std::uint8_t { opencl, cuda };

// Types that have a name in the library's own CUDA C++.
template <class T>
inline constexpr bool named_in_cuda = builtin_type<T> || std::same_as<T, bfloat16>;

// Whether a type has a name in device source.
template <class T>
inline constexpr bool has_type_source =
    std::is_trivially_copyable_v<T> && (named_in_cuda<T> || std::same_as<T, bool> || has_opencl_type<T>);
template <class T>
inline constexpr bool has_type_source<core::optional_value<T>> = has_type_source<T>;

// Throws if brackets do not pair or a statement ends: the compiler would only report that after the device source.
void require_expression(const char* call, const char* called, const std::string& expression);

// C++ has entry{1, 2} in place of (entry){1, 2}: removes the parentheses. Later characters keep their positions.
std::string as_cpp(std::string source);

// The source placed before a kernel's own: user-defined types and functions. #line directives make the compiler treat
// each piece as a file with the name that its messages show.
struct preamble {
  const char* call = nullptr;
  compiler of = compiler::opencl;
  std::string source =
      "#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif\n#pragma OPENCL FP_CONTRACT OFF\n";
  int types = 0;

  // The type's name in OpenCL C; adds its definition once.
  template <class T>
  std::string type() {
    if constexpr (std::same_as<T, bool>) {
      return "uchar";
    } else if constexpr (builtin_type<T> && !std::same_as<T, half>) {
      constexpr const char* names[]{"int",    "uint", "long",  "ulong", "float",
                                    "double", "char", "uchar", "short", "ushort"};
      return names[static_cast<int>(dtype_of<T>)];
    } else if constexpr (core::is_optional_value<T>) {
      const std::string value = type<typename T::value_type>(), name = "upsweep_optional_" + as_word(value);
      define(name, "typedef struct { " + value + " value; uint is_present; } " + name + ";\n", sizeof(T));
      return name;
    } else if constexpr (has_opencl_type<T>) {
      const std::string name = opencl_type<T>::name;
      define(name,
             in_its_file("the type's definition",
                         of == compiler::cuda ? as_cpp(opencl_type<T>::definition) : opencl_type<T>::definition),
             sizeof(T));
      return name;
    } else {
      if constexpr (std::same_as<T, half>)
        if (of == compiler::cuda) return "upsweep::half";
      if constexpr (std::same_as<T, bfloat16>)
        if (of == compiler::cuda) return "upsweep::bfloat16";
      core::throw_error(needs_source(call, "this element type",
                                     "specialize upsweep::opencl_type for it with `name` and `definition`"));
    }
  }

  // Adds the function TYPE op_of_source(TYPE a, TYPE b).
  template <class Op>
  void operator_function(const std::string& type_name, const Op& op) {
    const char* const called = "the operator's source";
    const auto head = [](const std::string& t, const char* name) {
      return t + " " + name + "(" + t + " a, " + t + " b)";
    };
    if constexpr (core::is_on_present<Op>) {
      function(head(type<typename Op::V::value_type>(), "op_of_values"), called, opencl::source_of(op));
      function(head(type_name, "op_of_source"), "the operator on present values",
               "!a.is_present ? b : !b.is_present ? a : (" + type_name + "){op_of_values(a.value, b.value), 1u}");
    } else {
      function(head(type_name, "op_of_source"), called, opencl::source_of(op));
    }
  }

  // Adds a function: "bool passes(float x)" and an expression in its parameters.
  void function(const std::string& head, const char* called, const std::string& expression) {
    require_expression(call, called, expression);
    source += "static inline " + head + " {\n  return (\n" +
              in_its_file(called, of == compiler::cuda ? as_cpp(expression) : expression) + "  );\n}\n";
  }

 private:
  // "struct entry" and "upsweep::half" as parts of a name.
  static std::string as_word(std::string name) {
    for (char& c : name)
      if (c == ' ' || c == ':') c = '_';
    return name;
  }
  void define(const std::string& name, const std::string& definition, std::size_t size) {
    if (source.find(definition) != std::string::npos) return;
    const bool guarded = of == compiler::cuda;  // one unit may contain two preambles
    const std::string word = as_word(name);
    if (guarded) source += "#if !defined(UPSWEEP_HAS_" + word + ")\n#define UPSWEEP_HAS_" + word + "\n";
    source += definition + "typedef char differs_in_size_between_host_and_device_" +
              (guarded ? word : std::to_string(types++)) + "[sizeof(" + name + ") == " + std::to_string(size) +
              " ? 1 : -1];\n";
    if (guarded) source += "#endif\n";
  }
  static std::string in_its_file(const std::string& called, const std::string& its_source) {
    return "#line 1 \"" + called + "\"\n" + its_source + "\n#line 1 \"upsweep\"\n";
  }
};

// The program that a CUDA device compiled last (cuda/cuda_jit.hpp), which it does not drop meanwhile.
struct kept_program {
  int device = -1;
  std::uint64_t shared_limit = 0;
  const void* algorithm = nullptr;
  std::shared_ptr<const void> program = {};
};

// The C++ types of one fold, type-erased.
struct custom_kernel {
  const char* where = nullptr;  // "reduce" or "scan", for errors
  // Built-in ones by name ("u32", "plus", "square"), or null; then `before` defines OP_SOURCE or TRANSFORM_SOURCE.
  const char* type_name = nullptr;
  const char* op_name = nullptr;
  const char* transform_name = nullptr;
  std::string type_source, before;
  bool commutes = false;
  std::size_t size = 0, align = 0;  // of an element, in bytes
  std::string identity;             // its bytes
  const void* init = nullptr;
  mutable kept_program made = {};
};

template <class T, class Op, class F>
custom_kernel make_custom(const char* where, const T& init, const Op& op, [[maybe_unused]] const F& f,
                          compiler of = compiler::opencl) {
  custom_kernel k;
  preamble p{where, of};
  k.where = where;
  k.size = sizeof(T), k.align = alignof(T);
  k.init = &init;
  k.type_source = p.type<T>();
  if constexpr (folding_type<T>) k.type_name = name_of(dtype_of<T>).data();
  if constexpr (requires { Op::commutes; }) k.commutes = Op::commutes;
  if constexpr (builtin_op<Op> && named_in_cuda<T>) {
    k.op_name = name_of(Op::kind).data();
    k.commutes = upsweep::commutes(Op::kind);
    if (!folding_type<T> && of == compiler::opencl)
      core::throw_error(needs_source(where, "this operator on this element type",
                                     "give one with `static constexpr const char* source`, an expression in a and b"));
  } else if constexpr (has_source<Op>) {
    p.operator_function(k.type_source, op);
    p.source += "#define OP_SOURCE op_of_source(a, b)\n";
  } else {
    core::throw_error(needs_source(where, "this operator",
                                   "give it `static constexpr const char* source`, an expression in a and b"));
  }
  if constexpr (builtin_transform<F>) {
    if (F::kind != transform_kind::identity && !(folding_type<T> || (named_in_cuda<T> && of == compiler::cuda)))
      core::throw_error(
          needs_source(where, "this built-in transform of an element type of your own",
                       "write a transform with `static constexpr const char* source`, an expression in x"));
    k.transform_name = name_of(F::kind).data();
  } else if constexpr (has_source<F>) {
    p.function(k.type_source + " transform_of_source(" + k.type_source + " x)", "the transform's source",
               opencl::source_of(f));
    p.source += "#define TRANSFORM_SOURCE transform_of_source(x)\n";
  } else {
    core::throw_error(
        needs_source(where, "this transform", "give it `static constexpr const char* source`, an expression in x"));
  }
  // A fold whose type, operator and transform are all built in has no source of its own.
  if (!k.type_name || !k.op_name || !k.transform_name) k.before = std::move(p.source);
  // Padding is cleared if the compiler can, so that equal operators give equal programs and each is built once.
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

// reduce/opencl/reduce_opencl.cpp and scan/opencl/scan_opencl.cpp; without OpenCL in the build they throw
// (reduce_jit_absent.cpp, scan_jit_absent.cpp).
void reduce_custom(upsweep::device& d, const custom_kernel& k, memory in, std::uint64_t n, memory out);
void scan_custom(upsweep::device& d, const custom_kernel& k, memory in, std::uint64_t n, memory out, bool inclusive);

}  // namespace upsweep::opencl
