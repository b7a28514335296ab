// The conformance tests of folds by key and by segment. The reference folds each run or segment separately. The bound
// of a float's error depends on the length of its run only, not on other elements.
#include <algorithm>
#include <cmath>

#include "upsweep/conformance/fold_combinations.hpp"
#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/conformance/reference_fold.hpp"
#include "upsweep/conformance/segment_lengths.hpp"
#include "upsweep/conformance/sequential_folds.hpp"
#include "upsweep/segmented/segmented_key_runs.hpp"
#include "upsweep/segmented/segmented_problem.hpp"

namespace upsweep::detail::segmented_impl {

namespace {

using conformance_test = conformance_test_for<problem>;
using array = array_of<problem>;

constexpr bool by_key(primitive what) { return what == primitive::reduce_by_key || what == primitive::scan_by_key; }
constexpr bool scans(primitive what) { return what == primitive::scan_by_key || what == primitive::segmented_scan; }

template <primitive what>
std::vector<problem> forms(bool sample) {
  std::vector<problem> all;
  const auto add = [&](dtype type, op_kind op, transform_kind f, dtype key) {
    for (bool inclusive : {false, true}) {
      if (inclusive && !scans(what)) continue;
      problem p;
      p.what = what, p.type = type, p.op = op, p.transform = f, p.key_type = key, p.inclusive = inclusive;
      all.push_back(p);
    }
  };
  for (dtype type : folding_dtypes)
    for (op_kind op : all_ops)
      for (transform_kind f : all_transforms) {
        if (accepts(op, type) && tells_of_transform(type, op, f) && (!sample || in_fold_sample(type, op, f)))
          add(type, op, f, dtype::u32);
      }
  if (!by_key(what)) return all;
  for (dtype key : all_dtypes) {
    if (key == dtype::u32 || (sample && key != dtype::u64 && key != dtype::f16)) continue;
    add(dtype::u32, op_kind::plus, transform_kind::identity, key);
    if (!sample) add(dtype::f32, op_kind::plus, transform_kind::identity, key);
    if (!sample) add(dtype::u64, op_kind::compose_affine, transform_kind::identity, key);
  }
  return all;
}

void complete(problem& p, std::uint64_t seed, std::uint64_t turn) {
  const bool logical = p.op == op_kind::logical_and || p.op == op_kind::logical_or;
  p.init = identity_scalar(p.op, p.type);
  // A value that decides the result leaves little else to check.
  if (p.what != primitive::reduce_by_key && turn % 2 == 0 && !(logical && p.n > 33))
    p.init = random_input(p.type, p.op, p.n, seed).start_value();
  if (by_key(p.what) || (p.m != 0 && p.n >> 32 != 0)) return;
  if (p.lengths != 0) {
    p.m = offsets_of_lengths(p.lengths, p.n, seed)->size() - 1;
    return;
  }
  switch (turn % 7) {
    case 0: p.m = 1; break;
    case 2: p.m = p.n / 3 + 1; break;
    case 3: p.m = 2 * p.n + 5; break;  // most of them empty
    case 4: p.m = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(p.n))); break;
    case 5: p.m = turn % 2 ? 0 : 17; break;
    default: p.m = p.n / 100 + 1; break;
  }
}

// The offsets of m segments among n elements. Sixteen segments share a stretch: evenly, all of it in the last, doubling
// from one to the next, or one long one after fifteen of a single element. One stretch has half of all elements. Before
// the first segment and after the last there may be elements of none.
class segments {
 public:
  segments(std::uint64_t n, std::uint64_t m, std::uint64_t seed) : m_(m), seed_(mixed(seed ^ mixed(n + 3 * m))) {
    const std::uint64_t all = (m + 15) / 16;
    stretches_ = std::max<std::uint64_t>(all, 1);
    const bool all_of_many = m == 1 && n >> 32 != 0;
    first_ = seed_ % 3 == 0 && !all_of_many ? n / 50 : 0;
    covered_ = n - first_ - (seed_ % 5 == 0 && !all_of_many ? n / 70 : 0);
    giant_ = mixed(seed_) % stretches_;
  }
  std::uint64_t offset(std::uint64_t s) const {
    if (s >= m_) return first_ + covered_;
    const std::uint64_t stretch = s / 16, begin = stretch_begin(stretch), length = stretch_begin(stretch + 1) - begin,
                        k = s % 16;
    switch (mixed(seed_ + stretch) % 4) {
      case 0: return begin + length / 16 * k;
      case 1: return begin;
      case 2: return begin + (length >> (16 - k));
      default: return begin + std::min(k, length);
    }
  }

