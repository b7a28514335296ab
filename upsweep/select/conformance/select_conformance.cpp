// The conformance tests of selections, of run lengths and their expansion, of gather and of scatter: every moved
// element is compared bit by bit, and memory after the results must be unchanged.
#include <algorithm>
#include <array>
#include <cmath>

#include "upsweep/conformance/first_difference.hpp"
#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/conformance/sequential_folds.hpp"
#include "upsweep/select/select_problem.hpp"

namespace upsweep::detail::select_impl {

namespace {

using conformance_test = conformance_test_for<problem>;
using array = array_of<problem>;

constexpr selection all_selections[]{selection::where, selection::flagged, selection::unique, selection::partition,
                                     selection::three_way_partition};

constexpr std::string_view name_of(selection s) {
  constexpr std::string_view names[]{"where", "flagged", "unique", "partition", "three_way_partition"};
  return names[static_cast<int>(s)];
}

bool tests_elements(selection s) {
  return s == selection::where || s == selection::partition || s == selection::three_way_partition;
}

std::string at(const char* what, std::uint64_t i, std::uint64_t n) {
  return std::string(what) + " " + std::to_string(i) + " of " + std::to_string(n) + ": ";
}

template <class T>
std::string in_bits(const T& x) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof x);
  std::ostringstream text;
  text << number(x) << " (0x" << std::hex << bits << ")";
  return text.str();
}

// Empty, or the first element from `first` on that is no longer poison.
std::string touched(const char* what, memory out, std::uint64_t first, std::uint64_t n, std::uint64_t size) {
  const auto* bytes = out.as<unsigned char>();
  const std::uint64_t i = first_bad(first * size, n * size, [&](std::uint64_t k) { return bytes[k] != poison; });
  if (i == n * size) return {};
  return at(what, i / size, n) + "it lies beyond the " + std::to_string(first) + " of the result and was written";
}

std::string wrong_count(std::uint64_t got, std::uint64_t want) {
  return "the count is " + std::to_string(got) + ", not " + std::to_string(want);
}

// Element `to` of out must equal element `from` of in, and the same for their values. Returns false otherwise.
class moved {
 public:
  explicit moved(const problem& p) : p_(p) {}

  template <class T>
  bool is_right(std::uint64_t to, std::uint64_t from) {
    if (std::memcmp(p_.out.as<T>() + to, p_.in.as<T>() + from, sizeof(T)) != 0) {
      wrong = at("element", to, p_.n) + in_bits(p_.out.as<T>()[to]) + " is not " + in_bits(p_.in.as<T>()[from]) +
              ", element " + std::to_string(from) + " of the input";
      return false;
    }
    const std::uint64_t size = p_.value_bytes;
    if (size && std::memcmp(p_.out2.as<char>() + to * size, p_.in2.as<char>() + from * size, size) != 0) {
      wrong = at("value", to, p_.n) + "it is not value " + std::to_string(from) + " of the input";
      return false;
    }
    return true;
  }

  std::string wrong;

 private:
  const problem& p_;
};

// ---- select

std::vector<problem> select_forms(bool sample) {
  std::vector<problem> all;
  for (dtype type : all_dtypes)
    for (selection how : all_selections)
      for (std::uint32_t bytes : {0u, 4u, 8u, 1u, 12u}) {
        const int t = static_cast<int>(type), h = static_cast<int>(how);
        if (bytes == 8 && size_of(type) < 4) continue;
        if ((bytes == 1 || bytes == 12) && type != dtype::u32) continue;
        if (sample && bytes != 0 && (t + h) % 3 != 0) continue;
        problem p;
        p.what = primitive::select, p.type = type, p.how = how, p.value_bytes = bytes;
        all.push_back(p);
      }
  return all;
}

// About half of the elements pass; of three classes each has a third.
void keep_half(problem& p) {
  const bool three = p.how == selection::three_way_partition;
  p.test = comparison::less, p.test2 = comparison::less;
  p.threshold = samples::quantile(p.type, three ? 1.0 / 3 : 0.5);
  p.threshold2 = samples::quantile(p.type, 2.0 / 3);
}

