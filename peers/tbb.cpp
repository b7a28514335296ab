// oneTBB's own parallel_reduce and parallel_scan, with plain loops as their bodies.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/version.h>

#include "peers/fold.hpp"
#include "peers/peers.hpp"
#include "upsweep/reduce/reduce_problem.hpp"
#include "upsweep/scan/scan_problem.hpp"

namespace upsweep::peers {

namespace {

using range = oneapi::tbb::blocked_range<std::uint64_t>;

void fold(const detail::reduce_impl::problem& p) {
  with_fold(p, [&](auto* in, auto* out, std::uint64_t n, auto init, auto op) {
    using T = decltype(init);
    const T total = oneapi::tbb::parallel_reduce(
        range(0, n), identity_of<T>(op),
        [=](const range& r, T sum) {
          for (std::uint64_t i = r.begin(); i != r.end(); ++i) sum = op(sum, in[i]);
          return sum;
        },
        op);
    *out = op(init, total);
  });
}

void fold(const detail::scan_impl::problem& p) {
  with_fold(p, [&](auto* in, auto* out, std::uint64_t n, auto init, auto op) {
    using T = decltype(init);
    const auto walk = [&](auto inclusive) {
      oneapi::tbb::parallel_scan(
          range(0, n), identity_of<T>(op),
          [=](const range& r, T sum, bool final) {
            if (!final) {
              for (std::uint64_t i = r.begin(); i != r.end(); ++i) sum = op(sum, in[i]);
              return sum;
            }
            T running = op(init, sum);
            for (std::uint64_t i = r.begin(); i != r.end(); ++i) {
              const T x = in[i];
              if constexpr (!decltype(inclusive)::value) out[i] = running;
              running = op(running, x);
              sum = op(sum, x);
              if constexpr (decltype(inclusive)::value) out[i] = running;
            }
            return sum;
          },
          op);
    };
    if (p.inclusive) {
      walk(std::true_type{});
    } else {
      walk(std::false_type{});
    }
  });
}

template <class P>
peer_for<P> tbb(const char* note) {
  const std::string version = "oneTBB " + std::to_string(TBB_VERSION_MAJOR) + "." + std::to_string(TBB_VERSION_MINOR);
  return {"tbb", version, note, backend::cpu, P{}.what, takes_fold, [](device& d, const P&) -> prepared_for<P> {
            return [&d](const P& p) { in_arena(d, [&] { fold(p); }); };
          }};
}

}  // namespace

void add_tbb(std::vector<peer>& list) {
  list.push_back(tbb<detail::reduce_impl::problem>("parallel_reduce"));
  list.push_back(tbb<detail::scan_impl::problem>("parallel_scan"));
}

}  // namespace upsweep::peers
