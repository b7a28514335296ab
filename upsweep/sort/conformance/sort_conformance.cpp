// The conformance tests of sort, segmented-sort, top-k, merge and is-sorted. They take linear time: each element is
// traced to its original position, which shows that the result is a permutation, ordered and stable.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "upsweep/conformance/conformance.hpp"
#include "upsweep/conformance/first_difference.hpp"
#include "upsweep/conformance/segment_lengths.hpp"
#include "upsweep/sort/sort_keys.hpp"
#include "upsweep/sort/sort_problem.hpp"

namespace upsweep::detail::sort_impl {

namespace {

using conformance_test = conformance_test_for<problem>;
using array = array_of<problem>;

// Up to here keys without values are compared with the standard library's stable sort.
constexpr std::uint64_t exact_up_to = 1 << 17;

// A bench's keys are numbers, because the peers do not agree on NaNs.
void mark_timed(problem& p) { p.numbers_only = true; }
bool timed_only(const problem& p) { return p.numbers_only; }

// Values from which their positions can be told.
constexpr std::uint32_t odd32 = 0x9e3779b1u;
constexpr std::uint64_t odd64 = 0x9e3779b97f4a7c15u;

template <class U>
constexpr U inverse(U odd) {
  U x = odd;
  for (int i = 0; i < 6; ++i) x *= 2 - odd * x;
  return x;
}
static_assert(odd32 * inverse(odd32) == 1 && odd64 * inverse(odd64) == 1);

void fill_values(void* to, std::uint64_t first, std::uint64_t count, std::uint32_t bytes) {
  for (std::uint64_t i = 0; i < count; ++i) {
    if (bytes == 4) static_cast<std::uint32_t*>(to)[i] = static_cast<std::uint32_t>(first + i) * odd32;
    if (bytes == 8) static_cast<std::uint64_t*>(to)[i] = (first + i) * odd64;
  }
}

// --- forms ---

struct payload {
  std::uint32_t bytes;
  bool indices;
};
constexpr payload payloads[]{{0, false}, {4, false}, {8, false}, {4, true}, {8, true}};

struct bit_range {
  dtype type;
  std::uint8_t first, last;
};
constexpr bit_range bit_ranges[]{{dtype::u32, 8, 16}, {dtype::u32, 0, 1},   {dtype::u32, 27, 32}, {dtype::i32, 0, 31},
                                 {dtype::u64, 0, 24}, {dtype::u64, 31, 33}, {dtype::i64, 40, 64}, {dtype::u8, 2, 7},
                                 {dtype::i16, 3, 12}, {dtype::f32, 16, 32}, {dtype::f64, 52, 64}, {dtype::f16, 10, 16}};

problem form_of(primitive what, dtype type, bool descending = false, payload with = {0, false}) {
  problem p;
  p.what = what, p.type = type, p.descending = descending, p.value_bytes = with.bytes, p.indices = with.indices;
  return p;
}

template <primitive what>
std::vector<problem> forms(bool sample) {
  std::vector<problem> all;
  const auto add = [&](const problem& p, bool chosen) {
    if (chosen || !sample) all.push_back(p);
  };
  constexpr bool with_payload = what == primitive::sort || what == primitive::segmented_sort;
  unsigned turn = 0;
  for (dtype type : all_dtypes)
    for (bool descending : {false, true})
      for (const payload& with : payloads)
        if (with_payload || with.bytes == 0) {
          // A sample has every type both ways, and every payload with some types.
          const unsigned which = (static_cast<unsigned>(type) + descending) % 4 + 1;
          add(form_of(what, type, descending, with), with.bytes == 0 || &with == &payloads[which]);
        }
  for (const bit_range& b : bit_ranges) {
    // Whether a float's few upper bits are in order cannot be told from its place in the full order.
    if ((what == primitive::merge || what == primitive::is_sorted) && is_floating(b.type)) continue;
    for (bool descending : {false, true})
      for (const payload& with : {payloads[0], payloads[1]}) {
        if (with.bytes != 0 && !with_payload) continue;
        problem p = form_of(what, b.type, descending, with);
        p.first_bit = b.first, p.last_bit = b.last;
        add(p, ++turn % 5 == 0);
      }
  }
  return all;
}

void complete(problem& p, std::uint64_t seed, std::uint64_t turn) {
  const std::uint64_t n = p.n;
  if (p.what == primitive::segmented_sort) {
    if (p.m != 0 && n >> 32 != 0) return;
    const std::uint64_t segments[]{1, n / 100 + 1, n / 9 + 2, 0, n + 3, 7};
    p.m = p.lengths != 0 ? offsets_of_lengths(p.lengths, n, seed)->size() - 1 : segments[turn % 6];
  } else if (p.what == primitive::top_k) {
    const std::uint64_t wanted[]{n, 10, n / 2, 1, 0, 100, n / 3 + 1, n == 0 ? 0 : n - 1};
    p.m = std::min(n, p.m != 0 ? p.m : wanted[turn % 8]);
  } else if (p.what == primitive::merge) {
    const std::uint64_t others[]{n / 3 + 1, n, 0, 1, 2 * n + 5, n};
    p.m = timed_only(p) ? n : others[turn % 6];
  }
}

// --- operands ---

template <class T>
key_maker<T> maker_of(const problem& p, std::uint64_t seed) {
  key_maker<T> keys;
  keys.seed = seed;
  keys.numbers_only = timed_only(p);
  if (p.last_bit != 0) keys.first_bit = p.first_bit, keys.last_bit = p.last_bit;
  return keys;
}

// `key(maker, i)` gives the bits of key i.
template <class Key>
std::function<void(void*, std::uint64_t, std::uint64_t)> filled(const problem& p, std::uint64_t seed, Key key) {
  return [=](void* to, std::uint64_t first, std::uint64_t count) {
    with_any_type(p.type, [&]<class T>(type_tag<T>) {
      const key_maker<T> keys = maker_of<T>(p, seed);
      auto* out = static_cast<order_image<T>*>(to);
      for (std::uint64_t i = 0; i < count; ++i) out[i] = key(keys, first + i);
    });
  };
}

array keys_of_kind(const problem& p, std::uint64_t seed, input_kind kind) {
  return {&problem::in, p.n, size_of(p.type),
          filled(p, seed, [=](const auto& keys, std::uint64_t i) { return keys.key(kind, i, p.n, p.descending); })};
}

// Keys in the order asked for: places first, first + 1, … of `of`. With `levels` there are only so many different ones.
array ordered(memory problem::* slot, std::uint64_t count, const problem& p, std::uint64_t seed, std::uint64_t first,
              std::uint64_t of, std::uint64_t levels) {
  return {slot, count, size_of(p.type), filled(p, seed, [=](const auto& keys, std::uint64_t i) {
            const std::uint64_t places = levels != 0 ? levels : of;
            const auto place = static_cast<std::uint64_t>(static_cast<unsigned __int128>(first + i) * places / of);
            return keys.ranked(p.descending ? places - 1 - place : place, places, mixed(seed, i), levels != 0);
          })};
}

segment_offsets offsets_of(const problem& p, std::uint64_t seed) {
  if (p.lengths != 0) return offsets_of_lengths(p.lengths, p.n, seed);
  auto offsets = std::make_shared<std::vector<std::uint64_t>>(p.m + 1);
  if (p.m == 1 && p.n >> 32 != 0) {  // a segment of more than 2^32
    offsets->back() = p.n;
    return offsets;
  }
  // Empty, tiny, middling and huge ones, mixed; or all of one length; or lengths by Zipf's law; or one that has nearly
  // all, among empty and tiny ones. Now and then the first elements or the last lie in no segment.
  enum class lengths : std::uint8_t { any, equal, zipf, one_long };
  const std::uint64_t chosen = mixed(seed ^ p.n, p.m), all_kinds = 4;
  const auto kind = static_cast<lengths>(chosen % all_kinds);
  std::uint64_t at = p.m % 3 == 2 ? std::min<std::uint64_t>(p.n, 5) : 0;
  for (std::uint64_t s = 0; s <= p.m; ++s) {
    (*offsets)[s] = at;
    const std::uint64_t random = mixed(seed + p.n, s), size = random >> 8;
    const unsigned what = random % 16;
    std::uint64_t length = what < 5    ? 0
                           : what < 12 ? size % 40
                           : what < 14 ? size % 700
                           : what < 15 ? size % 5000
                                       : p.n / 4 + size % 100;
    if (kind == lengths::equal) length = p.n / std::max<std::uint64_t>(p.m, 1);
    if (kind == lengths::zipf) {
      const double u = static_cast<double>(random >> 11) * 0x1p-53;
      length = static_cast<std::uint64_t>(std::exp(u * std::log(static_cast<double>(p.n) + 1))) - 1;
    }
    if (kind == lengths::one_long) length = s == chosen / all_kinds % (p.m + 1) ? p.n - p.n / 16 : size % 3;
    at = std::min(p.n, at + length);
  }
  if (mixed(seed, p.n + p.m) % 2 == 0) offsets->back() = p.n;
  return offsets;
}

std::vector<array> sort_arrays(const problem& p, std::uint64_t seed, input_kind kind) {
  const std::uint64_t size = size_of(p.type);
  std::vector<array> all{keys_of_kind(p, seed, kind)};
  // Indices are written only. A check has something lie there all the same, which must not be read.
  if (p.value_bytes != 0 && !(p.indices && timed_only(p)))
    all.push_back({&problem::in2, p.n, p.value_bytes,
                   [bytes = p.value_bytes](void* to, std::uint64_t first, std::uint64_t count) {
                     fill_values(to, first, count, bytes);
                   }});
  if (p.what == primitive::segmented_sort)
    all.push_back({&problem::in3, p.m + 1, 8,
                   [offsets = offsets_of(p, seed)](void* to, std::uint64_t first, std::uint64_t count) {
                     std::copy_n(offsets->data() + first, count, static_cast<std::uint64_t*>(to));
                   }});
  all.push_back({&problem::out, p.n, size, {}, true});
  if (p.value_bytes != 0) all.push_back({&problem::out2, p.n, p.value_bytes, {}, true});
  return all;
}

std::vector<array> top_k_arrays(const problem& p, std::uint64_t seed, input_kind kind) {
  return {
      keys_of_kind(p, seed, kind), {&problem::out, p.m, size_of(p.type), {}, true}, {&problem::out2, p.m, 8, {}, true}};
}

std::vector<array> merge_arrays(const problem& p, std::uint64_t seed, input_kind kind) {
  const auto two = [&](std::uint64_t first, std::uint64_t first2, bool share,
                       std::uint64_t levels) -> std::vector<array> {
    return {ordered(&problem::in, p.n, p, seed, first, share ? p.n + p.m : p.n, levels),
            ordered(&problem::in2, p.m, p, seed + 1, first2, share ? p.n + p.m : p.m, levels),
            {&problem::out, p.n + p.m, size_of(p.type), {}, true}};
  };
  switch (kind) {
    case input_kind::sorted: return two(0, p.n, true, 0);    // all of in before all of in2
    case input_kind::reversed: return two(p.m, 0, true, 0);  // the other way round
    case input_kind::few: return two(0, 0, false, 10);
    case input_kind::zipf: return two(0, 0, false, 300);
    case input_kind::constant: return two(0, 0, false, 1);
    case input_kind::uniform: break;
  }
  return two(0, 0, false, 0);
}

std::vector<array> is_sorted_arrays(const problem& p, std::uint64_t seed, input_kind kind) {
  // Often it is the last key that stands wrong.
  const std::uint64_t random = mixed(seed, p.n), breach = p.n < 2           ? 0
                                                          : random % 3 == 0 ? p.n - 1
                                                                            : random / 4 % (p.n - 1) + 1;
  array in = keys_of_kind(p, seed, kind);
  // Uniform keys would be out of order at once. So they are sorted, but for one place in a check.
  if (kind == input_kind::uniform)
    in.fill = filled(p, seed, [=](const auto& keys, std::uint64_t i) {
      const bool breaks = !timed_only(p) && i == breach && mixed(seed, breach) % 8 != 0;
      return keys.key(input_kind::sorted, breaks ? 0 : i, p.n, p.descending);
    });
  return {in, {&problem::count, 1, 8, {}, true}};
}

// --- judges ---

template <class T>
struct reference_results {
  using U = order_image<T>;
  const problem& p;
  order_window<U> window{p.first_bit, p.last_bit, p.descending};
  const U* in = p.in.as<const U>();
  const U* out = p.out.as<const U>();

