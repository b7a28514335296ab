// Searches on the CPU as they are written without this library: the standard algorithms, one after another and with
// execution policies.
#include <algorithm>
#include <execution>

#include "peers/fold.hpp"
#include "peers/peers.hpp"
#include "upsweep/search/search_problem.hpp"

namespace upsweep::peers {

namespace {

using detail::search_impl::primitive;
using detail::search_impl::problem;
using detail::search_impl::seek;

bool takes_search(const problem& p) {
  switch (p.type) {
    case dtype::u8:
    case dtype::u32:
    case dtype::u64:
    case dtype::f32:
    case dtype::f64: break;
    default: return false;
  }
  switch (p.what) {
    case primitive::count_if: return p.test == comparison::less_equal;
    case primitive::find_if: return p.how == seek::passing && p.test == comparison::greater && !p.negated;
    case primitive::mismatch: return p.how == seek::unequal;
    // Not of floats: the standard's have no NaNs.
    case primitive::argmin: return p.which == detail::search_impl::extreme::min && !is_floating(p.type);
    case primitive::bounds: return p.side == detail::search_impl::bound::lower && !p.narrow && !is_floating(p.type);
  }
  return false;
}

template <class F>
void with_some_type(dtype type, F f) {
  switch (type) {
    case dtype::u8: return f(std::uint8_t{});
    case dtype::u32: return f(std::uint32_t{});
    case dtype::u64: return f(std::uint64_t{});
    case dtype::f32: return f(0.0f);
    default: return f(0.0);
  }
}

template <class... Policy>
void search_std(const problem& p, const Policy&... policy) {
  with_some_type(p.type, [&](auto zero) {
    using T = decltype(zero);
    const T *first = p.in.as<const T>(), *last = first + p.n, *other = p.in2.as<const T>(), x = p.threshold.as<T>();
    auto* const out = p.out.as<std::uint64_t>();
    const auto place = [&](const T* at) { *out = static_cast<std::uint64_t>(at - first); };
    switch (p.what) {
      case primitive::count_if:
        *out = static_cast<std::uint64_t>(std::count_if(policy..., first, last, [x](T e) { return e <= x; }));
        return;
      case primitive::find_if: return place(std::find_if(policy..., first, last, [x](T e) { return e > x; }));
      case primitive::mismatch: return place(std::mismatch(policy..., first, last, other).first);
      case primitive::argmin: return place(std::min_element(policy..., first, last));
      case primitive::bounds: break;
    }
    std::transform(policy..., other, other + p.n, out, [first, m = p.m](const T& q) {
      return static_cast<std::uint64_t>(std::lower_bound(first, first + m, q) - first);
    });
  });
}

}  // namespace

void add_cpu_searches(std::vector<peer>& list) {
  for (const primitive what :
       {primitive::count_if, primitive::find_if, primitive::mismatch, primitive::argmin, primitive::bounds}) {
    list.push_back(peer_for<problem>{
        "std", "libstdc++ " + std::to_string(_GLIBCXX_RELEASE), "one thread", backend::cpu, what, takes_search,
        [](device&, const problem&) -> prepared_for<problem> { return [](const problem& p) { search_std(p); }; }});
    list.push_back(peer_for<problem>{
        "std-par-unseq", "libstdc++ " + std::to_string(_GLIBCXX_RELEASE), "all threads, through oneTBB", backend::cpu,
        what, takes_search, [](device& d, const problem&) -> prepared_for<problem> {
          return [&d](const problem& p) { in_arena(d, [&] { search_std(p, std::execution::par_unseq); }); };
        }});
  }
}

}  // namespace upsweep::peers
