// Convolution by FFT on CUDA: overlap-save tiles through cuFFT, as many at a time as fit in scratch.
#include "upsweep/convolve/convolve_problem.hpp"
#include "upsweep/convolve/cuda/convolve_cuda.hpp"
#include "upsweep/convolve/cuda/convolve_cuda_tuning.hpp"
#include "upsweep/convolve/cuda/convolve_cufft.hpp"
#include "upsweep/convolve/cuda/convolve_spectra.cuh"

namespace upsweep::detail::convolve_impl {

namespace {

unsigned blocks_for(std::int64_t items) {
  return static_cast<unsigned>((items + cuda::spectrum_threads - 1) / cuda::spectrum_threads);
}

template <class S>
struct transforms;
template <>
struct transforms<float> {
  using complex = cufftComplex;
  static constexpr cufftType forward_type = CUFFT_R2C, backward_type = CUFFT_C2R;
  static cufftResult forward(cufftHandle h, float* from, complex* to) {
    return cuda::cufft()->forward_f32(h, from, to);
  }
  static cufftResult backward(cufftHandle h, complex* from, float* to) {
    return cuda::cufft()->backward_f32(h, from, to);
  }
};
template <>
struct transforms<double> {
  using complex = cufftDoubleComplex;
  static constexpr cufftType forward_type = CUFFT_D2Z, backward_type = CUFFT_Z2D;
  static cufftResult forward(cufftHandle h, double* from, complex* to) {
    return cuda::cufft()->forward_f64(h, from, to);
  }
  static cufftResult backward(cufftHandle h, complex* from, double* to) {
    return cuda::cufft()->backward_f64(h, from, to);
  }
};

template <class In, class S, class Out>
void convolve_tiles(cuda::device& d, const problem& p, const geometry& g) {
  using complex = typename transforms<S>::complex;
  const auto whole = [](std::uint64_t x) { return static_cast<std::int64_t>(x); };
  const bool row = g.mask.y == 1;
  const std::uint64_t columns = cuda_fft_side(g.out.x, g.mask.x, row),
                      rows = row ? 1 : cuda_fft_side(g.out.y, g.mask.y, false);
  cuda::fft_tiles t{};
  t.in_x = whole(g.in.x), t.in_y = whole(g.in.y), t.out_x = whole(g.out.x), t.out_y = whole(g.out.y);
  t.in_pitch = whole(g.in_pitch), t.out_pitch = whole(g.out_pitch), t.before_x = whole(g.before.x),
  t.before_y = whole(g.before.y);
  t.columns = static_cast<int>(columns), t.rows = static_cast<int>(rows);
  t.mask_x = static_cast<int>(g.mask.x), t.mask_y = static_cast<int>(g.mask.y),
  t.channels = static_cast<int>(g.channels), t.edge = p.edge;
  t.width = t.columns - t.mask_x + 1, t.height = t.rows - t.mask_y + 1;
  t.strips = (t.out_x + t.width - 1) / t.width, t.bands = (t.out_y + t.height - 1) / t.height;
  const std::int64_t points = whole(rows * columns), frequencies = whole(rows * (columns / 2 + 1));
  const std::int64_t tiles = t.strips * t.bands * whole(g.out.z) * t.channels;
  const std::int64_t tile_bytes = points * whole(sizeof(S)) + frequencies * whole(sizeof(complex));
  const std::int64_t batch = std::clamp<std::int64_t>(whole(cuda_fft_batch_bytes) / tile_bytes, 1, tiles);

  const auto aligned = [](std::int64_t bytes) { return static_cast<std::uint64_t>((bytes + 255) / 256 * 256); };
  const std::uint64_t spectrum_bytes = aligned(frequencies * whole(sizeof(complex)));
  const memory scratch =
      d.scratch("convolve/cuda spectra", spectrum_bytes + static_cast<std::uint64_t>(batch) * spectrum_bytes +
                                             aligned(batch * points * whole(sizeof(S))));
  auto* const of_mask = scratch.template as<complex>();
  auto* const spectra = scratch.plus_bytes(spectrum_bytes).template as<complex>();
  S* const cut = scratch.plus_bytes(spectrum_bytes * static_cast<std::uint64_t>(batch + 1)).template as<S>();

  cuda::cut_mask<<<blocks_for(points), cuda::spectrum_threads, 0, d.stream()>>>(p.in2.as<const S>(), cut, t, p.flipped);
  cuda::check(cudaGetLastError(), "launching convolve/fft's kernels");
  const auto transform = [&](cufftType type, std::int64_t count, const char* doing, const auto& call) {
    cuda::transform_by_cufft(d, type, t.rows, t.columns, static_cast<int>(count), doing, call);
  };
  transform(transforms<S>::forward_type, 1, "transforming the mask",
            [&](cufftHandle h) { return transforms<S>::forward(h, cut, of_mask); });
  for (t.first = 0; t.first < tiles; t.first += t.count) {
    t.count = std::min(batch, tiles - t.first);
    cuda::cut_tiles<<<blocks_for(t.count * points), cuda::spectrum_threads, 0, d.stream()>>>(p.in.as<const In>(), cut,
                                                                                             t);
    transform(transforms<S>::forward_type, t.count, "transforming tiles",
              [&](cufftHandle h) { return transforms<S>::forward(h, cut, spectra); });
    cuda::multiply_spectra<<<blocks_for(t.count * frequencies), cuda::spectrum_threads, 0, d.stream()>>>(
        spectra, of_mask, frequencies, t.count);
    transform(transforms<S>::backward_type, t.count, "transforming tiles back",
              [&](cufftHandle h) { return transforms<S>::backward(h, spectra, cut); });
    cuda::put_results<<<blocks_for(t.count * t.width * t.height), cuda::spectrum_threads, 0, d.stream()>>>(
        cut, p.in.as<const In>(), p.in2.as<const S>(), p.flipped, p.out.as<Out>(), t);
    cuda::check(cudaGetLastError(), "launching convolve/fft's kernels");
  }
}

}  // namespace

bool have_cufft() { return cuda::cufft() != nullptr; }

void run_cuda_fft(device& where, const problem& p) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  const geometry g = geometry_of(p);
  if (g.out.count() == 0) return;
  with_types(p, [&]<class In, class Mask, class Out>(type_tag<In>, type_tag<Mask>, type_tag<Out>) {
    if constexpr (std::is_floating_point_v<Mask>) convolve_tiles<In, Mask, Out>(d, p, g);
  });
}

}  // namespace upsweep::detail::convolve_impl
