// The conformance tests of orders along an axis. In each line of the result, the pairs (image, place) must ascend
// strictly, and each element must be the key at that place.
#include <algorithm>

#include "upsweep/axis/conformance/axis_shapes.hpp"
#include "upsweep/axis_order/axis_order_problem.hpp"
#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/conformance/sequential_folds.hpp"
#include "upsweep/sort/sort_keys.hpp"

namespace upsweep::detail::axis_order_impl {

namespace {

using conformance_test = conformance_test_for<problem>;
using array = array_of<problem>;
using detail::axis_impl::lines;

template <primitive What>
std::vector<problem> forms(bool sample) {
  std::vector<problem> all;
  unsigned turn = 0;
  const auto add = [&](dtype type, bool descending, std::uint8_t first = 0, std::uint8_t last = 0) {
    problem p;
    p.what = What, p.type = type, p.descending = descending, p.index_bytes = ++turn % 2 ? 4 : 8;
    p.first_bit = first, p.last_bit = last;
    if (!sample || turn % 3 != 0) all.push_back(p);
  };
  for (const dtype type : all_dtypes)
    for (const bool descending : {false, true}) add(type, descending);
  add(dtype::u32, false, 8, 16), add(dtype::i64, true, 40, 64), add(dtype::u8, false, 2, 7);
  add(dtype::f32, true, 16, 32);
  return all;
}

void complete(problem& p, std::uint64_t, std::uint64_t turn) {
  p.along = lines_in_turn(p.along, p.n, turn);
  p.n = p.along.elements();
  const std::uint64_t length = p.along.length, wanted[]{1, length / 3, 10, length, 0, 2, length ? length - 1 : 0};
  if (p.what == primitive::axis_top_k) p.k = std::min(length, p.numbers_only ? 10 : wanted[turn % 7]);
}

template <primitive What>
std::vector<array> arrays(const problem& p, std::uint64_t seed, input_kind kind) {
  const std::uint64_t results = What == primitive::axis_top_k ? p.along.count() * p.k : p.n;
  const auto fill = [p, seed, kind](void* to, std::uint64_t first, std::uint64_t count) {
    with_any_type(p.type, [&]<class T>(type_tag<T>) {
      detail::sort_impl::key_maker<T> keys;
      keys.seed = seed, keys.numbers_only = p.numbers_only;
      if (p.last_bit != 0) keys.first_bit = p.first_bit, keys.last_bit = p.last_bit;
      for (std::uint64_t i = 0; i < count; ++i)
        static_cast<order_image<T>*>(to)[i] = keys.key(kind, first + i, p.n, p.descending);
    });
  };
  std::vector<array> all{{&problem::in, p.n, size_of(p.type), fill}};
  if (What != primitive::axis_argsort) all.push_back({&problem::out, results, size_of(p.type), {}, true});
  if (What != primitive::axis_sort) all.push_back({&problem::out2, results, p.index_bytes, {}, true});
  return all;
}

// --- what is right ---

template <class T>
struct reference_results {
  using U = order_image<T>;
  const problem& p;
  const lines& l = p.along;
  order_window<U> window{p.first_bit, p.last_bit, p.descending};
  const U *in = p.in.as<const U>(), *out = p.out.as<const U>();

  U image(U key) const { return window(order_bits_of<order_for<T>>(key)); }
  // The index of element j of a line in an array whose lines have that length.
  std::uint64_t place(std::uint64_t line, std::uint64_t j, std::uint64_t length) const {
    return (line / l.inner * length + j) * l.inner + line % l.inner;
  }
  U key(std::uint64_t line, std::uint64_t j) const { return in[place(line, j, l.length)]; }
  static std::string text(U key) { return number(__builtin_bit_cast(T, key)); }
  std::string element(std::uint64_t line, std::uint64_t j) const {
    return "element " + std::to_string(j) + " of line " + std::to_string(line) + " of " + text_of(l) + ": ";
  }

  std::string wrong_sort(std::uint64_t line) const {
    std::vector<U> want(l.length);
    for (std::uint64_t j = 0; j < l.length; ++j) want[j] = key(line, j);
    std::stable_sort(want.begin(), want.end(), [&](U a, U b) { return image(a) < image(b); });
    for (std::uint64_t j = 0; j < l.length; ++j)
      if (const U got = out[place(line, j, l.length)]; got != want[j])
        return element(line, j) + text(got) + " is not " + text(want[j]);
    return {};
  }

