// Conformance tests of transform, transform_if, fill, iota, copy, replace, tabulate and adjacent_difference: every
// element is compared with one that this file computes: integers in 64 bits, floats by the operation that IEEE defines,
// sequences in long double.
#include <cmath>

#include "upsweep/conformance/first_difference.hpp"
#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/conformance/sequential_folds.hpp"
#include "upsweep/transform/transform_problem.hpp"

namespace upsweep::detail::transform_impl {

namespace {

using conformance_test = conformance_test_for<problem>;
using array = array_of<problem>;

problem form(primitive what, dtype type) {
  problem p;
  p.what = what, p.type = type;
  return p;
}

// --- expected results ---

// a ∘ b, from the operators' definitions; integers wrap in 64 bits and are cut to T.
template <class T>
T combined(op_kind op, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    switch (op) {
      case op_kind::plus: return a + b;  // rounded once, as IEEE says
      case op_kind::multiplies: return a * b;
      case op_kind::minimum: return b < a ? b : a;
      case op_kind::maximum: return a < b ? b : a;
      case op_kind::logical_and: return a != 0 && b != 0 ? T(1) : T(0);
      default: return a != 0 || b != 0 ? T(1) : T(0);
    }
  } else {
    const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    switch (op) {
      case op_kind::plus: return static_cast<T>(x + y);
      case op_kind::multiplies: return static_cast<T>(x * y);
      case op_kind::minimum: return a < b ? a : b;
      case op_kind::maximum: return a < b ? b : a;
      case op_kind::bit_and: return static_cast<T>(x & y);
      case op_kind::bit_or: return static_cast<T>(x | y);
      case op_kind::bit_xor: return static_cast<T>(x ^ y);
      case op_kind::logical_and: return a && b ? T(1) : T(0);
      case op_kind::logical_or: return a || b ? T(1) : T(0);
      case op_kind::compose_affine: break;
    }
    // b after a: x -> a1 x + b1, then x -> a2 x + b2, in the low and the high half.
    const std::uint64_t low = 0xffffffffu, a1 = x & low, b1 = x >> 32, a2 = y & low, b2 = y >> 32;
    return static_cast<T>((a1 * a2 & low) | ((a2 * b1 + b2) & low) << 32);
  }
}

template <class T>
T changed(transform_kind f, T x) {
  switch (f) {
    case transform_kind::identity: return x;
    case transform_kind::negate:
      return std::is_floating_point_v<T> ? static_cast<T>(-static_cast<long double>(x))
                                         : static_cast<T>(~static_cast<std::uint64_t>(x) + 1);
    case transform_kind::absolute: return x < T(0) ? changed(transform_kind::negate, x) : x;
    case transform_kind::square: break;
  }
  return combined(op_kind::multiplies, x, x);
}

template <class T>
T difference_of(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    return a - b;
  else
    return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

// The first element that is not want(i).
template <class T, class Want>
std::string first_wrong(const problem& p, const Want& want) {
  const T* got = p.out.as<const T>();
  const std::uint64_t i = first_bad(0, p.n, [&](std::uint64_t k) {
    const T right = want(k);
    return !(got[k] == right || (right != right && got[k] != got[k]));
  });
  if (i == p.n) return {};
  return "element " + std::to_string(i) + " of " + std::to_string(p.n) + ": " + number(got[i]) + " is not " +
         number(want(i));
}

std::string wrong_transform(const problem& p, double) {
  return with_type(p.type, [&]<class T>(type_tag<T>) {
    const T *a = p.in.as<const T>(), *b = p.in2.as<const T>();
    return first_wrong<T>(p, [&](std::uint64_t i) {
      if (p.subtracts) return difference_of(a[i], b[i]);
      return p.two_inputs ? combined(p.op, a[i], b[i]) : changed(p.transform, a[i]);
    });
  });
}

// As C++ compares; written once more.
template <class T>
bool passes(comparison how, T x, T threshold) {
  switch (how) {
    case comparison::less: return x < threshold;
    case comparison::less_equal: return x <= threshold;
    case comparison::greater: return x > threshold;
    case comparison::greater_equal: return x >= threshold;
    case comparison::equal: return x == threshold;
    default: return x != threshold;
  }
}

// Elements that are not written must still be poison, or the input if it is the output.
std::string wrong_some(const problem& p, double) {
  return with_type(p.type, [&]<class T>(type_tag<T>) -> std::string {
    const T *a = p.in.as<const T>(), *tested = p.in2.as<const T>(), *got = p.out.as<const T>();
    T untouched;
    std::memset(&untouched, poison, sizeof untouched);
    const auto asked = [&](std::uint64_t i) { return passes(p.test, tested[i], p.threshold.as<T>()); };
    const std::uint64_t i = first_bad(0, p.n, [&](std::uint64_t k) {
      const auto is = [&](const T& right) { return std::memcmp(&got[k], &right, sizeof(T)) == 0; };
      const T changed_one = changed(p.transform, a[k]);
      return !(asked(k) ? got[k] == changed_one || (changed_one != changed_one && got[k] != got[k])
                        : is(untouched) || is(a[k]));
    });
    if (i == p.n) return {};
    return "element " + std::to_string(i) + " of " + std::to_string(p.n) + ": " + number(got[i]) + " is not " +
           (asked(i) ? number(changed(p.transform, a[i])) : "as it was");
  });
}

std::string wrong_replacement(const problem& p, double) {
  return with_any_type(p.type, [&]<class T>(type_tag<T>) -> std::string {
    if constexpr (std::is_same_v<T, half>) {
      return "nothing of f16 is replaced";
    } else {
      const T *in = p.in.as<const T>(), *tested = p.in2.as<const T>();
      return first_wrong<T>(
          p, [&](std::uint64_t i) { return passes(p.test, tested[i], p.threshold.as<T>()) ? p.value.as<T>() : in[i]; });
    }
  });
}

std::string wrong_neighbours(const problem& p, double) {
  return with_type(p.type, [&]<class T>(type_tag<T>) {
    const T* a = p.in.as<const T>();
    return first_wrong<T>(p, [&](std::uint64_t i) {
      if (i == 0) return a[0];
      return p.neighbours == between::op ? combined(p.op, a[i], a[i - 1]) : difference_of(a[i], a[i - 1]);
    });
  });
}

// Moves are compared bit by bit.
template <class U>
std::string wrong_words(const problem& p) {
  const U* in = p.in.as<const U>();
  return first_wrong<U>(p, [&](std::uint64_t i) { return p.what == primitive::copy ? in[i] : p.value.as<U>(); });
}
std::string wrong_move(const problem& p, double) {
  switch (size_of(p.type)) {
    case 1: return wrong_words<std::uint8_t>(p);
    case 2: return wrong_words<std::uint16_t>(p);
    case 4: return wrong_words<std::uint32_t>(p);
    default: return wrong_words<std::uint64_t>(p);
  }
}

std::string wrong_iota(const problem& p, double) {
  return with_any_type(p.type, [&]<class T>(type_tag<T>) -> std::string {
    if constexpr (std::is_same_v<T, half>) {
      return "there is no sequence of f16";
    } else if constexpr (std::is_integral_v<T>) {
      const auto first = static_cast<std::uint64_t>(p.value.as<T>()), step = static_cast<std::uint64_t>(p.step.as<T>());
      return first_wrong<T>(p, [&](std::uint64_t i) { return static_cast<T>(first + (p.from + i) * step); });
    } else {
      const T* got = p.out.as<const T>();
      for (std::uint64_t i = 0; i < p.n; ++i) {
        const long double place = static_cast<T>(p.from + i), product = place * p.step.as<T>(),
                          right = product + p.value.as<T>();
        const long double allowed = std::numeric_limits<T>::epsilon() * (std::abs(product) + std::abs(right)) / 2;
        if (!(std::abs(got[i] - right) <= allowed * 1.01L))
          return "element " + std::to_string(i) + " of " + std::to_string(p.n) + ": " + number(got[i]) + " is not " +
                 number(static_cast<T>(right));
      }
      return {};
    }
  });
}

std::string wrong_table(const problem& p, double) {
  return first_wrong<std::uint32_t>(p, [](std::uint64_t i) {
    const std::uint64_t low = i & 0xffffffffu;
    return static_cast<std::uint32_t>(low * low + (i >> 32));
  });
}

// --- forms and operands ---

std::vector<problem> transform_forms(bool sample) {
  std::vector<problem> all;
  for (dtype type : folding_dtypes) {
    for (op_kind op : all_ops) {
      if (!accepts(op, type)) continue;
      if (sample && (static_cast<int>(type) + static_cast<int>(op)) % 3 != 0) continue;
      problem p = form(primitive::transform, type);
      p.two_inputs = true, p.op = op;
      all.push_back(p);
    }
    problem minus = form(primitive::transform, type);
    minus.two_inputs = minus.subtracts = true;
    all.push_back(minus);
    for (transform_kind f : all_transforms) {
      if (sample && (static_cast<int>(type) + static_cast<int>(f)) % 3 != 0) continue;
      problem p = form(primitive::transform, type);
      p.transform = f;
      all.push_back(p);
    }
  }
  return all;
}

std::vector<problem> some_forms(bool sample) {
  std::vector<problem> all;
  for (dtype type : folding_dtypes)
    for (transform_kind f : all_transforms) {
      if (sample && (static_cast<int>(type) + static_cast<int>(f)) % 3 != 0) continue;
      problem p = form(primitive::transform_if, type);
      p.transform = f;
      all.push_back(p);
    }
  return all;
}

std::vector<problem> neighbours_forms(bool sample) {
  std::vector<problem> all;
  for (dtype type : folding_dtypes) {
    all.push_back(form(primitive::adjacent_difference, type));
    for (op_kind op : {op_kind::plus, op_kind::maximum, op_kind::bit_xor}) {
      if (!accepts(op, type) || (sample && (static_cast<int>(type) + static_cast<int>(op)) % 3 != 0)) continue;
      problem p = form(primitive::adjacent_difference, type);
      p.neighbours = between::op, p.op = op;
      all.push_back(p);
    }
  }
  return all;
}

template <primitive What>
std::vector<problem> forms_of_every_type(bool) {
  std::vector<problem> all;
  for (dtype type : all_dtypes)
    if ((What != primitive::iota && What != primitive::replace) || type != dtype::f16) all.push_back(form(What, type));
  return all;
}
std::vector<problem> table_forms(bool) { return {form(primitive::tabulate, dtype::u32)}; }

void complete(problem& p, std::uint64_t seed, std::uint64_t turn) {
  samples(p.type, input_kind::uniform, 2, mixed(seed + turn)).fill(p.value.bytes, 0, 1);
  // Two of each type: OpenCL compiles each.
  p.test = all_comparisons[(static_cast<std::size_t>(p.type) + turn % 2 * 3) % all_comparisons.size()];
  p.threshold = turn % 3 == 0 ? samples::one_of_few(p.type, turn / 3) : samples::quantile(p.type, 0.5);
  if (p.what != primitive::iota) return;
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    const auto bits = mixed(seed ^ turn);
    if constexpr (std::is_arithmetic_v<T>) {
      const auto number = [&](std::uint64_t b) {
        return std::is_integral_v<T> ? static_cast<T>(b) : static_cast<T>(signed_unit(b));
      };
      p.value = scalar::of(number(bits)), p.step = scalar::of(turn % 3 == 0 ? T(1) : number(mixed(bits)));
    }
  });
}

