// Folds by an operator without an identity, in every call that takes an init or begins with an element. Every value
// that the caller gives carries a tag; the operator marks its result if it was called with a value that does not.
#pragma once

#include <array>

#include "tests/devices.hpp"
#include "upsweep/axis.hpp"
#include "upsweep/reduce.hpp"
#include "upsweep/scan.hpp"
#include "upsweep/segmented.hpp"

namespace upsweep::tests {

// x ↦ scale·x + shift. Composition is associative and does not commute.
struct tagged_map {
  static constexpr std::uint32_t given = 0x5eed5eed;
  std::uint32_t scale, shift, tag;
  tagged_map() = default;
  UPSWEEP_HD constexpr tagged_map(std::uint32_t a, std::uint32_t b, std::uint32_t t = given)
      : scale(a), shift(b), tag(t) {}
  friend bool operator==(const tagged_map&, const tagged_map&) = default;
};
struct then_map {
  static constexpr const char* source =
      "(tagged_map){a.scale * b.scale, a.shift * b.scale + b.shift, "
      "a.tag == 0x5eed5eedu && b.tag == 0x5eed5eedu ? 0x5eed5eedu : 1u}";
  UPSWEEP_HD tagged_map operator()(const tagged_map& a, const tagged_map& b) const {
    return {a.scale * b.scale, a.shift * b.scale + b.shift,
            a.tag == tagged_map::given && b.tag == tagged_map::given ? tagged_map::given : 1u};
  }
};
struct turned_map {
  static constexpr const char* source =
      "(tagged_map){x.scale + 2, x.shift ^ 5, x.tag == 0x5eed5eedu ? 0x5eed5eedu : 1u}";
  UPSWEEP_HD tagged_map operator()(const tagged_map& x) const {
    return {x.scale + 2, x.shift ^ 5, x.tag == tagged_map::given ? tagged_map::given : 1u};
  }
};
template <class T>
struct larger_of {
  static constexpr const char* source = "a > b ? a : b";
  UPSWEEP_HD T operator()(T a, T b) const { return a > b ? a : b; }
};

template <class T>
T drawn_element(std::uint32_t bits) {
  if constexpr (std::same_as<T, tagged_map>)
    return {bits | 1, bits * 2654435761u};
  else
    return static_cast<T>(bits % 251);
}

// `Op` and `F` as their file compiles them.
template <class T, class Op, class F>
class identity_free_cases {
 public:
  identity_free_cases(const context& where, Op op, F f) : where_(where), op_(op), f_(f) {}

  void all() const {
    for (const std::size_t n : {0, 1, 2, 31, 33, 255, 257, 4095, 4097, 65537}) {
      SCOPED_TRACE(n);
      folds(n);
      scans(n);
      by_key(n);
      by_segment(n);
    }
    for (const std::size_t length : {1, 33, 1025})
      for (const std::size_t lines : {1, 31, 300}) along(length, lines);
  }

 private:
  using values = std::vector<T>;

  static values drawn(std::size_t n, std::uint32_t seed) {
    values x(n);
    for (T& e : x) e = drawn_element<T>((seed = seed * 1664525u + 1013904223u) >> 8);
    return x;
  }
  T folded(const values& x, std::size_t first, std::size_t last, const T* init) const {
    T all = init ? *init : x[first];
    for (std::size_t i = first + (init == nullptr); i < last; ++i) all = op_(all, x[i]);
    return all;
  }
  // The prefixes of x[first … last), after `init`, or null.
  void scanned(const values& x, std::size_t first, std::size_t last, const T* init, bool inclusive, values& to) const {
    for (std::size_t i = first; i < last; ++i) to[i] = folded(x, first, i + inclusive, init);
  }
  values all_scanned(const values& x, const T* init, bool inclusive) const {
    values to(x.size());
    if (x.empty()) return to;
    T all = init ? (inclusive ? op_(*init, x[0]) : *init) : x[0];
    for (std::size_t i = 0; i < x.size(); ++i) {
      to[i] = all;
      if (i + 1 < x.size()) all = op_(all, x[i + inclusive]);
    }
    return to;
  }

