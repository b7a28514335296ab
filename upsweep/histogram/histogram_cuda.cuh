// The launches of the CUDA histograms. Everything is enqueued on the device's stream; bins and tuning select the
// kernel.
#pragma once

#include <algorithm>

#include "upsweep/histogram/cuda/histogram_bytes.cuh"
#include "upsweep/histogram/cuda/histogram_counters.cuh"
#include "upsweep/histogram/cuda/histogram_cuda_tuning.hpp"
#include "upsweep/histogram/cuda/histogram_cuda_weights.cuh"
#include "upsweep/histogram/histogram_problem.hpp"

namespace upsweep::cuda {

inline std::uint64_t clamp_blocks(const device& d, std::uint64_t n, std::uint64_t each, int per_multiprocessor) {
  const std::uint64_t most = static_cast<std::uint64_t>(d.multiprocessors()) * per_multiprocessor;
  return std::clamp<std::uint64_t>((n + each - 1) / each, 1, most);
}

// Custom bins of bytes, signed or not: tested at run time, since it matters only 256 times in a launch.
struct byte_edges {
  const void* edges;
  std::uint32_t m;
  bool is_signed, closed;
  __device__ std::uint32_t operator()(std::int32_t x) const {
    if (is_signed)
      return edge_bins<std::int8_t>{static_cast<const std::int8_t*>(edges), m, closed}(static_cast<std::int8_t>(x));
    return edge_bins<std::uint8_t>{static_cast<const std::uint8_t*>(edges), m, closed}(static_cast<std::uint8_t>(x));
  }
};

// Adds the count of a value to its bin; several values may share a bin. Bins: of bytes as 32-bit integers.
template <class Bins>
struct to_bins {
  Bins bins;
  bool is_signed;
  std::uint32_t m, channels;
  bool clear;  // `out` has to be cleared first
  unsigned long long* out;
  __device__ void prepare() const {
    if (clear)
      for (std::uint32_t c = threadIdx.x; c < m * channels; c += blockDim.x) out[c] = 0;
  }
  __device__ void operator()(std::uint32_t channel_and_value, unsigned long long count) const {
    const std::uint32_t byte = channel_and_value % byte_values;
    const std::int32_t x = is_signed ? static_cast<std::int8_t>(byte) : static_cast<std::int32_t>(byte);
    const std::uint32_t bin = count ? bins(x) : no_bin;
    if (bin != no_bin) atomicAdd(&out[channel_and_value / byte_values * m + bin], count);
  }
};

template <int Channels, class Bins>
void histogram_of_byte_channels(device& d, const std::uint8_t* from, std::uint64_t n, to_bins<Bins> to) {
  constexpr auto t = histogram_tuned;
  const std::uint64_t counters = std::uint64_t{to.m} * Channels;
  to.clear = counters <= t.handed_out_by_one;
  unsigned long long* const out = to.out;
  if (!to.clear) d.fill({out, 0}, 0, counters * 8);
  const auto kernel = histogram_of_bytes<t.threads, Channels, t.in_flight, to_bins<Bins>>;
  constexpr unsigned bytes = byte_counters_bytes(Channels);
  d.allow_shared(kernel, bytes, "histogram on cuda");
  auto* all = d.scratch("histogram/bytes", sizeof(shared_counts)).template as<shared_counts>();
  std::uint64_t blocks = n <= t.one_block ? 1 : clamp_blocks(d, n, t.threads * 16, 1);
  unsigned cluster = 1;
  const bool clusters = d.once(kernel, [&] { return d.has_clusters(kernel); });
  if (clusters && n > t.one_block && n <= t.one_cluster) {
    cluster = 1;
    while (cluster < 8 && cluster < blocks) cluster *= 2;
    blocks = cluster;
  }
  cudaLaunchAttribute in_cluster;
  in_cluster.id = cudaLaunchAttributeClusterDimension;
  in_cluster.val.clusterDim.x = cluster;
  in_cluster.val.clusterDim.y = in_cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t launch{};
  launch.gridDim = dim3(static_cast<unsigned>(blocks));
  launch.blockDim = dim3(t.threads);
  launch.dynamicSmemBytes = bytes;
  launch.stream = d.stream();
  launch.attrs = &in_cluster;
  launch.numAttrs = cluster > 1 ? 1 : 0;
  check(cudaLaunchKernelEx(&launch, kernel, from, n, all, to), "launching the histogram of bytes");
}

// `to` is complete except for `clear`.
template <class Bins>
void histogram_of_byte_type(device& d, const std::uint8_t* in, std::uint64_t n, const to_bins<Bins>& to) {
  switch (to.channels) {
    case 1: return histogram_of_byte_channels<1>(d, in, n, to);
    case 2: return histogram_of_byte_channels<2>(d, in, n, to);
    case 3: return histogram_of_byte_channels<3>(d, in, n, to);
    default: return histogram_of_byte_channels<4>(d, in, n, to);
  }
}

template <class T, class Bins>
void histogram_by_counters(device& d, const T* in, std::uint64_t n, Bins bins, std::uint32_t m, std::uint32_t channels,
                           bool edges, unsigned long long* out) {
  constexpr auto t = histogram_tuned;
  counter_layout cut{m, channels, 5, false, false};
  const std::uint64_t space = (d.shared_limit() - 1024) / 64 * 64,
                      edges_bytes = std::min<std::uint64_t>(t.edges_bytes, space / 4),
                      counters_bytes = std::min<std::uint64_t>(t.counters_bytes, space - edges_bytes);
  const std::uint64_t total = cut.counters(), most = counters_bytes / sizeof(std::uint32_t);
  const std::uint64_t blocks = n * sizeof(T) <= t.one_block ? 1 : clamp_blocks(d, n * sizeof(T), t.threads * 16, 1);
  if (total > most || n / blocks < total / t.samples_a_counter) {
    d.fill({out, 0}, 0, total * 8);
    const std::uint64_t many = clamp_blocks(d, n * sizeof(T), t.threads * 16, 2);
    count_in_global<t.threads, t.in_flight>
        <<<static_cast<unsigned>(many), t.threads, 0, d.stream()>>>(in, n, bins, cut, out);
    return;
  }
  // Every block clears and adds up its columns, so it has no more of them than its samples justify.
  while (cut.column_bits > 0 &&
         (total << cut.column_bits > most || total << cut.column_bits > std::max<std::uint64_t>(n / blocks, 4096)))
    --cut.column_bits;
  cut.edges_fit = edges && (m + 1) * sizeof(T) <= edges_bytes;
  cut.whole_in_out = blocks > 1 && total > t.handed_out_by_one;
  if (cut.whole_in_out) d.fill({out, 0}, 0, total * 8);
  const memory whole = d.scratch("histogram/counters", 256 + t.handed_out_by_one * 8);
  const unsigned bytes =
      static_cast<unsigned>(((total << cut.column_bits) + 3) / 4 * 16 + (cut.edges_fit ? (m + 1) * sizeof(T) : 0));
  const auto kernel = count_in_shared<t.threads, t.in_flight, T, Bins>;
  d.allow_shared(kernel, counters_bytes + edges_bytes, "histogram on cuda");
  kernel<<<static_cast<unsigned>(blocks), t.threads, bytes, d.stream()>>>(
      in, n, bins, cut, whole.plus_bytes(256).template as<unsigned long long>(), whole.template as<counter_control>(),
      out);
}

template <class T, class Bins>
void histogram_of_weights(device& d, const T* in, weights_in_memory weights, std::uint64_t n, Bins bins,
                          std::uint32_t m, std::uint32_t channels, double* out) {
  const counter_layout cut{m, channels, 0, false, false};
  const std::uint64_t total = cut.counters(), exponent_bytes = (total * 4 + 255) / 256 * 256;
  const memory all = d.scratch("histogram/weights", exponent_bytes + total * 16);
  auto* exponents = all.template as<std::uint32_t>();
  auto* whole = all.plus_bytes(exponent_bytes).template as<unsigned long long>();
  d.fill(all, 0, exponent_bytes + total * 16);
  const unsigned blocks = static_cast<unsigned>(clamp_blocks(d, n, weight_threads * 8, 8));
  const std::uint64_t most = std::min<std::uint64_t>(d.shared_limit() - 1024, 100u << 10);
  const auto in_shared = [&](std::uint64_t bytes) { return bytes <= most && n / blocks >= total / 4; };
  const auto launch = [&](auto kernel, std::uint64_t bytes) {
    const bool near = in_shared(bytes);
    if (near) d.allow_shared(kernel, most, "weighted_histogram on cuda");
    kernel<<<blocks, weight_threads, near ? static_cast<unsigned>(bytes) : 0, d.stream()>>>(in, weights, n, bins, cut,
                                                                                            near, exponents, whole);
  };
  launch(largest_exponents<T, Bins>, total * 4);
  launch(add_weights<T, Bins>, total * 20);
  sums_to_floats<<<static_cast<unsigned>((total + weight_threads - 1) / weight_threads), weight_threads, 0,
                   d.stream()>>>(whole, total, n, exponents, out);
}

}  // namespace upsweep::cuda