  explicit reference_results(const problem& checked) : p(checked) {}

  U image(U key) const { return window(order_bits_of<order_for<T>>(key)); }

  static std::string text(U key) {
    const T value = __builtin_bit_cast(T, key);
    char buffer[64];
    if constexpr (is_floating(dtype_of<T>)) {
      const auto x = static_cast<double>(value);
      std::snprintf(buffer, sizeof buffer, std::isnan(x) ? "%g (bits %llx)" : "%.9g", x,
                    static_cast<unsigned long long>(key));
    } else if constexpr (is_signed(dtype_of<T>)) {
      std::snprintf(buffer, sizeof buffer, "%lld", static_cast<long long>(value));
    } else {
      std::snprintf(buffer, sizeof buffer, "%llu", static_cast<unsigned long long>(value));
    }
    return buffer;
  }

  static std::string element(std::uint64_t i, std::uint64_t of) {
    return "element " + std::to_string(i) + " of " + std::to_string(of) + ": ";
  }

  std::string out_of_order(std::uint64_t i, std::uint64_t of) const {
    return element(i, of) + text(out[i]) + " stands after " + text(out[i - 1]) + ", which it precedes";
  }

  // The original position of output element i, from its value.
  std::uint64_t source(std::uint64_t i) const {
    if (p.indices)
      return p.value_bytes == 4 ? p.out2.as<const std::uint32_t>()[i] : p.out2.as<const std::uint64_t>()[i];
    if (p.value_bytes == 4) return static_cast<std::uint32_t>(p.out2.as<const std::uint32_t>()[i] * inverse(odd32));
    return p.out2.as<const std::uint64_t>()[i] * inverse(odd64);
  }

