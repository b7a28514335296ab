// CUB's histograms, with their scratch allocated beforehand; counters of 64 bits, as ours, and of 32, as it is mostly
// called.
#include <cub/device/device_histogram.cuh>
#include <cub/version.cuh>

#include <limits>

#include "peers/peers.hpp"
#include "upsweep/cuda/device.hpp"
#include "upsweep/histogram/problem.hpp"

namespace upsweep::peers {

namespace {

using problem = histogram_room::problem;
using primitive = histogram_room::primitive;
using prepared = prepared_for<problem>;

using wide = unsigned long long;
static_assert(sizeof(wide) == sizeof(std::uint64_t));

bool takes(const problem& p) {
  const bool type = p.type == dtype::u8 || p.type == dtype::u32 || p.type == dtype::f32;
  const bool channels = p.channels == 1 || (p.channels == 4 && p.type == dtype::u8 && !p.edges && p.n % 4 == 0);
  return type && channels && !p.weighted && p.n > 0 && p.m <= std::numeric_limits<std::int32_t>::max();
}

struct launch {
  void* scratch;
  std::size_t& bytes;
  cudaStream_t stream;
};

template <class T, class Level, class Count>
cudaError_t histogram(const launch& l, const problem& p, Count* out) {
  const T* in = p.in.as<const T>();
  const int levels = static_cast<int>(p.m) + 1;
  const auto n = static_cast<std::int64_t>(p.n);
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

template <class Count>
void call(const launch& l, const problem& p, Count* out) {
  switch (p.type) {
    case dtype::u8: return upsweep::cuda::check(histogram<std::uint8_t, int>(l, p, out), "CUB");
    case dtype::u32: return upsweep::cuda::check(histogram<std::uint32_t, std::int64_t>(l, p, out), "CUB");
    default: return upsweep::cuda::check(histogram<float, float>(l, p, out), "CUB");
  }
}

prepared prepare_wide(device& d, const problem& p) {
  auto& gpu = upsweep::cuda::of(d);
  gpu.make_current();
  std::size_t bytes = 0;
  call<wide>({nullptr, bytes, gpu.stream()}, p, p.out.as<wide>());
  void* scratch = d.scratch("peers/cub", bytes + 1).address();
  return [scratch, bytes, stream = gpu.stream()](const problem& p) mutable {
    call<wide>({scratch, bytes, stream}, p, p.out.as<wide>());
  };
}

// The counts are widened once, for the check, which is not timed.
prepared prepare_narrow(device& d, const problem& p) {
  auto& gpu = upsweep::cuda::of(d);
  gpu.make_current();
  std::size_t bytes = 0;
  const std::uint64_t counts = p.channels * p.m;
  const memory narrow = d.scratch("peers/cub counts", counts * sizeof(std::uint32_t));
  auto* const out = narrow.as<std::uint32_t>();
  call({nullptr, bytes, gpu.stream()}, p, out);
  void* scratch = d.scratch("peers/cub", bytes + 1).address();
  return [scratch, bytes, stream = gpu.stream(), out, narrow, counts, &d, first = true](const problem& p) mutable {
    call({scratch, bytes, stream}, p, out);
    if (!std::exchange(first, false)) return;
    std::vector<std::uint32_t> few(counts);
    d.download(few.data(), narrow, counts * sizeof(std::uint32_t));
    const std::vector<std::uint64_t> many(few.begin(), few.end());
    d.upload(p.out, many.data(), counts * sizeof(std::uint64_t));
  };
}

}  // namespace

void add_cub_histograms(std::vector<peer>& list) {
  const std::string version = "CUB " + std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION) +
                              "." + std::to_string(CUB_SUBMINOR_VERSION);
  list.push_back(peer_for<problem>{"cub", version, "DeviceHistogram with 64-bit counters, scratch allocated beforehand",
                                   backend::cuda, primitive::histogram, takes, prepare_wide});
  list.push_back(peer_for<problem>{
      "cub-32-bit", version, "DeviceHistogram with 32-bit counters that are not widened, scratch allocated beforehand",
      backend::cuda, primitive::histogram, [](const problem& p) { return takes(p) && p.n >> 32 == 0; },
      prepare_narrow});
}

}  // namespace upsweep::peers
