// Convolution by all products on CUDA: a walk for square masks it knows, tiles of rows for masks of one row, and a
// kernel for all others.
#include "upsweep/convolve/cuda/anything.cuh"
#include "upsweep/convolve/cuda/convolve.hpp"
#include "upsweep/convolve/cuda/lines.cuh"
#include "upsweep/convolve/cuda/walk.cuh"
#include "upsweep/convolve/problem.hpp"

namespace upsweep::cuda {

// For split.cu, too.
template void run_rows(device&, row_arguments<float, float, float>);
template void run_rows(device&, row_arguments<double, double, double>);
template void run_rows(device&, row_arguments<half, float, float>);
template void run_rows(device&, row_arguments<std::uint8_t, float, float>);

}  // namespace upsweep::cuda

namespace upsweep::convolve_room {

namespace {

template <class In, class Mask, class Out>
void along_rows(cuda::device& d, const problem& p, const geometry& g) {
  using Sum = sum_of<Mask>;
  cuda::row_arguments<In, Out, Sum> a{p.in.as<const In>(), p.out.as<Out>(), p.in2.as<const Sum>()};
  a.in_x = static_cast<std::int64_t>(g.in.x), a.out_x = static_cast<std::int64_t>(g.out.x);
  a.in_pitch = static_cast<std::int64_t>(g.in_pitch), a.out_pitch = static_cast<std::int64_t>(g.out_pitch);
  a.before = static_cast<std::int64_t>(g.before.x), a.lines = static_cast<std::int64_t>(g.out.y * g.out.z * g.channels);
  a.mask = static_cast<int>(g.mask.x), a.channels = static_cast<int>(g.channels), a.edge = p.edge, a.turned = p.flipped;
  cuda::run_rows(d, a);
}

template <class In, class Mask, class Out>
void anything(cuda::device& d, const problem& p, const geometry& g) {
  using Sum = sum_of<Mask>;
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

}  // namespace

void run_cuda_direct(device& where, const problem& p) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  const geometry g = geometry_of(p);
  if (g.out.count() == 0) return;
  if (cuda::can_walk(p)) {
    const bool walked = cuda::with_width<direct_walks>(p.mask.x, [&](auto width) {
      if (p.type == dtype::u8)
        cuda::walk_with<width(), false, std::uint8_t, std::uint8_t>(d, p, p.in2);
      else
        cuda::walk_with<width(), false, float, float>(d, p, p.in2);
    });
    if (walked) return;
  }
  with_types(p, [&]<class In, class Mask, class Out>(type_tag<In>, type_tag<Mask>, type_tag<Out>) {
    if (p.mask.y == 1 && p.mask.z == 1 && p.mask.x <= most_row_weights)
      along_rows<In, Mask, Out>(d, p, g);
    else
      anything<In, Mask, Out>(d, p, g);
  });
}

}  // namespace upsweep::convolve_room