void complete_select(problem& p, std::uint64_t seed, std::uint64_t turn) {
  if (!tests_elements(p.how)) return;
  keep_half(p);
  if (turn % 4 == 1) return;
  p.test = all_comparisons[turn % 6], p.test2 = all_comparisons[(turn / 6) % 6];
  // A value that some inputs are full of, or an element of the input, which may also be NaN.
  const auto threshold = [&](std::uint64_t t) {
    if (t % 4 == 0) return samples::one_of_few(p.type, t / 4);
    scalar s;
    samples(p.type, input_kind::uniform, p.n, seed).fill(s.bytes, mixed(t) % std::max<std::uint64_t>(p.n, 1), 1);
    return s;
  };
  p.threshold = threshold(turn), p.threshold2 = threshold(turn + 3);
}

std::vector<array> select_arrays(const problem& p, std::uint64_t seed, input_kind kind) {
  const std::uint64_t n = p.n, size = size_of(p.type);
  std::vector<array> all;
  if (p.how == selection::unique && (kind == input_kind::sorted || kind == input_kind::reversed)) {
    all.push_back(
        {&problem::in, n, size, [r = runs(p.type, kind, n, seed)](void* to, std::uint64_t first, std::uint64_t count) {
           r.fill(to, first, count);
         }});
  } else {
    all.push_back({&problem::in, n, size,
                   [s = samples(p.type, kind, n, seed)](void* to, std::uint64_t first, std::uint64_t count) {
                     s.fill(to, first, count);
                   }});
  }
  if (p.how == selection::flagged)
    all.push_back({&problem::in3, n, 1, [kind, n, seed](void* to, std::uint64_t first, std::uint64_t count) {
                     fill_flags(kind, n, seed, to, first, count);
                   }});
  all.push_back({&problem::out, n, size, {}, true});
  if (p.value_bytes) {
    all.push_back({&problem::in2, n, p.value_bytes,
                   [seed, bytes = p.value_bytes](void* to, std::uint64_t first, std::uint64_t count) {
                     fill_bytes(seed + 1, to, first * bytes, count * bytes);
                   }});
    all.push_back({&problem::out2, n, p.value_bytes, {}, true});
  }
  all.push_back({&problem::count, p.how == selection::three_way_partition ? 2u : 1u, 8, {}, true});
  return all;
}

// Which class each element of [begin, end) belongs to: 0 is what is kept.
template <class T, class Visit>
void classify(const problem& p, std::uint64_t begin, std::uint64_t end, Visit visit) {
  const T* x = p.in.as<T>();
  const auto* flags = p.in3.as<std::uint8_t>();
  const compared<T> first{p.test, p.threshold.as<T>()}, second{p.test2, p.threshold2.as<T>()};
  const auto each = [&](auto class_of) {
    for (std::uint64_t i = begin; i < end; ++i)
      if (!visit(i, class_of(i))) return;
  };
  switch (p.how) {
    case selection::where:
    case selection::partition: return each([&](std::uint64_t i) { return first(x[i]) ? 0 : 1; });
    case selection::flagged: return each([&](std::uint64_t i) { return flags[i] ? 0 : 1; });
    case selection::unique: return each([&](std::uint64_t i) { return i == 0 || !(x[i] == x[i - 1]) ? 0 : 1; });
    case selection::three_way_partition: break;
  }
  each([&](std::uint64_t i) { return first(x[i]) ? 0 : second(x[i]) ? 1 : 2; });
}

