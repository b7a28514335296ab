// Types, operators and transforms of your own under OpenCL, and on CUDA in files that nvcc does not compile: each
// carries its text in OpenCL C, because it is compiled where the program runs: by the device's OpenCL compiler, or by
// NVRTC with the library's own CUDA kernels. The C++ stays what the CPU runs, and CUDA in a .cu file; the text must say
// the same.
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
// `definition` may also hold functions, for operators that are no single expression; and `equal`, an expression in a
// and b, says when two elements are equal, for what asks neighbours (unique, run lengths, keys). The type is laid out
// alike on host and device when its members are numbers of a fixed width (or arrays of them) in C's natural alignment.
// The identity and init travel as bytes; an operator's or a transform's members do not travel, but its text may be a
// member: a std::string, made where the program runs. A monoid's text is its function's. A comparator's and an
// equality's are expressions in a and b, a test's in x. The built-in types, and the built-in operators and transforms
// on built-in types, have their text already. What has none throws fault::unsupported with the sentence that says what
// to add; a text that the device's compiler refuses throws fault::bad_argument with the compiler's message and the
// place in that text.
//
// On CUDA the text is compiled as C++, to which the common words of both are the same: OpenCL C's names of numbers are
// there, and (entry){1, 2}, as_int and its kin, clamp, mad and popcount; vectors and their literals are not. Sums of
// products are not fused, as on OpenCL. The first call with a text takes up to a second or so; what comes of it is kept
// in memory and on disk (core/code_cache.hpp). An operator with `static constexpr bool commutes = true` may be
// reordered. docs/calls.md says which calls take texts on CUDA; the others want nvcc and say so.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "upsweep/bfloat16.hpp"
#include "upsweep/core/problem.hpp"
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
concept carries_text = requires(const X& x) {
  { x.opencl } -> std::convertible_to<std::string>;
};
template <class X>
inline constexpr bool has_opencl_text = carries_text<X>;
template <class F, class T>
inline constexpr bool has_opencl_text<monoid<F, T>> = carries_text<F>;

// What is nothing but its text (upsweep/expression.hpp): device code that nvcc compiled cannot call it.
template <class X>
inline constexpr bool is_only_text = requires { requires X::is_only_text; };
template <class F, class T>
inline constexpr bool is_only_text<monoid<F, T>> = is_only_text<F>;

template <class X>
std::string text_of(const X& x) {
  return x.opencl;
}
template <class F, class T>
std::string text_of(const monoid<F, T>& m) {
  return m.f.opencl;
}

inline error needs_text(const char* where, const char* what, const char* remedy) {
  return {fault::unsupported, where, std::string(what) + " has no OpenCL C text", remedy};
}

// Who compiles the texts: OpenCL's compilers, or CUDA's, to which some words of OpenCL C are C++.
enum class compiler : std::uint8_t { opencl, cuda };

// Types that the library's own CUDA C++ has a name for.
template <class T>
inline constexpr bool named_in_cuda = builtin_type<T> || std::same_as<T, bfloat16>;

// Whether a type has a name there.
template <class T>
inline constexpr bool has_type_text =
    std::is_trivially_copyable_v<T> && (named_in_cuda<T> || std::same_as<T, bool> || has_opencl_type<T>);

// Throws where brackets do not pair or a statement ends: the compiler would find that only behind the text.
void require_expression(const char* call, const char* called, const std::string& expression);

// C++ has no (entry){1, 2}, and entry{1, 2} instead: the parentheses go, and what follows keeps its place.
std::string as_cpp(std::string text);

// What goes before a kernel's own text: types and functions of the user's own. The compiler is told that each text
// begins a file of its own, by the name that its messages are to call it.
struct preamble {
  const char* call = nullptr;
  compiler of = compiler::opencl;
  std::string text =
      "#ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif\n#pragma OPENCL FP_CONTRACT OFF\n";
  int types = 0;

