// Reversals, rotations, exchanges and shuffles by the standard library, on one thread and on all. A shuffle is the
// gather of the same permutation: std::shuffle draws another one.
#include <algorithm>
#include <execution>
#include <vector>

#include "peers/fold.hpp"
#include "peers/peers.hpp"
#include "upsweep/rearrange/rearrange_problem.hpp"

namespace upsweep::peers {

namespace {

using detail::rearrange_impl::primitive;
using detail::rearrange_impl::problem;
using call = prepared_for<problem>;

bool takes(const problem& p) { return p.words == 1; }

template <class T, class... Policy>
void run_typed(const problem& p, const Policy&... policy) {
  const T* in = p.in.as<const T>();
  T* out = p.out.as<T>();
  switch (p.what) {
    case primitive::reverse: std::reverse_copy(policy..., in, in + p.n, out); return;
    case primitive::rotate: std::rotate_copy(policy..., in, in + p.shift, in + p.n, out); return;
    case primitive::swap_ranges:
      std::copy(policy..., in, in + p.n, p.out2.as<T>());
      std::copy(policy..., p.in2.as<const T>(), p.in2.as<const T>() + p.n, out);
      return;
    case primitive::shuffle:
    case primitive::random_permutation: break;
  }
  const detail::rearrange_impl::seeded_permutation place(p.n, p.seed);
  const bool told = p.what == primitive::random_permutation;
  std::for_each(policy..., out, out + p.n, [=, &place](T& x) {
    const std::uint64_t from = place(static_cast<std::uint64_t>(&x - out));
    x = told ? static_cast<T>(from) : in[from];
  });
}

template <class... Policy>
void run(const problem& p, const Policy&... policy) {
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    if constexpr (std::is_unsigned_v<T>) run_typed<T>(p, policy...);
  });
}

}  // namespace

void add_cpu_rearrangements(std::vector<peer>& list) {
  const std::string library = "libstdc++ " + std::to_string(_GLIBCXX_RELEASE);
  for (const primitive what : {primitive::reverse, primitive::rotate, primitive::swap_ranges, primitive::shuffle,
                               primitive::random_permutation}) {
    list.push_back(peer_for<problem>{"std", library, "one thread", backend::cpu, what, takes,
                                     [](device&, const problem&) -> call { return [](const problem& p) { run(p); }; }});
    list.push_back(peer_for<problem>{"std-par-unseq", library, "all threads, through oneTBB", backend::cpu, what, takes,
                                     [](device& d, const problem&) -> call {
                                       return [&d](const problem& p) {
                                         in_arena(d, [&] { run(p, std::execution::par_unseq); });
                                       };
                                     }});
  }
}

}  // namespace upsweep::peers
