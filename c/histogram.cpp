// Histograms of even bins, of custom bins, and of weights.
#include "c/call.hpp"
#include "upsweep/histogram/operands.hpp"

using namespace upsweep;
using c::call;
using c::guarded;
using core::require_apart;

namespace {

histogram_room::problem counting(const call& k, int type, std::uint64_t n, std::uint64_t bins, std::uint32_t channels) {
  histogram_room::problem p;
  p.type = k.type(type), p.n = n, p.channels = channels;
  histogram_room::require_bins(k.name, bins);
  p.m = histogram_room::bins_of(k.name, bins * channels, channels);
  return p;
}

void set_bounds(const call& k, histogram_room::problem& p, const void* host_lower, const void* host_upper) {
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    using bound = histogram_room::bound_of<T>;
    const auto lower = k.element("the lower bound", host_lower, sizeof(bound));
    const auto upper = k.element("the upper bound", host_upper, sizeof(bound));
    histogram_room::set_bounds<T>(k.name, p, lower.as<bound>(), upper.as<bound>());
  });
}

void count(const call& k, histogram_room::problem& p, const void* samples, const float* weights, const void* edges,
           void* out) {
  const auto in = k.in("the samples", p.type, samples, p.n);
  const auto heavy = k.in("the weights", weights, p.weighted ? p.n : 0, sizeof(float));
  const auto bounds = k.in("the edges", p.type, edges, p.edges ? p.m + 1 : 0);
  const auto to = k.out("the output", out, p.m * p.channels, 8);
  require_apart(k.name, k.where,
                {{"the samples", in}, {"the edges", bounds}, {"the weights", heavy}, {"the output", to}});
  p.in = in.where(), p.in2 = heavy.where(), p.in3 = bounds.where(), p.out = to.where();
  histogram_room::run(k.where, p);
}

}  // namespace

upsweep_status upsweep_histogram(const upsweep_context* context, upsweep_type type, const void* samples, uint64_t n,
                                 const void* host_lower, const void* host_upper, uint64_t bins, uint32_t channels,
                                 uint64_t* counts) {
  return guarded([&] {
    const call k("histogram", context);
    auto p = counting(k, type, n, bins, channels);
    set_bounds(k, p, host_lower, host_upper);
    count(k, p, samples, nullptr, nullptr, counts);
  });
}

upsweep_status upsweep_histogram_of_edges(const upsweep_context* context, upsweep_type type, const void* samples,
                                          uint64_t n, const void* edges, uint64_t bins, uint32_t channels,
                                          uint64_t* counts) {
  return guarded([&] {
    const call k("histogram", context);
    auto p = counting(k, type, n, bins, channels);
    with_any_type(p.type, [&]<class T>(type_tag<T>) {
      histogram_room::set_edges<T>(k.name, k.where, p, k.numbers("the edges", static_cast<const T*>(edges), p.m + 1));
    });
    count(k, p, samples, nullptr, edges, counts);
  });
}

upsweep_status upsweep_weighted_histogram(const upsweep_context* context, upsweep_type type, const void* samples,
                                          const float* weights, uint64_t n, const void* host_lower,
                                          const void* host_upper, uint64_t bins, uint32_t channels, double* sums) {
  return guarded([&] {
    const call k("weighted_histogram", context);
    auto p = counting(k, type, n, bins, channels);
    p.weighted = true;
    set_bounds(k, p, host_lower, host_upper);
    count(k, p, samples, weights, nullptr, sums);
  });
}