// Numbers and no NaN; of integers all bits.
std::vector<array> arrays(const problem& p, std::uint64_t seed, input_kind kind) {
  const std::uint64_t n = p.n, size = size_of(p.type);
  const bool some = p.what == primitive::transform_if || p.what == primitive::replace,
             compares = p.what == primitive::transform || p.what == primitive::adjacent_difference || some;
  const auto random = [&](memory problem::* slot, std::uint64_t its_seed) {
    return array{slot, n, size,
                 [s = samples(p.type, kind, n, its_seed), type = p.type, compares](void* to, std::uint64_t first,
                                                                                   std::uint64_t count) {
                   s.fill(to, first, count);
                   const auto without_nan = [&](auto* x) {
                     for (std::uint64_t i = 0; i < count; ++i)
                       if (x[i] != x[i]) x[i] = 0.75f;
                   };
                   if (compares && type == dtype::f32) without_nan(static_cast<float*>(to));
                   if (compares && type == dtype::f64) without_nan(static_cast<double*>(to));
                 },
                 false};
  };
  std::vector<array> all;
  if (compares || p.what == primitive::copy) all.push_back(random(&problem::in, seed));
  if (some || (p.what == primitive::transform && p.two_inputs)) all.push_back(random(&problem::in2, seed + 1));
  all.push_back({&problem::out, n, size, {}, true});
  return all;
}

