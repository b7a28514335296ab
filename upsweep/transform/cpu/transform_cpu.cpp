// The CPU's templates on the built-in types, for check and bench. A call compiles them in the caller's code.
#include <array>

#include "upsweep/cpu/cpu_types.hpp"
#include "upsweep/transform.hpp"
#include "upsweep/transform/transform_entries.hpp"

namespace upsweep::detail::transform_impl {

namespace {

template <class T>
std::span<T> all_of(memory m, std::uint64_t n) {
  return {m.as<T>(), n};
}

void run_transform(device& d, const problem& p) {
  const context where = context_on(d);
  if (p.subtracts)
    return with_type(p.type, [&]<class T>(type_tag<T>) {
      upsweep::transform(where, all_of<const T>(p.in, p.n), all_of<const T>(p.in2, p.n), all_of<T>(p.out, p.n),
                         std::minus<>{});
    });
  if (p.two_inputs)
    return cpu::with_folded_types(p.type, p.op, [&]<class T>(type_tag<T>, auto op) {
      upsweep::transform(where, all_of<const T>(p.in, p.n), all_of<const T>(p.in2, p.n), all_of<T>(p.out, p.n), op);
    });
  with_type(p.type, [&]<class T>(type_tag<T>) {
    cpu::with_transform(
        p.transform, [&](auto f) { upsweep::transform(where, all_of<const T>(p.in, p.n), all_of<T>(p.out, p.n), f); });
  });
}

void run_some(device& d, const problem& p) {
  const context where = context_on(d);
  with_type(p.type, [&]<class T>(type_tag<T>) {
    const compared<T> test{p.test, p.threshold.as<T>()};
    cpu::with_transform(p.transform, [&](auto f) {
      upsweep::transform_if(where, all_of<const T>(p.in, p.n), all_of<const T>(p.in2, p.n), all_of<T>(p.out, p.n), f,
                            test);
    });
  });
}

void run_replace(device& d, const problem& p) {
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    if constexpr (std::is_arithmetic_v<T>)
      upsweep::replace_copy_if(context_on(d), all_of<const T>(p.in, p.n), all_of<const T>(p.in2, p.n),
                               all_of<T>(p.out, p.n), compared<T>{p.test, p.threshold.as<T>()}, p.value.as<T>());
  });
}

void run_fill(device& d, const problem& p) {
  with_any_type(p.type,
                [&]<class T>(type_tag<T>) { upsweep::fill(context_on(d), all_of<T>(p.out, p.n), p.value.as<T>()); });
}

void run_iota(device& d, const problem& p) {
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    if constexpr (std::is_arithmetic_v<T>)
      cpu::store_steps(d, p.out.as<T>(), p.n, stepped_from<T>{p.value.as<T>(), p.step.as<T>()}(p.from), p.step.as<T>());
  });
}

void run_copy(device& d, const problem& p) {
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    upsweep::copy(context_on(d), all_of<const T>(p.in, p.n), all_of<T>(p.out, p.n));
  });
}

void run_tabulate(device& d, const problem& p) {
  upsweep::tabulate(context_on(d), all_of<std::uint32_t>(p.out, p.n), square_sum{});
}

void run_neighbours(device& d, const problem& p) {
  const context where = context_on(d);
  if (p.neighbours == between::op)
    return cpu::with_folded_types(p.type, p.op, [&]<class T>(type_tag<T>, auto op) {
      upsweep::adjacent_difference(where, all_of<const T>(p.in, p.n), all_of<T>(p.out, p.n), op);
    });
  with_type(p.type, [&]<class T>(type_tag<T>) {
    upsweep::adjacent_difference(where, all_of<const T>(p.in, p.n), all_of<T>(p.out, p.n));
  });
}

}  // namespace

std::span<const variant> cpu() {
  constexpr backend here = backend::cpu;
  static const std::array list{
      entry(here, primitive::transform, "transform/parts", "Threads take parts of the output; within one, vectors.",
            run_transform),
      entry(here, primitive::fill, "fill/parts", "Threads take parts of the output.", run_fill),
      entry(here, primitive::iota, "iota/parts", "Each element from its index, so that no part waits for another.",
            run_iota),
      entry(here, primitive::copy, "copy/parts", "Threads take parts; each is one move of memory.", run_copy),
      entry(here, primitive::transform_if, "transform-if/parts", "Each element asks first.", run_some),
      entry(here, primitive::replace, "replace/parts", "A choice and no branch.", run_replace),
      entry(here, primitive::tabulate, "tabulate/parts", "Each element from its index.", run_tabulate),
      entry(here, primitive::adjacent_difference, "adjacent-difference/parts",
            "In place: what stands before each part is set aside, and each part goes from its end to its beginning.",
            run_neighbours),
  };
  return list;
}

}  // namespace upsweep::detail::transform_impl