std::string wrong_selection(const problem& p, double) {
  return with_any_type(p.type, [&](auto tag) -> std::string {
    using T = typename decltype(tag)::type;
    // What stands before each piece, and then the pieces side by side.
    const std::uint64_t piece = checked_at_once, pieces = p.n / piece + 1;
    std::vector<std::array<std::uint64_t, 3>> before(pieces + 1);
    cpu::for_each_piece(p.n, piece, [&](std::uint64_t begin, std::uint64_t end) {
      std::array<std::uint64_t, 3> counts{};
      classify<T>(p, begin, end, [&](std::uint64_t, int c) { return ++counts[static_cast<std::size_t>(c)], true; });
      before[begin / piece + 1] = counts;
    });
    for (std::size_t k = 1; k <= pieces; ++k)
      for (std::size_t c = 0; c < 3; ++c) before[k][c] += before[k - 1][c];
    const std::array<std::uint64_t, 3> of_class = before.back();
    const auto* counts = p.count.as<std::uint64_t>();
    if (counts[0] != of_class[0]) return wrong_count(counts[0], of_class[0]);
    if (p.how == selection::three_way_partition && counts[1] != of_class[1])
      return "the second class's " + wrong_count(counts[1], of_class[1]).substr(4);
    const bool all_move = p.how == selection::partition || p.how == selection::three_way_partition;
    const auto checked = [&](std::uint64_t begin, std::uint64_t end) {
      const auto& b = before[begin / piece];
      std::uint64_t next[3]{b[0], of_class[0] + b[1], of_class[0] + of_class[1] + b[2]};
      moved move(p);
      classify<T>(p, begin, end,
                  [&](std::uint64_t i, int c) { return (c && !all_move) || move.template is_right<T>(next[c]++, i); });
      return move.wrong;
    };
    const std::uint64_t bad =
        first_found(0, p.n, piece, [&](std::uint64_t begin, std::uint64_t end, std::uint64_t found) {
          return checked(begin, end).empty() ? found : begin;
        });
    if (bad != p.n) return checked(bad, std::min(p.n, bad + piece));
    if (all_move) return {};
    std::string wrong = touched("element", p.out, of_class[0], p.n, sizeof(T));
    return wrong.empty() && p.value_bytes ? touched("value", p.out2, of_class[0], p.n, p.value_bytes) : wrong;
  });
}

std::string words_of_selection(const problem& p) {
  std::string s(name_of(p.type));
  s += " " + std::string(name_of(p.how));
  const auto text = [&](comparison test, scalar threshold) {
    return " x " + std::string(name_of(test)) + " " +
           with_any_type(p.type, [&](auto tag) { return number(threshold.as<typename decltype(tag)::type>()); });
  };
  if (tests_elements(p.how)) s += text(p.test, p.threshold);
  if (p.how == selection::three_way_partition) s += ", then" + text(p.test2, p.threshold2);
  if (p.value_bytes) s += ", with values of " + std::to_string(p.value_bytes) + " bytes";
  return s;
}

std::vector<problem> timed_selections(dtype type, op_kind, bool inclusive) {
  if (inclusive) return {};
  std::vector<problem> all;
  for (selection how : all_selections)
    for (std::uint32_t bytes : {0u, 4u}) {
      if (bytes && how != selection::where && how != selection::unique) continue;
      problem p;
      p.what = primitive::select, p.type = type, p.how = how, p.value_bytes = bytes;
      keep_half(p);
      all.push_back(p);
    }
  return all;
}

// The share of elements kept, from some of the input.
double share_kept(const problem& p, input_kind kind) {
  constexpr std::uint64_t looks = 4096;
  if (p.n < 2) return 1;
  const std::vector<array> operands = select_arrays(p, 1, kind);
  const std::uint64_t flag_at = 1;
  std::uint64_t kept = 0;
  for (std::uint64_t k = 0; k < looks; ++k) {
    const std::uint64_t i = mixed(k) % (p.n - 1);
    alignas(8) std::byte pair[16];
    std::uint8_t flags[2];
    problem two = p;
    two.n = 2, two.in = {pair, 0}, two.in3 = {flags, 0};
    operands[0].fill(pair, i, 2);
    if (p.how == selection::flagged) operands[flag_at].fill(flags, i, 2);
    with_any_type(p.type, [&](auto tag) {
      classify<typename decltype(tag)::type>(two, 0, 2,
                                             [&](std::uint64_t j, int c) { return kept += j == 1 && c == 0, true; });
    });
  }
  return static_cast<double>(kept) / looks;
}

