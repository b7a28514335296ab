// All pairs, and the CUDA variants' place in the catalog. The tree is in cuda_tree.cu, so that the two compile side by
// side.
#include <cmath>

#include "upsweep/nbody/cuda/pairs.cuh"
#include "upsweep/nbody/cuda_tree.hpp"
#include "upsweep/rooms.hpp"

namespace upsweep::nbody_room {

namespace {

template <bool plain, bool potentials, bool compensated, unsigned bodies, class T>
void launch(upsweep::cuda::device& d, const problem& p) {
  const slices_of_masses cut = slice_masses(p.n, bodies, static_cast<unsigned>(d.multiprocessors()));
  four<T>* parts = nullptr;
  std::uint32_t* finished = nullptr;
  if (cut.slices > 1) {
    parts = d.scratch("nbody/slices", cut.slices * p.n * sizeof(four<T>)).template as<four<T>>();
    // Zero when new, and after each launch.
    finished = d.scratch("nbody/finished", cut.across * sizeof(std::uint32_t)).template as<std::uint32_t>();
  }
  kernels::pull_all<plain, potentials, compensated, bodies, T>
      <<<static_cast<unsigned>(cut.across * cut.slices), cuda_threads, 0, d.stream()>>>(
          p.in.as<const four<T>>(), p.out.as<four<T>>(), parts, finished,
          kernels::pair_shape{p.n, cut.across, cut.slice, static_cast<unsigned>(cut.slices)},
          static_cast<T>(p.gravity.softening * p.gravity.softening), static_cast<T>(p.gravity.constant),
          p.gravity.potentials);
}

// Compensated sums wait for their own additions: one body a thread, and always guarded.
template <class T>
void pull_all(upsweep::cuda::device& d, const problem& p) {
  const gravitation& g = p.gravity;
  const T gravity = static_cast<T>(g.constant), softening = static_cast<T>(g.softening * g.softening);
  if (g.jerks) {
    kernels::pull_and_jerk_all<T>
        <<<static_cast<unsigned>((p.n + cuda_threads - 1) / cuda_threads), cuda_threads, 0, d.stream()>>>(
            p.in.as<const four<T>>(), p.in2.as<const four<T>>(), p.out.as<four<T>>(), p.out2.as<four<T>>(), p.n,
            softening, gravity, g.potentials);
    return;
  }
  if (g.compensated) return launch<false, true, true, 1, T>(d, p);
  const bool plain = g.softening >= (sizeof(T) == 4 ? 1e-6 : 1e-60);
  if (p.n <= cuda_few_bodies) {
    if (!plain) return launch<false, true, false, 1, T>(d, p);
    return g.potentials ? launch<true, true, false, 1, T>(d, p) : launch<true, false, false, 1, T>(d, p);
  }
  if (!plain) return launch<false, true, false, cuda_bodies, T>(d, p);
  g.potentials ? launch<true, true, false, cuda_bodies, T>(d, p) : launch<true, false, false, cuda_bodies, T>(d, p);
}

void run_pairs(device& where, const problem& p) {
  if (p.n == 0) return;
  upsweep::cuda::device& d = upsweep::cuda::of(where);
  d.make_current();
  p.type == dtype::f32 ? pull_all<float>(d, p) : pull_all<double>(d, p);
  upsweep::cuda::check(cudaGetLastError(), "launching nbody's kernel");
}

}  // namespace

std::span<const variant> cuda() {
  const auto entry = [](std::string_view name, std::string_view teaches, formula work, formula span, formula launches,
                        formula traffic, void (*run)(device&, const problem&)) {
    variant v;
    v.name = name, v.where = backend::cuda, v.what = primitive::nbody, v.kind = rung::library, v.year = 2026,
    v.source = "upsweep";
    v.teaches = teaches, v.work = work, v.span = span, v.launches = launches, v.traffic = traffic, v.run = run;
    return v;
  };
  static const variant all[]{
      [&] {
        variant v =
            entry("nbody/barnes-hut",
                  "Bodies in the order of a Hilbert curve, cells with quadrupoles, level by level; a warp walks the "
                  "tree for 64 bodies and lists "
                  "what they meet.",
                  {"some 1000n for theta = 0.5", [](double n) { return n * std::min(n, 1000.0); }},
                  {"n, where theta is 0", [](double n) { return n; }}, {"some 100", [](double) { return 100.0; }},
                  {"some 60n", [](double n) { return 60 * n; }}, tree_on_cuda);
        v.cannot = [](const problem& p) -> const char* {
          if (p.type != dtype::f32 && p.type != dtype::f64) return "types other than f32 and f64";
          if (p.gravity.jerks) return "jerks";
          if (p.gravity.compensated) return "compensated sums";
          return p.gravity.method == nbody_method::all_pairs ? "all pairs" : nullptr;
        };
        v.max_n = (std::uint64_t{1} << 31) - 1;
        v.limits = "f32 and f64; no jerks, no compensated sums; fewer than 2^31 bodies";
        return v;
      }(),
      [&] {
        variant v = entry("nbody/all-pairs",
                          "Four bodies a thread, 13 instructions an interaction; few bodies are dealt out by slices of "
                          "the masses, and the last block "
                          "adds up.",
                          {"n^2", [](double n) { return n * n; }},
                          {"128 in a tile, the tiles and the slices",
                           [](double n) { return std::min(n, 128.0) + std::ceil(n / 128) + 64; }},
                          {"1", [](double) { return 1.0; }},
                          {"n^2/512 and 2n at least", [](double n) { return n * n / 512 + 2 * n; }}, run_pairs);
        v.cannot = [](const problem& p) -> const char* {
          if (p.type != dtype::f32 && p.type != dtype::f64) return "types other than f32 and f64";
          return p.gravity.method == nbody_method::barnes_hut ? "a tree" : nullptr;
        };
        v.max_n = std::uint64_t{1} << 38;
        v.limits = "f32 and f64; all pairs";
        return v;
      }()};
  return all;
}

}  // namespace upsweep::nbody_room
