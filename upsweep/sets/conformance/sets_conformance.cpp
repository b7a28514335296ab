// The conformance tests of operations on two sorted sequences. The reference is the standard library's algorithms on
// keys that store their origin: which equal keys are kept, their order, their values, and that no other memory changed.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>

#include "upsweep/conformance/conformance.hpp"
#include "upsweep/conformance/first_difference.hpp"
#include "upsweep/sets/sets_problem.hpp"
#include "upsweep/sort/sort_keys.hpp"

namespace upsweep::detail::sets_impl {

namespace {

using conformance_test = conformance_test_for<problem>;
using array = array_of<problem>;
using detail::sort_impl::key_maker;
using detail::sort_impl::mixed;

constexpr primitive all[]{primitive::merge_by_key, primitive::set_union, primitive::set_intersection,
                          primitive::set_difference, primitive::set_symmetric_difference};

problem form_of(primitive what, dtype type, std::uint32_t value_bytes, bool descending = false) {
  problem p;
  p.what = what, p.type = type, p.value_bytes = value_bytes, p.descending = descending;
  return p;
}

template <primitive what>
std::vector<problem> forms(bool sample) {
  std::vector<problem> list;
  constexpr std::uint32_t sizes[]{0, 4, 8, 12, 1, 2};
  for (dtype type : all_dtypes)
    for (bool descending : {false, true})
      for (std::uint32_t bytes : sizes) {
        if (what == primitive::merge_by_key && bytes == 0) continue;
        const unsigned turn = static_cast<unsigned>(type) + descending;
        if (sample && descending == (turn % 2 == 0)) continue;
        if ((sample || type != dtype::u32) && bytes != sizes[turn % 3] && bytes != sizes[3 + turn % 3]) continue;
        if (sample && bytes != sizes[turn % 3]) continue;
        list.push_back(form_of(what, type, bytes == 0 && what == primitive::merge_by_key ? 4 : bytes, descending));
      }
  problem few_bits = form_of(what, dtype::u32, 4);
  few_bits.first_bit = 8, few_bits.last_bit = 16;
  list.push_back(few_bits);
  return list;
}

void complete(problem& p, std::uint64_t, std::uint64_t turn) {
  const std::uint64_t others[]{p.n / 3 + 1, p.n, 0, 1, 2 * p.n + 5, p.n};
  if (p.m != 0 && p.n >> 32 != 0) return;
  p.m = p.m != 0 ? p.n : others[turn % 6];
}

// --- operands ---

// The ranks of n sorted keys among `levels`, low ones more often than high ones: at random, or of many evenly.
class ranks {
 public:
  ranks(std::uint64_t n, std::uint64_t levels, std::uint64_t seed) : n_(n), levels_(levels) {
    if (n > most_listed) return;
    auto listed = std::make_shared<std::vector<std::uint64_t>>(n);
    for (std::uint64_t i = 0; i < n; ++i) (*listed)[i] = at(static_cast<double>(mixed(seed, i) >> 11) * 0x1p-53);
    std::sort(listed->begin(), listed->end());
    listed_ = std::move(listed);
  }
  std::uint64_t operator()(std::uint64_t i) const {
    return listed_ ? (*listed_)[i] : at((static_cast<double>(i) + 0.5) / static_cast<double>(n_));
  }