 private:
  std::uint64_t stretch_begin(std::uint64_t s) const {
    if (s >= stretches_) return first_ + covered_;
    const std::uint64_t half = covered_ / 2;
    const auto share = static_cast<std::uint64_t>(static_cast<double>(half) / static_cast<double>(stretches_) *
                                                  static_cast<double>(s));
    return first_ + share + (s > giant_ ? covered_ - half : 0);
  }
  std::uint64_t m_, seed_, stretches_, first_, covered_, giant_;
};

template <primitive what>
std::vector<array> arrays(const problem& p, std::uint64_t seed, input_kind kind) {
  const std::uint64_t n = p.n, m = p.m, size = size_of(p.type);
  std::vector<array> all{{&problem::in, n, size,
                          [input = random_input(p.type, p.op, n, seed)](
                              void* to, std::uint64_t first, std::uint64_t count) { input.fill(to, first, count); }}};
  if (by_key(what)) {
    all.push_back({&problem::in2, n, size_of(p.key_type),
                   [r = runs(p.key_type, kind, n, seed)](void* to, std::uint64_t first, std::uint64_t count) {
                     r.fill(to, first, count);
                   }});
  } else if (p.lengths != 0) {
    all.push_back(
        {&problem::in2, m + 1, 8,
         [offsets = offsets_of_lengths(p.lengths, n, seed)](void* to, std::uint64_t first, std::uint64_t count) {
           std::copy_n(offsets->data() + first, count, static_cast<std::uint64_t*>(to));
         }});
  } else {
    all.push_back(
        {&problem::in2, m + 1, 8, [s = segments(n, m, seed)](void* to, std::uint64_t first, std::uint64_t count) {
           for (std::uint64_t i = 0; i < count; ++i) static_cast<std::uint64_t*>(to)[i] = s.offset(first + i);
         }});
  }
  all.push_back({&problem::out, what == primitive::segmented_reduce ? m : n, size, {}, true});
  if (what == primitive::reduce_by_key) {
    all.push_back({&problem::out2, n, size_of(p.key_type), {}, true});
    all.push_back({&problem::count, 1, 8, {}, true});
  }
  return all;
}

// ---- The judges. `fold` is that of the element type and operator.

template <class T, class Fold>
struct reference_results {
  const problem& p;
  double span;
  std::string wrong;

  const T* in() const { return p.in.as<T>(); }
  const T* out() const { return p.out.as<T>(); }
  any_transform f() const { return {p.transform}; }
  Fold fold_for(std::uint64_t length) const {
    return Fold(p.init.as<T>(), std::min(span, static_cast<double>(length)));
  }

  bool complain(const char* what, std::uint64_t i, std::uint64_t of, T got, const Fold& fold) {
    wrong = std::string(what) + " " + std::to_string(i) + " of " + std::to_string(of) + ": " + number(got) +
            " is not " + number(fold.result());
    if (fold.tolerance() > 0)
      wrong += " (off by " + number(fold.off(got)) + ", tolerance " + number(fold.tolerance()) + ")";
    return false;
  }
  // The scan of elements [begin, end).
  bool scan(std::uint64_t begin, std::uint64_t end) {
    Fold fold = fold_for(end - begin);
    for (std::uint64_t i = begin; i < end; ++i) {
      if (p.inclusive) fold.take(in()[i], f());
      if (!fold.agrees(out()[i])) return complain("element", i, p.n, out()[i], fold);
      if (!p.inclusive) fold.take(in()[i], f());
    }
    return true;
  }
  // Their fold must be out[at].
  bool reduce(std::uint64_t begin, std::uint64_t end, const char* what, std::uint64_t at, std::uint64_t of) {
    Fold fold = fold_for(end - begin);
    for (std::uint64_t i = begin; i < end; ++i) fold.take(in()[i], f());
    return fold.agrees(out()[at]) || complain(what, at, of, out()[at], fold);
  }
};

