// The conformance tests of counting, finding, comparing, of extremes and of bounds: every result is compared exactly
// with that of a plain loop.
#include <algorithm>
#include <cmath>

#include "upsweep/conformance/first_difference.hpp"
#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/conformance/sequential_folds.hpp"
#include "upsweep/search/search_problem.hpp"

namespace upsweep::detail::search_impl {

namespace {

using conformance_test = conformance_test_for<problem>;
using array = array_of<problem>;
using filling = std::function<void(void*, std::uint64_t, std::uint64_t)>;

constexpr seek one_input_or_whole[]{seek::passing, seek::adjacent, seek::one_of, seek::beginning};
constexpr seek side_by_side[]{seek::unequal, seek::apart};

std::string words_of(seek how) {
  constexpr const char* names[]{"passing", "adjacent", "one of a set", "beginning of a pattern", "unequal", "apart"};
  return names[static_cast<int>(how)];
}

template <class Fields>
std::vector<problem> of_each_type(primitive what, Fields set) {
  std::vector<problem> all;
  for (dtype type : all_dtypes) {
    problem p;
    p.what = what, p.type = type;
    set(p, all);
  }
  return all;
}

filling filled(const problem& p, std::uint64_t n, std::uint64_t seed, input_kind kind) {
  return [s = samples(p.type, kind, n, seed)](void* to, std::uint64_t first, std::uint64_t count) {
    s.fill(to, first, count);
  };
}

std::string answer_is(const problem& p, std::uint64_t want) {
  const std::uint64_t got = *p.out.as<std::uint64_t>();
  return got == want ? std::string()
                     : "the answer for " + std::to_string(p.n) + " elements is " + std::to_string(got) + ", not " +
                           std::to_string(want);
}

template <class P, class F>
auto with_elements(const P& p, F f) {
  return with_any_type(
      p.type, [&]<class T>(type_tag<T>) { return f(p.in.template as<const T>(), p.in2.template as<const T>()); });
}

// ---- count-if

std::string words_of_test(const problem& p) {
  return std::string(name_of(p.type)) + " x " + std::string(name_of(p.test)) + " " +
         with_any_type(p.type, [&]<class T>(type_tag<T>) { return number(p.threshold.as<T>()); });
}

// A test that some inputs are full of, or one element's, which may also be a NaN.
void choose_test(problem& p, std::uint64_t seed, std::uint64_t turn) {
  p.test = all_comparisons[(turn + turn / 6) % 6];  // not one test a size: sizes, too, come six by six
  const std::uint64_t bits = mixed(turn);
  if (turn == 1 || bits % 3 == 1) {
    p.threshold = samples::quantile(p.type, 0.5);
  } else if (bits % 3 == 0) {
    p.threshold = samples::one_of_few(p.type, bits / 3);
  } else {
    samples(p.type, input_kind::uniform, p.n, seed).fill(p.threshold.bytes, bits % std::max<std::uint64_t>(p.n, 1), 1);
  }
}

std::string wrong_count(const problem& p, double) {
  return with_elements(p, [&]<class T>(const T* x, const T*) {
    const compared<T> test{p.test, p.threshold.as<T>()};
    std::uint64_t want = 0;
    for (std::uint64_t i = 0; i < p.n; ++i)
      if (test(x[i])) ++want;
    return answer_is(p, want);
  });
}

std::vector<array> one_input(const problem& p, std::uint64_t seed, input_kind kind) {
  return {{&problem::in, p.n, size_of(p.type), filled(p, p.n, seed, kind)}, {&problem::out, 1, 8, {}, true}};
}

traffic reads_all(const problem& p, input_kind) {
  const bool two = p.what == primitive::mismatch;
  return {(two ? 2.0 : 1.0) * static_cast<double>(p.n * size_of(p.type)), 8};
}

conformance_test conformance_test_of_count() {
  conformance_test e;
  e.what = primitive::count_if;
  e.forms = [](bool) {
    return of_each_type(primitive::count_if, [](const problem& p, auto& all) { all.push_back(p); });
  };
  e.complete = choose_test;
  e.arrays = one_input;
  e.wrong = wrong_count;
  e.words = words_of_test;
  e.timed = [](dtype type, op_kind, bool inclusive) {
    problem p;
    p.type = type;
    choose_test(p, 1, 1);
    return inclusive ? std::vector<problem>() : std::vector{p};
  };
  e.moves = reads_all;
  e.kinds = true;
  e.huge = [] {
    problem p;
    p.type = dtype::u8;
    return std::vector{p};
  };
  e.huge_kinds = {input_kind::uniform, input_kind::constant};
  return e;
}

// ---- find-if and mismatch: inputs in which nothing is found but in one place, if there

// Two values that differ, neither of which is a NaN.
template <class T>
T value_of_kind(dtype type, bool special) {
  for (std::uint64_t k = special ? 1 : 0;; ++k) {
    const T first = samples::one_of_few(type, 0).as<T>(), x = samples::one_of_few(type, k).as<T>();
    if (!special || !(x == first)) return x;
  }
}

// Where something is to be found: near the beginning, the end, anywhere, or nowhere (n).
std::uint64_t hidden_at(std::uint64_t n, std::uint64_t seed) {
  if (n == 0) return 0;
  switch (mixed(seed ^ n) % 4) {
    case 0: return mixed(seed) % std::min<std::uint64_t>(n, 5);
    case 1: return n - 1 - mixed(seed) % std::min<std::uint64_t>(n, 5);
    case 2: return mixed(seed) % n;
    default: return n;
  }
}

// Floats are told from their bits by NaNs alone: pairs of them, at the same places in every input of a seed.
template <class T>
T or_nan(T x, std::uint64_t k, std::uint64_t seed, bool nans) {
  const bool here = nans && is_floating(dtype_of<T>) && mixed(~seed + k / 2) % 16 == 0;
  return here ? static_cast<T>(std::numeric_limits<float>::quiet_NaN()) : x;
}
// `special` in [at, at + length) and from time to time thereafter, else plain, or NaNs.
filling hiding(dtype type, std::uint64_t at, std::uint64_t length, std::uint64_t seed, bool nans) {
  return [=](void* to, std::uint64_t first, std::uint64_t count) {
    with_any_type(type, [&]<class T>(type_tag<T>) {
      const T plain = value_of_kind<T>(type, false), special = value_of_kind<T>(type, true);
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t k = first + i;
        const bool here = k >= at && (k < at + length || mixed(seed + k) % 64 == 0);
        static_cast<T*>(to)[i] = here ? special : or_nan(plain, k, seed, nans);
      }
    });
  };
}
// plain and special by turns, except that element at + 1 repeats the one before it; or NaNs.
filling by_turns(dtype type, std::uint64_t at, std::uint64_t seed) {
  return [=](void* to, std::uint64_t first, std::uint64_t count) {
    with_any_type(type, [&]<class T>(type_tag<T>) {
      const T values[]{value_of_kind<T>(type, false), value_of_kind<T>(type, true)};
      for (std::uint64_t k = first; k < first + count; ++k)
        static_cast<T*>(to)[k - first] = or_nan(values[(k + (k > at ? 1 : 0)) % 2], k, seed, true);
    });
  };
}

// Random numbers, of which none is above all others, and none differs from itself.
filling numbers(dtype type, std::uint64_t n, std::uint64_t seed) {
  return [type, s = samples(type, input_kind::uniform, n, seed)](void* to, std::uint64_t first, std::uint64_t count) {
    s.fill(to, first, count);
    with_any_type(type, [&]<class T>(type_tag<T>) {
      for (T* x = static_cast<T*>(to); x != static_cast<T*>(to) + count; ++x) *x = *x == *x ? *x : T{};
    });
  };
}

// The first turn, which is a bench's, too, finds nothing, so that everything is looked at.
void choose_hidden(problem& p, std::uint64_t seed, std::uint64_t turn) {
  p.m = turn == 1 ? 0 : p.n;
  if (p.how == seek::one_of) p.m = turn % 4;
  if (p.how == seek::beginning) p.m = turn % 7 == 6 ? p.n + turn % 3 : turn % 7;
  if (p.how != seek::passing) return;
  p.negated = turn % 3 == 2;
  if (turn == 1) {
    p.negated = false, p.test = comparison::greater;
    with_any_type(p.type, [&]<class T>(type_tag<T>) { p.threshold = scalar::of(max_value<T>); });
    return;
  }
  if (turn % 2 == 0) return choose_test(p, seed, turn / 2);
  p.test = p.negated ? comparison::not_equal : comparison::equal;
  with_any_type(p.type, [&]<class T>(type_tag<T>) { p.threshold = scalar::of(value_of_kind<T>(p.type, true)); });
}

std::vector<array> hidden_arrays(const problem& p, std::uint64_t seed, input_kind kind) {
  const bool beside = p.how == seek::unequal || p.how == seek::apart;
  const std::uint64_t n = p.n, size = size_of(p.type), at = beside && p.m == 0 ? n : hidden_at(n, seed);
  std::vector<array> all{{&problem::out, 1, 8, {}, true}};
  const bool hidden = kind == input_kind::uniform || kind == input_kind::sorted;
  // One NaN is a mismatch already.
  const bool nans = p.how == seek::unequal ? p.m != 0 && mixed(seed - n) % 2 : true;
  filling in = hidden ? hiding(p.type, at, p.how == seek::beginning ? p.m : 1, seed, nans) : filled(p, n, seed, kind);
  if (p.how == seek::adjacent && hidden) in = by_turns(p.type, at, seed);
  const bool all_random = hidden && p.m == 0 && (p.how == seek::passing || p.how == seek::unequal);
  if (all_random) in = numbers(p.type, n, seed);
  all.push_back({&problem::in, n, size, in});
  if (p.how == seek::one_of || p.how == seek::beginning)
    all.push_back(
        {&problem::in2, p.m, size, hidden ? hiding(p.type, 0, p.m, seed, false) : filled(p, p.m, seed + 1, kind)});
  if (beside)
    all.push_back({&problem::in2, n, size,
                   all_random ? in
                   : hidden   ? hiding(p.type, n, 1, seed, nans)
                              : filled(p, n, seed + 1, kind)});
  return all;
}

std::string wrong_place(const problem& p, double) {
  return with_elements(p, [&]<class T>(const T* x, const T* y) {
    const compared<T> test{p.test, p.threshold.as<T>()};
    const auto holds = [&](std::uint64_t i) {
      switch (p.how) {
        case seek::passing: return test(x[i]) != p.negated;
        case seek::adjacent: return i + 1 < p.n && x[i] == x[i + 1];
        case seek::one_of: return std::find(y, y + p.m, x[i]) != y + p.m;
        case seek::beginning: return p.m <= p.n - i && std::equal(y, y + p.m, x + i);
        case seek::unequal: return !(x[i] == y[i]);
        case seek::apart: break;
      }
      return x[i] < y[i] || y[i] < x[i];
    };
    return answer_is(p, first_bad(0, p.n, holds));
  });
}

conformance_test conformance_test_of_finding(primitive what) {
  conformance_test e;
  e.what = what;
  e.forms = [](bool) {
    return of_each_type(primitive::find_if, [](problem p, auto& all) {
      for (seek how : one_input_or_whole) p.how = how, all.push_back(p);
    });
  };
  e.complete = choose_hidden;
  e.arrays = hidden_arrays;
  e.wrong = wrong_place;
  e.words = [](const problem& p) {
    return p.how == seek::passing ? words_of_test(p) + (p.negated ? ", negated" : "")
                                  : std::string(name_of(p.type)) + " " + words_of(p.how);
  };
  e.timed = [](dtype type, op_kind, bool inclusive) {
    problem p;
    p.what = primitive::find_if, p.type = type;
    choose_hidden(p, 1, 1);
    return inclusive ? std::vector<problem>() : std::vector{p};
  };
  e.moves = reads_all;
  e.kinds = true;
  e.huge = [] {
    problem p;
    p.what = primitive::find_if, p.type = dtype::u8;
    return std::vector{p};
  };
  return e;
}

conformance_test conformance_test_of_mismatch() {
  conformance_test e = conformance_test_of_finding(primitive::mismatch);
  e.forms = [](bool) {
    return of_each_type(primitive::mismatch, [](problem p, auto& all) {
      for (seek how : side_by_side) p.how = how, all.push_back(p);
    });
  };
  e.timed = [](dtype type, op_kind, bool inclusive) {
    problem p;
    p.what = primitive::mismatch, p.type = type, p.how = seek::unequal;
    return inclusive ? std::vector<problem>() : std::vector{p};
  };
  e.huge = [] {
    problem p;
    p.what = primitive::mismatch, p.type = dtype::u8, p.how = seek::unequal;
    return std::vector{p};
  };
  return e;
}

// ---- argmin

std::string wrong_extreme(const problem& p, double) {
  return with_elements(p, [&]<class T>(const T* x, const T*) {
    std::uint64_t want = p.n;
    for (std::uint64_t i = 0; i < p.n; ++i)
      if (x[i] == x[i] && (want == p.n || (p.which == extreme::min ? x[i] < x[want] : x[want] < x[i]))) want = i;
    return answer_is(p, want == p.n ? 0 : want);
  });
}

// Some inputs begin with NaNs, and some floats are nothing else.
std::vector<array> extremes_arrays(const problem& p, std::uint64_t seed, input_kind kind) {
  std::vector<array> all = one_input(p, seed, kind);
  const std::uint64_t bits = mixed(seed ^ p.n), nans = bits % 16 == 1 ? p.n : bits % 2 ? bits / 16 % 5 : 0;
  all[0].fill = [type = p.type, nans, any = all[0].fill](void* to, std::uint64_t first, std::uint64_t count) {
    any(to, first, count);
    if (!is_floating(type)) return;
    with_any_type(type, [&]<class T>(type_tag<T>) {
      for (std::uint64_t k = first; k < std::min(nans, first + count); ++k)
        static_cast<T*>(to)[k - first] = static_cast<T>(std::numeric_limits<float>::quiet_NaN());
    });
  };
  return all;
}

conformance_test conformance_test_of_argmin() {
  conformance_test e;
  e.what = primitive::argmin;
  e.forms = [](bool) {
    return of_each_type(primitive::argmin, [](problem p, auto& all) {
      for (extreme which : {extreme::min, extreme::max}) p.which = which, all.push_back(p);
    });
  };
  e.complete = [](problem&, std::uint64_t, std::uint64_t) {};
  e.arrays = extremes_arrays;
  e.wrong = wrong_extreme;
  e.words = [](const problem& p) {
    return std::string(name_of(p.type)) + (p.which == extreme::min ? " least" : " greatest");
  };
  e.timed = [](dtype type, op_kind, bool inclusive) {
    problem p;
    p.what = primitive::argmin, p.type = type;
    return inclusive ? std::vector<problem>() : std::vector{p};
  };
  e.moves = reads_all;
  e.kinds = true;
  e.huge = [] {
    problem p;
    p.what = primitive::argmin, p.type = dtype::u32;
    return std::vector{p};
  };
  e.huge_kinds = {input_kind::reversed};  // so the least is the last
  return e;
}

// ---- bounds

constexpr std::uint64_t timed_size = 1 << 16;  // of what a bench looks up in

// Sorted elements, each of them two or three times, NaNs last.
std::vector<array> bounds_arrays(const problem& p, std::uint64_t seed, input_kind kind) {
  const std::uint64_t size = size_of(p.type);
  const auto nans = [m = p.m, seed] { return mixed(seed) % 3 ? 0 : m / 5; };
  return {{&problem::in, p.m, size,
           [type = p.type, m = p.m, seed, nans = nans()](void* to, std::uint64_t first, std::uint64_t count) {
             const samples rising(type, input_kind::sorted, m, seed);
             with_any_type(type, [&]<class T>(type_tag<T>) {
               for (std::uint64_t i = 0; i < count; ++i) {
                 const std::uint64_t k = first + i;
                 rising.fill(static_cast<T*>(to) + i, k - k % (2 + seed % 2), 1);
                 if (is_floating(type) && k >= m - nans)
                   static_cast<T*>(to)[i] = static_cast<T>(std::numeric_limits<float>::quiet_NaN());
               }
             });
           }},
          // Half of the queries are there.
          {&problem::in2, p.n, size,
           [type = p.type, kind, n = p.n, m = p.m, seed](void* to, std::uint64_t first, std::uint64_t count) {
             const samples any(type, kind, n, seed + 1), rising(type, input_kind::sorted, m, seed);
             for (std::uint64_t i = 0; i < count; ++i) {
               const std::uint64_t bits = mixed(seed + first + i);
               char* const at = static_cast<char*>(to) + i * size_of(type);
               if (m && bits % 2) {
                 rising.fill(at, (bits >> 8) % m, 1);
               } else {
                 any.fill(at, first + i, 1);
               }
             }
           }},
          {&problem::out, p.n, answer_bytes(p), {}, true}};
}

std::uint64_t answer_at(const problem& p, std::uint64_t i) {
  switch (answer_bytes(p)) {
    case 1: return p.out.as<std::uint8_t>()[i];
    case 4: return p.out.as<std::uint32_t>()[i];
    default: return p.out.as<std::uint64_t>()[i];
  }
}

std::string wrong_bound(const problem& p, double) {
  return with_elements(p, [&]<class T>(const T* sorted, const T* queries) -> std::string {
    const auto before = [](T a, T b) { return a < b || (a == a && !(b == b)); };
    const auto want = [&](std::uint64_t i) -> std::uint64_t {
      const auto [lower, upper] = std::equal_range(sorted, sorted + p.m, queries[i], before);
      const auto place = static_cast<std::uint64_t>((p.side == bound::upper ? upper : lower) - sorted);
      return p.side == bound::found ? lower != upper : place;
    };
    const std::uint64_t i = first_bad(0, p.n, [&](std::uint64_t k) { return answer_at(p, k) != want(k); });
    if (i == p.n) return {};
    return "query " + std::to_string(i) + " of " + std::to_string(p.n) + ", " + number(queries[i]) + ": " +
           std::to_string(answer_at(p, i)) + " is not " + std::to_string(want(i));
  });
}

conformance_test conformance_test_of_bounds() {
  conformance_test e;
  e.what = primitive::bounds;
  e.forms = [](bool) {
    return of_each_type(primitive::bounds, [](problem p, auto& all) {
      for (bound side : {bound::lower, bound::upper, bound::found})
        for (bool narrow : {false, true})
          if (side != bound::found || !narrow) p.side = side, p.narrow = narrow, all.push_back(p);
    });
  };
  e.complete = [](problem& p, std::uint64_t seed, std::uint64_t turn) {
    if (p.m == timed_size || p.m >> 32 != 0) return;
    constexpr std::uint64_t sizes[]{0, 1, 2, 33, 1000};
    p.m = turn % 6 == 5 ? mixed(seed) % (2 * p.n + 2) : sizes[turn % 6];
  };
  e.arrays = bounds_arrays;
  e.wrong = wrong_bound;
  e.words = [](const problem& p) {
    constexpr const char* sides[]{" lower", " upper", " found"};
    return std::string(name_of(p.type)) + sides[static_cast<int>(p.side)] + (p.narrow ? " as u32" : "");
  };
  e.timed = [](dtype type, op_kind, bool inclusive) {
    problem p;
    p.what = primitive::bounds, p.type = type, p.m = timed_size;
    return inclusive ? std::vector<problem>() : std::vector{p};
  };
  e.moves = [](const problem& p, input_kind) {
    return traffic{static_cast<double>((p.n + p.m) * size_of(p.type)), static_cast<double>(p.n * answer_bytes(p))};
  };
  e.kinds = true;
  // So many queries, and so many to look among.
  e.huge = [] {
    problem asks, among;
    asks.what = among.what = primitive::bounds, asks.type = among.type = dtype::u8;
    asks.narrow = true, asks.m = timed_size;
    among.side = bound::upper, among.n = 100'003, among.m = (std::uint64_t{1} << 32) + 12347;
    return std::vector{asks, among};
  };
  return e;
}

}  // namespace

std::vector<upsweep::conformance_test> conformance_tests() {
  return {conformance_test_of_count(), conformance_test_of_finding(primitive::find_if), conformance_test_of_mismatch(),
          conformance_test_of_argmin(), conformance_test_of_bounds()};
}

}  // namespace upsweep::detail::search_impl
