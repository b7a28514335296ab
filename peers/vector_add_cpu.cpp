// The sum of two vectors by the standard library, on one thread and on all.
#include <algorithm>
#include <execution>

#include "peers/fold.hpp"
#include "peers/peers.hpp"
#include "upsweep/vector_add/vector_add_problem.hpp"

namespace upsweep::peers {

namespace {

using sum = detail::vector_add_impl::problem;

bool takes_plus(const sum& p) { return p.op == op_kind::plus; }

template <class... Policy>
void add_all(const sum& p, const Policy&... policy) {
  with_type(p.type, [&]<class T>(type_tag<T>) {
    const T *a = p.in.as<const T>(), *b = p.in2.as<const T>();
    std::transform(policy..., a, a + p.n, b, p.out.as<T>(), plus{});
  });
}

}  // namespace

void add_cpu_vector_sums(std::vector<peer>& list) {
  const std::string library = "libstdc++ " + std::to_string(_GLIBCXX_RELEASE);
  list.push_back(
      peer_for<sum>{"std", library, "one thread", backend::cpu, sum{}.what, takes_plus,
                    [](device&, const sum&) -> prepared_for<sum> { return [](const sum& p) { add_all(p); }; }});
  list.push_back(peer_for<sum>{"std-par-unseq", library, "all threads, through oneTBB", backend::cpu, sum{}.what,
                               takes_plus, [](device& d, const sum&) -> prepared_for<sum> {
                                 return [&d](const sum& p) {
                                   in_arena(d, [&] { add_all(p, std::execution::par_unseq); });
                                 };
                               }});
}

}  // namespace upsweep::peers