traffic moves_of_selection(const problem& p, input_kind kind) {
  const double n = static_cast<double>(p.n), size = static_cast<double>(size_of(p.type) + p.value_bytes);
  const bool all_move = p.how == selection::partition || p.how == selection::three_way_partition;
  return {n * size + (p.how == selection::flagged ? n : 0), n * size * (all_move ? 1 : share_kept(p, kind)) + 8};
}

std::vector<problem> huge_selection() {
  std::vector<problem> all;
  for (selection how : all_selections) {
    problem p;
    p.what = primitive::select, p.type = dtype::u8, p.how = how;
    all.push_back(p);
  }
  return all;
}

// ---- run_lengths

std::vector<problem> one_of_each_type(primitive what) {
  std::vector<problem> all;
  for (dtype type : all_dtypes) {
    problem p;
    p.what = what, p.type = type;
    all.push_back(p);
  }
  return all;
}
template <primitive what>
std::vector<problem> forms(bool) {
  return one_of_each_type(what);
}
template <primitive what>
std::vector<problem> timed(dtype type, op_kind, bool inclusive) {
  if (inclusive) return {};
  problem p;
  p.what = what, p.type = type;
  return {p};
}
template <primitive what>
std::vector<problem> huge_of_bytes() {
  problem p;
  p.what = what, p.type = dtype::u8;
  return {p};
}
std::string name_of_type(const problem& p) { return std::string(name_of(p.type)); }

std::vector<array> run_length_arrays(const problem& p, std::uint64_t seed, input_kind kind) {
  problem unique = p;
  unique.how = selection::unique;
  std::vector<array> all = select_arrays(unique, seed, kind);
  all.push_back({&problem::out2, p.n, 8, {}, true});
  return all;
}

std::string wrong_run_lengths(const problem& p, double) {
  return with_any_type(p.type, [&](auto tag) -> std::string {
    using T = typename decltype(tag)::type;
    const T *x = p.in.as<T>(), *got = p.out.as<T>();
    const auto* lengths = p.out2.as<std::uint64_t>();
    std::uint64_t run = 0;
    for (std::uint64_t begin = 0; begin < p.n; ++run) {
      std::uint64_t end = begin + 1;
      while (end < p.n && x[end] == x[end - 1]) ++end;
      if (std::memcmp(got + run, x + begin, sizeof(T)) != 0)
        return at("run", run, p.n) + in_bits(got[run]) + " is not " + in_bits(x[begin]) + ", element " +
               std::to_string(begin) + " of the input";
      if (lengths[run] != end - begin)
        return at("run", run, p.n) + "its length is " + std::to_string(lengths[run]) + ", not " +
               std::to_string(end - begin);
      begin = end;
    }
    if (*p.count.as<std::uint64_t>() != run) return wrong_count(*p.count.as<std::uint64_t>(), run);
    const std::string wrong = touched("run", p.out, run, p.n, sizeof(T));
    return wrong.empty() ? touched("length", p.out2, run, p.n, 8) : wrong;
  });
}

traffic moves_of_run_lengths(const problem& p, input_kind kind) {
  problem unique = p;
  unique.how = selection::unique;
  const double n = static_cast<double>(p.n), size = static_cast<double>(size_of(p.type));
  return {n * size, n * share_kept(unique, kind) * (size + 8)};
}

// ---- expand_runs

// How long each run is to be: mixed, with none and a single long one among them; all 1; all 0 but some; all 3.
std::uint64_t run_length(std::uint64_t i, std::uint64_t n, std::uint64_t seed) {
  const std::uint64_t bits = mixed(seed + i);
  switch (mixed(seed ^ n) % 5) {
    case 0: return 1;
    case 1: return bits % 10 ? 0 : 10;
    case 2: return 3;
    default: break;
  }
  if (i == n / 3) return 50021;
  if (bits % 97 == 0) return (bits >> 8) % 100;
  return bits % 4 == 0 ? 0 : bits % 4 - 1;
}

