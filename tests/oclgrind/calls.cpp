// Small calls that the command does not make, for Oclgrind: of counts that the device knows, of structs, and of device
// source. Each is made on the device that is named and on the CPU, and what comes out must be the same bytes.
//   upsweep_oclgrind_calls opencl:0
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <random>

#include "upsweep/upsweep.hpp"

namespace {

using namespace upsweep;

struct record {
  std::int32_t key;
  float x;
  std::uint32_t tag;
};
struct by_key {
  bool operator()(const record& a, const record& b) const { return a.key < b.key; }
  static constexpr const char* source = "a.key < b.key";
};
struct by_last_digit {
  bool operator()(std::uint32_t a, std::uint32_t b) const { return a % 10 < b % 10; }
  static constexpr const char* source = "a % 10 < b % 10";
};

struct below_twenty {
  bool operator()(std::uint32_t x) const { return x < 20; }
  static constexpr const char* source = "x < 20";
};
struct alike_in_tens {
  bool operator()(std::uint32_t a, std::uint32_t b) const { return a / 10 == b / 10; }
  static constexpr const char* source = "a / 10 == b / 10";
};

}  // namespace

template <>
struct upsweep::opencl_type<record> {
  static constexpr const char* name = "record";
  static constexpr const char* definition = "typedef struct { int key; float x; uint tag; } record;";
  static constexpr const char* equal = "a.key == b.key";
};