 private:
  static constexpr std::uint64_t most_listed = 1 << 24;
  std::uint64_t at(double u) const {
    return std::min(levels_ - 1, static_cast<std::uint64_t>(static_cast<double>(levels_) * u * u));
  }
  std::uint64_t n_, levels_;
  std::shared_ptr<const std::vector<std::uint64_t>> listed_;
};

// How many different keys there are, and how many of those stand before all of a sequence's.
struct spread {
  std::uint64_t levels, first_of_one = 0, first_of_other = 0;
};

spread spread_of(const problem& p, input_kind kind) {
  const std::uint64_t both = p.n + p.m + 2, some = both / 4 + 1;
  switch (kind) {
    case input_kind::sorted: return {2 * some, 0, some};  // all of the first before all of the second
    case input_kind::reversed: return {2 * some, some, 0};
    case input_kind::few: return {10};
    case input_kind::zipf: return {300};
    case input_kind::constant: return {1};
    case input_kind::uniform: break;
  }
  return {both / 2};
}

array keys(memory problem::* slot, std::uint64_t n, const problem& p, std::uint64_t seed, std::uint64_t levels,
           std::uint64_t first, std::uint64_t of) {
  return {slot, n, size_of(p.type),
          [=, rank = ranks(n, levels, seed)](void* to, std::uint64_t begin, std::uint64_t count) {
            with_any_type(p.type, [&]<class T>(type_tag<T>) {
              key_maker<T> make;
              make.seed = seed;
              if (p.last_bit != 0) make.first_bit = p.first_bit, make.last_bit = p.last_bit;
              auto* out = static_cast<order_image<T>*>(to);
              for (std::uint64_t i = 0; i < count; ++i) {
                const std::uint64_t at = p.descending ? n - 1 - (begin + i) : begin + i;
                out[i] = make.ranked(rank(at) + first, of, mixed(seed, begin + i), true);
              }
            });
          }};
}

array values(memory problem::* slot, std::uint64_t n, const problem& p, std::uint64_t seed) {
  return {slot, n, p.value_bytes, [bytes = p.value_bytes, seed](void* to, std::uint64_t first, std::uint64_t count) {
            auto* out = static_cast<unsigned char*>(to);
            for (std::uint64_t i = 0; i < count; ++i)
              for (std::uint32_t k = 0; k < bytes; ++k, ++out)
                *out = static_cast<unsigned char>(mixed(seed, first + i) >> 8 * (k % 8));
          }};
}

std::vector<array> arrays(const problem& p, std::uint64_t seed, input_kind kind) {
  const spread s = spread_of(p, kind);
  const bool apart = s.first_of_one + s.first_of_other != 0;
  const std::uint64_t each = apart ? s.levels / 2 : s.levels;
  std::vector<array> list{keys(&problem::in, p.n, p, seed, each, s.first_of_one, s.levels),
                          keys(&problem::in2, p.m, p, seed + 1, each, s.first_of_other, s.levels)};
  if (p.value_bytes != 0) {
    list.push_back(values(&problem::in3, p.n, p, seed + 2));
    if (keeps_of_second(p.what)) list.push_back(values(&problem::in4, p.m, p, seed + 3));
  }
  const std::uint64_t most = most_kept(p.what, p.n, p.m);
  list.push_back({&problem::out, most, size_of(p.type), {}, true});
  if (p.value_bytes != 0) list.push_back({&problem::out2, most, p.value_bytes, {}, true});
  list.push_back({&problem::count, 1, 8, {}, true});
  return list;
}

// --- the judge ---

struct source {
  std::uint64_t image, at;
  bool second;
};
bool before(const source& a, const source& b) { return a.image < b.image; }

// The keys of one input in order, each with where it comes from.
template <class T>
class sources {
 public:
  using U = order_image<T>;
  using iterator_category = std::forward_iterator_tag;
  using value_type = source;
  using difference_type = std::ptrdiff_t;
  using pointer = const source*;
  using reference = source;

  sources() = default;
  sources(const problem& p, bool second, std::uint64_t at)
      : keys_((second ? p.in2 : p.in).as<const U>()),
        window_(p.first_bit, p.last_bit, p.descending),
        at_(at),
        second_(second) {}
  source operator*() const { return {window_(order_bits_of<order_for<T>>(keys_[at_])), at_, second_}; }
  sources& operator++() { return ++at_, *this; }
  sources operator++(int) {
    sources old = *this;
    ++at_;
    return old;
  }
  friend bool operator==(const sources& a, const sources& b) { return a.at_ == b.at_; }

