// Recurrences, whose carry lies in the context's memory.
#include "c/call.hpp"
#include "upsweep/recurrence/recurrence_problem.hpp"

using namespace upsweep;
using c::call;
using c::guarded;
using core::require_no_overlap;
using detail::recurrence_impl::primitive;

namespace {

// `out` may be either input.
void run(const call& k, detail::recurrence_impl::problem& p, const void* in, const void* in2, void* out, void* carry) {
  const auto a = k.in("the input", p.type, in, p.n), b = k.in("the second input", p.type, in2, in2 ? p.n : 0);
  const auto to = k.out("the output", p.type, out, p.n);
  const auto state = k.out("the carry", carry, 1, detail::recurrence_impl::state_bytes(p));
  require_no_overlap(k.name, k.where, {{"the input", a}, {"the output", to}, {"the carry", state}}, 1);
  require_no_overlap(k.name, k.where, {{"the second input", b}, {"the output", to}, {"the carry", state}}, 1);
  p.in = a.where(), p.in2 = b.where(), p.out = to.where(), p.in3 = p.out2 = state.where();
  detail::recurrence_impl::run(k.where, p);
}

}  // namespace

upsweep_status upsweep_recurrence(const upsweep_context* context, upsweep_type type, const void* a, const void* b,
                                  uint64_t n, void* x, void* carry) {
  return guarded([&] {
    const call k("recurrence", context);
    detail::recurrence_impl::problem p;
    p.type = k.type(type), p.n = n;
    if (n) c::require_given(k.name, "the summands' pointer", b);
    run(k, p, a, b, x, carry);
  });
}

upsweep_status upsweep_moving_average(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                      double alpha, void* x, void* carry) {
  return guarded([&] {
    const call k("moving_average", context);
    if (!(alpha >= 0 && alpha <= 1))
      throw error(fault::bad_argument, k.name, "alpha is " + std::to_string(alpha), "give a number from 0 to 1");
    detail::recurrence_impl::problem p;
    p.what = primitive::moving_average, p.type = k.type(type), p.n = n, p.keep = 1 - alpha, p.weight = alpha;
    run(k, p, in, nullptr, x, carry);
  });
}

upsweep_status upsweep_iir_filter(const upsweep_context* context, upsweep_type type, const double host_b[3],
                                  const double host_a[2], const void* in, uint64_t n, void* y, void* carry) {
  return guarded([&] {
    const call k("iir_filter", context);
    c::require_given(k.name, "the coefficients b", host_b);
    c::require_given(k.name, "the coefficients a", host_a);
    detail::recurrence_impl::problem p;
    p.what = primitive::biquad, p.type = k.type(type), p.n = n;
    p.section = {host_b[0], host_b[1], host_b[2], host_a[0], host_a[1]};
    run(k, p, in, nullptr, y, carry);
  });
}
