// The launches of the merge sort by a comparison, depending on the amount. `Kernels` has the kernels of
// sort_compared_runs.cuh for one type, compiled by nvcc (sort_compare.cuh) or by NVRTC with the user's device source
// (sort_cuda_jit.cpp):
//
//   device& d; compared_tuning tuning;
//   sort_tiles(amount, blocks, threads, shared_bytes, in, out, also, n)
//   rank_runs(blocks, threads, shared_bytes, in, out, n, width, of_a_group)
//   split(wide, ready, blocks, threads, source, cut, splits, cuts)
//   merge_runs(amount, ready, blocks, threads, shared_bytes, source, values_in, out, cut, cuts)
//
// and those of sort_compared_merge.cuh:
//
//   device& d; two_tuning two;
//   cut_stretches(blocks, threads, both, stretch, cuts, of_a)
//   merge_two_runs(ready, blocks, threads, shared_bytes, both, out, cuts)
//
// `ready`: a programmatic launch, prepared while the launch before it ends, where the device can. Only the size of
// elements is known here.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "upsweep/cuda/cuda_device.hpp"
#include "upsweep/sort/cuda/sort_compared_tuning.hpp"

namespace upsweep::cuda {

// Keys, with their values if there are any.
struct compared_memory {
  const void *keys = nullptr, *values = nullptr;
};

// The runs that a pass merges: all runs in groups. Corresponds to grouped_runs<K>.
struct groups_of_runs {
  const void* keys = nullptr;
  std::uint64_t n = 0, width = 0;
  int of_a_group = most_runs;

  std::uint64_t span() const { return static_cast<std::uint64_t>(of_a_group) * width; }
};

// Two sequences to merge, with their values if there are any. Corresponds to two_runs<K, V>.
struct two_sorted {
  const void *a = nullptr, *b = nullptr;
  std::uint64_t n = 0, m = 0;
  const void *a_values = nullptr, *b_values = nullptr;
};
// The beginnings of its stretches. Corresponds to two_cuts.
struct two_sorted_cuts {
  std::uint64_t stretch = 0;
  const std::uint64_t* of_a = nullptr;
};

// The buffers between which passes alternate, so that the last one writes `out`.
struct compared_buffers {
  compared_memory from, to;

