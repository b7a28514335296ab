// Overlap-save: a tile of input is transformed, multiplied by the mask's spectrum and transformed back. Of a tile of s
// points, s - mask + 1 along each axis are results, and tiles overlap by the rest. Two tiles are transformed as one
// complex tile, one as its real part and one as its imaginary part; they do not mix, because the mask is real. FFTW's
// estimated plans for complex numbers cost half of those for real ones, or less. Each transform runs on one thread;
// threads take pairs of tiles.
#include "upsweep/convolve/convolve_fft.hpp"
#include "upsweep/convolve/convolve_problem.hpp"

#include "upsweep/convolve/convolve_choice.hpp"

namespace upsweep::detail::convolve_impl {

inline constexpr std::uint64_t most_fft_mask = std::uint64_t{1} << 26;  // FFTW counts points in int

const char* fft_cannot(const problem& p) {
  if (const char* what = wrong_types(p)) return what;
  if (p.mask_type == dtype::i32) return "integers, whose sums must be exact";
  if (p.mask.z > 1) return "masks of several slices";
  if (p.mask.x > most_fft_mask || p.mask.y > most_fft_mask) return "masks of more than 2^26 elements along an axis";
  return nullptr;
}

}  // namespace upsweep::detail::convolve_impl

#if UPSWEEP_WITH_FFTW

#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <vector>

#include "upsweep/convolve/convolve_tuning.hpp"
#include "upsweep/convolve/cpu/convolve_cpu_lines.hpp"
#include "upsweep/convolve/cpu/convolve_tiles.hpp"

namespace upsweep::detail::convolve_impl {

namespace {

template <class S>
struct fftw;

template <>
struct fftw<float> {
  using plan = fftwf_plan;
  using complex = fftwf_complex;
  static plan make(int rows, int columns, complex* from, complex* to, int sign) {
    return rows == 1 ? fftwf_plan_dft_1d(columns, from, to, sign, FFTW_ESTIMATE)
                     : fftwf_plan_dft_2d(rows, columns, from, to, sign, FFTW_ESTIMATE);
  }
  static void run(plan p, complex* from, complex* to) { fftwf_execute_dft(p, from, to); }
  static void destroy(plan p) { fftwf_destroy_plan(p); }
};

template <>
struct fftw<double> {
  using plan = fftw_plan;
  using complex = fftw_complex;
  static plan make(int rows, int columns, complex* from, complex* to, int sign) {
    return rows == 1 ? fftw_plan_dft_1d(columns, from, to, sign, FFTW_ESTIMATE)
                     : fftw_plan_dft_2d(rows, columns, from, to, sign, FFTW_ESTIMATE);
  }
  static void run(plan p, complex* from, complex* to) { fftw_execute_dft(p, from, to); }
  static void destroy(plan p) { fftw_destroy_plan(p); }
};

// Plans by size, made once a process: FFTW's planner is not thread-safe, but its plans may be shared. It estimates and
// does not measure, so that the same size has the same plan, and the same bits, every time.
template <class S>
class plans {
 public:
  using complex = typename fftw<S>::complex;
  struct pair {
    typename fftw<S>::plan forward, backward;
  };
  static pair of(int rows, int columns, complex* tile, complex* spectrum) {
    static plans all;
    const std::scoped_lock lock(all.guard_);
    const auto [at, is_new] = all.by_size_.try_emplace({rows, columns});
    if (is_new)
      at->second = {fftw<S>::make(rows, columns, tile, spectrum, FFTW_FORWARD),
                    fftw<S>::make(rows, columns, spectrum, tile, FFTW_BACKWARD)};
    return at->second;
  }
  ~plans() {
    for (const auto& [size, p] : by_size_) fftw<S>::destroy(p.forward), fftw<S>::destroy(p.backward);
  }

