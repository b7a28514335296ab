// Convolution by products on CUDA.
//
// By all products: a walk for square masks of known width, tiles of rows for masks of one row, and a kernel for all
// others.
//
// Under masks that are sums of products of a row, a column and a pillar: a walk for square masks of known width that
// are one product, in one pass over memory; otherwise sums along rows, then down columns, then across slices.
//
// By tiles, for pictures under masks of up to a few dozen rows, whole or split: square ones of known width, and any
// other.
#include "upsweep/convolve/convolve_choice.hpp"
#include "upsweep/convolve/convolve_problem.hpp"
#include "upsweep/convolve/convolve_tuning.hpp"
#include "upsweep/convolve/cuda/convolve_any_mask.cuh"
#include "upsweep/convolve/cuda/convolve_any_mask_tile.cuh"
#include "upsweep/convolve/cuda/convolve_cuda.hpp"
#include "upsweep/convolve/cuda/convolve_cuda_lines.cuh"
#include "upsweep/convolve/cuda/convolve_cuda_walk.cuh"
#include "upsweep/convolve/cuda/convolve_tall.cuh"
#include "upsweep/convolve/cuda/convolve_tile.cuh"

namespace upsweep::detail::convolve_impl {

namespace {

template <class In, class Mask, class Out>
void along_rows(cuda::device& d, const problem& p, const geometry& g) {
  using Sum = accumulator_of<Mask>;
  cuda::row_arguments<In, Out, Sum> a{p.in.as<const In>(), p.out.as<Out>(), p.in2.as<const Sum>()};
  a.in_x = static_cast<std::int64_t>(g.in.x), a.out_x = static_cast<std::int64_t>(g.out.x);
  a.in_pitch = static_cast<std::int64_t>(g.in_pitch), a.out_pitch = static_cast<std::int64_t>(g.out_pitch);
  a.before = static_cast<std::int64_t>(g.before.x), a.lines = static_cast<std::int64_t>(g.out.y * g.out.z * g.channels);
  a.mask = static_cast<int>(g.mask.x), a.channels = static_cast<int>(g.channels), a.edge = p.edge, a.turned = p.flipped;
  cuda::run_rows(d, a);
}

template <class In, class Mask, class Out>
void anything(cuda::device& d, const problem& p, const geometry& g) {
  using Sum = accumulator_of<Mask>;
  const auto whole = [](std::uint64_t x) { return static_cast<std::int64_t>(x); };
  cuda::any_arguments<In, Out, Sum> a{p.in.as<const In>(), p.out.as<Out>(), p.in2.as<const Sum>()};
  a.in_x = whole(g.in.x), a.in_y = whole(g.in.y), a.in_z = whole(g.in.z);
  a.out_row = whole(g.out.x * g.channels), a.out_y = whole(g.out.y), a.out_z = whole(g.out.z);
  a.in_pitch = whole(g.in_pitch), a.out_pitch = whole(g.out_pitch);
  a.mask_x = whole(g.mask.x), a.mask_y = whole(g.mask.y), a.mask_z = whole(g.mask.z);
  a.before_x = whole(g.before.x), a.before_y = whole(g.before.y), a.before_z = whole(g.before.z);
  a.channels = static_cast<int>(g.channels), a.edge = p.edge, a.turned = p.flipped;
  const std::int64_t blocks =
      (a.out_row + any_threads - 1) / any_threads * ((a.out_y + any_results - 1) / any_results) * a.out_z;
  cuda::convolve_anything<<<static_cast<unsigned>(blocks), any_threads, 0, d.stream()>>>(a);
  cuda::check(cudaGetLastError(), "launching convolve's kernel");
}

template <class In, class Mask, class Out>
void in_passes(cuda::device& d, const problem& p, const geometry& g) {
  using Sum = accumulator_of<Mask>;
  const auto whole = [](std::uint64_t x) { return static_cast<std::int64_t>(x); };
  const std::uint64_t row = g.out.x * g.channels, results = row * g.out.y * g.out.z;
  const bool pillars = g.mask.z > 1;
  Sum* const rows = d.scratch("convolve/cuda rows", row * g.in.y * g.in.z * sizeof(Sum)).template as<Sum>();
  Sum* const columns =
      pillars ? d.scratch("convolve/cuda columns", row * g.out.y * g.in.z * sizeof(Sum)).template as<Sum>() : nullptr;
  Sum* const all = p.rank > 1 ? d.scratch("convolve/cuda sums", results * sizeof(Sum)).template as<Sum>() : nullptr;
  for (std::uint64_t r = 0; r < p.rank; ++r) {
    const Sum* const weights = p.in3.as<const Sum>() + r * factor_elements(g.mask);
    const bool last = r + 1 == p.rank;
    cuda::row_arguments<In, Sum, Sum> along{p.in.as<const In>(), rows, weights};
    along.in_x = whole(g.in.x), along.out_x = whole(g.out.x), along.in_pitch = whole(g.in_pitch),
    along.out_pitch = whole(row);
    along.before = whole(g.before.x), along.lines = whole(g.in.y * g.in.z * g.channels);
    along.mask = static_cast<int>(g.mask.x), along.channels = static_cast<int>(g.channels), along.edge = p.edge,
    along.turned = p.flipped;
    cuda::run_rows(d, along);

    cuda::column_arguments<Sum, Out> down{rows};
    down.weights = weights + g.mask.x, down.scale = pillars ? nullptr : weights + g.mask.x + g.mask.y,
    down.mask = static_cast<int>(g.mask.y), down.edge = p.edge, down.turned = p.flipped;
    down.inner = whole(row), down.in_length = whole(g.in.y), down.out_length = whole(g.out.y),
    down.outer = whole(g.in.z);
    down.before = whole(g.before.y), down.out_row = whole(row), down.out_pitch = whole(g.out_pitch);
    cuda::column_arguments<Sum, Out>* final_pass = &down;
    cuda::column_arguments<Sum, Out> across = down;
    if (pillars) {
      down.sums = columns;
      across.in = columns, across.scale = nullptr, across.weights = weights + g.mask.x + g.mask.y,
      across.mask = static_cast<int>(g.mask.z);
      across.inner = whole(row * g.out.y), across.in_length = whole(g.in.z), across.out_length = whole(g.out.z),
      across.outer = 1;
      across.before = whole(g.before.z);
      final_pass = &across;
    }
    final_pass->before_this = r > 0 ? all : nullptr;
    if (last)
      final_pass->out = p.out.as<Out>();
    else
      final_pass->sums = all;
    cuda::run_columns(d, down);
    if (pillars) cuda::run_columns(d, across);
  }
}

}  // namespace

void run_cuda_direct(device& where, const problem& p) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  const geometry g = geometry_of(p);
  if (g.out.count() == 0) return;
  if (cuda::can_walk(p)) {
    bool walked = false;
    cuda::with_width<direct_walks>(p.mask.x, [&](auto width) {
      walked = p.type == dtype::u8 ? cuda::walk_with<width(), false, std::uint8_t, std::uint8_t>(d, p, p.in2)
                                   : cuda::walk_with<width(), false, float, float>(d, p, p.in2);
    });
    if (walked) return;
  }
  with_types(p, [&]<class In, class Mask, class Out>(type_tag<In>, type_tag<Mask>, type_tag<Out>) {
    if (p.mask.y == 1 && p.mask.z == 1 && p.mask.x <= most_row_weights &&
        cuda::row_bytes<accumulator_of<Mask>>(static_cast<int>(p.mask.x)) <= d.shared_limit())
      along_rows<In, Mask, Out>(d, p, g);
    else
      anything<In, Mask, Out>(d, p, g);
  });
}

