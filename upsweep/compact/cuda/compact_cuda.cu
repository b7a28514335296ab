// Compaction of the built-in types on CUDA, and CUDA's entries in the catalog.
#include <array>

#include "upsweep/compact/compact_cuda.cuh"
#include "upsweep/compact/compact_problem.hpp"
#include "upsweep/compact/jit/compact_jit.hpp"
#include "upsweep/operators/runtime_operators.hpp"
#include "upsweep/select/select_cuda.cuh"

namespace upsweep::detail::compact_impl {

namespace {

template <class T>
struct notes_flag {
  passes<const T*, compared<T>> asks;
  std::uint8_t* flags;
  __host__ __device__ void operator()(std::uint64_t i) const { flags[i] = static_cast<std::uint8_t>(asks(i)); }
};

struct exchanges_flag {
  std::uint8_t* flags;
  __host__ __device__ void operator()(std::uint64_t i) const { flags[i] ^= 1; }
};

template <class Word>
void move_words(cuda::device& d, const problem& p, std::uint8_t* flags, std::uint64_t* count) {
  const Word* in = p.in.as<const Word>();
  if (p.what == primitive::stencil_select) return cuda::select_flagged(d, in, flags, p.n, p.out.as<Word>(), count);
  if (!p.two_outputs) return cuda::partition_flagged(d, in, flags, p.n, p.out.as<Word>(), count);
  // The others come first, because the last selection leaves its count in the caller's count.
  cuda::for_each_index(d, p.n, exchanges_flag{flags});
  cuda::select_flagged(d, in, flags, p.n, p.out2.as<Word>(), count);
  cuda::for_each_index(d, p.n, exchanges_flag{flags});
  cuda::select_flagged(d, in, flags, p.n, p.out.as<Word>(), count);
}

void run_by_flags(device& any, const problem& p) {
  auto& d = cuda::of(any);
  auto* const flags = d.scratch("compact/cuda/flags", std::max<std::uint64_t>(p.n, 16)).as<std::uint8_t>();
  auto* const count = p.count.as<std::uint64_t>();
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    const passes<const T*, compared<T>> asks{p.in2.as<const T>(), {p.test, p.threshold.as<T>()}, p.negated};
    cuda::for_each_index(d, p.n, notes_flag<T>{asks, flags});
  });
  switch (p.element_bytes) {
    case 1: return move_words<std::uint8_t>(d, p, flags, count);
    case 2: return move_words<std::uint16_t>(d, p, flags, count);
    case 4: return move_words<std::uint32_t>(d, p, flags, count);
    default: return move_words<std::uint64_t>(d, p, flags, count);
  }
}

struct ends_offsets {
  std::uint64_t* offsets;
  const std::uint64_t* count;
  std::uint64_t n;
  __host__ __device__ void operator()(std::uint64_t) const { offsets[*count] = n; }
};

void run_offsets(device& d, const problem& p) {
  auto *const out = p.out.as<std::uint64_t>(), *const count = p.count.as<std::uint64_t>();
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    using asks = begins_run<const T*, core::equals>;
    cuda::part_by(d, p.n, asks{p.in.as<const T>(), {}}, count, notes_place{out});
  });
  cuda::end_offsets(d, p.out, p.count, p.n);
}

}  // namespace

std::span<const variant> cuda() {
  const auto entry = [](std::string_view name, primitive what, std::string_view teaches, formula launches,
                        formula traffic, void (*run)(device&, const problem&)) {
    variant v;
    v.name = name, v.where = backend::cuda, v.what = what, v.kind = variant_kind::tuned, v.year = 2026;
    v.source = "upsweep", v.teaches = teaches;
    v.work = {"n", [](double n) { return n; }}, v.span = {"1", [](double) { return 1.0; }};
    v.launches = launches, v.traffic = traffic, v.run = run;
    return v;
  };
  static const std::array list{
      entry("stencil-select/flags", primitive::stencil_select,
            "Each thread notes a flag; then one pass of a selection by flags.", {"2", [](double) { return 2.0; }},
            {"3.5n", [](double n) { return 3.5 * n; }}, run_by_flags),
      entry("stencil-partition/flags", primitive::stencil_partition,
            "Each thread notes a flag; into one output one pass by flags, into two a pass for either.",
            {"5", [](double) { return 5.0; }}, {"5n", [](double n) { return 5 * n; }}, run_by_flags),
      entry(
          "run-offsets/thread-a-piece", primitive::run_offsets,
          "Each thread notes which of sixteen elements begin a run; after a scan of the counts it writes their places.",
          {"4", [](double) { return 4.0; }}, {"3n", [](double n) { return 3 * n; }}, run_offsets),
  };
  return list;
}

}  // namespace upsweep::detail::compact_impl

namespace upsweep::cuda {

void end_offsets(upsweep::device& d, memory offsets, memory count, std::uint64_t n) {
  for_each_index(d, 1,
                 detail::compact_impl::ends_offsets{offsets.as<std::uint64_t>(), count.as<const std::uint64_t>(), n});
}

}  // namespace upsweep::cuda