template <class Body>
std::string checked(const problem& p, double span, Body body) {
  return with_type(p.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    return with_op(p.op, [&](auto op) -> std::string {
      if constexpr (accepts(decltype(op)::kind, dtype_of<T>)) {
        reference_results<T, typename fold_of<T, decltype(op)>::type> j{p, span, {}};
        body(j);
        return j.wrong;
      } else {
        return "the operator does not take the type";
      }
    });
  });
}

// Calls visit(run, begin, end) for each run of equal keys until it says no; returns the number of runs.
template <class Visit>
std::uint64_t each_run(const problem& p, Visit visit) {
  const find_end_of_run end_of_run = find_key_runs(p.key_type);
  std::uint64_t run = 0;
  for (std::uint64_t begin = 0; begin < p.n; ++run) {
    const std::uint64_t end = end_of_run(p.in2.address(), begin, p.n);
    if (!visit(run, begin, end)) break;
    begin = end;
  }
  return run;
}

std::string wrong_key(const problem& p, std::uint64_t run, std::uint64_t begin) {
  return with_any_type(p.key_type, [&](auto tag) -> std::string {
    using K = typename decltype(tag)::type;
    const K got = p.out2.as<K>()[run], want = p.in2.as<K>()[begin];
    if (std::memcmp(&got, &want, sizeof got) == 0) return {};
    return "the key of run " + std::to_string(run) + ": " + number(got) + " is not " + number(want);
  });
}

std::string touched(const char* what, memory out, std::uint64_t first, std::uint64_t n, std::uint64_t size) {
  const auto* bytes = out.as<unsigned char>();
  for (std::uint64_t i = first * size; i < n * size; ++i)
    if (bytes[i] != poison)
      return std::string(what) + " " + std::to_string(i / size) + ": it lies beyond the " + std::to_string(first) +
             " of the result and was written";
  return {};
}

std::string wrong_reduce_by_key(const problem& p, double span) {
  std::string wrong = checked(p, span, [&](auto& j) {
    const std::uint64_t runs = each_run(p, [&](std::uint64_t run, std::uint64_t begin, std::uint64_t end) {
      if (j.wrong = wrong_key(p, run, begin); !j.wrong.empty()) return false;
      return j.reduce(begin, end, "run", run, p.n);
    });
    if (!j.wrong.empty()) return;
    if (const std::uint64_t got = *p.count.as<std::uint64_t>(); got != runs)
      j.wrong = "the count is " + std::to_string(got) + ", not " + std::to_string(runs);
    if (j.wrong.empty()) j.wrong = touched("fold", p.out, runs, p.n, size_of(p.type));
    if (j.wrong.empty()) j.wrong = touched("key", p.out2, runs, p.n, size_of(p.key_type));
  });
  return wrong;
}

std::string wrong_scan_by_key(const problem& p, double span) {
  return checked(p, span, [&](auto& j) {
    each_run(p, [&](std::uint64_t, std::uint64_t begin, std::uint64_t end) { return j.scan(begin, end); });
  });
}

std::string wrong_segmented_reduce(const problem& p, double span) {
  const auto* offsets = p.in2.as<std::uint64_t>();
  return checked(p, span, [&](auto& j) {
    for (std::uint64_t s = 0; s < p.m; ++s)
      if (!j.reduce(offsets[s], offsets[s + 1], "segment", s, p.m)) return;
  });
}

std::string wrong_segmented_scan(const problem& p, double span) {
  const auto* offsets = p.in2.as<std::uint64_t>();
  const std::uint64_t size = size_of(p.type), first = p.m ? offsets[0] : p.n, last = p.m ? offsets[p.m] : p.n;
  return checked(p, span, [&](auto& j) {
    for (std::uint64_t s = 0; s < p.m; ++s)
      if (!j.scan(offsets[s], offsets[s + 1])) return;
    // Elements in no segment are unchanged: poison, or the input of a call in place.
    bool poisoned = true, kept = true;
    for (std::uint64_t i = 0; i < p.n && j.wrong.empty(); ++i) {
      if (i == first) i = last;
      if (i >= p.n) break;
      const auto* bytes = p.out.as<unsigned char>() + i * size;
      poisoned = poisoned && std::all_of(bytes, bytes + size, [](unsigned char b) { return b == poison; });
      kept = kept && std::memcmp(bytes, p.in.as<unsigned char>() + i * size, size) == 0;
      if (!poisoned && !kept)
        j.wrong =
            "element " + std::to_string(i) + " of " + std::to_string(p.n) + ": it lies in no segment and was written";
    }
  });
}

