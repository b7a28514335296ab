// The standard library's algorithms, one after another and with execution policies (libstdc++ carries those out with
// oneTBB).
#include <execution>
#include <numeric>

#include "peers/fold.hpp"
#include "peers/peers.hpp"

namespace upsweep::peers {

namespace {

template <class... Policy>
void reduce(const problem& p, const Policy&... policy) {
  with_fold(p, [&](auto* in, auto* out, std::uint64_t n, auto init, auto op) {
    *out = std::reduce(policy..., in, in + n, init, op);
  });
}

template <class... Policy>
void scan(const problem& p, const Policy&... policy) {
  with_fold(p, [&](auto* in, auto* out, std::uint64_t n, auto init, auto op) {
    if (p.inclusive) {
      std::inclusive_scan(policy..., in, in + n, out, op, init);
    } else {
      std::exclusive_scan(policy..., in, in + n, out, init, op);
    }
  });
}

std::string library() { return "libstdc++ " + std::to_string(_GLIBCXX_RELEASE); }

}  // namespace

void add_std(std::vector<peer>& list) {
  const std::string one = "one thread", all = "all threads, through oneTBB";
  list.push_back({"std", library(), one, backend::cpu, primitive::reduce, takes_fold,
                  [](device&, const problem&) -> prepared { return [](const problem& p) { reduce(p); }; }});
  list.push_back(
      {"std-unseq", library(), one, backend::cpu, primitive::reduce, takes_fold,
       [](device&, const problem&) -> prepared { return [](const problem& p) { reduce(p, std::execution::unseq); }; }});
  list.push_back({"std-par-unseq", library(), all, backend::cpu, primitive::reduce, takes_fold,
                  [](device& d, const problem&) -> prepared {
                    return [&d](const problem& p) { in_arena(d, [&] { reduce(p, std::execution::par_unseq); }); };
                  }});
  list.push_back({"std", library(), one, backend::cpu, primitive::scan, takes_fold,
                  [](device&, const problem&) -> prepared { return [](const problem& p) { scan(p); }; }});
  list.push_back(
      {"std-unseq", library(), one, backend::cpu, primitive::scan, takes_fold,
       [](device&, const problem&) -> prepared { return [](const problem& p) { scan(p, std::execution::unseq); }; }});
  list.push_back({"std-par-unseq", library(), all, backend::cpu, primitive::scan, takes_fold,
                  [](device& d, const problem&) -> prepared {
                    return [&d](const problem& p) { in_arena(d, [&] { scan(p, std::execution::par_unseq); }); };
                  }});
}

}  // namespace upsweep::peers
