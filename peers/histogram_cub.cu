// CUB's histograms, with their scratch allocated beforehand; counters of 64 bits, as ours, and of 32, as it is mostly
// called.
#include <cub/device/device_histogram.cuh>

#include "peers/cub.hpp"
#include "upsweep/histogram/histogram_problem.hpp"

namespace upsweep::peers::UPSWEEP_CUB {

namespace {

using problem = detail::histogram_impl::problem;
using primitive = detail::histogram_impl::primitive;
using prepared = prepared_for<problem>;

using wide = unsigned long long;
static_assert(sizeof(wide) == sizeof(std::uint64_t));

template <class Size>
bool takes(const problem& p) {
  const bool type = p.type == dtype::u8 || p.type == dtype::u32 || p.type == dtype::f32;
  const bool channels = p.channels == 1 || (p.channels == 4 && p.type == dtype::u8 && !p.edges && p.n % 4 == 0);
  return type && channels && !p.weighted && p.n > 0 && fits_count<std::int32_t>(p.m) && fits_count<Size>(p.n);
}

template <class T, class Level, class Size, class Count>
cudaError_t histogram(const cub_launch& l, const problem& p, Count* out) {
  const T* in = p.in.as<const T>();
  const int levels = static_cast<int>(p.m) + 1;
  const auto n = static_cast<Size>(p.n);
  if (p.edges)
    return cub::DeviceHistogram::HistogramRange(l.scratch, l.bytes, in, out, levels, p.in3.as<const T>(), n, l.stream);
  Level lower, upper;
  if constexpr (std::is_floating_point_v<T>) {
    lower = p.lower.as<float>(), upper = p.upper.as<float>();
  } else {
    lower = static_cast<Level>(p.lower.as<std::int64_t>()), upper = static_cast<Level>(p.upper.as<std::int64_t>());
  }
  if constexpr (sizeof(T) == 1)
    if (p.channels == 4) {
      const ::cuda::std::array<Count*, 4> outs{out, out + p.m, out + 2 * p.m, out + 3 * p.m};
      const ::cuda::std::array<int, 4> many{levels, levels, levels, levels};
      const ::cuda::std::array<Level, 4> from{lower, lower, lower, lower}, to{upper, upper, upper, upper};
      return cub::DeviceHistogram::MultiHistogramEven<4, 4>(l.scratch, l.bytes, in, outs, many, from, to, n / 4,
                                                            l.stream);
    }
  return cub::DeviceHistogram::HistogramEven(l.scratch, l.bytes, in, out, levels, lower, upper, n, l.stream);
}

template <class Size, class Count>
cudaError_t call(const cub_launch& l, const problem& p, Count* out) {
  switch (p.type) {
    case dtype::u8: return histogram<std::uint8_t, int, Size>(l, p, out);
    case dtype::u32: return histogram<std::uint32_t, std::int64_t, Size>(l, p, out);
    default: return histogram<float, float, Size>(l, p, out);
  }
}

template <class Size>
cudaError_t count_wide(const cub_launch& l, const problem& p) {
  return call<Size>(l, p, p.out.as<wide>());
}
template <class Size>
cudaError_t count_narrow(const cub_launch& l, const problem& p) {
  return call<Size>(l, p, p.out.as<std::uint32_t>());
}

// The counts are widened once, for the check, which is not timed.
template <class Size>
prepared prepare_narrow(device& d, const problem& p) {
  const std::uint64_t counts = p.channels * p.m;
  const auto narrow = std::make_shared<cub_scratch>(d, counts * sizeof(std::uint32_t));
  problem few = p;
  few.out = narrow->where;
  return [call = prepare_cub<problem, count_narrow<Size>>(d, few), narrow, counts, &d,
          first = true](const problem& p) mutable {
    problem few = p;
    few.out = narrow->where;
    call(few);
    if (!std::exchange(first, false)) return;
    std::vector<std::uint32_t> counted(counts);
    d.download(counted.data(), narrow->where, counts * sizeof(std::uint32_t));
    const std::vector<std::uint64_t> many(counted.begin(), counted.end());
    d.upload(p.out, many.data(), counts * sizeof(std::uint64_t));
  };
}

template <class Size>
void add(std::vector<peer>& list) {
  list.push_back(peer_for<problem>{
      cub_name(), cub_version(), "DeviceHistogram with 64-bit counters, scratch allocated beforehand", backend::cuda,
      primitive::histogram, takes<Size>, prepare_cub<problem, count_wide<Size>>, count_name<Size>});
  list.push_back(peer_for<problem>{
      cub_name("32-bit"), cub_version(),
      "DeviceHistogram with 32-bit counters that are not widened, scratch allocated beforehand", backend::cuda,
      primitive::histogram, [](const problem& p) { return takes<Size>(p) && p.n >> 32 == 0; }, prepare_narrow<Size>,
      count_name<Size>});
}

}  // namespace

void add_histograms(std::vector<peer>& list) {
  add<std::int32_t>(list);
  add<std::int64_t>(list);
}

}  // namespace upsweep::peers::UPSWEEP_CUB