void complete_expansion(problem& p, std::uint64_t seed, std::uint64_t) {
  p.m = total(0, p.n, [&](std::uint64_t begin, std::uint64_t end) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = begin; i < end; ++i) sum += run_length(i, p.n, seed);
    return sum;
  });
}

std::vector<array> expansion_arrays(const problem& p, std::uint64_t seed, input_kind) {
  return {{&problem::in, p.n, size_of(p.type),
           [s = samples(p.type, input_kind::uniform, p.n, seed)](void* to, std::uint64_t first, std::uint64_t count) {
             s.fill(to, first, count);
           }},
          {&problem::in2, p.n, 8,
           [n = p.n, seed](void* to, std::uint64_t first, std::uint64_t count) {
             for (std::uint64_t i = 0; i < count; ++i)
               static_cast<std::uint64_t*>(to)[i] = run_length(first + i, n, seed);
           }},
          {&problem::out, p.m, size_of(p.type), {}, true}};
}

std::string wrong_expansion(const problem& p, double) {
  return with_any_type(p.type, [&](auto tag) -> std::string {
    using T = typename decltype(tag)::type;
    const T *x = p.in.as<T>(), *got = p.out.as<T>();
    const auto* lengths = p.in2.as<std::uint64_t>();
    std::uint64_t to = 0;
    for (std::uint64_t i = 0; i < p.n; ++i)
      for (std::uint64_t k = 0; k < lengths[i]; ++k, ++to)
        if (std::memcmp(got + to, x + i, sizeof(T)) != 0)
          return at("element", to, p.m) + in_bits(got[to]) + " is not " + in_bits(x[i]) + ", element " +
                 std::to_string(i) + " of the input";
    return {};
  });
}

traffic moves_of_expansion(const problem& p, input_kind) {
  const double size = static_cast<double>(size_of(p.type));
  return {static_cast<double>(p.n) * (size + 8), static_cast<double>(p.m) * size};
}

// ---- gather and gather_if

// Indices of eight bytes, and of four.
template <primitive what>
std::vector<problem> index_forms(bool sample) {
  std::vector<problem> all = one_of_each_type(what);
  for (problem p : one_of_each_type(what)) {
    if (sample && size_of(p.type) != 4) continue;
    p.index_bytes = 4;
    all.push_back(p);
  }
  return all;
}
std::string name_of_type_and_index(const problem& p) {
  return name_of_type(p) + (p.index_bytes == 4 ? ", indices of u32" : "");
}

std::uint64_t index_of(const problem& p, std::uint64_t i) {
  return p.index_bytes == 4 ? p.in2.as<std::uint32_t>()[i] : p.in2.as<std::uint64_t>()[i];
}
// To element k of indices: of four bytes where `narrow`.
void put_index(bool narrow, void* to, std::uint64_t k, std::uint64_t index) {
  if (narrow)
    static_cast<std::uint32_t*>(to)[k] = static_cast<std::uint32_t>(index);
  else
    static_cast<std::uint64_t*>(to)[k] = index;
}
array flags_array(std::uint64_t n, std::uint64_t seed, input_kind kind) {
  return {&problem::in3, n, 1, [kind, n, seed](void* to, std::uint64_t first, std::uint64_t count) {
            fill_flags(kind, n, seed, to, first, count);
          }};
}

void complete_gather(problem& p, std::uint64_t, std::uint64_t turn) {
  p.m = turn % 3 == 0 ? 2 * p.n + 5 : turn % 3 == 1 ? p.n : std::min<std::uint64_t>(p.n, 100);
}