  std::string wrong_places(std::uint64_t line, std::uint64_t k, bool keys) const {
    U before{}, last{};
    std::uint64_t stood_before = 0;
    for (std::uint64_t j = 0; j < k; ++j) {
      const std::uint64_t at = place(line, j, k);
      const std::uint64_t stood =
          p.index_bytes == 4 ? p.out2.as<const std::uint32_t>()[at] : p.out2.as<const std::uint64_t>()[at];
      if (stood >= l.length) return element(line, j) + "place " + std::to_string(stood) + " is past the end";
      const U here = key(line, stood);
      if (keys && out[at] != here)
        return element(line, j) + text(out[at]) + " is not the key at place " + std::to_string(stood) + ", " +
               text(here);
      last = image(here);
      if (j && last < before) return element(line, j) + text(here) + " stands after what it precedes";
      if (j && last == before && stood <= stood_before)
        return element(line, j) + "equal keys do not stand in the order of the input";
      before = last, stood_before = stood;
    }
    if (k == 0 || k == l.length) return {};
    std::uint64_t no_later = 0;
    for (std::uint64_t j = 0; j < l.length; ++j)
      no_later += image(key(line, j)) < last || (image(key(line, j)) == last && j <= stood_before);
    return no_later == k ? std::string()
                         : element(line, k - 1) + std::to_string(no_later) + " keys stand no later, and " +
                               std::to_string(k) + " are asked for";
  }
};

std::string wrong(const problem& p, double) {
  return with_any_type(p.type, [&]<class T>(type_tag<T>) -> std::string {
    const reference_results<T> j{p};
    if (p.n == 0) return {};
    const auto wrong_line = [&](std::uint64_t line) {
      return p.what == primitive::axis_sort    ? j.wrong_sort(line)
             : p.what == primitive::axis_top_k ? j.wrong_places(line, p.k, true)
                                               : j.wrong_places(line, p.along.length, false);
    };
    const std::uint64_t line =
        detail::axis_impl::first_bad_line(p.along, [&](std::uint64_t k) { return !wrong_line(k).empty(); });
    return line == p.along.count() ? std::string() : wrong_line(line);
  });
}

std::string words(const problem& p) {
  std::string s(name_of(p.type));
  if (p.descending) s += ", descending";
  if (p.last_bit) s += ", bits " + std::to_string(p.first_bit) + " to " + std::to_string(p.last_bit);
  if (p.what != primitive::axis_sort) s += ", indices of " + std::to_string(p.index_bytes) + " bytes";
  return s + (p.along.inner == 1 ? ", rows" : ", across rows");
}

// --- for the bench, whose keys are numbers, because the peers do not agree on NaNs ---

template <primitive What>
std::vector<problem> timed(dtype type, op_kind, bool inclusive) {
  if (inclusive) return {};
  problem p;
  p.what = What, p.type = type, p.index_bytes = 4, p.descending = What == primitive::axis_top_k, p.numbers_only = true;
  problem columns = p;
  p.along = detail::axis_impl::bench_rows, columns.along = detail::axis_impl::bench_columns;
  return {p, columns};
}

template <primitive What>
traffic moves(const problem& p, input_kind) {
  const double size = static_cast<double>(size_of(p.type)), n = static_cast<double>(p.n);
  const double results = What == primitive::axis_top_k ? static_cast<double>(p.along.count() * p.k) : n;
  return {n * size, results * ((What == primitive::axis_argsort ? 0 : size) +
                               (What == primitive::axis_sort ? 0 : static_cast<double>(p.index_bytes)))};
}

template <primitive What>
conformance_test conformance_test_of() {
  conformance_test e;
  e.what = What, e.forms = forms<What>, e.complete = complete, e.arrays = arrays<What>, e.wrong = wrong;
  e.words = words, e.timed = timed<What>, e.moves = moves<What>, e.kinds = true;
  if (What == primitive::axis_sort) e.in_place = {{&problem::out, &problem::in}};
  e.huge = [] { return timed<What>(dtype::u8, op_kind::plus, false); };
  return e;
}

}  // namespace

std::vector<upsweep::conformance_test> conformance_tests() {
  return {conformance_test_of<primitive::axis_sort>(), conformance_test_of<primitive::axis_argsort>(),
          conformance_test_of<primitive::axis_top_k>()};
}

}  // namespace upsweep::detail::axis_order_impl
