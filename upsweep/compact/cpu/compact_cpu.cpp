// Compaction of the built-in types on the CPU.
#include "upsweep/compact/cpu/compact_cpu.hpp"

#include <array>

#include "upsweep/compact/compact_predicates.hpp"
#include "upsweep/compact/compact_problem.hpp"

namespace upsweep::detail::compact_impl {

namespace {

// Calls f with a comparison type of its own, so that the loop is compiled for it.
template <class T, class F>
void with_comparison(comparison how, T threshold, const F& f) {
  switch (how) {
    case comparison::less: return f([=](T x) { return x < threshold; });
    case comparison::less_equal: return f([=](T x) { return x <= threshold; });
    case comparison::greater: return f([=](T x) { return x > threshold; });
    case comparison::greater_equal: return f([=](T x) { return x >= threshold; });
    case comparison::equal: return f([=](T x) { return x == threshold; });
    case comparison::not_equal: break;
  }
  f([=](T x) { return !(x == threshold); });
}

template <class F>
void with_word(std::uint32_t bytes, const F& f) {
  switch (bytes) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    default: return f(std::uint64_t{});
  }
}

void move(const problem& p, const cpu::answers& answers) {
  const std::uint64_t kept = answers.kept();
  const bool parts = p.what == primitive::stencil_partition, two = p.two_outputs;
  *p.count.as<std::uint64_t>() = kept;
  if (kept > p.capacity || (parts && two && p.n - kept > p.capacity2)) return;
  with_word(p.element_bytes, [&]<class Word>(Word) {
    using copy = copies<const Word*, Word>;
    const Word* in = p.in.as<const Word>();
    answers.move_kept(copy{in, p.out.as<Word>()});
    if (parts) answers.move_others(copy{in, two ? p.out2.as<Word>() : p.out.as<Word>() + kept});
  });
}

void run_by_bits(device& d, const problem& p) {
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    const T* stencil = p.in2.as<const T>();
    with_comparison(p.test, p.threshold.as<T>(), [&](const auto& test) {
      using asks = passes<const T*, std::remove_cvref_t<decltype(test)>>;
      move(p, cpu::answers(d, p.n, asks{stencil, test, p.negated}));
    });
  });
}

void run_offsets(device& d, const problem& p) {
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    const cpu::answers answers(d, p.n, begins_run<const T*, core::equals>{p.in.as<const T>(), {}});
    auto* const out = p.out.as<std::uint64_t>();
    *p.count.as<std::uint64_t>() = answers.kept();
    if (answers.kept() >= p.capacity) return;
    answers.move_kept(notes_place{out});
    out[answers.kept()] = p.n;
  });
}

}  // namespace

std::span<const variant> cpu() {
  constexpr formula one{"1", [](double) { return 1.0; }}, linear{"n", [](double n) { return n; }};
  const auto entry = [&](std::string_view name, primitive what, std::string_view teaches, formula traffic,
                         void (*run)(device&, const problem&)) {
    variant v;
    v.name = name, v.what = what, v.kind = variant_kind::tuned, v.source = "upsweep", v.year = 2026;
    v.teaches = teaches;
    v.work = linear, v.span = one, v.launches = one, v.traffic = traffic;
    v.run = run;
    return v;
  };
  static const std::array list{
      entry("stencil-select/bits", primitive::stencil_select,
            "Threads ask the stencil and note the answers as bits; the counts added up, they move what passed.",
            {"2.5n", [](double n) { return 2.5 * n; }}, run_by_bits),
      entry("stencil-partition/bits", primitive::stencil_partition,
            "Threads ask the stencil and note the answers as bits; the counts added up, they move both sides.",
            {"3n", [](double n) { return 3 * n; }}, run_by_bits),
      entry("run-offsets/bits", primitive::run_offsets,
            "An element that differs from the one before is a bit; the counts added up, the bits' places are written.",
            {"2n", [](double n) { return 2 * n; }}, run_offsets),
  };
  return list;
}

}  // namespace upsweep::detail::compact_impl