std::vector<array> gather_arrays(const problem& p, std::uint64_t seed, input_kind kind) {
  const bool by_flags = p.what == primitive::gather_if, narrow = p.index_bytes == 4;
  const std::uint64_t n = p.n;
  std::vector<array> all{
      {&problem::in, p.m, size_of(p.type),
       [s = samples(p.type, input_kind::uniform, p.m, seed)](void* to, std::uint64_t first, std::uint64_t count) {
         s.fill(to, first, count);
       }},
      // Where no flag is, an index that must not be used.
      {&problem::in2, n, p.index_bytes,
       [=, index = indices(kind, n, p.m, seed)](void* to, std::uint64_t first, std::uint64_t count) {
         for (std::uint64_t i = 0; i < count; ++i)
           put_index(narrow, to, i,
                     !by_flags || flagged(kind, first + i, n, seed) ? index(first + i) : ~std::uint64_t{0});
       }},
      {&problem::out, n, size_of(p.type), {}, true}};
  if (by_flags) all.push_back(flags_array(n, seed, kind));
  return all;
}

std::string wrong_gather(const problem& p, double) {
  return with_any_type(p.type, [&](auto tag) -> std::string {
    using T = typename decltype(tag)::type;
    const T *x = p.in.as<T>(), *got = p.out.as<T>();
    const auto* flags = p.in3.as<std::uint8_t>();
    const auto left_out = [&](std::uint64_t i) { return p.what == primitive::gather_if && flags[i] == 0; };
    const std::uint64_t i = first_bad(0, p.n, [&](std::uint64_t k) {
      if (!left_out(k)) return std::memcmp(got + k, x + index_of(p, k), sizeof(T)) != 0;
      const auto* bytes = reinterpret_cast<const unsigned char*>(got + k);
      return std::any_of(bytes, bytes + sizeof(T), [](unsigned char b) { return b != poison; });
    });
    if (i == p.n) return {};
    if (left_out(i)) return at("element", i, p.n) + "it has no flag and was written";
    const std::uint64_t from = index_of(p, i);
    return at("element", i, p.n) + in_bits(got[i]) + " is not " + in_bits(x[from]) + ", element " +
           std::to_string(from) + " of the input";
  });
}

// The share of elements that have a flag, from some of them.
double share_flagged(const problem& p, input_kind kind) {
  double kept = 0;
  for (std::uint64_t k = 0; k < 4096; ++k) kept += p.n && flagged(kind, mixed(k) % p.n, p.n, 1) ? 1.0 / 4096 : 0;
  return kept;
}

traffic moves_of_gather(const problem& p, input_kind kind) {
  const bool by_flags = p.what == primitive::gather_if;
  const double n = static_cast<double>(p.n), size = static_cast<double>(size_of(p.type)),
               moved = by_flags ? n * share_flagged(p, kind) : n;
  return {moved * (size + p.index_bytes) + (by_flags ? n : 0), moved * size};
}

// ---- scatter_if

void complete_scatter(problem& p, std::uint64_t, std::uint64_t turn) { p.m = turn % 2 ? p.n : 2 * p.n + 3; }

std::vector<array> scatter_arrays(const problem& p, std::uint64_t seed, input_kind kind) {
  const std::uint64_t n = p.n;
  return {{&problem::in, n, size_of(p.type),
           [s = samples(p.type, input_kind::uniform, n, seed)](void* to, std::uint64_t first, std::uint64_t count) {
             s.fill(to, first, count);
           }},
          // Where no flag is, an index that must not be used.
          {&problem::in2, n, p.index_bytes,
           [kind, n, seed, narrow = p.index_bytes == 4, place = places(kind, n, p.m, seed)](
               void* to, std::uint64_t first, std::uint64_t count) {
             for (std::uint64_t i = 0; i < count; ++i)
               put_index(narrow, to, i, flagged(kind, first + i, n, seed) ? place(first + i) : ~std::uint64_t{0});
           }},
          flags_array(n, seed, kind),
          {&problem::out, p.m, size_of(p.type), {}, true}};
}

