// Overlap-save: a tile of input is transformed, multiplied by the mask's spectrum and transformed back; of a tile of s
// points s - mask + 1 along each axis are results, and tiles overlap by the rest. The transforms are FFTW's, one thread
// each; threads take tiles.
#include "upsweep/convolve/fft.hpp"

#include "upsweep/convolve/choice.hpp"

namespace upsweep::convolve_room {

inline constexpr std::uint64_t most_fft_mask = std::uint64_t{1} << 26;  // FFTW counts points in int

const char* fft_cannot(const problem& p) {
  if (const char* what = wrong_types(p)) return what;
  if (p.mask_type == dtype::i32) return "integers, whose sums must be exact";
  if (p.mask.z > 1) return "masks of several slices";
  if (p.mask.x > most_fft_mask || p.mask.y > most_fft_mask) return "masks of more than 2^26 elements along an axis";
  return nullptr;
}

}  // namespace upsweep::convolve_room

#if UPSWEEP_WITH_FFTW

#include <fftw3.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

#include "upsweep/convolve/cpu/lines.hpp"
#include "upsweep/convolve/cpu/tiles.hpp"
#include "upsweep/convolve/tuning.hpp"

namespace upsweep::convolve_room {

namespace {

template <class S>
struct fftw;

template <>
struct fftw<float> {
  using plan = fftwf_plan;
  using complex = fftwf_complex;
  static plan forward(int rows, int columns, float* from, complex* to) {
    return rows == 1 ? fftwf_plan_dft_r2c_1d(columns, from, to, FFTW_ESTIMATE)
                     : fftwf_plan_dft_r2c_2d(rows, columns, from, to, FFTW_ESTIMATE);
  }
  static plan backward(int rows, int columns, complex* from, float* to) {
    return rows == 1 ? fftwf_plan_dft_c2r_1d(columns, from, to, FFTW_ESTIMATE)
                     : fftwf_plan_dft_c2r_2d(rows, columns, from, to, FFTW_ESTIMATE);
  }
  static void run(plan p, float* from, complex* to) { fftwf_execute_dft_r2c(p, from, to); }
  static void run(plan p, complex* from, float* to) { fftwf_execute_dft_c2r(p, from, to); }
  static void destroy(plan p) { fftwf_destroy_plan(p); }
};

template <>
struct fftw<double> {
  using plan = fftw_plan;
  using complex = fftw_complex;
  static plan forward(int rows, int columns, double* from, complex* to) {
    return rows == 1 ? fftw_plan_dft_r2c_1d(columns, from, to, FFTW_ESTIMATE)
                     : fftw_plan_dft_r2c_2d(rows, columns, from, to, FFTW_ESTIMATE);
  }
  static plan backward(int rows, int columns, complex* from, double* to) {
    return rows == 1 ? fftw_plan_dft_c2r_1d(columns, from, to, FFTW_ESTIMATE)
                     : fftw_plan_dft_c2r_2d(rows, columns, from, to, FFTW_ESTIMATE);
  }
  static void run(plan p, double* from, complex* to) { fftw_execute_dft_r2c(p, from, to); }
  static void run(plan p, complex* from, double* to) { fftw_execute_dft_c2r(p, from, to); }
  static void destroy(plan p) { fftw_destroy_plan(p); }
};

// Plans by size, made once a process: FFTW's planner is for one thread at a time, what it plans is for all. It
// estimates and does not measure, so that the same size has the same plan, and the same bits, every time.
template <class S>
class plans {
 public:
  struct pair {
    typename fftw<S>::plan forward, backward;
  };
  static pair of(int rows, int columns, S* tile, typename fftw<S>::complex* spectrum) {
    static plans all;
    const std::scoped_lock lock(all.guard_);
    const auto [at, is_new] = all.by_size_.try_emplace({rows, columns});
    if (is_new)
      at->second = {fftw<S>::forward(rows, columns, tile, spectrum), fftw<S>::backward(rows, columns, spectrum, tile)};
    return at->second;
  }
  ~plans() {
    for (const auto& [size, p] : by_size_) fftw<S>::destroy(p.forward), fftw<S>::destroy(p.backward);
  }