  compared_buffers(device& d, const compared_cells& of, compared_memory out, std::uint64_t n, int passes) : from(out) {
    if (passes == 0) return;
    const std::uint64_t key_bytes = (n * of.key_bytes + 255) / 256 * 256;
    const memory spare = d.scratch("sort/cuda/merged", key_bytes + n * of.value_bytes);
    to = {spare.address(), of.value_bytes != 0 ? spare.plus_bytes(key_bytes).address() : nullptr};
    if (passes % 2 != 0) turn();
  }
  void turn() { std::swap(from, to); }
};

// Merges each of `groups` of runs, of at most `most` elements, into one run.
template <class Kernels, class Source>
void merge_groups(const Kernels& k, compared_amount amount, const Source& source, std::uint64_t groups,
                  std::uint64_t most, const void* values_in, compared_memory out, int threads, bool ready) {
  device& d = k.d;
  const int items = k.tuning.merge_items(amount);
  run_cut cut{.tile = items * (threads - 1)};
  cut.tiles = static_cast<std::uint32_t>((most + cut.tile - 1) / cut.tile);
  const std::uint64_t blocks = groups * cut.tiles, splits = blocks + groups;
  std::uint64_t* cuts = nullptr;
  if (blocks > std::uint64_t{5} * d.multiprocessors() || most >> 32 != 0) {
    cuts = d.scratch("sort/cuda/cuts", splits * most_runs * sizeof(std::uint64_t)).as<std::uint64_t>();
    k.split(most >> 32 != 0, ready, (splits + 7) / 8, 256, source, cut, splits, cuts);
    ready = true;
  }
  k.merge_runs(amount, ready, blocks, threads, k.tuning.cells.bytes(threads, items), source, values_in, out, cut, cuts);
}

// Sorts tiles, and then ranks them among each other.
template <class Kernels>
void sort_few(const Kernels& k, compared_memory in, compared_memory out, std::uint64_t n) {
  constexpr auto few = compared_amount::few;
  const compared_tuning& tuning = k.tuning;
  const int items = tuning.sort_items(few);
  const std::uint32_t runs = tuning.ranked_runs(n);
  const int threads = tuning.fitting(tuning.sort_threads(few, n), items, k.d.shared_limit());
  const std::uint64_t tile = static_cast<std::uint64_t>(items) * static_cast<std::uint64_t>(threads);
  int passes = 0;
  for (std::uint64_t width = tile; width < n; width *= runs) ++passes;
  compared_buffers x(k.d, tuning.cells, out, n, passes);
  // To both buffers, so that both contain only elements, whatever the comparison returns.
  k.sort_tiles(few, (n + tile - 1) / tile, threads, tuning.cells.bytes(threads, items), in, x.from, x.to, n);
  // Only if there is a single pass: before a second pass it costs more than it saves (README).
  const std::uint64_t staged_bytes = passes == 1 ? tuning.staged_bytes(n, k.d.shared_limit()) : 0;
  for (std::uint64_t width = tile; width < n; width *= runs, x.turn())
    k.rank_runs((n + 255) / 256, 256, staged_bytes, x.from, x.to, static_cast<std::uint32_t>(n),
                static_cast<std::uint32_t>(width), runs);
}

// Sorts tiles, and then merges four runs at a time, until one is left.
template <class Kernels>
void sort_and_merge(const Kernels& k, compared_amount amount, compared_memory in, compared_memory out,
                    std::uint64_t n) {
  const compared_tuning& tuning = k.tuning;
  const std::uint64_t limit = k.d.shared_limit();
  const int items = tuning.sort_items(amount), threads = tuning.fitting(tuning.sort_threads(amount, n), items, limit);
  const int merge_threads = tuning.fitting(tuning.merge_threads(amount, n), tuning.merge_items(amount), limit);
  std::uint64_t width = static_cast<std::uint64_t>(items) * static_cast<std::uint64_t>(threads);
  int levels = 0;
  while (width << levels < n) ++levels;
  compared_buffers x(k.d, tuning.cells, out, n, (levels + 1) / 2);
  k.sort_tiles(amount, (n + width - 1) / width, threads, tuning.cells.bytes(threads, items), in, x.from, {}, n);
  for (bool odd = levels % 2 != 0; width < n; odd = false, x.turn()) {
    const groups_of_runs runs{x.from.keys, n, width, odd ? 2 : most_runs};
    width = runs.span();
    merge_groups(k, amount, runs, (n + width - 1) / width, (std::min)(n, width), x.from.values, x.to, merge_threads,
                 true);
  }
}

// From `in` to `out`, which may be `in`; without input values, the keys' indices are written as values.
template <class Kernels>
void merge_sort(const Kernels& k, compared_memory in, compared_memory out, std::uint64_t n) {
  const compared_amount amount = k.tuning.amount(n);
  if (amount == compared_amount::few) return sort_few(k, in, out, n);
  sort_and_merge(k, amount, in, out, n);
}

template <class Kernels>
void merge_two(const Kernels& k, const two_sorted& both, compared_memory out) {
  const two_tuning& tuning = k.two;
  const std::uint64_t all = both.n + both.m;
  const int items = tuning.items(), threads = tuning.fitting(all, k.d.shared_limit());
  const std::uint64_t tile = static_cast<std::uint64_t>(items) * static_cast<std::uint64_t>(threads);
  two_sorted_cuts cuts;
  if (all >= tuning.cut_from) {
    cuts.stretch = tuning.tiles_of_a_stretch * tile;
    const std::uint64_t count = (all + cuts.stretch - 1) / cuts.stretch + 1;
    auto* const of_a = k.d.scratch("sort/cuda/cuts", count * sizeof(std::uint64_t)).template as<std::uint64_t>();
    k.cut_stretches((count + 7) / 8, 256, both, cuts.stretch, count, of_a);
    cuts.of_a = of_a;
  }
  k.merge_two_runs(cuts.stretch != 0, (all + tile - 1) / tile, threads, tuning.cells.bytes(threads, items), both, out,
                   cuts);
}

inline error no_weak_order(const char* call, std::uint64_t at) {
  return {fault::bad_argument, call,
          "the comparison is not a strict weak order: it orders element " + std::to_string(at) +
              " before its predecessor in the sorted sequence, or before itself",
          "compare so that no element stands before itself, and what stands before one that stands before a "
          "third stands before that third"};
}

}  // namespace upsweep::cuda
