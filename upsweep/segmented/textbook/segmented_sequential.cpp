// The textbook's loops within runs, in one thread: what every other variant is read against.
#include <array>
#include <cstring>

#include "upsweep/cpu/cpu_types.hpp"
#include "upsweep/segmented/segmented_key_runs.hpp"
#include "upsweep/segmented/segmented_problem.hpp"

namespace upsweep::detail::segmented_impl {

namespace {

// Calls f(T, op, x), where x(i) is element i as the operator reads it.
template <class F>
void with_elements(const problem& p, const F& f) {
  cpu::with_types(p.type, p.op, [&]<class T, class Op>(type_tag<T> tag, Op op) {
    cpu::with_transform(p.transform, [&](auto transform) {
      f(tag, op,
        [in = p.in.as<const T>(), op, transform](std::uint64_t i) { return to_accumulator(op, transform(in[i])); });
    });
  });
}

// Calls run(begin, end) for each run of equal keys.
template <class Run>
void for_each_run_of_keys(const problem& p, const Run& run) {
  const find_end_of_run end_of_run = find_key_runs(p.key_type);
  for (std::uint64_t begin = 0; begin < p.n;) {
    const std::uint64_t end = end_of_run(p.in2.address(), begin, p.n);
    run(begin, end);
    begin = end;
  }
}

// Calls run(begin, end) for each segment.
template <class Run>
void for_each_segment(const problem& p, const Run& run) {
  const auto* offsets = p.in2.as<const std::uint64_t>();
  for (std::uint64_t s = 0; s < p.m; ++s) run(offsets[s], offsets[s + 1]);
}

void reduce_keys_sequentially(device&, const problem& p) {
  with_elements(p, [&]<class T>(type_tag<T>, auto op, auto x) {
    const std::uint64_t key_bytes = size_of(p.key_type);
    std::uint64_t runs = 0;
    for_each_run_of_keys(p, [&](std::uint64_t begin, std::uint64_t end) {
      T all = x(begin);
      for (std::uint64_t i = begin + 1; i < end; ++i) all = op(all, x(i));
      p.out.as<T>()[runs] = all;
      std::memcpy(p.out2.as<char>() + runs++ * key_bytes, p.in2.as<const char>() + begin * key_bytes, key_bytes);
    });
    *p.count.as<std::uint64_t>() = runs;
  });
}

void reduce_segments_sequentially(device&, const problem& p) {
  with_elements(p, [&]<class T>(type_tag<T>, auto op, auto x) {
    T* out = p.out.as<T>();
    for_each_segment(p, [&](std::uint64_t begin, std::uint64_t end) {
      T all = p.init.as<T>();
      for (std::uint64_t i = begin; i < end; ++i) all = op(all, x(i));
      *out++ = all;
    });
  });
}

template <auto for_each>
void scan_sequentially(device&, const problem& p) {
  with_elements(p, [&]<class T>(type_tag<T>, auto op, auto x) {
    const auto scan = [&](std::uint64_t begin, std::uint64_t end) {
      T running = p.init.as<T>();
      for (std::uint64_t i = begin; i < end; ++i) {
        const T next = op(running, x(i));  // before out[i] is written: the scan may be in place
        p.out.as<T>()[i] = p.inclusive ? next : running;
        running = next;
      }
    };
    for_each(p, scan);
  });
}

constexpr formula linear{"n", [](double n) { return n; }};
constexpr formula twice{"2n", [](double n) { return 2 * n; }};
constexpr formula thrice{"3n", [](double n) { return 3 * n; }};
constexpr formula one{"1", [](double) { return 1.0; }};

variant sequential(std::string_view name, primitive what, std::string_view teaches, formula traffic,
                   void (*run)(device&, const problem&)) {
  variant v;
  v.name = name, v.what = what, v.source = "textbook", v.year = 1990, v.teaches = teaches;
  v.work = linear, v.span = linear, v.launches = one, v.traffic = traffic, v.run = run;
  return v;
}

}  // namespace

std::span<const variant> cpu_textbook() {
  static const std::array list{
      sequential("reduce-by-key/sequential", primitive::reduce_by_key,
                 "One thread folds one run of equal keys after the other.", thrice, reduce_keys_sequentially),
      sequential("scan-by-key/sequential", primitive::scan_by_key,
                 "One thread, one running variable that begins anew with each run.", thrice,
                 scan_sequentially<[](const problem& p, const auto& run) { for_each_run_of_keys(p, run); }>),
      sequential("segmented-reduce/sequential", primitive::segmented_reduce,
                 "One thread folds one segment after the other.", linear, reduce_segments_sequentially),
      sequential("segmented-scan/sequential", primitive::segmented_scan,
                 "One thread, one running variable that begins anew with each segment.", twice,
                 scan_sequentially<[](const problem& p, const auto& run) { for_each_segment(p, run); }>),
  };
  return list;
}

}  // namespace upsweep::detail::segmented_impl