namespace {

// What the calls wrote, one after the other.
struct written {
  std::vector<char> bytes;
  template <class T>
  void keep(const buffer<T>& b) {
    const std::vector<T> all = b.download();
    const auto* const from = reinterpret_cast<const char*>(all.data());
    bytes.insert(bytes.end(), from, from + all.size() * sizeof(T));
  }
};

template <class T>
std::vector<T> drawn(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> x(n);
  for (T& v : x) v = static_cast<T>(random() % 50);
  return x;
}
std::vector<record> records(std::size_t n) {
  std::mt19937 random(5);
  std::vector<record> x(n);
  for (std::uint32_t i = 0; i < n; ++i) x[i] = {static_cast<std::int32_t>(random() % 90) - 45, 0.5f, i};
  return x;
}

void counted_calls(const context& c, std::size_t n, std::uint64_t held, written& to) {
  const auto x = drawn<std::uint32_t>(n, 1);
  const buffer<std::uint64_t> count(c, std::vector{held});
  buffer<std::uint64_t> kept(c, std::vector<std::uint64_t>{0});
  buffer<std::uint32_t> keys(c, x), out(c, x), sums(c, x), total(c, std::vector{7u});
  buffer<std::uint16_t> values(c, drawn<std::uint16_t>(n, 2));
  sort(c, device_counted(keys, count), out);
  to.keep(out);
  sort(c, device_counted(out, count), sort_options{true, 0, 0});
  to.keep(out);
  unique(c, device_counted(out, count), sums, kept.span());
  to.keep(sums), to.keep(kept);
  sort_by_key(c, device_counted(keys, count), values);
  to.keep(keys), to.keep(values);
  inclusive_scan(c, device_counted(keys, count), sums);
  to.keep(sums);
  reduce(c, device_counted(keys, count), total.span());
  to.keep(total);
  copy_if(c, device_counted(keys, count), out, kept.span(), less_than(20u));
  to.keep(out), to.keep(kept);
  partition(c, device_counted(keys, count), out, kept.span(), less_than(20u));
  to.keep(out), to.keep(kept);
  copy_if(c, device_counted(keys, count), out, kept.span(), below_twenty{});
  to.keep(out), to.keep(kept);
  partition(c, device_counted(keys, count), out, kept.span(), below_twenty{});
  to.keep(out), to.keep(kept);
  buffer<std::uint32_t> heads(c, x), folds(c, x);
  reduce_by_key(c, device_counted(keys, count), sums.span(), heads, folds, kept.span());
  to.keep(heads), to.keep(folds), to.keep(kept);
}

void calls_of_structs(const context& c, std::size_t n, written& to) {
  const auto x = records(n);
  std::vector<std::uint32_t> places(n);
  std::iota(places.begin(), places.end(), 0u);
  std::shuffle(places.begin(), places.end(), std::mt19937(3));
  std::vector<std::uint8_t> flags(n);
  for (std::size_t i = 0; i < n; ++i) flags[i] = i % 3 == 1;
  std::vector<std::uint64_t> lengths(n);
  for (std::size_t i = 0; i < n; ++i) lengths[i] = i % 4;
  const buffer<record> in(c, x);
  const buffer<std::uint32_t> index(c, places);
  const buffer<std::uint8_t> by(c, flags);
  buffer<record> out(c, x);
  gather(c, in, index, out);
  to.keep(out);
  gather_if(c, in, index, by, out);
  to.keep(out);
  scatter(c, in, index, out);
  to.keep(out);
  scatter_if(c, in, index, by, out);
  to.keep(out);
  buffer<record> decoded(c, std::vector<record>(std::accumulate(lengths.begin(), lengths.end(), std::size_t{0})));
  run_length_decode(c, in, buffer<std::uint64_t>(c, lengths), decoded);
  to.keep(decoded);
  // By numbers, with structs that follow, and by the structs' own order.
  buffer<std::uint32_t> keys(c, drawn<std::uint32_t>(n, 4));
  buffer<record> follow(c, x);
  sort_by_key(c, keys, follow);
  to.keep(keys), to.keep(follow);
  sort(c, in, out, by_key{});
  to.keep(out);
}

void calls_of_sources(const context& c, std::size_t n, written& to) {
  const auto x = drawn<std::uint32_t>(n, 6), y = drawn<std::uint32_t>(n / 3, 7);
  const buffer<std::uint32_t> in(c, x);
  buffer<std::uint32_t> out(c, x), values(c, y), a(c, x), b(c, y), both(c, std::vector<std::uint32_t>(n + n / 3));
  sort(c, in, out, by_last_digit{});
  to.keep(out);
  const bool in_order = is_sorted(c, in, by_last_digit{});
  buffer<std::uint8_t> told(c, std::vector<std::uint8_t>{in_order});
  to.keep(told);
  sort(c, a, by_last_digit{}), sort(c, b, by_last_digit{});
  merge(c, a, b, both, by_last_digit{});
  to.keep(both);
}

// Three bodies on a line, in columns: the outer ones are pulled inwards, alike, and the middle one is not.
void pull_on_a_line(const context& c, written& to) {
  const std::vector<float> none(3, 0), places{-1, 0, 1};
  const buffer<float> x(c, places), y(c, none), z(c, none), mass(c, std::vector<float>(3, 1));
  buffer<float> ax(c, none), ay(c, none), az(c, none);
  nbody::accelerations(c, {.softening = 0.25}, x.span(), y.span(), z.span(), mass.span(), ax.span(), ay.span(),
                       az.span());
  const auto a = ax.download();
  to.bytes.push_back(a[0] > 1 && std::abs(a[0] + a[2]) < 1e-5f && std::abs(a[1]) < 1e-5f);
}

// More than one tile of a sort, searches by digits, lines in pieces, tests and equalities by device source, offsets of
// 32 bits.
void longer_calls(const context& c, written& to) {
  constexpr std::size_t n = 4998, rows = 32, columns = 300;
  const auto x = drawn<std::uint32_t>(n, 9);
  std::vector<std::uint32_t> places(n);
  std::iota(places.begin(), places.end(), 0u);
  std::shuffle(places.begin(), places.end(), std::mt19937(7));
  const buffer<std::uint32_t> in(c, x), index(c, places), offsets(c, std::vector<std::uint32_t>{0, 5, 5, 2000, n});
  buffer<std::uint32_t> out(c, x), heads(c, x), few(c, std::vector<std::uint32_t>(4));
  buffer<std::uint64_t> kept(c, std::vector<std::uint64_t>{0});
  const auto keep = [&](auto&... all) { (to.keep(all), ...); };
  sort(c, in, out), keep(out);
  sort(c, in, out, by_last_digit{}), keep(out);
  top_k(c, in, few), keep(few);
  const buffer<std::uint32_t> median(c, std::vector{nth_element(c, in, n / 2)});
  to.keep(median);
  scatter(c, in, index, out), keep(out);
  buffer<std::uint32_t> tall(c, drawn<std::uint32_t>(rows * columns, 11));
  reduce_along(c, tall, {{rows, columns}, 0}, out.span().subspan(0, columns)), keep(out);
  inclusive_scan_along(c, tall, {{rows, columns}, 0}, tall), keep(tall);
  segmented_reduce(c, in, offsets, few), keep(few);
  partition(c, in, out, kept.span(), below_twenty{}), keep(out, kept);
  unique(c, in, out, alike_in_tens{}), keep(out);
  reduce_by_key(c, in, in, heads, out, kept.span(), plus{}, identity{}, alike_in_tens{}), keep(heads, out, kept);
}

written all_of(const context& c) {
  written to;
  pull_on_a_line(c, to);
  longer_calls(c, to);
  buffer<std::uint32_t> turned(c, drawn<std::uint32_t>(300, 8));
  reverse(c, turned.span());
  to.keep(turned);
  for (const std::size_t n : {1, 65, 700}) {
    for (const std::uint64_t held : {std::uint64_t{0}, std::uint64_t{n / 2}, ~std::uint64_t{0}})
      counted_calls(c, n, held, to);
    calls_of_structs(c, n, to);
    calls_of_sources(c, n, to);
  }
  return to;
}

}  // namespace

int main(int argc, char** argv) try {
  const written here = all_of(context::named(argc > 1 ? argv[1] : "opencl:0")), there = all_of(context::cpu(1));
  const bool same = here.bytes.size() == there.bytes.size() &&
                    std::memcmp(here.bytes.data(), there.bytes.data(), here.bytes.size()) == 0;
  std::printf("%zu bytes, %s\n", here.bytes.size(), same ? "the same on the CPU" : "and others on the CPU");
  return !same;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
