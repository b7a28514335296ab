// The catalog entries of the CUDA convolutions.
#include "upsweep/convolve/cuda/convolve_cuda.hpp"

#include "upsweep/convolve/convolve_choice.hpp"
#include "upsweep/convolve/convolve_fft.hpp"
#include "upsweep/convolve/convolve_problem.hpp"
#include "upsweep/convolve/cuda/convolve_cuda_tuning.hpp"

namespace upsweep::detail::convolve_impl {

namespace {

void run_cuda_chosen(device& d, const problem& p) {
  switch (choose_algorithm(backend::cuda, p).which) {
    case algorithm::split: return run_cuda_split(d, p);
    case algorithm::tiles: return run_cuda_tiles(d, p);
    case algorithm::fft: return run_cuda_fft(d, p);
    default: return run_cuda_direct(d, p);
  }
}

variant entry(std::string_view name, std::string_view teaches, void (*run)(device&, const problem&)) {
  variant v;
  v.name = name, v.where = backend::cuda, v.what = primitive::convolve, v.kind = variant_kind::tuned, v.year = 2026,
  v.source = "upsweep";
  v.teaches = teaches;
  v.work = {"mask * n (9n for a mask of 9)", [](double n) { return 9 * n; }};
  v.span = {"1", [](double) { return 1.0; }}, v.launches = {"1", [](double) { return 1.0; }};
  v.traffic = {"2n, and the halos", [](double n) { return 2 * n; }};
  v.cannot = wrong_types;
  v.run = run;
  return v;
}

}  // namespace

std::span<const variant> cuda() {
  static const std::vector<variant> list = [] {
    std::vector<variant> all;
    all.push_back(entry("convolve/direct",
                        "A warp walks down a strip of columns; the sums of all rows of results under way stay in "
                        "registers, so that an element "
                        "is read once for as many rows of products as the mask has.",
                        run_cuda_direct));
    variant split = entry("convolve/separable",
                          "A mask that is a product of a row and a column, in one pass: sums along the rows of a walk "
                          "go straight into the "
                          "columns' sums, in registers.",
                          run_cuda_split);
    split.work = {"rank * (width + height) * n (6n for 3 by 3)", [](double n) { return 6 * n; }};
    split.limits = "masks that come with their factors";
    split.cannot = [](const problem& p) -> const char* {
      return p.rank == 0 ? "a mask that is not split into rows and columns" : wrong_types(p);
    };
    all.push_back(split);
    variant tiles = entry("convolve/tiles",
                          "A tile to a block, its halo in shared memory: for pictures so small that a walk would be as "
                          "long as what it reads ahead, and for masks that no walk knows. Masks that are a row times a "
                          "column go by rows first.",
                          run_cuda_tiles);
    tiles.limits = "pictures, and masks of several rows, up to some 50 by 50 of f32";
    tiles.cannot = tiles_cannot;
    all.push_back(tiles);
    variant chosen = entry("convolve/chosen",
                           "Direct, separable or FFT, whichever is the fastest for this mask by measured crossovers; "
                           "explain() says which, and why.",
                           run_cuda_chosen);
    if (have_cufft()) {
      variant fft = entry(
          "convolve/fft",
          "Overlap-save tiles through cuFFT: the cost of a result grows with the logarithm of the mask.", run_cuda_fft);
      fft.work = {"log2(tile) * n, about (14n for tiles of 16384)", [](double n) { return 14 * n; }};
      fft.span = {"64: every point of a tile rounds every result", [](double) { return 64.0; }};
      fft.launches = {"5 for so many tiles as scratch memory takes", [](double) { return 5.0; }};
      fft.traffic = {"about 12n", [](double n) { return 12 * n; }};
      fft.limits = "floats";
      fft.cannot = fft_cannot;
      chosen.span = fft.span;
      all.push_back(fft);
    }
    all.push_back(chosen);
    return all;
  }();
  return list;
}

}  // namespace upsweep::detail::convolve_impl
