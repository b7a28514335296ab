// histogram: what is computed, typed, and what a call chooses from.
#pragma once

#include "upsweep/core/dispatch.hpp"

namespace upsweep::histogram_room {

enum class primitive : std::uint8_t { histogram, range_counts };

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"histogram", "range-counts"};
  return names[static_cast<int>(p)];
}

//   histogram     n samples, of `channels` channels that take turns (sample i is of channel i mod channels). out (u64,
//                 channels · m) = how many samples of each channel lie in each of the m bins. Bins: m equal ones of
//                 [lower, upper), or with `edges`: bin b is [in3[b], in3[b + 1]), m + 1 increasing edges. Samples in no
//                 bin, NaN too, are not counted. `weighted`: out (f64) = the sum of their weights, in2 (f32).
//   range-counts  out[i] (u64) = in[b] - in[a] for the i-th pair (a, b) of in2 (u64); in (u64) = m + 1 prefixes,
//                 a <= b <= m
struct problem : problem_head {
  primitive what = primitive::histogram;
  memory in, in2, in3, out;
  std::uint64_t m = 0;
  bool weighted = false, edges = false;
  std::uint32_t channels = 1;
  scalar lower, upper;  // of bound_of<type> (bins.hpp): i64 for integers of up to 32 bits, f32 for f16, else `type`
};

using variant = variant_of<problem>;
using variant_lists = lists_of<problem>;

// The room's own, backend by backend, and all that a call does with them.
variant_lists variants();
const variant& choose(const target&, const problem&);
bool can_run(const target&, const problem&);
void run(const target&, const problem&);

std::span<const variant> cpu();
std::span<const variant> opencl();
std::span<const variant> cuda();

std::span<const variant> cpu_textbook();   // upsweep_textbook
std::span<const variant> cuda_textbook();  // upsweep_textbook

}  // namespace upsweep::histogram_room
