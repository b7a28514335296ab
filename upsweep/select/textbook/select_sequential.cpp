// The sequential loops.
#include <algorithm>
#include <array>
#include <cstring>

#include "upsweep/select/cpu/select_move_by_width.hpp"
#include "upsweep/select/select_problem.hpp"

namespace upsweep::detail::select_impl {

namespace {

// Calls f(from, to), which moves an element, and its value if it has one.
template <class F>
void with_moves(const problem& p, F&& f) {
  const auto* in = p.in.as<const char>();
  const auto* values = p.in2.as<const char>();
  auto* out = p.out.as<char>();
  auto* values_out = p.out2.as<char>();
  const std::uint64_t size = size_of(p.type), value_size = p.value_bytes;
  f([=](std::uint64_t from, std::uint64_t to) {
    std::memcpy(out + to * size, in + from * size, size);
    if (value_size != 0) std::memcpy(values_out + to * value_size, values + from * value_size, value_size);
  });
}

void select_sequentially(device&, const problem& p) {
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    const T* in = p.in.as<const T>();
    const auto* flags = p.in3.as<const std::uint8_t>();
    auto* counts = p.count.as<std::uint64_t>();
    const compared<T> test{p.test, p.threshold.as<T>()}, test2{p.test2, p.threshold2.as<T>()};
    const auto kept_in = [&](std::uint64_t i) -> unsigned {  // 0: among the first
      switch (p.how) {
        case selection::flagged: return flags[i] == 0;
        case selection::unique: return i != 0 && in[i] == in[i - 1];
        case selection::three_way_partition: return test(in[i]) ? 0 : test2(in[i]) ? 1 : 2;
        default: return !test(in[i]);
      }
    };
    const unsigned classes = p.how == selection::three_way_partition ? 3 : p.how == selection::partition ? 2 : 1;
    with_moves(p, [&](auto move) {
      std::uint64_t place = 0;
      for (unsigned c = 0; c < classes; ++c) {
        const std::uint64_t begin = place;
        for (std::uint64_t i = 0; i < p.n; ++i)
          if (kept_in(i) == c) move(i, place++);
        if (c == 0 || (c == 1 && classes == 3)) counts[c] = place - begin;
      }
    });
  });
}

void encode_sequentially(device&, const problem& p) {
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    const T* in = p.in.as<const T>();
    T* out = p.out.as<T>();
    auto* lengths = p.out2.as<std::uint64_t>();
    std::uint64_t runs = 0;
    for (std::uint64_t i = 0; i < p.n; ++i) {
      if (i == 0 || !(in[i] == in[i - 1])) {
        out[runs] = in[i];
        lengths[runs++] = 0;
      }
      ++lengths[runs - 1];
    }
    *p.count.as<std::uint64_t>() = runs;
  });
}

void expand_sequentially(device&, const problem& p) {
  with_width(size_of(p.type), [&]<class U>(type_tag<U>) {
    const U* in = p.in.as<const U>();
    const auto* lengths = p.in2.as<const std::uint64_t>();
    U* out = p.out.as<U>();
    for (std::uint64_t i = 0; i < p.n; ++i) out = std::fill_n(out, lengths[i], in[i]);
  });
}

std::uint64_t index_of(const problem& p, std::uint64_t i) {
  return p.index_bytes == 4 ? p.in2.as<const std::uint32_t>()[i] : p.in2.as<const std::uint64_t>()[i];
}

void gather_sequentially(device&, const problem& p) {
  with_width(size_of(p.type), [&]<class U>(type_tag<U>) {
    const auto* flags = p.in3.as<const std::uint8_t>();
    for (std::uint64_t i = 0; i < p.n; ++i)
      if (flags == nullptr || flags[i] != 0) p.out.as<U>()[i] = p.in.as<const U>()[index_of(p, i)];
  });
}

void scatter_sequentially(device&, const problem& p) {
  with_width(size_of(p.type), [&]<class U>(type_tag<U>) {
    const auto* flags = p.in3.as<const std::uint8_t>();
    for (std::uint64_t i = 0; i < p.n; ++i)
      if (flags == nullptr || flags[i] != 0) p.out.as<U>()[index_of(p, i)] = p.in.as<const U>()[i];
  });
}

void copy_pieces_sequentially(device&, const problem& p) {
  const auto *starts = p.in2.as<const std::uint64_t>(), *lengths = p.in3.as<const std::uint64_t>(),
             *places = p.in4.as<const std::uint64_t>();
  with_width(size_of(p.type), [&]<class U>(type_tag<U>) {
    U* next = p.out.as<U>();
    for (std::uint64_t k = 0; k < p.n; ++k) {
      U* const to = places ? p.out.as<U>() + places[k] : next;
      next = std::copy_n(p.in.as<const U>() + starts[k], lengths[k], to);
    }
  });
}

constexpr formula one{"1", [](double) { return 1.0; }};
constexpr formula linear{"n", [](double n) { return n; }};
constexpr formula twice{"2n", [](double n) { return 2 * n; }};
constexpr formula thrice{"3n", [](double n) { return 3 * n; }};

variant sequential(std::string_view name, primitive what, std::string_view teaches, formula traffic,
                   void (*run)(device&, const problem&)) {
  variant v;
  v.name = name, v.what = what, v.source = "textbook", v.year = 1962, v.teaches = teaches;
  v.work = linear, v.span = linear, v.launches = one, v.traffic = traffic, v.run = run;
  return v;
}

}  // namespace

std::span<const variant> cpu_textbook() {
  static const std::array list{
      sequential("select/sequential", primitive::select,
                 "One thread asks about each element and copies it or not: a branch that a processor guesses wrong "
                 "half the time.",
                 twice, select_sequentially),
      sequential("run-lengths/sequential", primitive::run_lengths,
                 "One thread compares each element with the one before it and counts.", thrice, encode_sequentially),
      sequential("expand-runs/sequential", primitive::expand_runs,
                 "One thread writes each element as often as it is told.", thrice, expand_sequentially),
      sequential("gather/sequential", primitive::gather, "One thread fetches one element after the other.", thrice,
                 gather_sequentially),
      sequential("gather-if/sequential", primitive::gather_if,
                 "One thread fetches what has a flag, one after the other.", thrice, gather_sequentially),
      sequential("scatter-if/sequential", primitive::scatter_if, "One thread sends one element after the other.",
                 thrice, scatter_sequentially),
      sequential("copy-pieces/sequential", primitive::batched_copy, "One thread copies one piece after the other.",
                 twice, copy_pieces_sequentially),
  };
  return list;
}

}  // namespace upsweep::detail::select_impl