std::string wrong_scatter(const problem& p, double) {
  return with_any_type(p.type, [&](auto tag) -> std::string {
    using T = typename decltype(tag)::type;
    const T *x = p.in.as<T>(), *got = p.out.as<T>();
    const auto* flags = p.in3.as<std::uint8_t>();
    // No two go to one place, so that each element tells of its own.
    std::vector<std::byte> want(p.m * sizeof(T), std::byte{poison});
    cpu::for_each_piece(p.n, checked_at_once, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t i = begin; i < end; ++i)
        if (flags[i]) std::memcpy(want.data() + index_of(p, i) * sizeof(T), x + i, sizeof(T));
    });
    const std::uint64_t i = first_bad(
        0, p.m, [&](std::uint64_t k) { return std::memcmp(want.data() + k * sizeof(T), got + k, sizeof(T)) != 0; });
    if (i == p.m) return {};
    T should;
    std::memcpy(&should, want.data() + i * sizeof(T), sizeof(T));
    return at("element", i, p.m) + in_bits(got[i]) + " is not " + in_bits(should);
  });
}

traffic moves_of_scatter(const problem& p, input_kind kind) {
  const double n = static_cast<double>(p.n), size = static_cast<double>(size_of(p.type)),
               moved = n * share_flagged(p, kind);
  return {n + moved * (size + p.index_bytes), moved * size};
}

// ---- batched_copy

constexpr std::uint64_t copied_from = 60000;  // more than any piece has

// Where pieces of these lengths go: the last one first, with a gap behind each.
std::vector<std::uint64_t> places_of_pieces(std::uint64_t n, std::uint64_t m, std::uint64_t seed) {
  std::vector<std::uint64_t> places(n);
  std::uint64_t end = m;
  for (std::uint64_t i = 0; i < n; ++i) places[i] = end -= run_length(i, n, seed) + 1;
  return places;
}

std::vector<problem> piece_forms(bool) { return one_of_each_type(primitive::batched_copy); }

void complete_pieces(problem& p, std::uint64_t seed, std::uint64_t) {
  complete_expansion(p, seed, 0);
  p.m += p.n;
}

std::vector<array> piece_arrays(const problem& p, std::uint64_t seed, input_kind) {
  const std::uint64_t n = p.n;
  const auto filled = [](auto value) {
    return [value](void* to, std::uint64_t first, std::uint64_t count) {
      for (std::uint64_t i = 0; i < count; ++i) static_cast<std::uint64_t*>(to)[i] = value(first + i);
    };
  };
  return {
      {&problem::in, copied_from, size_of(p.type),
       [s = samples(p.type, input_kind::uniform, copied_from, seed)](
           void* to, std::uint64_t first, std::uint64_t count) { s.fill(to, first, count); }},
      {&problem::in2, n, 8, filled([n, seed](std::uint64_t i) {
         return mixed(seed ^ (i + 77)) % (copied_from - run_length(i, n, seed) + 1);
       })},
      {&problem::in3, n, 8, filled([n, seed](std::uint64_t i) { return run_length(i, n, seed); })},
      {&problem::in4, n, 8, filled([places = places_of_pieces(n, p.m, seed)](std::uint64_t i) { return places[i]; })},
      {&problem::out, p.m, size_of(p.type), {}, true}};
}

std::string wrong_pieces(const problem& p, double) {
  const std::uint64_t size = size_of(p.type);
  std::vector<unsigned char> want(p.m * size, poison);
  for (std::uint64_t i = 0; i < p.n; ++i)
    std::copy_n(p.in.as<unsigned char>() + p.in2.as<std::uint64_t>()[i] * size, p.in3.as<std::uint64_t>()[i] * size,
                want.data() + p.in4.as<std::uint64_t>()[i] * size);
  const std::uint64_t i =
      first_bad(0, want.size(), [&](std::uint64_t k) { return p.out.as<unsigned char>()[k] != want[k]; });
  return i == want.size() ? std::string() : at("element", i / size, p.m) + "it is not what was to be copied";
}