  // Elements [first, last), sorted among themselves.
  std::string wrong_sort(std::uint64_t first, std::uint64_t last) const {
    if (p.value_bytes != 0) return wrong_with_sources(first, last);
    const std::uint64_t i =
        first_bad(first, last, [&](std::uint64_t k) { return k > first && image(out[k]) < image(out[k - 1]); });
    if (i != last) return out_of_order(i, p.n);
    return last - first <= exact_up_to ? wrong_beside_std(first, last) : wrong_keys(first, last);
  }

  // Strictly increasing in (image, source): so no source comes twice, all come, and equal keys keep their order.
  std::string wrong_with_sources(std::uint64_t first, std::uint64_t last) const {
    const auto misplaced = [&](std::uint64_t i) {
      const U a = image(out[i - 1]), b = image(out[i]);
      return b < a || (b == a && source(i) <= source(i - 1));
    };
    const std::uint64_t i = first_bad(first, last, [&](std::uint64_t k) {
      const std::uint64_t from = source(k);
      return from < first || from >= last || in[from] != out[k] || (k > first && misplaced(k));
    });
    if (i == last) return {};
    const std::uint64_t from = source(i);
    if (from < first || from >= last)
      return element(i, p.n) + "it comes with a " + (p.indices ? "place" : "value") + " that no key had";
    if (in[from] != out[i])
      return element(i, p.n) + "key " + text(out[i]) + " comes with the " + (p.indices ? "place" : "value") +
             " of key " + text(in[from]);
    if (image(out[i]) < image(out[i - 1])) return out_of_order(i, p.n);
    if (source(i) == source(i - 1))
      return element(i, p.n) + "the value of input element " + std::to_string(from) + " stands here twice";
    return element(i, p.n) + "equal keys have changed places: input element " + std::to_string(from) +
           " stands after " + std::to_string(source(i - 1));
  }

