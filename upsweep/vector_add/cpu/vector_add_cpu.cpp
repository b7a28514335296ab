// Threads take parts of the output; within one the compiler's vectors add.
#include <array>

#include "upsweep/cpu/work_partition.hpp"
#include "upsweep/vector_add/vector_add_entry.hpp"

namespace upsweep::detail::vector_add_impl {

namespace {

void run_in_parts(device& d, const problem& p) {
  with_type(p.type, [&]<class T>(type_tag<T>) {
    const T *a = p.in.as<const T>(), *b = p.in2.as<const T>();
    cpu::store(d, p.out.as<T>(), p.n, [a, b](std::uint64_t i) { return plus{}(a[i], b[i]); });
  });
}

}  // namespace

std::span<const variant> cpu() {
  static const std::array list{
      entry(backend::cpu, "vector-add/parts", "Threads take parts of the output; within one, vectors.", run_in_parts)};
  return list;
}

}  // namespace upsweep::detail::vector_add_impl
