// All pairs, motion, and the CUDA variants' place in the catalog. The tree is in tree.cu, so that the two compile side
// by side.
#include <algorithm>
#include <cmath>

#include "upsweep/cuda/cuda_device.hpp"
#include "upsweep/nbody/conformance/nbody_force_truth.hpp"
#include "upsweep/nbody/cuda/nbody_cuda_motion.cuh"
#include "upsweep/nbody/cuda/nbody_cuda_tree.hpp"
#include "upsweep/nbody/cuda/nbody_cuda_tuning.hpp"
#include "upsweep/nbody/cuda/nbody_few_bodies.cuh"
#include "upsweep/nbody/cuda/nbody_jerks.cuh"
#include "upsweep/nbody/cuda/nbody_symmetric_pairs.cuh"
#include "upsweep/nbody/nbody_problem.hpp"

namespace upsweep::detail::nbody_impl {

namespace {

unsigned blocks_of(std::uint64_t n, std::uint64_t each) { return static_cast<unsigned>((n + each - 1) / each); }

template <class T>
kernels::pair_form<T> form_of(const gravitation& g, std::uint64_t first) {
  const bool softened = g.softening >= (sizeof(T) == 4 ? 1e-6 : 1e-60);
  return {static_cast<T>(g.softening * g.softening), static_cast<T>(g.constant), g.potentials,
          softened && !g.potentials, first};
}

template <bool potentials, bool compensated, class T>
void pull_rows(upsweep::cuda::device& d, const problem& p) {
  const auto* in = p.in.as<const vec4<T>>();
  kernels::pull_rows<potentials, compensated, cuda_rows, cuda_row_threads, T>
      <<<blocks_of(pulled_by(p), cuda_rows), cuda_row_threads, 0, d.stream()>>>(
          in, p.n, in + first_pulled(p), pulled_by(p), p.out.as<vec4<T>>(), form_of<T>(p.gravity, first_pulled(p)));
}

// Each launch makes as many rounds as the planes can hold; for a share of the pairs, only that part of the rounds.
template <bool potentials, mutual_tile size, class T>
void pull_mutually(upsweep::cuda::device& d, const problem& p) {
  constexpr unsigned held = size.held, threads = size.threads;
  const std::uint64_t tile = std::uint64_t{held} * threads, plane = p.n * sizeof(vec4<T>);
  const std::uint32_t tiles = blocks_of(p.n, tile) | 1, rounds = (tiles + 1) / 2,
                      most =
                          static_cast<std::uint32_t>(std::clamp<std::uint64_t>(cuda_planes / (2 * plane), 1, rounds));
  auto* const planes = d.scratch("nbody/planes", 2 * most * plane).template as<vec4<T>>();
  const gravitation& g = p.gravity;
  const bool softened = g.softening >= (sizeof(T) == 4 ? 1e-6 : 1e-60), some = p.share.of == portion::unit::pairs;
  const std::uint64_t shares = some ? p.share.count : 1, share = some ? p.share.first : 0;
  const auto begin = static_cast<std::uint32_t>(rounds * share / shares),
             end = static_cast<std::uint32_t>(rounds * (share + 1) / shares);
  if (begin == end) return d.fill(p.out, 0, plane);
  for (std::uint32_t first = begin; first < end; first += most) {
    const std::uint32_t now = std::min(most, end - first);
    kernels::pull_mutually<potentials, held, threads, T><<<tiles * now, threads, 0, d.stream()>>>(
        p.in.as<const vec4<T>>(), planes, kernels::mutual_shape{p.n, tiles, first, now},
        static_cast<T>(g.softening * g.softening), softened);
    kernels::add_planes<T><<<blocks_of(p.n, 256), 256, 0, d.stream()>>>(
        planes, 2 * now, p.out.as<vec4<T>>(), p.n, static_cast<T>(g.constant), first > begin, g.potentials);
  }
}

template <class T>
void pull_many(upsweep::cuda::device& d, const problem& p) {
  if constexpr (sizeof(T) == 8)
    pull_mutually<true, cuda_tile_of_many_f64, T>(d, p);
  else
    p.gravity.potentials ? pull_mutually<true, cuda_tile_of_many, T>(d, p)
                         : pull_mutually<false, cuda_tile_of_many, T>(d, p);
}

// Sums that are compensated wait for their own additions; one in each thread is enough of them.
template <class T>
void pull_all(upsweep::cuda::device& d, const problem& p) {
  const gravitation& g = p.gravity;
  if (g.jerks) {
    kernels::pull_and_jerk_all<T><<<blocks_of(pulled_by(p), cuda_threads), cuda_threads, 0, d.stream()>>>(
        p.in.as<const vec4<T>>(), p.in2.as<const vec4<T>>(), p.out.as<vec4<T>>(), p.out2.as<vec4<T>>(), p.n,
        first_pulled(p), pulled_by(p), static_cast<T>(g.softening * g.softening), static_cast<T>(g.constant),
        g.potentials);
    return;
  }
  if (g.compensated) return pull_rows<true, true, T>(d, p);
  // A share of the bodies interacts with all bodies, so no pair is computed for both of its bodies.
  if (p.share.of == portion::unit::bodies)
    return g.potentials ? pull_rows<true, false, T>(d, p) : pull_rows<false, false, T>(d, p);
  // In f64 the extra time for a potential is not noticeable, so potentials are always computed.
  if constexpr (sizeof(T) == 8) {
    if (p.n < cuda_mutual_from) return pull_rows<true, false, T>(d, p);
    if (p.n < cuda_many_from) return pull_mutually<true, cuda_tile_of_few, T>(d, p);
  } else {
    if (p.n < cuda_mutual_from)
      return g.potentials ? pull_rows<true, false, T>(d, p) : pull_rows<false, false, T>(d, p);
    if (p.n < cuda_many_from)
      return g.potentials ? pull_mutually<true, cuda_tile_of_few, T>(d, p)
                          : pull_mutually<false, cuda_tile_of_few, T>(d, p);
  }
  pull_many<T>(d, p);
}

void run_mutual(device& where, const problem& p) {
  if (p.n == 0) return;
  upsweep::cuda::device& d = upsweep::cuda::of(where);
  d.make_current();
  p.type == dtype::f32 ? pull_many<float>(d, p) : pull_many<double>(d, p);
  upsweep::cuda::check(cudaGetLastError(), "launching nbody's kernel");
}

void run_pairs(device& where, const problem& p) {
  if (pulled_by(p) == 0) return;
  upsweep::cuda::device& d = upsweep::cuda::of(where);
  d.make_current();
  p.type == dtype::f32 ? pull_all<float>(d, p) : pull_all<double>(d, p);
  upsweep::cuda::check(cudaGetLastError(), "launching nbody's kernel");
}

}  // namespace

// The distance of a body from itself is 0, which contributes nothing.
void truth_on_cuda(device& where, const truth_asked& asked, const gravitation& g) {
  upsweep::cuda::device& d = upsweep::cuda::of(where);
  d.make_current();
  const auto on_device = [&](const char* name, std::uint64_t count) {
    return d.scratch(name, count * sizeof(vec4<double>));
  };
  const memory bodies = on_device("nbody/truth of", asked.n), few = on_device("nbody/truth for", asked.count),
               pulls = on_device("nbody/truth", asked.count);
  d.upload(bodies, asked.bodies, asked.n * sizeof(vec4<double>));
  d.upload(few, asked.few, asked.count * sizeof(vec4<double>));
  kernels::pair_form<double> form = form_of<double>(g, ~std::uint64_t{0} / 2);
  form.potentials = false, form.harmless = true;
  kernels::pull_rows<true, false, cuda_rows, cuda_row_threads, double>
      <<<blocks_of(asked.count, cuda_rows), cuda_row_threads, 0, d.stream()>>>(
          bodies.as<const vec4<double>>(), asked.n, few.as<const vec4<double>>(), asked.count, pulls.as<vec4<double>>(),
          form);
  upsweep::cuda::check(cudaGetLastError(), "launching nbody's kernel");
  d.download(asked.pulls, pulls, asked.count * sizeof(vec4<double>));
}

std::span<const variant> cuda() {
  const auto entry = [](std::string_view name, std::string_view teaches, formula work, formula span, formula launches,
                        formula traffic, void (*run)(device&, const problem&)) {
    variant v;
    v.name = name, v.where = backend::cuda, v.what = primitive::nbody, v.kind = variant_kind::tuned, v.year = 2026,
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
        variant v = entry(
            "nbody/mutual",
            "Each pair is met once, for both: a thread holds eight bodies, and the sums of those that they "
            "meet go round a warp's lanes.",
            {"n^2/2", [](double n) { return n * n / 2; }},
            {"512 in a tile, and the tiles", [](double n) { return std::min(n, 512.0) + std::ceil(n / 256) + 64; }},
            {"2 to n/8000", [](double n) { return std::max(2.0, std::ceil(n / 8000)); }},
            {"n^2/128 and 2n", [](double n) { return n * n / 128 + 2 * n; }}, run_mutual);
        v.cannot = [](const problem& p) -> const char* {
          if (p.type != dtype::f32 && p.type != dtype::f64) return "types other than f32 and f64";
          if (p.gravity.jerks) return "jerks";
          if (p.gravity.compensated) return "compensated sums";
          if (p.share.of == portion::unit::bodies) return "some of the bodies";
          return p.gravity.method == nbody_method::barnes_hut ? "a tree" : nullptr;
        };
        v.max_n = std::uint64_t{1} << 31;
        v.limits = "f32 and f64; all pairs; no jerks, no compensated sums; no more than 2^31 bodies";
        return v;
      }(),
      [&] {
        variant v =
            entry("nbody/all-pairs",
                  "Few bodies: a block has four, and its threads share out the masses. Many: each pair is met "
                  "once, for both, with bodies in registers and sums that go round a warp's lanes.",
                  {"n^2, or half of it", [](double n) { return n * n; }},
                  {"256 in a row, and the rows", [](double n) { return std::min(n, 256.0) + std::ceil(n / 256) + 64; }},
                  {"1 to n/8000", [](double n) { return std::ceil(n / 8000); }},
                  {"n^2/256 and 2n at least", [](double n) { return n * n / 256 + 2 * n; }}, run_pairs);
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

}  // namespace upsweep::detail::nbody_impl