  std::string wrong_beside_std(std::uint64_t first, std::uint64_t last) const {
    std::vector<U> want(in + first, in + last);
    std::stable_sort(want.begin(), want.end(), [&](U a, U b) { return image(a) < image(b); });
    const auto i =
        static_cast<std::uint64_t>(std::mismatch(want.begin(), want.end(), out + first).first - want.begin());
    if (i == last - first) return {};
    const std::string here = element(first + i, p.n) + text(out[first + i]) + " is not " + text(want[i]);
    return image(out[first + i]) == image(want[i]) ? here + ", an equal key that stood before it" : here;
  }

  // Whether the keys are the same, in whatever order.
  std::string wrong_keys(std::uint64_t first, std::uint64_t last) const {
    const auto sum = [&](const U* keys) {
      return total(first, last, [&](std::uint64_t begin, std::uint64_t end) {
        std::uint64_t s = 0;
        for (std::uint64_t i = begin; i < end; ++i) s += mixed(keys[i]);
        return s;
      });
    };
    if (sum(in) == sum(out)) return {};
    return "the " + std::to_string(last - first) + " keys from element " + std::to_string(first) +
           " on are in order but not those of the input";
  }

  std::string wrong_segments() const {
    const auto* offsets = p.in3.as<const std::uint64_t>();
    const auto copied = [&](std::uint64_t first, std::uint64_t last) -> std::string {
      const std::uint64_t i = first_bad(
          first, last, [&](std::uint64_t k) { return out[k] != in[k] || (p.value_bytes != 0 && source(k) != k); });
      return i == last ? "" : element(i, p.n) + "it lies in no segment and was not copied";
    };
    if (std::string wrong = copied(0, offsets[0]); !wrong.empty()) return wrong;
    if (std::string wrong = copied(offsets[p.m], p.n); !wrong.empty()) return wrong;
    const std::uint64_t s = first_found(0, p.m, 256, [&](std::uint64_t begin, std::uint64_t end, std::uint64_t found) {
      for (std::uint64_t k = begin; k < end && k < found; ++k)
        if (!wrong_sort(offsets[k], offsets[k + 1]).empty()) return k;
      return found;
    });
    if (s == p.m) return {};
    return "segment " + std::to_string(s) + " from " + std::to_string(offsets[s]) + " to " +
           std::to_string(offsets[s + 1]) + ", " + wrong_sort(offsets[s], offsets[s + 1]);
  }