std::string words(const problem& p) {
  const std::string type(name_of(p.type));
  if (p.subtracts) return type + " minus";
  if (p.what == primitive::transform_if) return type + " " + std::string(name_of(p.transform));
  if (p.what == primitive::transform)
    return type + " " + std::string(p.two_inputs ? name_of(p.op) : name_of(p.transform));
  if (p.what == primitive::adjacent_difference && p.neighbours == between::op)
    return type + " " + std::string(name_of(p.op));
  return type;
}

template <primitive What, dtype Type>
std::vector<problem> huge() {
  problem p = form(What, Type);
  if (What == primitive::transform) p.transform = transform_kind::square;
  return {p};
}

// --- for the bench ---

std::vector<problem> timed_transform(dtype type, op_kind op, bool inclusive) {
  if (inclusive || !accepts(op, type)) return {};
  problem one = form(primitive::transform, type), two = one;
  one.transform = transform_kind::square, two.two_inputs = true, two.op = op;
  return {one, two};
}
template <primitive What>
std::vector<problem> timed_one(dtype type, op_kind, bool inclusive) {
  const bool has = What == primitive::tabulate                             ? type == dtype::u32
                   : What == primitive::adjacent_difference                ? does_fold(type)
                   : What == primitive::transform_if                       ? does_fold(type)
                   : What == primitive::iota || What == primitive::replace ? type != dtype::f16
                                                                           : true;
  return inclusive || !has ? std::vector<problem>() : std::vector{form(What, type)};
}

