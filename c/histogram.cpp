// Histograms of even bins, of custom bins, and of weights.
#include "c/call.hpp"
#include "upsweep/histogram/histogram_operands.hpp"

using namespace upsweep;
using c::call;
using c::guarded;
using core::require_no_overlap;

namespace {

detail::histogram_impl::problem make_problem(const call& k, int type, std::uint64_t n, std::uint64_t bins,
                                             std::uint32_t channels) {
  detail::histogram_impl::problem p;
  p.type = k.type(type), p.n = n, p.channels = channels;
  detail::histogram_impl::require_bins(k.name, bins);
  p.m = detail::histogram_impl::bins_of(k.name, bins * channels, channels);
  return p;
}

void set_bounds(const call& k, detail::histogram_impl::problem& p, const void* host_lower, const void* host_upper) {
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    using bound = detail::histogram_impl::bound_of<T>;
    const auto lower = k.element("the lower bound", host_lower, sizeof(bound));
    const auto upper = k.element("the upper bound", host_upper, sizeof(bound));
    detail::histogram_impl::set_bounds<T>(k.name, p, lower.as<bound>(), upper.as<bound>());
  });
}

void count(const call& k, detail::histogram_impl::problem& p, const void* samples, const void* weights,
           const void* edges, void* out) {
  const auto in = k.in("the samples", p.type, samples, p.n);
  const auto heavy = k.in("the weights", weights, p.weighted ? p.n : 0, size_of(p.weight_type));
  const auto bounds = k.in("the edges", p.type, edges, p.edges ? p.m + 1 : 0);
  const auto to = k.out("the output", out, p.m * p.channels, 8);
  require_no_overlap(k.name, k.where,
                     {{"the samples", in}, {"the edges", bounds}, {"the weights", heavy}, {"the output", to}});
  p.in = in.where(), p.in2 = heavy.where(), p.in3 = bounds.where(), p.out = to.where();
  detail::histogram_impl::run(k.where, p);
}

upsweep_status count_between(const upsweep_context* context, upsweep_type type, const void* samples, std::uint64_t n,
                             const void* edges, std::uint64_t bins, std::uint32_t channels, bool closed,
                             std::uint64_t* counts) {
  return guarded([&] {
    const call k("histogram", context);
    auto p = make_problem(k, type, n, bins, channels);
    p.closed = closed;
    with_any_type(p.type, [&]<class T>(type_tag<T>) {
      detail::histogram_impl::set_edges<T>(k.name, k.where, p,
                                           k.numbers("the edges", static_cast<const T*>(edges), p.m + 1));
    });
    count(k, p, samples, nullptr, edges, counts);
  });
}

upsweep_status add_weights(const upsweep_context* context, upsweep_type type, const void* samples, dtype weight_type,
                           const void* weights, std::uint64_t n, const void* host_lower, const void* host_upper,
                           std::uint64_t bins, std::uint32_t channels, double* sums) {
  return guarded([&] {
    const call k("weighted_histogram", context);
    auto p = make_problem(k, type, n, bins, channels);
    p.weighted = true, p.weight_type = weight_type;
    set_bounds(k, p, host_lower, host_upper);
    count(k, p, samples, weights, nullptr, sums);
  });
}

}  // namespace

upsweep_status upsweep_histogram(const upsweep_context* context, upsweep_type type, const void* samples, uint64_t n,
                                 const void* host_lower, const void* host_upper, uint64_t bins, uint32_t channels,
                                 uint64_t* counts) {
  return guarded([&] {
    const call k("histogram", context);
    auto p = make_problem(k, type, n, bins, channels);
    set_bounds(k, p, host_lower, host_upper);
    count(k, p, samples, nullptr, nullptr, counts);
  });
}

upsweep_status upsweep_histogram_of_edges(const upsweep_context* context, upsweep_type type, const void* samples,
                                          uint64_t n, const void* edges, uint64_t bins, uint32_t channels,
                                          uint64_t* counts) {
  return count_between(context, type, samples, n, edges, bins, channels, false, counts);
}

upsweep_status upsweep_histogram_of_closed_edges(const upsweep_context* context, upsweep_type type, const void* samples,
                                                 uint64_t n, const void* edges, uint64_t bins, uint32_t channels,
                                                 uint64_t* counts) {
  return count_between(context, type, samples, n, edges, bins, channels, true, counts);
}

upsweep_status upsweep_weighted_histogram(const upsweep_context* context, upsweep_type type, const void* samples,
                                          const float* weights, uint64_t n, const void* host_lower,
                                          const void* host_upper, uint64_t bins, uint32_t channels, double* sums) {
  return add_weights(context, type, samples, dtype::f32, weights, n, host_lower, host_upper, bins, channels, sums);
}

upsweep_status upsweep_weighted_histogram_f64(const upsweep_context* context, upsweep_type type, const void* samples,
                                              const double* weights, uint64_t n, const void* host_lower,
                                              const void* host_upper, uint64_t bins, uint32_t channels, double* sums) {
  return add_weights(context, type, samples, dtype::f64, weights, n, host_lower, host_upper, bins, channels, sums);
}