  // The m that are there stand in order, and exactly they precede all others.
  std::string wrong_top_k() const {
    if (p.m == 0) return {};
    const auto* from = p.out2.as<const std::uint64_t>();
    const std::uint64_t i = first_bad(0, p.m, [&](std::uint64_t k) {
      if (from[k] >= p.n || in[from[k]] != out[k]) return true;
      if (k == 0) return false;
      const U a = image(out[k - 1]), b = image(out[k]);
      return b < a || (a == b && from[k] <= from[k - 1]);
    });
    if (i != p.m) {
      if (from[i] >= p.n) return element(i, p.m) + "index " + std::to_string(from[i]) + " is past the end";
      if (in[from[i]] != out[i])
        return element(i, p.m) + text(out[i]) + " is not the key at index " + std::to_string(from[i]) + ", " +
               text(in[from[i]]);
      return image(out[i]) < image(out[i - 1]) ? out_of_order(i, p.m)
                                               : element(i, p.m) + "equal keys do not stand in the order of the input";
    }
    const U last = image(out[p.m - 1]);
    const std::uint64_t last_at = from[p.m - 1];
    const std::uint64_t as_early = total(0, p.n, [&](std::uint64_t begin, std::uint64_t end) {
      std::uint64_t count = 0;
      for (std::uint64_t k = begin; k < end; ++k)
        count += image(in[k]) < last || (image(in[k]) == last && k <= last_at);
      return count;
    });
    if (as_early == p.m) return {};
    return "element " + std::to_string(p.m - 1) + " of " + std::to_string(p.m) + ": of the input, " +
           std::to_string(as_early) + " keys stand no later than " + text(out[p.m - 1]) + " at index " +
           std::to_string(last_at);
  }

  // How many of the first `k` merged come from in.
  std::uint64_t from_first(std::uint64_t k, const U* in2) const {
    std::uint64_t low = k > p.m ? k - p.m : 0, high = std::min(k, p.n);
    while (low < high) {
      const std::uint64_t i = low + (high - low) / 2;
      if (image(in2[k - i - 1]) < image(in[i])) {
        high = i;
      } else {
        low = i + 1;
      }
    }
    return low;
  }

  std::string wrong_merge() const {
    const U* in2 = p.in2.as<const U>();
    const std::uint64_t all = p.n + p.m;
    const auto next = [&](std::uint64_t& i, std::uint64_t& j) {
      return j == p.m || (i < p.n && !(image(in2[j]) < image(in[i]))) ? in[i++] : in2[j++];
    };
    const std::uint64_t at =
        first_found(0, all, checked_at_once, [&](std::uint64_t begin, std::uint64_t end, std::uint64_t found) {
          std::uint64_t i = from_first(begin, in2), j = begin - i;
          for (std::uint64_t k = begin; k < end && k < found; ++k)
            if (out[k] != next(i, j)) return k;
          return found;
        });
    if (at == all) return {};
    std::uint64_t i = from_first(at, in2), j = at - i;
    return element(at, all) + text(out[at]) + " is not " + text(next(i, j));
  }