traffic moves(const problem& p, input_kind) {
  const double bytes = static_cast<double>(p.n * size_of(p.type));
  switch (p.what) {
    case primitive::transform: return {p.two_inputs ? 2 * bytes : bytes, bytes};
    case primitive::transform_if:
    case primitive::replace: return {2 * bytes, bytes};
    case primitive::copy:
    case primitive::adjacent_difference: return {bytes, bytes};
    default: return {0, bytes};
  }
}

}  // namespace

std::vector<upsweep::conformance_test> conformance_tests() {
  const auto of = [](primitive what, auto forms, auto wrong, auto timed) {
    conformance_test e;
    e.what = what, e.forms = forms, e.complete = complete, e.arrays = arrays, e.wrong = wrong, e.words = words;
    e.timed = timed, e.moves = moves;
    return e;
  };
  conformance_test map = of(primitive::transform, transform_forms, wrong_transform, timed_transform),
                   beside = of(primitive::adjacent_difference, neighbours_forms, wrong_neighbours,
                               timed_one<primitive::adjacent_difference>);
  map.in_place = {{&problem::out, &problem::in}};
  conformance_test some = of(primitive::transform_if, some_forms, wrong_some, timed_one<primitive::transform_if>),
                   replaced = of(primitive::replace, forms_of_every_type<primitive::replace>, wrong_replacement,
                                 timed_one<primitive::replace>);
  beside.in_place = some.in_place = replaced.in_place = {{&problem::out, &problem::in}};
  conformance_test table = of(primitive::tabulate, table_forms, wrong_table, timed_one<primitive::tabulate>);
  conformance_test filled = of(primitive::fill, forms_of_every_type<primitive::fill>, wrong_move,
                               timed_one<primitive::fill>),
                   sequence = of(primitive::iota, forms_of_every_type<primitive::iota>, wrong_iota,
                                 timed_one<primitive::iota>),
                   copied = of(primitive::copy, forms_of_every_type<primitive::copy>, wrong_move,
                               timed_one<primitive::copy>);
  map.huge = huge<primitive::transform, dtype::u32>, some.huge = huge<primitive::transform_if, dtype::u32>;
  beside.huge = huge<primitive::adjacent_difference, dtype::u32>, sequence.huge = huge<primitive::iota, dtype::u32>;
  replaced.huge = huge<primitive::replace, dtype::u8>, filled.huge = huge<primitive::fill, dtype::u8>;
  copied.huge = huge<primitive::copy, dtype::u8>, table.huge = huge<primitive::tabulate, dtype::u32>;
  return {map, some, replaced, filled, sequence, copied, table, beside};
}

}  // namespace upsweep::detail::transform_impl