  // The type's name in OpenCL C; what defines it comes once.
  template <class T>
  std::string type() {
    if constexpr (std::same_as<T, bool>) {
      return "uchar";
    } else if constexpr (builtin_type<T> && !std::same_as<T, half>) {
      constexpr const char* names[]{"int",    "uint", "long",  "ulong", "float",
                                    "double", "char", "uchar", "short", "ushort"};
      return names[static_cast<int>(dtype_of<T>)];
    } else if constexpr (has_opencl_type<T>) {
      const std::string name = opencl_type<T>::name;
      const std::string definition =
          in_its_file("the type's definition",
                      of == compiler::cuda ? as_cpp(opencl_type<T>::definition) : opencl_type<T>::definition);
      if (text.find(definition) == std::string::npos) {
        // Two preambles may stand in one unit there.
        const bool guarded = of == compiler::cuda;
        std::string word = name;  // "struct entry", too
        std::replace(word.begin(), word.end(), ' ', '_');
        if (guarded) text += "#if !defined(UPSWEEP_HAS_" + word + ")\n#define UPSWEEP_HAS_" + word + "\n";
        text += definition + "typedef char differs_in_size_between_host_and_device_" +
                (guarded ? word : std::to_string(types++)) + "[sizeof(" + name + ") == " + std::to_string(sizeof(T)) +
                " ? 1 : -1];\n";
        if (guarded) text += "#endif\n";
      }
      return name;
    } else {
      if constexpr (std::same_as<T, half>)
        if (of == compiler::cuda) return "upsweep::half";
      if constexpr (std::same_as<T, bfloat16>)
        if (of == compiler::cuda) return "upsweep::bfloat16";
      throw needs_text(call, "this element type",
                       "specialize upsweep::opencl_type for it with `name` and `definition`");
    }
  }

  // "bool passes(float x)" and an expression in the parameters.
  void function(const std::string& head, const char* called, const std::string& expression) {
    require_expression(call, called, expression);
    text += "static inline " + head + " {\n  return (\n" +
            in_its_file(called, of == compiler::cuda ? as_cpp(expression) : expression) + "  );\n}\n";
  }

 private:
  static std::string in_its_file(const std::string& called, const std::string& its_text) {
    return "#line 1 \"" + called + "\"\n" + its_text + "\n#line 1 \"upsweep\"\n";
  }
};

// Where a CUDA device has what was compiled last (cuda/text.hpp).
struct kept_program {
  int device = -1;
  std::uint64_t shared_limit = 0;
  const void* room = nullptr;
  void* program = nullptr;
};

// The C++ types of one fold, erased.
struct custom_kernel {
  const char* where = nullptr;  // "reduce" or "scan", for errors
  // Built-in ones by name ("u32", "plus", "square"), or null; then `before` defines OP_TEXT or TRANSFORM_TEXT.
  const char* type_name = nullptr;
  const char* op_name = nullptr;
  const char* transform_name = nullptr;
  std::string type_text, before;
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
  k.type_text = p.type<T>();
  if constexpr (folding_type<T>) k.type_name = name_of(dtype_of<T>).data();
  if constexpr (requires { Op::commutes; }) k.commutes = Op::commutes;
  if constexpr (builtin_op<Op> && named_in_cuda<T>) {
    k.op_name = name_of(Op::kind).data();
    k.commutes = upsweep::commutes(Op::kind);
    if (!folding_type<T> && of == compiler::opencl)
      throw needs_text(where, "this operator on this element type",
                       "give one with `static constexpr const char* opencl`, an expression in a and b");
  } else if constexpr (has_opencl_text<Op>) {
    p.function(k.type_text + " op_of_text(" + k.type_text + " a, " + k.type_text + " b)", "the operator's text",
               opencl::text_of(op));
    p.text += "#define OP_TEXT op_of_text(a, b)\n";
  } else {
    throw needs_text(where, "this operator", "give it `static constexpr const char* opencl`, an expression in a and b");
  }
  if constexpr (builtin_transform<F>) {
    if (F::kind != transform_kind::identity && !(folding_type<T> || (named_in_cuda<T> && of == compiler::cuda)))
      throw needs_text(where, "this built-in transform of an element type of your own",
                       "write a transform with `static constexpr const char* opencl`, an expression in x");
    k.transform_name = name_of(F::kind).data();
  } else if constexpr (has_opencl_text<F>) {
    p.function(k.type_text + " transform_of_text(" + k.type_text + " x)", "the transform's text", opencl::text_of(f));
    p.text += "#define TRANSFORM_TEXT transform_of_text(x)\n";
  } else {
    throw needs_text(where, "this transform", "give it `static constexpr const char* opencl`, an expression in x");
  }
  // What is built in all through has no text of its own.
  if (!k.type_name || !k.op_name || !k.transform_name) k.before = std::move(p.text);
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
