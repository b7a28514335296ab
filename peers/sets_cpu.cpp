// Sets on the CPU as they are written without this library: the standard algorithms, one after another and with an
// execution policy. Keys alone: the standard library has no values that follow them.
#include <algorithm>
#include <execution>

#include "peers/fold.hpp"
#include "peers/peers.hpp"
#include "upsweep/sets/sets_problem.hpp"

namespace upsweep::peers {

namespace {

using problem = detail::sets_impl::problem;
using primitive = detail::sets_impl::primitive;

bool takes_numbers(const problem& p) {
  return (p.type == dtype::u32 || p.type == dtype::u64) && p.value_bytes == 0 && !p.descending && p.last_bit == 0;
}

template <class T, class... Policy>
void run_typed(const problem& p, const Policy&... policy) {
  const T *a = p.in.as<const T>(), *b = p.in2.as<const T>();
  T* const out = p.out.as<T>();
  const auto end = [&] {
    switch (p.what) {
      case primitive::set_union: return std::set_union(policy..., a, a + p.n, b, b + p.m, out);
      case primitive::set_intersection: return std::set_intersection(policy..., a, a + p.n, b, b + p.m, out);
      case primitive::set_difference: return std::set_difference(policy..., a, a + p.n, b, b + p.m, out);
      default: return std::set_symmetric_difference(policy..., a, a + p.n, b, b + p.m, out);
    }
  }();
  *p.count.as<std::uint64_t>() = static_cast<std::uint64_t>(end - out);
}

template <class... Policy>
void run(const problem& p, const Policy&... policy) {
  if (p.type == dtype::u32)
    run_typed<std::uint32_t>(p, policy...);
  else
    run_typed<std::uint64_t>(p, policy...);
}

}  // namespace

void add_cpu_sets(std::vector<peer>& list) {
  const std::string library = "libstdc++ " + std::to_string(_GLIBCXX_RELEASE);
  struct named {
    primitive what;
    const char *alone, *together;
  };
  constexpr named all[]{
      {primitive::set_union, "std-set-union", "std-set-union-par"},
      {primitive::set_intersection, "std-set-intersection", "std-set-intersection-par"},
      {primitive::set_difference, "std-set-difference", "std-set-difference-par"},
      {primitive::set_symmetric_difference, "std-set-symmetric-difference", "std-set-symmetric-difference-par"}};
  for (const named& n : all) {
    list.push_back(peer_for<problem>{
        n.alone, library, "one thread", backend::cpu, n.what, takes_numbers,
        [](device&, const problem&) -> prepared_for<problem> { return [](const problem& p) { run(p); }; }});
    list.push_back(peer_for<problem>{n.together, library, "all threads, through oneTBB", backend::cpu, n.what,
                                     takes_numbers, [](device& d, const problem&) -> prepared_for<problem> {
                                       return [&d](const problem& p) {
                                         in_arena(d, [&] { run(p, std::execution::par); });
                                       };
                                     }});
  }
}

}  // namespace upsweep::peers
