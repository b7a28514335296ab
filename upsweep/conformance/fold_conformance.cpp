// Conformance tests of reduce, scan and the vector sum: random_input generates their elements; reference_fold.hpp
// compares their results.
#include <cmath>

#include "upsweep/conformance/conformance.hpp"
#include "upsweep/conformance/reference_fold.hpp"
#include "upsweep/reduce/reduce_problem.hpp"
#include "upsweep/scan/scan_problem.hpp"
#include "upsweep/vector_add/vector_add_problem.hpp"

namespace upsweep {

namespace {

// A sample contains every type and every operator, not all pairs of them, and every transform on some type.
bool in_sample(dtype type, op_kind op, transform_kind f) {
  const int t = static_cast<int>(type), o = static_cast<int>(op), types = static_cast<int>(folding_dtypes.size());
  if (op == op_kind::compose_affine) return f == transform_kind::identity;
  if (f != transform_kind::identity)
    return t == (o + static_cast<int>(f)) % types && (o + static_cast<int>(f)) % 3 == 0;
  return op == op_kind::plus || t == o % types || t == (o + 1) % types;
}

template <class P>
inline constexpr bool is_scan = std::is_same_v<P, detail::scan_impl::problem>;
template <class P>
inline constexpr bool is_vector_add = std::is_same_v<P, detail::vector_add_impl::problem>;
template <class P>
inline constexpr bool is_reduce = std::is_same_v<P, detail::reduce_impl::problem>;

template <class P>
std::vector<P> forms(bool sample) {
  std::vector<P> all;
  for (dtype type : folding_dtypes)
    for (op_kind op : all_ops)
      for (transform_kind f : all_transforms)
        for (bool inclusive : {false, true}) {
          if (!accepts(op, type) || (inclusive && !is_scan<P>) || (sample && !in_sample(type, op, f))) continue;
          if (is_vector_add<P> && (op != op_kind::plus || f != transform_kind::identity)) continue;
          P p;
          p.type = type, p.op = op, p.transform = f;
          if constexpr (is_scan<P>) p.inclusive = inclusive;
          all.push_back(p);
        }
  return all;
}

template <class P>
void complete(P& p, std::uint64_t seed, std::uint64_t turn) {
  const bool logical = p.op == op_kind::logical_and || p.op == op_kind::logical_or;
  p.init = identity_scalar(p.op, p.type);
  // A value that decides the result leaves little else to check.
  if (turn % 2 == 0 && !is_vector_add<P> && !(logical && p.n > 33))
    p.init = random_input(p.type, p.op, p.n, seed).start_value();
}

template <class P>
std::vector<array_of<P>> arrays(const P& p, std::uint64_t seed, input_kind) {
  const std::uint64_t size = size_of(p.type), outputs = is_reduce<P> ? 1 : p.n;
  const auto random = [&](std::uint64_t s) {
    return [input = random_input(p.type, p.op, p.n, s)](void* to, std::uint64_t first, std::uint64_t count) {
      input.fill(to, first, count);
    };
  };
  std::vector<array_of<P>> all{{&P::in, p.n, size, random(seed)}};
  if constexpr (is_vector_add<P>) all.push_back({&P::in2, p.n, size, random(seed + 1)});
  all.push_back({&P::out, outputs, size, {}, true});
  return all;
}

template <class P>
std::string wrong(const P& p, double span) {
  return what_is_wrong(p, p.out.address(), span);
}

template <class P>
std::string words(const P& p) {
  std::string s(name_of(p.type));
  (s += ' ') += name_of(p.op);
  if (p.transform != transform_kind::identity) (s += ", ") += name_of(p.transform);
  if constexpr (is_scan<P>) s += p.inclusive ? ", inclusive scan" : ", exclusive scan";
  if (std::memcmp(p.init.bytes, identity_scalar(p.op, p.type).bytes, size_of(p.type)) != 0)
    s += " from an initial value";
  return s;
}

template <class P>
std::vector<P> timed(dtype type, op_kind op, bool inclusive) {
  if (!accepts(op, type) || (inclusive && !is_scan<P>)) return {};
  P p;
  p.type = type, p.op = op, p.init = identity_scalar(op, type);
  if constexpr (is_scan<P>) p.inclusive = inclusive;
  return {p};
}

template <class P>
traffic moves(const P& p, input_kind) {
  const double bytes = static_cast<double>(p.n * size_of(p.type));
  if (is_reduce<P>) return {bytes, 0};
  return {is_vector_add<P> ? 2 * bytes : bytes, bytes};
}

template <class P>
std::vector<P> huge() {
  P p;
  if constexpr (is_scan<P>) p.inclusive = true;
  if constexpr (!is_reduce<P>) return {p};
  P floats = p;
  floats.type = dtype::f32;  // which the sum that is the same on every device takes
  return {p, floats};
}

template <class P>
conformance_test fold_conformance_test() {
  conformance_test_for<P> e;
  e.forms = forms<P>;
  e.complete = complete<P>;
  e.arrays = arrays<P>;
  e.wrong = wrong<P>;
  e.words = words<P>;
  e.timed = timed<P>;
  e.moves = moves<P>;
  if constexpr (!is_reduce<P>) e.in_place = {{&P::out, &P::in}};
  e.huge = huge<P>;
  return e;
}

}  // namespace

namespace detail::vector_add_impl {
std::vector<conformance_test> conformance_tests() { return {fold_conformance_test<problem>()}; }
}  // namespace detail::vector_add_impl
namespace detail::reduce_impl {
std::vector<conformance_test> conformance_tests() { return {fold_conformance_test<problem>()}; }
}  // namespace detail::reduce_impl
namespace detail::scan_impl {
std::vector<conformance_test> conformance_tests() { return {fold_conformance_test<problem>()}; }
}  // namespace detail::scan_impl

}  // namespace upsweep