  void folds(std::size_t n) const {
    const values x = drawn(n, 5), mapped = turned(x);
    const T init = drawn_element<T>(77);
    const buffer<T> in(where_, x);
    buffer<T> out(where_, std::vector<T>(1, drawn_element<T>(1)));
    const T want = folded(x, 0, n, &init);
    EXPECT_EQ(reduce(where_, x, init, op_), want);
    EXPECT_EQ(reduce(where_, in, init, op_), want);
    reduce(where_, in, out.span(), init, op_);
    EXPECT_EQ(out.download()[0], want);
    EXPECT_EQ(transform_reduce(where_, in, init, op_, f_), folded(mapped, 0, n, &init));
    EXPECT_EQ(transform_reduce(where_, x, init, op_, f_), folded(mapped, 0, n, &init));
    if (n == 0) {
      expect_error(fault::bad_argument, {"no elements"}, [&] { (void)reduce(where_, in, op_); });
      expect_error(fault::bad_argument, {"no elements"}, [&] { reduce(where_, in, out.span(), op_); });
      return;
    }
    const T without = folded(x, 0, n, nullptr);
    EXPECT_EQ(reduce(where_, x, op_), without);
    EXPECT_EQ(reduce(where_, in, op_), without);
    reduce(where_, in, out.span(), op_);
    EXPECT_EQ(out.download()[0], without);
    EXPECT_EQ(transform_reduce(where_, in, op_, f_), folded(mapped, 0, n, nullptr));
  }
  values turned(values x) const {
    for (T& e : x) e = f_(e);
    return x;
  }

  void scans(std::size_t n) const {
    const values x = drawn(n, 9), mapped = turned(x);
    const T init = drawn_element<T>(78);
    const buffer<T> in(where_, x), first(where_, values{init});
    buffer<T> out(where_, values(n, init));
    values here(n, init);
    const auto expect = [&](const values& want) {
      EXPECT_EQ(out.download(), want);
      out.upload(values(n, init));
    };
    inclusive_scan(where_, in, out.span(), op_), expect(all_scanned(x, nullptr, true));
    inclusive_scan(where_, in, out.span(), init, op_), expect(all_scanned(x, &init, true));
    exclusive_scan(where_, in, out.span(), init, op_), expect(all_scanned(x, &init, false));
    exclusive_scan(where_, in, out.span(), first.span(), op_), expect(all_scanned(x, &init, false));
    transform_inclusive_scan(where_, in, out.span(), op_, f_), expect(all_scanned(mapped, nullptr, true));
    transform_exclusive_scan(where_, in, out.span(), init, op_, f_), expect(all_scanned(mapped, &init, false));
    inclusive_scan(where_, x, here, op_);
    EXPECT_EQ(here, all_scanned(x, nullptr, true));
    exclusive_scan(where_, x, here, init, op_);
    EXPECT_EQ(here, all_scanned(x, &init, false));
    buffer<T> place(where_, x);
    inclusive_scan(where_, place, place.span(), op_);
    EXPECT_EQ(place.download(), all_scanned(x, nullptr, true));
  }

  // Runs and segments of 0 … 40 elements.
  static std::vector<std::uint64_t> cuts(std::size_t n) {
    std::vector<std::uint64_t> at{0};
    for (std::uint32_t s = 3; at.back() < n; s = s * 1664525u + 1013904223u)
      at.push_back(std::min<std::uint64_t>(n, at.back() + (s >> 8) % 41));
    return at;
  }

  void by_key(std::size_t n) const {
    const values x = drawn(n, 11);
    const T init = drawn_element<T>(79);
    std::vector<std::uint32_t> keys(n), run_keys;
    values folds, incl(n), incl_init(n), excl(n);
    const auto at = cuts(n);
    for (std::size_t s = 0; s + 1 < at.size(); ++s) {
      if (at[s] == at[s + 1]) continue;
      const auto key = static_cast<std::uint32_t>(run_keys.size() * 3 + 1);
      std::fill(keys.begin() + at[s], keys.begin() + at[s + 1], key);
      run_keys.push_back(key), folds.push_back(folded(x, at[s], at[s + 1], nullptr));
      scanned(x, at[s], at[s + 1], nullptr, true, incl), scanned(x, at[s], at[s + 1], &init, true, incl_init);
      scanned(x, at[s], at[s + 1], &init, false, excl);
    }
    const buffer<std::uint32_t> k(where_, keys);
    const buffer<T> in(where_, x);
    buffer<std::uint32_t> keys_out(where_, n);
    buffer<T> out(where_, values(n, init));
    values here(n, init);
    std::vector<std::uint32_t> keys_here(n);

    std::uint64_t runs = reduce_by_key(where_, k, in, keys_out.span(), out.span(), op_);
    EXPECT_EQ(first_of(keys_out.download(), runs), run_keys);
    values want = folds;
    want.resize(n, init);  // what lies beyond the runs does not change
    EXPECT_EQ(out.download(), want);
    runs = reduce_by_key(where_, keys, x, keys_here, here, op_);
    EXPECT_EQ(first_of(here, runs), folds);
    inclusive_scan_by_key(where_, k, in, out.span(), op_);
    EXPECT_EQ(out.download(), incl);
    inclusive_scan_by_key(where_, k, in, out.span(), init, op_);
    EXPECT_EQ(out.download(), incl_init);
    exclusive_scan_by_key(where_, k, in, out.span(), init, op_);
    EXPECT_EQ(out.download(), excl);
    inclusive_scan_by_key(where_, keys, x, here, op_);
    EXPECT_EQ(here, incl);
    exclusive_scan_by_key(where_, keys, x, here, init, op_);
    EXPECT_EQ(here, excl);
  }