void run_cuda_split(device& where, const problem& p) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  const geometry g = geometry_of(p);
  if (g.out.count() == 0) return;
  if (p.rank == 1 && cuda::can_walk(p)) {
    bool walked = false;
    cuda::with_width<split_walks>(p.mask.x, [&](auto width) {
      walked = p.type == dtype::u8 ? cuda::walk_with<width(), true, std::uint8_t, std::uint8_t>(d, p, p.in3)
                                   : cuda::walk_with<width(), true, float, float>(d, p, p.in3);
    });
    cuda::with_width<tall_walks>(p.mask.x, [&](auto width) {
      walked = p.type == dtype::u8 ? cuda::walk_tall_with<width(), std::uint8_t, std::uint8_t>(d, p, p.in3)
                                   : cuda::walk_tall_with<width(), float, float>(d, p, p.in3);
    });
    if (walked) return;
  }
  with_types(p, [&]<class In, class Mask, class Out>(type_tag<In>, type_tag<Mask>, type_tag<Out>) {
    in_passes<In, Mask, Out>(d, p, g);
  });
}

namespace {

// Whether a tile kernel is compiled for exactly this mask.
bool has_own_tiles(const problem& p) {
  return cuda::can_walk(p) && (p.rank == 1 ? cuda::with_width<split_tiles>(p.mask.x, [](auto) {})
                                           : cuda::with_width<tiles>(p.mask.x, [](auto) {}));
}

}  // namespace