 private:
  std::mutex guard_;
  std::map<std::pair<int, int>, pair> by_size_;
};

// FFTW ends the process where it finds no memory. Its plans for 2^22 points need 2.8 MB at most (README.md), and each
// thread's transform some more. Allocating and freeing that much beforehand turns the failure into std::bad_alloc.
void require_memory_for_fftw(std::uint64_t points, std::uint64_t threads) {
  constexpr std::uint64_t mebibyte = 1 << 20;
  void* volatile asked = ::operator new((4 + threads) * mebibyte + points);
  ::operator delete(asked);
}

// An element of a tile that is infinite or NaN. A transform would spread it to all results of both tiles, so the tile
// gets 0 in its place, and its products are added to the results whose windows contain it.
template <class S>
struct apart {
  std::uint64_t x, y;
  S value;
};

template <class S>
bool all_finite(const S* x, std::uint64_t n) {
  std::uint64_t found = 0;
  for (std::uint64_t i = 0; i < n; ++i) found |= !(x[i] - x[i] == 0);
  return found == 0;
}

constexpr std::uint64_t aligned(std::uint64_t bytes) { return (bytes + 63) / 64 * 64; }

template <class S>
void convolve_tiles(device& d, const problem& p) {
  using complex = typename fftw<S>::complex;
  const cpu::line_reader reader(p);
  const geometry& g = reader.geometry();
  const bool row = g.mask.y == 1;
  const std::uint64_t columns = fft_side(g.out.x, g.mask.x, row).points,
                      rows = row ? 1 : fft_side(g.out.y, g.mask.y, false).points, points = columns * rows;
  const std::uint64_t tile_bytes = aligned(points * sizeof(complex)),
                      line_bytes = aligned(columns * g.channels * sizeof(S)), part_bytes = aligned(columns * sizeof(S));

  // The mask's spectrum. For a correlation the mask is reversed, because a product of spectra convolves; it is scaled,
  // because FFTW's transforms are not normalised.
  require_memory_for_fftw(points, static_cast<std::uint64_t>(cpu::threads_of(d)));
  const memory scratch = d.scratch("convolve/spectrum", 2 * tile_bytes);
  auto* const of_mask = scratch.as<complex>();
  auto* const mask_tile = scratch.plus_bytes(tile_bytes).as<complex>();
  const auto plan = plans<S>::of(static_cast<int>(rows), static_cast<int>(columns), mask_tile, of_mask);
  std::memset(mask_tile, 0, tile_bytes);
  const S* mask = p.in2.as<const S>();
  for (std::uint64_t j = 0, at = 0; j < g.mask.y; ++j)
    for (std::uint64_t i = 0; i < g.mask.x; ++i, ++at)
      mask_tile[j * columns + i][0] = mask[p.flipped ? at : g.mask.count() - 1 - at] / static_cast<S>(points);
  fftw<S>::run(plan.forward, mask_tile, of_mask);

  const auto multiply = cpu::multiply_spectra(p.mask_type);
  const auto interleave = cpu::interleave_lines(p.mask_type);
  const auto part = cpu::deinterleave_line(p.mask_type);
  const auto store = cpu::store_line(p.mask_type, p.out_type);
  const std::uint64_t width = columns - g.mask.x + 1, height = rows - g.mask.y + 1;
  const std::uint64_t strips = cpu::block_count(g.out.x, width), bands = cpu::block_count(g.out.y, height);

  // One channel of one tile of real numbers.
  struct real_tile {
    std::uint64_t x, y, z, channel, wide, high;
  };
  const std::uint64_t reals = strips * bands * g.out.z * g.channels, size = size_of(p.out_type);
  const auto real = [&](std::uint64_t i) {
    real_tile t{i / g.channels % strips * width,
                i / g.channels / strips % bands * height,
                i / g.channels / strips / bands,
                i % g.channels,
                0,
                0};
    t.wide = std::min(width, g.out.x - t.x), t.high = i < reals ? std::min(height, g.out.y - t.y) : 0;
    return t;
  };
  cpu::deal(d, (reals + 1) / 2, 2 * tile_bytes + 2 * line_bytes + 3 * part_bytes, [&](std::uint64_t job, char* memory) {
    auto* const tile = reinterpret_cast<complex*>(memory);
    auto* const spectrum = reinterpret_cast<complex*>(memory + tile_bytes);
    char* const lines = memory + 2 * tile_bytes;
    S* const parts = reinterpret_cast<S*>(lines + 2 * line_bytes);
    S* const nothing = parts + 2 * part_bytes / sizeof(S);
    std::fill_n(nothing, columns, S(0));
    const real_tile pair[]{real(2 * job), real(2 * job + 1)};
    std::vector<apart<S>> not_finite[2];
    for (std::uint64_t j = 0; j < rows; ++j) {
      const S* from[2]{nothing, nothing};
      for (std::uint64_t k = 0; k < 2; ++k) {
        const real_tile& t = pair[k];
        if (t.high == 0 || j >= t.high + g.mask.y - 1) continue;
        from[k] = static_cast<const S*>(
            reader.line(static_cast<std::int64_t>(t.x) - static_cast<std::int64_t>(g.before.x), t.wide + g.mask.x - 1,
                        static_cast<std::int64_t>(t.y + j) - static_cast<std::int64_t>(g.before.y),
                        static_cast<std::int64_t>(t.z), columns * g.channels, lines + k * line_bytes));
        S* const one = parts + k * part_bytes / sizeof(S);
        if (g.channels > 1) {
          for (std::uint64_t i = 0; i < columns; ++i) one[i] = from[k][i * g.channels + t.channel];
          from[k] = one;
        }
        if (all_finite(from[k], columns)) continue;
        if (g.channels == 1) std::copy_n(from[k], columns, one);
        from[k] = one;
        for (std::uint64_t i = 0; i < columns; ++i)
          if (!std::isfinite(one[i])) {
            if (i < t.wide + g.mask.x - 1) not_finite[k].push_back({i, j, one[i]});
            one[i] = 0;
          }
      }
      interleave(from[0], from[1], tile + j * columns, columns);
    }
    fftw<S>::run(plan.forward, tile, spectrum);
    multiply(spectrum, of_mask, spectrum, points);
    fftw<S>::run(plan.backward, spectrum, tile);
    for (int k = 0; k < 2; ++k) {
      const real_tile& t = pair[k];
      for (std::uint64_t j = 0; j < t.high; ++j) {
        char* const to =
            p.out.as<char>() + (((t.z * g.out.y + t.y + j) * g.out_pitch) + t.x * g.channels + t.channel) * size;
        const bool there = g.channels == 1 && size == sizeof(S) && not_finite[k].empty();
        part(tile + (j + g.mask.y - 1) * columns + g.mask.x - 1, k, there ? static_cast<void*>(to) : parts, t.wide);
        if (there) continue;
        for (const apart<S>& a : not_finite[k]) {
          if (a.y < j || a.y - j >= g.mask.y) continue;
          const std::uint64_t before = g.mask.x - 1;
          for (std::uint64_t x = a.x < before ? 0 : a.x - before; x < t.wide && x <= a.x; ++x) {
            const std::uint64_t at = (a.y - j) * g.mask.x + a.x - x;
            parts[x] += mask[p.flipped ? g.mask.count() - 1 - at : at] * a.value;
          }
        }
        store(parts, g.channels == 1 ? to : lines, t.wide);
        if (g.channels > 1)
          for (std::uint64_t i = 0; i < t.wide; ++i) std::memcpy(to + i * g.channels * size, lines + i * size, size);
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
  v.name = "convolve/fft", v.what = primitive::convolve, v.kind = variant_kind::tuned, v.year = 2026,
  v.source = "upsweep";
  v.teaches =
      "Overlap-save tiles through FFTW: the cost of a result grows with the logarithm of the mask, not with the mask.";
  v.work = {"log2(tile) * n, about (14n for tiles of 16384)", [](double n) { return 14 * n; }};
  v.span = {"64: every point of a tile rounds every result", [](double) { return 64.0; }};
  v.launches = {"1", [](double) { return 1.0; }};
  v.traffic = {"2n", [](double n) { return 2 * n; }};
  v.limits = "floats";
  v.cannot = fft_cannot;
  v.run = convolve_by_fft;
  return v;
}

}  // namespace upsweep::detail::convolve_impl

#else

namespace upsweep::detail::convolve_impl {

bool have_fft() { return false; }
void convolve_by_fft(device&, const problem&) {
  throw error(fault::unsupported, "convolve/fft", "this build has no FFTW", "install libfftw3-dev and build again");
}
variant fft_entry() { return {}; }

}  // namespace upsweep::detail::convolve_impl

#endif