traffic moves_of_pieces(const problem& p, input_kind) {
  const double n = static_cast<double>(p.n),
               bytes = static_cast<double>(p.m - p.n) * static_cast<double>(size_of(p.type));
  return {bytes + n * 24, bytes};
}

}  // namespace

std::vector<upsweep::conformance_test> conformance_tests() {
  conformance_test select;
  select.what = primitive::select;
  select.forms = select_forms;
  select.complete = complete_select;
  select.arrays = select_arrays;
  select.wrong = wrong_selection;
  select.words = words_of_selection;
  select.timed = timed_selections;
  select.moves = moves_of_selection;
  select.kinds = true;
  select.huge = huge_selection;
  select.huge_kinds = {input_kind::uniform, input_kind::constant};

  conformance_test run_lengths;
  run_lengths.what = primitive::run_lengths;
  run_lengths.forms = forms<primitive::run_lengths>;
  run_lengths.complete = [](problem&, std::uint64_t, std::uint64_t) {};
  run_lengths.arrays = run_length_arrays;
  run_lengths.wrong = wrong_run_lengths;
  run_lengths.words = name_of_type;
  run_lengths.timed = timed<primitive::run_lengths>;
  run_lengths.moves = moves_of_run_lengths;
  run_lengths.kinds = true;
  run_lengths.huge = huge_of_bytes<primitive::run_lengths>;
  run_lengths.huge_kinds = {input_kind::uniform, input_kind::constant};

  conformance_test expansion;
  expansion.what = primitive::expand_runs;
  expansion.forms = forms<primitive::expand_runs>;
  expansion.complete = complete_expansion;
  expansion.arrays = expansion_arrays;
  expansion.wrong = wrong_expansion;
  expansion.words = name_of_type;
  expansion.timed = timed<primitive::expand_runs>;
  expansion.moves = moves_of_expansion;
  expansion.huge = huge_of_bytes<primitive::expand_runs>;

  conformance_test gather;
  gather.what = primitive::gather;
  gather.forms = index_forms<primitive::gather>;
  gather.complete = complete_gather;
  gather.arrays = gather_arrays;
  gather.wrong = wrong_gather;
  gather.words = name_of_type_and_index;
  gather.timed = timed<primitive::gather>;
  gather.moves = moves_of_gather;
  gather.kinds = true;
  gather.huge = huge_of_bytes<primitive::gather>;

  conformance_test gather_if = gather;
  gather_if.what = primitive::gather_if;
  gather_if.forms = index_forms<primitive::gather_if>;
  gather_if.timed = timed<primitive::gather_if>;
  gather_if.huge = huge_of_bytes<primitive::gather_if>;

  conformance_test scatter;
  scatter.what = primitive::scatter_if;
  scatter.forms = index_forms<primitive::scatter_if>;
  scatter.complete = complete_scatter;
  scatter.arrays = scatter_arrays;
  scatter.wrong = wrong_scatter;
  scatter.words = name_of_type_and_index;
  scatter.timed = timed<primitive::scatter_if>;
  scatter.moves = moves_of_scatter;
  scatter.kinds = true;
  scatter.huge = huge_of_bytes<primitive::scatter_if>;

  conformance_test pieces;
  pieces.what = primitive::batched_copy;
  pieces.forms = piece_forms;
  pieces.complete = complete_pieces;
  pieces.arrays = piece_arrays;
  pieces.wrong = wrong_pieces;
  pieces.words = name_of_type;
  pieces.timed = timed<primitive::batched_copy>;
  pieces.moves = moves_of_pieces;
  pieces.huge = [] {  // pieces of more elements in all: so many pieces would have 100 GB of places and lengths
    std::vector<problem> one = huge_of_bytes<primitive::batched_copy>();
    one[0].n = (std::uint64_t{1} << 31) + 12347;
    return one;
  };

  return {select, run_lengths, expansion, gather, gather_if, scatter, pieces};
}

}  // namespace upsweep::detail::select_impl