 private:
  std::mutex guard_;
  std::map<std::pair<int, int>, pair> by_size_;
};

constexpr std::uint64_t aligned(std::uint64_t bytes) { return (bytes + 63) / 64 * 64; }

template <class S>
void convolve_tiles(device& d, const problem& p) {
  using complex = typename fftw<S>::complex;
  const cpu::line_reader reader(p);
  const geometry& g = reader.geometry();
  const bool row = g.mask.y == 1;
  const std::uint64_t columns = fft_side(g.out.x, g.mask.x, row ? row_tile : picture_tile),
                      rows = row ? 1 : fft_side(g.out.y, g.mask.y, picture_tile), points = columns * rows,
                      frequencies = (columns / 2 + 1) * rows;
  const std::uint64_t tile_bytes = aligned(points * sizeof(S)), spectrum_bytes = aligned(frequencies * sizeof(complex)),
                      line_bytes = aligned(columns * g.channels * sizeof(S));

  // The mask's spectrum: turned, because a product of spectra turns it, and scaled, because FFTW's transforms there and
  // back are not.
  const memory scratch = d.scratch("convolve/spectrum", spectrum_bytes + tile_bytes);
  auto* const of_mask = scratch.as<complex>();
  S* const mask_tile = scratch.plus_bytes(spectrum_bytes).as<S>();
  const auto plan = plans<S>::of(static_cast<int>(rows), static_cast<int>(columns), mask_tile, of_mask);
  std::fill_n(mask_tile, points, S(0));
  const S* mask = p.in2.as<const S>();
  for (std::uint64_t j = 0, at = 0; j < g.mask.y; ++j)
    for (std::uint64_t i = 0; i < g.mask.x; ++i, ++at)
      mask_tile[j * columns + i] = mask[p.flipped ? at : g.mask.count() - 1 - at] / static_cast<S>(points);
  fftw<S>::run(plan.forward, mask_tile, of_mask);

  const auto multiply = cpu::multiply_spectra(p.mask_type);
  const auto store = cpu::store_line(p.mask_type, p.out_type);
  const std::uint64_t width = columns - g.mask.x + 1, height = rows - g.mask.y + 1;
  const std::uint64_t strips = cpu::block_count(g.out.x, width), bands = cpu::block_count(g.out.y, height);
  cpu::deal(
      d, strips * bands * g.out.z, tile_bytes + spectrum_bytes + 2 * line_bytes, [&](std::uint64_t job, char* memory) {
        S* const tile = reinterpret_cast<S*>(memory);
        auto* const spectrum = reinterpret_cast<complex*>(memory + tile_bytes);
        char *const line = memory + tile_bytes + spectrum_bytes, *const stored = line + line_bytes;
        const std::uint64_t x = job % strips * width, y = job / strips % bands * height, z = job / strips / bands;
        const std::uint64_t wide = std::min(width, g.out.x - x), high = std::min(height, g.out.y - y);
        const std::uint64_t read_x = wide + g.mask.x - 1, read_y = high + g.mask.y - 1;
        for (std::uint64_t c = 0; c < g.channels; ++c) {
          for (std::uint64_t j = 0; j < rows; ++j) {
            S* const to = tile + j * columns;
            if (j < read_y) {
              const auto* from = static_cast<const S*>(
                  reader.line(static_cast<std::int64_t>(x) - static_cast<std::int64_t>(g.before.x), read_x,
                              static_cast<std::int64_t>(y + j) - static_cast<std::int64_t>(g.before.y),
                              static_cast<std::int64_t>(z), read_x * g.channels, line));
              if (g.channels == 1)
                std::copy_n(from, read_x, to);
              else
                for (std::uint64_t i = 0; i < read_x; ++i) to[i] = from[i * g.channels + c];
            }
            std::fill(to + (j < read_y ? read_x : 0), to + columns, S(0));
          }
          fftw<S>::run(plan.forward, tile, spectrum);
          multiply(spectrum, of_mask, spectrum, frequencies);
          fftw<S>::run(plan.backward, spectrum, tile);
          const std::uint64_t size = size_of(p.out_type);
          for (std::uint64_t j = 0; j < high; ++j) {
            const S* from = tile + (j + g.mask.y - 1) * columns + g.mask.x - 1;
            char* const to = p.out.as<char>() + (((z * g.out.y + y + j) * g.out_pitch) + x * g.channels + c) * size;
            store(from, g.channels == 1 ? to : stored, wide);
            if (g.channels > 1)
              for (std::uint64_t i = 0; i < wide; ++i) std::memcpy(to + i * g.channels * size, stored + i * size, size);
          }
        }
      });
}

}  // namespace

bool have_fft() { return true; }

void convolve_by_fft(device& d, const problem& p) {
  if (out_size(p).count() == 0) return;
  p.mask_type == dtype::f64 ? convolve_tiles<double>(d, p) : convolve_tiles<float>(d, p);
}

variant fft_entry() {
  variant v;
  v.name = "convolve/fft", v.what = primitive::convolve, v.kind = rung::library, v.year = 2026, v.source = "upsweep";
  v.teaches =
      "Overlap-save tiles through FFTW: the cost of a result grows with the logarithm of the mask, not with the mask.";
  v.work = {"log2(tile) * n, about (14n for tiles of 16384)", [](double n) { return 14 * n; }};
  v.span = {"64: every point of a tile rounds every result", [](double) { return 64.0; }};
  v.launches = {"1", [](double) { return 1.0; }};
  v.traffic = {"2n", [](double n) { return 2 * n; }};
  v.limits = "floats; an infinity or a NaN spoils the tile that it is in";
  v.cannot = fft_cannot;
  v.run = convolve_by_fft;
  return v;
}

}  // namespace upsweep::convolve_room

#else

namespace upsweep::convolve_room {

bool have_fft() { return false; }
void convolve_by_fft(device&, const problem&) {
  throw error(fault::unsupported, "convolve/fft", "this build has no FFTW", "install libfftw3-dev and build again");
}
variant fft_entry() { return {}; }

}  // namespace upsweep::convolve_room

#endif
