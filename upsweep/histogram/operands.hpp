// Problems made of a histogram's operands; on host memory what does not fit the device goes through it in chunks.
#pragma once

#include <cmath>

#include "upsweep/buffer.hpp"
#include "upsweep/core/operands.hpp"
#include "upsweep/histogram/bins.hpp"
#include "upsweep/histogram/problem.hpp"

namespace upsweep::histogram_room {

using namespace core;

// Throws fault::bad_argument for no bins or too many, no channels, counts that channels do not divide.
std::uint64_t bins_of(const char* where, std::uint64_t counts, std::uint32_t channels);
void require_bins(const char* where, std::uint64_t bins);

template <class T>
problem counting(const char* where, std::uint64_t counts, std::uint32_t channels) {
  static_assert(builtin_type<T>,
                "upsweep: histograms take samples of the built-in types; give each sample a number first");
  problem p;
  p.what = primitive::histogram, p.type = dtype_of<T>;
  p.channels = channels;
  p.m = bins_of(where, counts, channels);
  return p;
}

template <class B>
std::string bound_text(B lower, B upper) {
  std::string text = "[";  // GCC 12 at -O3 takes "[" + … for a copy out of bounds
  return text += std::to_string(lower) + ", " + std::to_string(upper) + ")";
}

template <class T>
void set_bounds(const char* where, problem& p, bound_of<T> lower, bound_of<T> upper) {
  if (!(lower < upper))
    throw error(fault::bad_argument, where, "the bounds " + bound_text(lower, upper) + " hold nothing",
                "give a lower bound below the upper one");
  if constexpr (std::is_floating_point_v<bound_of<T>>) {
    if (!std::isfinite(upper - lower) || !std::isfinite(static_cast<bound_of<T>>(p.m) / (upper - lower)))
      throw error(fault::bad_argument, where,
                  "the width of the bins over " + bound_text(lower, upper) + " is no finite number",
                  "give bounds that are neither that far nor that close");
  } else if (lower < lowest_bound<T> || upper > highest_bound<T>) {
    throw error(fault::bad_argument, where,
                "the bounds " + bound_text(lower, upper) + " pass what bins of " + std::string(name_of(dtype_of<T>)) +
                    " may cover",
                "keep them within " + bound_text(lowest_bound<T>, highest_bound<T>));
  }
  p.lower = scalar::of(lower), p.upper = scalar::of(upper);
}

template <class T>
void require_increasing(const char* where, const T* edges, std::uint64_t count) {
  for (std::uint64_t i = 1; i < count; ++i)
    if (!(edges[i - 1] < edges[i]))
      throw error(fault::bad_argument, where, "edge " + std::to_string(i) + " is not above the one before it",
                  "give edges that increase");
}

inline namespace UPSWEEP_COMPILED {

template <class T>
void set_edges(const char* where, const context& at, problem& p, operand<const T> edges) {
  if (edges.size() != p.m + 1)
    throw error(fault::bad_argument, where,
                std::to_string(p.m) + " bins have " + std::to_string(p.m + 1) + " edges, and " +
                    std::to_string(edges.size()) + " are given",
                "give one edge more than there are bins");
  p.edges = true;
  if (!edges.on_host() && at.kind() != backend::cpu && !core::is_checked(at)) return;
  require_increasing(where, readable<T>(at, edges).data(), edges.size());
}

}  // namespace UPSWEEP_COMPILED

template <class T, class Out>
void count_into(const char* name, const context& where, problem p, operand<const T> samples, operand<const T> edges,
                operand<const float> weights, operand<Out> out) {
  static_assert(std::is_same_v<Out, std::uint64_t> || std::is_same_v<Out, double>,
                "upsweep: counts are std::uint64_t, sums of weights double");
  if (p.weighted)
    require_same_size(name, "the samples have # elements and the weights #", samples.size(), weights.size());
  require_apart(name, where,
                {{"the samples", samples}, {"the edges", edges}, {"the weights", weights}, {"the output", out}});
  if (samples.in_reach_of(where)) {
    p.in = samples.where(), p.in2 = weights.where(), p.in3 = edges.where(), p.out = out.where();
    p.n = samples.size();
    return histogram_room::run(where, p);
  }
  if (p.weighted && where.deterministic() == determinism::across_devices) differs_by_device(name, where.dev());
  const buffer<T> bounds(where, edges.host());
  buffer<Out> some(where, out.size());
  std::fill_n(out.data(), out.size(), Out{});
  std::vector<Out> counted(out.size());
  const auto count = [&](std::uint64_t first, std::uint64_t n) {
    const buffer<T> part(where, samples.part(first, n).host());
    const buffer<float> heavy(where, weights.part(first, p.weighted ? n : 0).host());
    histogram_room::count_into<T, Out>(name, where, p, part.span(), bounds.span(), heavy.span(), some.span());
    some.download(counted);
    for (std::uint64_t b = 0; b < out.size(); ++b) out[b] += counted[b];
  };
  // Whole turns of the channels.
  const std::uint64_t chunk = chunk_elements(where.dev(), samples.size(), sizeof(T) + (p.weighted ? sizeof(float) : 0));
  for_each_chunk_of(std::max<std::uint64_t>(chunk / p.channels, 1) * p.channels, samples.size(), count);
  if (samples.size() == 0) count(0, 0);  // the same errors as with elements
}

}  // namespace upsweep::histogram_room