template <primitive what>
std::string words(const problem& p) {
  std::string s(name_of(p.type));
  s += " " + std::string(name_of(p.op));
  if (p.transform != transform_kind::identity) s += ", " + std::string(name_of(p.transform));
  if (scans(what)) s += p.inclusive ? ", inclusive" : ", exclusive";
  if (by_key(what)) s += ", keys " + std::string(name_of(p.key_type));
  // How many there are is not known before n is.
  if (!by_key(what)) s += ", " + (p.lengths != 0 ? text_of_lengths(p.lengths) : "segments of all lengths");
  if (std::memcmp(p.init.bytes, identity_scalar(p.op, p.type).bytes, size_of(p.type)) != 0)
    s += " from an initial value";
  return s;
}

template <primitive what>
std::vector<problem> timed(dtype type, op_kind op, bool inclusive) {
  if (!accepts(op, type) || (inclusive && !scans(what))) return {};
  problem p;
  p.what = what, p.type = type, p.op = op, p.inclusive = inclusive, p.init = identity_scalar(op, type);
  if (by_key(what)) return {p};
  std::vector<problem> all;
  for (const std::uint8_t lengths : timed_lengths) {
    p.lengths = lengths;
    if (!inclusive || lengths == 3) all.push_back(p);  // an inclusive scan takes as long
  }
  return all;
}

template <primitive what>
traffic moves(const problem& p, input_kind kind) {
  const double n = static_cast<double>(p.n), size = static_cast<double>(size_of(p.type));
  const double structure =
      by_key(what) ? n * static_cast<double>(size_of(p.key_type)) : 8.0 * static_cast<double>(p.m + 1);
  if (scans(what)) return {n * size + structure, n * size};
  if (what == primitive::segmented_reduce) return {n * size + structure, static_cast<double>(p.m) * size};
  // How many runs there are, from some of the keys.
  constexpr std::uint64_t looks = 4096;
  const runs keys(p.key_type, kind, p.n, 1);
  std::uint64_t heads = 0;
  for (std::uint64_t k = 0; k < looks && p.n > 1; ++k) {
    std::byte pair[16];
    const std::uint64_t bytes = size_of(p.key_type);
    keys.fill(pair, mixed(k) % (p.n - 1), 2);
    heads += std::memcmp(pair, pair + bytes, bytes) != 0;
  }
  return {n * size + structure,
          n * static_cast<double>(heads) / looks * (size + static_cast<double>(size_of(p.key_type))) + 8};
}

template <primitive what>
std::vector<problem> huge() {
  problem p;
  p.what = what, p.inclusive = true, p.key_type = dtype::u8;
  if (by_key(what)) return {p};
  problem one = p;
  one.m = 1;
  return {p, one};
}

template <primitive what>
conformance_test conformance_test_with(std::string (*wrong)(const problem&, double)) {
  conformance_test e;
  e.what = what;
  e.forms = forms<what>;
  e.complete = complete;
  e.arrays = arrays<what>;
  e.wrong = wrong;
  e.words = words<what>;
  e.timed = timed<what>;
  e.moves = moves<what>;
  e.kinds = by_key(what);
  if constexpr (scans(what)) e.in_place = {{&problem::out, &problem::in}};
  e.huge = huge<what>;
  if (by_key(what)) e.huge_kinds = {input_kind::uniform, input_kind::constant};
  return e;
}

}  // namespace

std::vector<upsweep::conformance_test> conformance_tests() {
  return {conformance_test_with<primitive::reduce_by_key>(wrong_reduce_by_key),
          conformance_test_with<primitive::scan_by_key>(wrong_scan_by_key),
          conformance_test_with<primitive::segmented_reduce>(wrong_segmented_reduce),
          conformance_test_with<primitive::segmented_scan>(wrong_segmented_scan)};
}

}  // namespace upsweep::detail::segmented_impl
