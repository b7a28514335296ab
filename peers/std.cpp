// The standard library's algorithms, one after another and with execution policies (libstdc++ carries those out with
// oneTBB).
#include <execution>
#include <numeric>

#include "peers/fold.hpp"
#include "peers/peers.hpp"
#include "upsweep/reduce/reduce_problem.hpp"
#include "upsweep/scan/scan_problem.hpp"

namespace upsweep::peers {

namespace {

template <class... Policy>
void fold(const detail::reduce_impl::problem& p, const Policy&... policy) {
  with_fold(p, [&](auto* in, auto* out, std::uint64_t n, auto init, auto op) {
    *out = std::reduce(policy..., in, in + n, init, op);
  });
}

template <class... Policy>
void fold(const detail::scan_impl::problem& p, const Policy&... policy) {
  with_fold(p, [&](auto* in, auto* out, std::uint64_t n, auto init, auto op) {
    if (p.inclusive) {
      std::inclusive_scan(policy..., in, in + n, out, op, init);
    } else {
      std::exclusive_scan(policy..., in, in + n, out, init, op);
    }
  });
}

std::string library() { return "libstdc++ " + std::to_string(_GLIBCXX_RELEASE); }

template <class P>
void add(std::vector<peer>& list) {
  using prepared = prepared_for<P>;
  const std::string one = "one thread", all = "all threads, through oneTBB";
  list.push_back(peer_for<P>{"std", library(), one, backend::cpu, P{}.what, takes_fold,
                             [](device&, const P&) -> prepared { return [](const P& p) { fold(p); }; }});
  list.push_back(
      peer_for<P>{"std-unseq", library(), one, backend::cpu, P{}.what, takes_fold,
                  [](device&, const P&) -> prepared { return [](const P& p) { fold(p, std::execution::unseq); }; }});
  list.push_back(peer_for<P>{"std-par-unseq", library(), all, backend::cpu, P{}.what, takes_fold,
                             [](device& d, const P&) -> prepared {
                               return [&d](const P& p) { in_arena(d, [&] { fold(p, std::execution::par_unseq); }); };
                             }});
}

}  // namespace

void add_std(std::vector<peer>& list) {
  add<detail::reduce_impl::problem>(list);
  add<detail::scan_impl::problem>(list);
}

}  // namespace upsweep::peers
