// Histograms: the typed description of a call, and the variants that it chooses from.
#pragma once

#include "upsweep/core/dispatch.hpp"

namespace upsweep::detail::histogram_impl {

enum class primitive : std::uint8_t { histogram, range_count };

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"histogram", "range-counts"};
  return names[static_cast<int>(p)];
}

//   histogram     n samples, of `channels` interleaved channels (sample i is of channel i mod channels). out (u64,
//                 channels · m) = the number of samples of each channel in each of the m bins. Bins: m equal ones of
//                 [lower, upper), or with `edges`: bin b is [in3[b], in3[b + 1]), m + 1 increasing edges. Samples in no
//                 bin, NaN too, are not counted. `closed`, with `edges`: the last bin is [in3[m - 1], in3[m]].
//                 `weighted`: out (f64) = the sum of their weights, in2 (f32 or f64).
//   range-counts  out[i] (u64) = in[b] - in[a] for the i-th pair (a, b) of in2 (u64); in (u64) = m + 1 prefixes,
//                 a <= b <= m
struct problem : problem_head {
  primitive what = primitive::histogram;
  memory in, in2, in3, out;
  std::uint64_t m = 0;
  bool weighted = false, edges = false, closed = false;
  dtype weight_type = dtype::f32;
  std::uint32_t channels = 1;
  scalar lower, upper;  // of bound_of<type> (bins.hpp): i64 for integers of up to 32 bits, f32 for f16, else `type`
};

using variant = variant_of<problem>;
using variant_lists = lists_of<problem>;

// This algorithm's variants, all and by backend, and the functions that choose and run one.
variant_lists variants();
const variant& choose(const target&, const problem&);
bool can_run(const target&, const problem&);
void run(const target&, const problem&);

std::span<const variant> cpu();
std::span<const variant> opencl();
std::span<const variant> cuda();

std::span<const variant> cpu_textbook();   // upsweep_textbook
std::span<const variant> cuda_textbook();  // upsweep_textbook

}  // namespace upsweep::detail::histogram_impl
