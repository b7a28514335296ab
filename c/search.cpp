// Searches: counts, first places, extremes, and places in sorted elements.
#include "c/call.hpp"
#include "upsweep/search/search_problem.hpp"

using namespace upsweep;
using c::call;
using c::guarded;
using core::require_no_overlap;
using detail::search_impl::primitive;
using detail::search_impl::seek;

namespace {

detail::search_impl::problem asked(const call& k, primitive what, int type, const void* in, std::uint64_t n) {
  detail::search_impl::problem p;
  p.what = what, p.type = k.type(type), p.n = n, p.in = k.in("the input", p.type, in, n).where();
  return p;
}

// The second operand has m elements; the answer is one number.
void answer(const call& k, detail::search_impl::problem p, const void* in2, std::uint64_t m, std::uint64_t* out) {
  const auto first = k.in("the input", p.type, p.in.base, p.n), second = k.in("the second input", p.type, in2, m);
  const auto to = k.out("the answer", out, 1, 8);
  require_no_overlap(k.name, k.where, {{"the input", first}, {"the second input", second}, {"the answer", to}});
  p.in2 = second.where(), p.m = m, p.out = to.where();
  detail::search_impl::run(k.where, p);
}

upsweep_status tested(const char* name, primitive what, const upsweep_context* context, int type, const void* in,
                      std::uint64_t n, int test, const void* host_threshold, std::uint64_t* out) {
  return guarded([&] {
    const call k(name, context);
    auto p = asked(k, what, type, in, n);
    p.test = k.test(test), p.threshold = k.element("the threshold", host_threshold, size_of(p.type));
    answer(k, p, nullptr, 0, out);
  });
}

upsweep_status found(const char* name, seek how, const upsweep_context* context, int type, const void* in,
                     std::uint64_t n, const void* in2, std::uint64_t m, std::uint64_t* out) {
  return guarded([&] {
    const call k(name, context);
    auto p = asked(k, how == seek::unequal ? primitive::mismatch : primitive::find_if, type, in, n);
    p.how = how;
    answer(k, p, in2, m, out);
  });
}

upsweep_status extreme(const char* name, detail::search_impl::extreme which, const upsweep_context* context, int type,
                       const void* in, std::uint64_t n, std::uint64_t* out) {
  return guarded([&] {
    const call k(name, context);
    auto p = asked(k, primitive::argmin, type, in, n);
    p.which = which;
    answer(k, p, nullptr, 0, out);
  });
}

upsweep_status bounds(const char* name, detail::search_impl::bound side, const upsweep_context* context, int type,
                      const void* sorted, std::uint64_t m, const void* values, std::uint64_t n, void* answers) {
  return guarded([&] {
    const call k(name, context);
    detail::search_impl::problem p;
    p.what = primitive::bounds, p.type = k.type(type), p.side = side, p.n = n, p.m = m;
    const auto in = k.in("the sorted elements", p.type, sorted, m), in2 = k.in("the values", p.type, values, n);
    const auto to = k.out("the answers", answers, n, detail::search_impl::answer_bytes(p));
    require_no_overlap(k.name, k.where, {{"the sorted elements", in}, {"the values", in2}, {"the answers", to}});
    p.in = in.where(), p.in2 = in2.where(), p.out = to.where();
    detail::search_impl::run(k.where, p);
  });
}

}  // namespace

upsweep_status upsweep_count_if(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                upsweep_comparison test, const void* host_threshold, uint64_t* answer) {
  return tested("count_if", primitive::count_if, context, type, in, n, test, host_threshold, answer);
}
upsweep_status upsweep_find_if(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                               upsweep_comparison test, const void* host_threshold, uint64_t* answer) {
  return tested("find_if", primitive::find_if, context, type, in, n, test, host_threshold, answer);
}
upsweep_status upsweep_find_first_of(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                     const void* set, uint64_t m, uint64_t* answer) {
  return found("find_first_of", seek::one_of, context, type, in, n, set, m, answer);
}
upsweep_status upsweep_search(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                              const void* pattern, uint64_t m, uint64_t* answer) {
  return found("search", seek::beginning, context, type, in, n, pattern, m, answer);
}
upsweep_status upsweep_adjacent_find(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                                     uint64_t* answer) {
  return found("adjacent_find", seek::adjacent, context, type, in, n, nullptr, 0, answer);
}
upsweep_status upsweep_mismatch(const upsweep_context* context, upsweep_type type, const void* a, const void* b,
                                uint64_t n, uint64_t* answer) {
  return found("mismatch", seek::unequal, context, type, a, n, b, n, answer);
}
upsweep_status upsweep_argmin(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                              uint64_t* answer) {
  return extreme("argmin", detail::search_impl::extreme::min, context, type, in, n, answer);
}
upsweep_status upsweep_argmax(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                              uint64_t* answer) {
  return extreme("argmax", detail::search_impl::extreme::max, context, type, in, n, answer);
}
upsweep_status upsweep_lower_bound(const upsweep_context* context, upsweep_type type, const void* sorted, uint64_t m,
                                   const void* values, uint64_t n, uint64_t* answers) {
  return bounds("lower_bound", detail::search_impl::bound::lower, context, type, sorted, m, values, n, answers);
}
upsweep_status upsweep_upper_bound(const upsweep_context* context, upsweep_type type, const void* sorted, uint64_t m,
                                   const void* values, uint64_t n, uint64_t* answers) {
  return bounds("upper_bound", detail::search_impl::bound::upper, context, type, sorted, m, values, n, answers);
}
upsweep_status upsweep_binary_search(const upsweep_context* context, upsweep_type type, const void* sorted, uint64_t m,
                                     const void* values, uint64_t n, uint8_t* answers) {
  return bounds("binary_search", detail::search_impl::bound::found, context, type, sorted, m, values, n, answers);
}
