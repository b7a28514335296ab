// The conformance tests of folds along an axis: the reference folds each line one element at a time.
#include "upsweep/axis/axis_problem.hpp"
#include "upsweep/axis/conformance/axis_shapes.hpp"
#include "upsweep/conformance/conformance.hpp"
#include "upsweep/conformance/fold_combinations.hpp"
#include "upsweep/conformance/reference_fold.hpp"
#include "upsweep/conformance/sequential_folds.hpp"

namespace upsweep::detail::axis_impl {

namespace {

using conformance_test = conformance_test_for<problem>;
using array = array_of<problem>;

constexpr bool scans(primitive what) { return what == primitive::axis_scan; }

template <primitive What>
std::vector<problem> forms(bool sample) {
  std::vector<problem> all;
  for (const dtype type : folding_dtypes)
    for (const op_kind op : all_ops)
      for (const transform_kind f : all_transforms) {
        if (!accepts(op, type) || !tells_of_transform(type, op, f) || (sample && !in_fold_sample(type, op, f)))
          continue;
        for (const bool inclusive : {false, true}) {
          if (inclusive && !scans(What)) continue;
          problem p;
          p.what = What, p.type = type, p.op = op, p.transform = f, p.inclusive = inclusive;
          all.push_back(p);
        }
      }
  return all;
}

void complete(problem& p, std::uint64_t seed, std::uint64_t turn) {
  p.along = lines_in_turn(p.along, p.n, turn);
  p.n = p.along.elements();
  p.init = identity_scalar(p.op, p.type);
  // A value that decides the result leaves little else to check.
  const bool logical = p.op == op_kind::logical_and || p.op == op_kind::logical_or;
  if (turn % 2 == 0 && !(logical && p.n > 33)) p.init = random_input(p.type, p.op, p.n, seed).start_value();
}

// Elements that are random one after the other along their lines, so that no fold leaves its range.
template <primitive What>
std::vector<array> arrays(const problem& p, std::uint64_t seed, input_kind) {
  const std::uint64_t size = size_of(p.type);
  const auto fill = [l = p.along, size, input = random_input(p.type, p.op, p.n, seed)](void* to, std::uint64_t first,
                                                                                       std::uint64_t count) {
    if (l.inner == 1) return input.fill(to, first, count);
    for (std::uint64_t i = first; i < first + count; ++i) {
      const std::uint64_t column = i % l.inner, j = i / l.inner % l.length, o = i / l.inner / l.length;
      input.fill(static_cast<char*>(to) + (i - first) * size, (o * l.inner + column) * l.length + j, 1);
    }
  };
  return {{&problem::in, p.n, size, fill}, {&problem::out, scans(What) ? p.n : p.along.count(), size, {}, true}};
}

template <class T, class Fold>
std::string wrong_lines(const problem& p, double span) {
  const lines& l = p.along;
  const T *in = p.in.as<const T>(), *out = p.out.as<const T>();
  const any_transform f{p.transform};
  const auto complain = [&](std::uint64_t line, const std::string& which, T got, const Fold& fold) {
    std::string text = which + "line " + std::to_string(line) + " of " + text_of(l) + ": " + number(got) + " is not " +
                       number(fold.result());
    if (fold.tolerance() > 0)
      text += " (off by " + number(fold.off(got)) + ", tolerance " + number(fold.tolerance()) + ")";
    return text;
  };
  const auto wrong_line = [&](std::uint64_t line) -> std::string {
    Fold fold(p.init.as<T>(), std::min(span, static_cast<double>(l.length)));
    for (std::uint64_t j = 0; j < l.length; ++j) {
      const std::uint64_t at = (line / l.inner * l.length + j) * l.inner + line % l.inner;
      const bool scan = scans(p.what);
      if (!scan || p.inclusive) fold.take(in[at], f);
      if (scan && !fold.agrees(out[at])) return complain(line, "element " + std::to_string(j) + " of ", out[at], fold);
      if (scan && !p.inclusive) fold.take(in[at], f);
    }
    if (!scans(p.what) && !fold.agrees(out[line])) return complain(line, "", out[line], fold);
    return {};
  };
  const std::uint64_t line = first_bad_line(l, [&](std::uint64_t k) { return !wrong_line(k).empty(); });
  return line == l.count() ? std::string() : wrong_line(line);
}

std::string wrong(const problem& p, double span) {
  return with_type(p.type, [&]<class T>(type_tag<T>) {
    return with_op(p.op, [&](auto op) -> std::string {
      if constexpr (accepts(decltype(op)::kind, dtype_of<T>))
        return wrong_lines<T, typename fold_of<T, decltype(op)>::type>(p, span);
      return "the operator does not take the type";
    });
  });
}

std::string words(const problem& p) {
  std::string s = std::string(name_of(p.type)) + " " + std::string(name_of(p.op));
  if (p.transform != transform_kind::identity) s += ", " + std::string(name_of(p.transform));
  if (scans(p.what)) s += p.inclusive ? ", inclusive" : ", exclusive";
  s += p.along.inner == 1 ? ", rows" : ", across rows";
  if (std::memcmp(p.init.bytes, identity_scalar(p.op, p.type).bytes, size_of(p.type)) != 0)
    s += " from an initial value";
  return s;
}

template <primitive What>
std::vector<problem> timed(dtype type, op_kind op, bool inclusive) {
  if (!accepts(op, type) || (inclusive && !scans(What))) return {};
  problem p;
  p.what = What, p.type = type, p.op = op, p.inclusive = inclusive, p.init = identity_scalar(op, type);
  problem columns = p;
  p.along = bench_rows, columns.along = bench_columns;
  return {p, columns};
}

traffic moves(const problem& p, input_kind) {
  const double size = static_cast<double>(size_of(p.type)), n = static_cast<double>(p.n);
  return {n * size, (scans(p.what) ? n : static_cast<double>(p.along.count())) * size};
}

template <primitive What>
conformance_test conformance_test_of() {
  conformance_test e;
  e.what = What, e.forms = forms<What>, e.complete = complete, e.arrays = arrays<What>, e.wrong = wrong;
  e.words = words, e.timed = timed<What>, e.moves = moves;
  if (scans(What)) e.in_place = {{&problem::out, &problem::in}};
  e.huge = [] {
    problem rows, columns;
    rows.what = columns.what = What, rows.type = columns.type = dtype::u32, rows.inclusive = scans(What);
    rows.along = bench_rows, columns.along = bench_columns;
    return std::vector{rows, columns};
  };
  return e;
}

}  // namespace

std::vector<upsweep::conformance_test> conformance_tests() {
  return {conformance_test_of<primitive::axis_reduce>(), conformance_test_of<primitive::axis_scan>()};
}

}  // namespace upsweep::detail::axis_impl
