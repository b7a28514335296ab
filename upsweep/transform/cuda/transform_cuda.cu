// The library's kernels for the built-in types: one kernel a type, which chooses its operator at run time, since memory
// is the limit. Kernels that only move elements are compiled by width.
#include <array>

#include "upsweep/for_each/for_each_cuda.cuh"
#include "upsweep/transform.hpp"
#include "upsweep/transform/transform_entries.hpp"

namespace upsweep::detail::transform_impl {

namespace {

template <class T>
struct chosen_function {
  bool two_inputs, subtracts;
  op_kind op;
  any_transform f;
  UPSWEEP_HD T operator()(T a, T b) const {
    if (subtracts) return difference{}(a, b);
    switch (op) {
      case op_kind::plus: return plus{}(a, b);
      case op_kind::multiplies: return multiplies{}(a, b);
      case op_kind::minimum: return minimum{}(a, b);
      case op_kind::maximum: return maximum{}(a, b);
      case op_kind::logical_and: return logical_and{}(a, b);
      case op_kind::logical_or: return logical_or{}(a, b);
      default: break;
    }
    if constexpr (std::is_integral_v<T>) {
      if (op == op_kind::bit_and) return bit_and{}(a, b);
      if (op == op_kind::bit_or) return bit_or{}(a, b);
      if (op == op_kind::bit_xor) return bit_xor{}(a, b);
    }
    if constexpr (std::is_same_v<T, std::uint64_t>) return compose_affine{}(a, b);
    return a;
  }
};

// The elements are loaded before the operator is chosen (cuda::store_each).
template <class T>
struct two {
  T a, b;
};
template <class T>
struct read_two {
  const T *in, *in2;
  __device__ two<T> operator()(std::uint64_t i) const { return {in[i], in2[i]}; }
};
template <class T>
struct read_one {
  const T* in;
  __device__ T operator()(std::uint64_t i) const { return in[i]; }
};
template <class T>
struct combine_two {
  chosen_function<T> f;
  __device__ T operator()(two<T> x) const { return f(x.a, x.b); }
};

template <class T>
struct map_some {
  const T *in, *tested;
  T* out;
  compared<T> test;
  any_transform f;
  __device__ void operator()(std::uint64_t i) const {
    if (test(tested[i])) out[i] = f(in[i]);
  }
};

template <class T>
struct replace_some {
  compared<T> test;
  T value;
  __device__ T operator()(two<T> x) const { return test(x.b) ? value : x.a; }
};

template <class T>
struct read_neighbours {
  struct had {
    T x, before;
    bool first;
  };
  const T* in;
  __device__ had operator()(std::uint64_t i) const { return {in[i], in[i ? i - 1 : 0], i == 0}; }
};
template <class T>
struct combine_with_before {
  chosen_function<T> f;
  __device__ T operator()(const typename read_neighbours<T>::had& x) const { return x.first ? x.x : f(x.x, x.before); }
};

template <class T>
struct step_further {
  stepped_from<T> steps;
  std::uint64_t from;
  __device__ T operator()(std::uint64_t i) const { return steps(from + i); }
};

template <class T>
chosen_function<T> function_of_problem(const problem& p) {
  return {p.two_inputs,
          p.what == primitive::adjacent_difference ? p.neighbours == between::difference : p.subtracts,
          p.op,
          {p.transform}};
}

void run_transform(device& d, const problem& p) {
  with_type(p.type, [&]<class T>(type_tag<T>) {
    if (!p.two_inputs)
      return cuda::store_each(d, p.n, read_one<T>{p.in.as<T>()}, any_transform{p.transform}, p.out.as<T>());
    cuda::store_each(d, p.n, read_two<T>{p.in.as<T>(), p.in2.as<T>()}, combine_two<T>{function_of_problem<T>(p)},
                     p.out.as<T>());
  });
}

void run_some(device& d, const problem& p) {
  with_type(p.type, [&]<class T>(type_tag<T>) {
    const compared<T> test{p.test, p.threshold.as<T>()};
    cuda::for_each_index(d, p.n, map_some<T>{p.in.as<T>(), p.in2.as<T>(), p.out.as<T>(), test, {p.transform}});
  });
}

void run_replace(device& d, const problem& p) {
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    if constexpr (!std::is_same_v<T, half>) {
      const compared<T> test{p.test, p.threshold.as<T>()};
      cuda::store_each(d, p.n, read_two<T>{p.in.as<T>(), p.in2.as<T>()}, replace_some<T>{test, p.value.as<T>()},
                       p.out.as<T>());
    }
  });
}

// The input is exactly the output's memory, or does not overlap it.
void run_neighbours(device& d, const problem& p) {
  memory in = p.in;
  if (p.in.address() == p.out.address() && p.n) {
    in = d.scratch("adjacent-difference/input", std::max<std::uint64_t>(p.n * size_of(p.type), 16));
    d.copy(in, p.in, p.n * size_of(p.type));
  }
  with_type(p.type, [&]<class T>(type_tag<T>) {
    cuda::store_each(d, p.n, read_neighbours<T>{in.as<T>()}, combine_with_before<T>{function_of_problem<T>(p)},
                     p.out.as<T>());
  });
}

template <class T>
void fill_words(device& d, const problem& p) {
  cuda::store_each(d, p.n, core::repeat_function<T>{p.value.as<T>()}, identity{}, p.out.as<T>());
}

void run_fill(device& d, const problem& p) {
  switch (size_of(p.type)) {
    case 1: return fill_words<std::uint8_t>(d, p);
    case 2: return fill_words<std::uint16_t>(d, p);
    case 4: return fill_words<std::uint32_t>(d, p);
    default: return fill_words<std::uint64_t>(d, p);
  }
}

void run_iota(device& d, const problem& p) {
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    if constexpr (!std::is_same_v<T, half>)
      cuda::store_each(d, p.n, step_further<T>{{p.value.as<T>(), p.step.as<T>()}, p.from}, identity{}, p.out.as<T>());
  });
}

void run_copy(device& d, const problem& p) {
  if (p.n) d.copy(p.out, p.in, p.n * size_of(p.type));
}

void run_tabulate(device& d, const problem& p) {
  upsweep::tabulate(context_on(d), device_span<std::uint32_t>(p.out, p.n), square_sum{});
}

}  // namespace

std::span<const variant> cuda() {
  constexpr backend here = backend::cuda;
  static const std::array list{
      entry(here, primitive::transform, "transform/thread-per-element",
            "A thread an element; one kernel a type, for memory is the limit and not the choice of the operator.",
            run_transform),
      entry(here, primitive::fill, "fill/thread-per-element", "A thread an element, by width.", run_fill),
      entry(here, primitive::iota, "iota/thread-per-element", "A thread an element.", run_iota),
      entry(here, primitive::copy, "copy/by-the-driver", "The driver's copy within the device.", run_copy),
      entry(here, primitive::tabulate, "tabulate/thread-per-element", "A thread an element.", run_tabulate),
      entry(here, primitive::transform_if, "transform-if/thread-per-element", "A thread an element asks first.",
            run_some),
      entry(here, primitive::replace, "replace/thread-per-element", "A thread an element.", run_replace),
      entry(here, primitive::adjacent_difference, "adjacent-difference/thread-per-element",
            "A thread an element reads two; in place, of a copy.", run_neighbours),
  };
  return list;
}

}  // namespace upsweep::detail::transform_impl