  std::string wrong_is_sorted() const {
    const std::uint64_t want =
        first_bad(1, std::max<std::uint64_t>(p.n, 1), [&](std::uint64_t i) { return image(in[i]) < image(in[i - 1]); });
    const std::uint64_t got = *p.count.as<const std::uint64_t>(), right = std::min(want, p.n);
    if (got == right) return {};
    return "the count is " + std::to_string(got) + ", not " + std::to_string(right) + " of " + std::to_string(p.n);
  }
};

std::string wrong(const problem& p, double) {
  return with_any_type(p.type, [&]<class T>(type_tag<T>) -> std::string {
    const reference_results<T> j(p);
    switch (p.what) {
      case primitive::segmented_sort: return j.wrong_segments();
      case primitive::top_k: return j.wrong_top_k();
      case primitive::merge: return j.wrong_merge();
      case primitive::is_sorted: return j.wrong_is_sorted();
      default: return j.wrong_sort(0, p.n);
    }
  });
}

std::string words(const problem& p) {
  std::string s(name_of(p.type));
  s += " keys";
  if (p.indices) {
    s += p.value_bytes == 4 ? ", u32 indices" : ", u64 indices";
  } else if (p.value_bytes != 0) {
    s += ", values of " + std::to_string(p.value_bytes) + " bytes";
  }
  if (p.descending) s += ", descending";
  if (p.last_bit != 0) s += ", bits " + std::to_string(p.first_bit) + " to " + std::to_string(p.last_bit);
  if (p.what == primitive::top_k) s += ", k = " + std::to_string(p.m);
  if (p.what == primitive::segmented_sort)
    s += ", " + (p.lengths != 0 ? text_of_lengths(p.lengths) : std::to_string(p.m) + " segments");
  if (p.what == primitive::merge && !timed_only(p)) s += ", with " + std::to_string(p.m) + " more";
  return s;
}

// --- the bench ---

template <primitive what>
std::vector<problem> timed(dtype type, op_kind op, bool inclusive) {
  if (op != op_kind::plus || inclusive) return {};
  std::vector<problem> all{form_of(what, type)};
  if (what == primitive::sort) {
    all.push_back(form_of(what, type, false, {size_of(type) == 8 ? 8u : 4u, false}));
    if (size_of(type) == 8) all.push_back(form_of(what, type, false, {4, false}));
  }
  if (what == primitive::segmented_sort) {
    all.assign(timed_lengths.size(), all[0]);
    for (std::size_t i = 0; i < all.size(); ++i) all[i].lengths = timed_lengths[i];
  }
  if (what == primitive::top_k) {
    all[0].m = 16, all[0].descending = true;
    all.push_back(all[0]);
    all[1].m = 1024;
  }
  for (problem& p : all) mark_timed(p);
  return all;
}

traffic moves(const problem& p, input_kind) {
  const auto keys = static_cast<double>(p.n * size_of(p.type)), values = static_cast<double>(p.n * p.value_bytes);
  const auto others = static_cast<double>(p.m * size_of(p.type)), counts = static_cast<double>(p.m) * 8;
  switch (p.what) {
    case primitive::segmented_sort: return {keys + (p.indices ? 0 : values) + counts + 8, keys + values};
    case primitive::top_k: return {keys, others + counts};
    case primitive::merge: return {keys + others, keys + others};
    case primitive::is_sorted: return {keys, 8};
    default: return {keys + (p.indices ? 0 : values), keys + values};
  }
}

template <primitive what>
std::vector<problem> huge() {
  problem p = form_of(what, dtype::u8);
  if (what == primitive::top_k) p.m = 1000;
  if (what == primitive::segmented_sort) {
    problem one = p;
    one.m = 1;
    return {p, one};
  }
  if (what != primitive::sort) return {p};
  return {p, form_of(what, dtype::u32), form_of(what, dtype::u8, false, {8, true})};
}

template <primitive what>
conformance_test sort_conformance_test(std::vector<array> (*arrays)(const problem&, std::uint64_t, input_kind)) {
  conformance_test e;
  e.what = what;
  e.forms = forms<what>;
  e.complete = complete;
  e.arrays = arrays;
  e.wrong = wrong;
  e.words = words;
  e.timed = timed<what>;
  e.moves = moves;
  e.kinds = true;
  if constexpr (what == primitive::sort || what == primitive::segmented_sort)
    e.in_place = {{&problem::out, &problem::in}, {&problem::out2, &problem::in2}};
  e.huge = huge<what>;
  e.huge_kinds = {input_kind::uniform, input_kind::constant};
  return e;
}

}  // namespace

std::vector<upsweep::conformance_test> conformance_tests() {
  return {sort_conformance_test<primitive::sort>(sort_arrays),
          sort_conformance_test<primitive::segmented_sort>(sort_arrays),
          sort_conformance_test<primitive::top_k>(top_k_arrays), sort_conformance_test<primitive::merge>(merge_arrays),
          sort_conformance_test<primitive::is_sorted>(is_sorted_arrays)};
}

}  // namespace upsweep::detail::sort_impl