  void by_segment(std::size_t n) const {
    const values x = drawn(n + 3, 13);  // the last three are in no segment
    const T init = drawn_element<T>(80), kept = drawn_element<T>(81);
    const auto at = cuts(n);
    values folds, incl(n + 3, kept), incl_init(n + 3, kept), excl(n + 3, kept);
    for (std::size_t s = 0; s + 1 < at.size(); ++s) {
      folds.push_back(folded(x, at[s], at[s + 1], &init));
      scanned(x, at[s], at[s + 1], nullptr, true, incl), scanned(x, at[s], at[s + 1], &init, true, incl_init);
      scanned(x, at[s], at[s + 1], &init, false, excl);
    }
    const buffer<T> in(where_, x);
    const buffer<std::uint64_t> offsets(where_, at);
    buffer<T> out(where_, values(n + 3, kept)), sums(where_, values(folds.size(), kept));
    values here(n + 3, kept), sums_here(folds.size(), kept);
    segmented_reduce(where_, in, offsets, sums.span(), init, op_);
    EXPECT_EQ(sums.download(), folds);
    segmented_reduce(where_, x, at, sums_here, init, op_);
    EXPECT_EQ(sums_here, folds);
    segmented_inclusive_scan(where_, in, offsets, out.span(), op_);
    EXPECT_EQ(out.download(), incl);
    segmented_inclusive_scan(where_, in, offsets, out.span(), init, op_);
    EXPECT_EQ(out.download(), incl_init);
    segmented_exclusive_scan(where_, in, offsets, out.span(), init, op_);
    EXPECT_EQ(out.download(), excl);
    segmented_inclusive_scan(where_, x, at, here, op_);
    EXPECT_EQ(here, incl);
  }

  void along(std::size_t length, std::size_t lines) const {
    SCOPED_TRACE(testing::Message() << lines << " lines of " << length);
    const values x = drawn(length * lines, 15);
    const T init = drawn_element<T>(82);
    const buffer<T> in(where_, x);
    buffer<T> sums(where_, values(lines, init)), out(where_, values(x.size(), init));
    values without, with, incl(x.size()), excl(x.size());
    for (std::size_t l = 0; l < lines; ++l) {
      without.push_back(folded(x, l * length, (l + 1) * length, nullptr));
      with.push_back(folded(x, l * length, (l + 1) * length, &init));
      scanned(x, l * length, (l + 1) * length, nullptr, true, incl);
      scanned(x, l * length, (l + 1) * length, &init, false, excl);
    }
    reduce_along(where_, in, rows_of(length), sums.span(), op_);
    EXPECT_EQ(sums.download(), without);
    reduce_along(where_, in, rows_of(length), sums.span(), init, op_);
    EXPECT_EQ(sums.download(), with);
    inclusive_scan_along(where_, in, rows_of(length), out.span(), op_);
    EXPECT_EQ(out.download(), incl);
    exclusive_scan_along(where_, in, rows_of(length), out.span(), init, op_);
    EXPECT_EQ(out.download(), excl);
  }

  const context& where_;
  Op op_;
  F f_;
};

}  // namespace upsweep::tests

template <>
struct upsweep::opencl_type<upsweep::tests::tagged_map> {
  static constexpr const char* name = "tagged_map";
  static constexpr const char* definition = "typedef struct { uint scale, shift, tag; } tagged_map;";
};