void run_cuda_tiles(device& where, const problem& p) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  const std::uint64_t results = out_size(p).count();
  if (results == 0) return;
  if (!has_own_tiles(p))
    return with_types(p, [&]<class In, class Mask, class Out>(type_tag<In>, type_tag<Mask>, type_tag<Out>) {
      using Sum = accumulator_of<Mask>;
      if (p.rank == 1)
        cuda::launch_any_tiles<In, Out, Sum, true>(d, p, p.in3.as<const Sum>());
      else
        cuda::launch_any_tiles<In, Out, Sum, false>(d, p, p.in2.as<const Sum>());
    });
  const auto of_type = [&](const auto& launch) {
    p.type == dtype::u8 ? launch(type_tag<std::uint8_t>()) : launch(type_tag<float>());
  };
  if (p.rank == 1) {
    cuda::with_width<split_tiles>(p.mask.x, [&](auto width) {
      of_type([&]<class T>(type_tag<T>) { cuda::launch_tiles<width(), true, tile_shape, T, T>(d, p, p.in3); });
    });
    return;
  }
  cuda::with_width<tiles>(p.mask.x, [&](auto width) {
    constexpr int k = width();
    of_type([&]<class T>(type_tag<T>) {
      if constexpr (k > most_unrolled_tile)
        if (results > large_mask_tiles_from)
          return cuda::launch_tiles<k, false, large_mask_tile_shape, T, T>(d, p, p.in2);
      if constexpr (std::is_same_v<T, float> && (k == 5 || k == 7))
        if (results > high_tiles_from) return cuda::launch_tiles<k, false, high_tile_shape, T, T>(d, p, p.in2);
      cuda::launch_tiles<k, false, tile_shape, T, T>(d, p, p.in2);
    });
  });
}

const char* tiles_cannot(const problem& p) {
  if (const char* what = wrong_types(p)) return what;
  return has_own_tiles(p) || cuda::can_tile(p, size_of(p.mask_type))
             ? nullptr
             : "masks of one row, of several slices, or of so many rows and columns that a tile's shared memory is "
               "small";
}

bool tiles_are_fastest(const problem& p) {
  if (tiles_cannot(p)) return false;
  const geometry g = geometry_of(p);
  if (!has_own_tiles(p)) {
    const std::uint64_t results = g.out.count() * g.channels;
    if (p.rank == 1) return results <= most_any_split_tile_results;
    const auto products = static_cast<double>(p.mask.count()), all = static_cast<double>(results);
    return !have_cufft() || fft_cannot(p) || products < cuda_fft_from.picture ||
           any_tile_cost(products, all) < fft_cost(all);
  }
  const bool by_elements = g.in_pitch * size_of(p.type) % 16 != 0;
  return g.out.count() <= most_tile_results(static_cast<int>(p.mask.x), p.rank == 1, p.type == dtype::u8, by_elements);
}

}  // namespace upsweep::detail::convolve_impl