 private:
  const U* keys_ = nullptr;
  order_window<U> window_{0, 0, false};
  std::uint64_t at_ = 0;
  bool second_ = false;
};

std::string text_of(const source& s) {
  return "element " + std::to_string(s.at) + " of the " + (s.second ? "second" : "first") + " input";
}

// Where the standard library's algorithm writes what is right: it is held against the result, and nothing is kept.
struct held_against {
  const problem& p;
  std::uint64_t size, most, next = 0;
  std::string wrong;

  explicit held_against(const problem& problem)
      : p(problem), size(size_of(problem.type)), most(most_kept(problem.what, problem.n, problem.m)) {}

  bool same(memory out, memory first, memory second, std::uint64_t bytes, std::uint64_t i, const source& s) const {
    return std::memcmp(out.as<const char>() + i * bytes, (s.second ? second : first).as<const char>() + s.at * bytes,
                       bytes) == 0;
  }
  bool right_key(std::uint64_t i, const source& s) const { return same(p.out, p.in, p.in2, size, i, s); }
  bool is_right(std::uint64_t i, const source& s) const {
    return right_key(i, s) && (p.value_bytes == 0 || same(p.out2, p.in3, p.in4, p.value_bytes, i, s));
  }
  void take(const source& s) {
    const std::uint64_t i = next++;
    if (!wrong.empty() || i >= most || is_right(i, s)) return;
    wrong = (right_key(i, s) ? "value " : "key ") + std::to_string(i) + ": it is not that of " + text_of(s);
  }

  // Output iterator.
  struct place {
    using iterator_category = std::output_iterator_tag;
    using value_type = void;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = void;
    held_against* all;
    place& operator*() { return *this; }
    place& operator++() { return *this; }
    place operator++(int) { return *this; }
    place& operator=(const source& s) { return all->take(s), *this; }
  };
};

std::string touched(const char* what, memory out, std::uint64_t first, std::uint64_t most, std::uint64_t size) {
  const auto* bytes = out.as<const unsigned char>();
  const std::uint64_t i = first_bad(first * size, most * size, [&](std::uint64_t k) { return bytes[k] != poison; });
  if (i == most * size) return {};
  return std::string(what) + " " + std::to_string(i / size) + ": it lies beyond the " + std::to_string(first) +
         " of the result and was written";
}

// The same by what the C++ standard says of each run of equal keys ([alg.set.operations]), a of them in the first
// input and b in the second: of many elements, which are then held against the result on all processors.
template <class T>
void hold_by_runs(const problem& p, held_against& result) {
  const order_window<order_image<T>> window(p.first_bit, p.last_bit, p.descending);
  const auto image = [&](bool second, std::uint64_t i) {
    return window(order_bits_of<order_for<T>>((second ? p.in2 : p.in).as<const order_image<T>>()[i]));
  };
  const auto end_of_run = [&](bool second, std::uint64_t from, auto of) {
    std::uint64_t low = from, high = second ? p.m : p.n;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (of < image(second, middle))
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  };
  const auto take = [&](bool second, std::uint64_t from, std::uint64_t count) {
    const std::uint64_t first = result.next;
    const std::uint64_t k = first_bad(0, count, [&](std::uint64_t j) {
      return first + j < result.most && !result.is_right(first + j, {0, from + j, second});
    });
    if (k < count && result.wrong.empty()) result.next = first + k, result.take({0, from + k, second});
    result.next = first + count;
  };
  for (std::uint64_t i = 0, j = 0; i < p.n || j < p.m;) {
    const auto key = j == p.m || (i < p.n && !(image(true, j) < image(false, i))) ? image(false, i) : image(true, j);
    const std::uint64_t i_end = end_of_run(false, i, key), j_end = end_of_run(true, j, key);
    const std::uint64_t a = i_end - i, b = j_end - j, more_a = a > b ? a - b : 0, more_b = b > a ? b - a : 0;
    switch (p.what) {
      case primitive::merge_by_key: take(false, i, a), take(true, j, b); break;
      case primitive::set_union: take(false, i, a), take(true, j_end - more_b, more_b); break;
      case primitive::set_intersection: take(false, i, a - more_a); break;
      case primitive::set_difference: take(false, i_end - more_a, more_a); break;
      case primitive::set_symmetric_difference:
        take(false, i_end - more_a, more_a), take(true, j_end - more_b, more_b);
        break;
    }
    i = i_end, j = j_end;
  }
}

constexpr std::uint64_t many = 1 << 22;

std::string wrong(const problem& p, double) {
  held_against result(p);
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    // Some of the smaller ones, too, so that this judge meets every form.
    if (p.n + p.m > many || (p.n + p.m) % 3 == 0) return hold_by_runs<T>(p, result);
    const sources<T> a(p, false, 0), a_end(p, false, p.n), b(p, true, 0), b_end(p, true, p.m);
    const held_against::place to{&result};
    switch (p.what) {
      case primitive::merge_by_key: std::merge(a, a_end, b, b_end, to, before); break;
      case primitive::set_union: std::set_union(a, a_end, b, b_end, to, before); break;
      case primitive::set_intersection: std::set_intersection(a, a_end, b, b_end, to, before); break;
      case primitive::set_difference: std::set_difference(a, a_end, b, b_end, to, before); break;
      case primitive::set_symmetric_difference: std::set_symmetric_difference(a, a_end, b, b_end, to, before); break;
    }
  });
  if (const std::uint64_t count = *p.count.as<const std::uint64_t>(); count != result.next)
    return "the count is " + std::to_string(count) + ", not " + std::to_string(result.next);
  if (!result.wrong.empty()) return result.wrong;
  std::string what = touched("key", p.out, result.next, result.most, result.size);
  if (what.empty() && p.value_bytes != 0) what = touched("value", p.out2, result.next, result.most, p.value_bytes);
  return what;
}

