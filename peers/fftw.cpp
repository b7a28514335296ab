// Overlap-save by hand over FFTW: what a signal's long mask costs without this library.
#include <fftw3.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "peers/peers.hpp"
#include "upsweep/convolve/convolve_geometry.hpp"
#include "upsweep/cpu/block_partition.hpp"

namespace upsweep::peers {

namespace {

using problem = detail::convolve_impl::problem;
using primitive = detail::convolve_impl::primitive;
using prepared = prepared_for<problem>;

constexpr int block_points = 16384;

bool takes_signal(const problem& p) {
  return p.type == dtype::f32 && p.mask_type == dtype::f32 && p.out_type == dtype::f32 && p.mask.y == 1 &&
         p.mask.z == 1 && p.size.y == 1 && p.size.z == 1 && p.channels == 1 && p.edge != border::none &&
         p.mask.x >= 32 && p.mask.x <= block_points / 2;
}

class overlap_save {
 public:
  overlap_save(device& d, const problem& shape) : device_(d), mask_(shape.mask.x) {
    spectrum_.reset(fftwf_alloc_complex(frequencies));
    const auto threads = static_cast<std::size_t>(cpu::threads_of(d));
    for (std::size_t t = 0; t < threads; ++t) {
      reals_.emplace_back(fftwf_alloc_real(block_points));
      spectra_.emplace_back(fftwf_alloc_complex(frequencies));
    }
    // Measured plans, made before the clock runs.
    forward_ = fftwf_plan_dft_r2c_1d(block_points, reals_[0].get(), spectra_[0].get(), FFTW_MEASURE);
    backward_ = fftwf_plan_dft_c2r_1d(block_points, spectra_[0].get(), reals_[0].get(), FFTW_MEASURE);
  }
  overlap_save(const overlap_save&) = delete;
  overlap_save& operator=(const overlap_save&) = delete;
  ~overlap_save() { fftwf_destroy_plan(forward_), fftwf_destroy_plan(backward_); }

  void operator()(const problem& p) {
    float* const first = reals_[0].get();
    std::fill_n(first, block_points, 0.0f);
    for (std::uint64_t i = 0; i < mask_; ++i)
      first[i] = p.in2.as<const float>()[p.flipped ? i : mask_ - 1 - i] / static_cast<float>(block_points);
    fftwf_execute_dft_r2c(forward_, first, spectrum_.get());
    const std::uint64_t step = block_points - mask_ + 1, blocks = (p.n + step - 1) / step, workers = reals_.size();
    cpu::for_each_block(device_, workers, [&](std::uint64_t w, const cpu::stop_flag&) {
      for (std::uint64_t b = w; b < blocks; b += workers) one_block(p, b * step, std::min(step, p.n - b * step), w);
    });
  }

 private:
  static constexpr std::uint64_t frequencies = block_points / 2 + 1;

  void one_block(const problem& p, std::uint64_t at, std::uint64_t results, std::uint64_t worker) {
    float* const real = reals_[worker].get();
    fftwf_complex* const spectrum = spectra_[worker].get();
    const auto* in = p.in.as<const float>();
    const auto first = static_cast<std::int64_t>(at) - static_cast<std::int64_t>(p.anchor.x);
    const auto n = static_cast<std::int64_t>(p.n), needed = static_cast<std::int64_t>(results + mask_ - 1);
    if (first >= 0 && first + needed <= n) {
      std::copy_n(in + first, needed, real);
    } else {
      for (std::int64_t i = 0; i < needed; ++i) {
        const std::int64_t place = border_index(p.edge, first + i, n);
        real[i] = place < 0 ? 0.0f : in[place];
      }
    }
    std::fill(real + needed, real + block_points, 0.0f);
    fftwf_execute_dft_r2c(forward_, real, spectrum);
    for (std::uint64_t k = 0; k < frequencies; ++k) {
      const float re = spectrum[k][0] * spectrum_.get()[k][0] - spectrum[k][1] * spectrum_.get()[k][1],
                  im = spectrum[k][0] * spectrum_.get()[k][1] + spectrum[k][1] * spectrum_.get()[k][0];
      spectrum[k][0] = re, spectrum[k][1] = im;
    }
    fftwf_execute_dft_c2r(backward_, spectrum, real);
    std::copy_n(real + mask_ - 1, results, p.out.as<float>() + at);
  }

  struct freed {
    void operator()(void* p) const { fftwf_free(p); }
  };
  device& device_;
  std::uint64_t mask_;
  fftwf_plan forward_, backward_;
  std::unique_ptr<fftwf_complex[], freed> spectrum_;
  std::vector<std::unique_ptr<float[], freed>> reals_;
  std::vector<std::unique_ptr<fftwf_complex[], freed>> spectra_;
};

prepared prepare(device& d, const problem& shape) {
  const auto work = std::make_shared<overlap_save>(d, shape);
  return [work](const problem& p) { (*work)(p); };
}

}  // namespace

void add_fftw(std::vector<peer>& list) {
  list.push_back(peer_for<problem>{"fftw", fftwf_version, "overlap-save by hand, blocks of 16384, measured plans",
                                   backend::cpu, primitive::convolve, takes_signal, prepare});
}

}  // namespace upsweep::peers
