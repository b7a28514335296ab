// Box filters on CUDA.
#include "upsweep/integral/cuda/box.cuh"

namespace upsweep::integral_room {

namespace {

template <class Rule, class In, class Out>
void slide(cuda::device& d, const problem& p) {
  using part = typename Rule::part;
  const std::uint64_t row = row_of(p), width = p.size.x, height = p.size.y;
  const std::uint64_t rx = useful_radius(p.radius.x, width), ry = useful_radius(p.radius.y, height);
  part* const ends = d.scratch("integral/box ends", p.n * sizeof(part)).template as<part>();
  part* const columns = d.scratch("integral/box columns", p.n * sizeof(part)).template as<part>();
  const auto blocks = [](std::uint64_t lines, std::uint64_t length, std::uint64_t radius) {
    const std::uint64_t threads = lines * ((length + 2 * radius) / (2 * radius + 1));
    return static_cast<unsigned>((threads + cuda_box_threads - 1) / cuda_box_threads);
  };
  cuda::slide_down<Rule, In><<<blocks(row, height, ry), cuda_box_threads, 0, d.stream()>>>(p.in.as<const In>(), row, height, p.pitch, ry, ends,
                                                                                            columns);
  cuda::slide_along<Rule, Out><<<blocks(height * p.channels, width, rx), cuda_box_threads, 0, d.stream()>>>(
      columns, width, height, p.channels, p.out_pitch, rx, ry, ends, p.out.as<Out>());
}

}  // namespace

void run_cuda_box(device& where, const problem& all) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  for_each_slice(all, [&](const problem& p) {
    with_box(p, [&]<class Rule, class In, class Out>(Rule, type_tag<In>, type_tag<Out>) { slide<Rule, In, Out>(d, p); });
    cuda::check(cudaGetLastError(), "launching a box filter's kernels");
  });
}

}  // namespace upsweep::integral_room