std::string words(const problem& p) {
  std::string s(name_of(p.type));
  if (p.value_bytes) s += ", values of " + std::to_string(p.value_bytes) + " bytes";
  if (p.descending) s += ", descending";
  if (p.last_bit != 0) s += ", bits " + std::to_string(p.first_bit) + " to " + std::to_string(p.last_bit);
  return p.n == 0 ? s : s + ", with " + std::to_string(p.m) + " more";
}

// --- the bench ---

template <primitive what>
std::vector<problem> timed(dtype type, op_kind op, bool inclusive) {
  if (op != op_kind::plus || inclusive) return {};
  std::vector<problem> list;
  if (what != primitive::merge_by_key) list.push_back(form_of(what, type, 0));
  list.push_back(form_of(what, type, 4));
  for (problem& p : list) p.m = 1;  // as many as the first has
  return list;
}

traffic moves(const problem& p, input_kind) {
  const auto pair = static_cast<double>(size_of(p.type) + p.value_bytes);
  const auto both = static_cast<double>(p.n + p.m);
  return {both * pair, (p.what == primitive::merge_by_key ? both : both / 2) * pair + 8};
}

template <primitive what>
conformance_test sets_conformance_test() {
  conformance_test e;
  e.what = what;
  e.forms = forms<what>;
  e.complete = complete;
  e.most_checked = (1 << 20) + 4099;  // of a judge that takes one key after the other
  e.arrays = arrays;
  e.wrong = wrong;
  e.words = words;
  e.timed = timed<what>;
  e.moves = moves;
  e.kinds = true;
  e.huge = [] {
    std::vector<problem> all{form_of(what, dtype::u8, what == primitive::merge_by_key ? 1 : 0)};
    if (what == primitive::merge_by_key) all.push_back(form_of(what, dtype::u8, 4)), all.back().m = 1'000'003;
    return all;
  };
  e.huge_kinds = {input_kind::uniform, input_kind::constant};
  return e;
}

}  // namespace

std::vector<upsweep::conformance_test> conformance_tests() {
  return {sets_conformance_test<all[0]>(), sets_conformance_test<all[1]>(), sets_conformance_test<all[2]>(),
          sets_conformance_test<all[3]>(), sets_conformance_test<all[4]>()};
}

}  // namespace upsweep::detail::sets_impl
