// for-each-index: the typed description of a run, and the variants that the catalog chooses from. for_each_index itself
// takes the caller's function and has no choice; these variants run two functions through it, for check and bench.
#pragma once

#include "upsweep/core/dispatch.hpp"

namespace upsweep::detail::for_each_impl {

enum class primitive : std::uint8_t { for_each_index };

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"for-each-index"};
  return names[static_cast<int>(p)];
}

//   f32  out[i] = factor·in[i] + in2[i]
//   u32  out[i] = in[i] ^ hash_of(i)
// `out` may be exactly `in`; a function that is called twice for an index then gives a wrong result.
struct problem : problem_head {
  primitive what = primitive::for_each_index;
  memory in, in2, out;
  float factor = 1;
};

using variant = variant_of<problem>;
using variant_lists = lists_of<problem>;

// This algorithm's variants, all and by backend, and the functions that choose and run one.
variant_lists variants();
const variant& choose(const target&, const problem&);
bool can_run(const target&, const problem&);
void run(const target&, const problem&);

std::span<const variant> cpu();
std::span<const variant> cuda();
std::span<const variant> opencl();

// Hashes all 64 bits of the index.
UPSWEEP_HD constexpr std::uint32_t hash_of(std::uint64_t i) {
  i = (i ^ (i >> 31)) * 0x9e3779b97f4a7c15ull;
  i = (i ^ (i >> 29)) * 0xbf58476d1ce4e5b9ull;
  return static_cast<std::uint32_t>(i >> 32);
}

struct scaled_and_added {
  float factor;
  const float *x, *y;
  float* out;
  UPSWEEP_HD void operator()(std::uint64_t i) const { out[i] = factor * x[i] + y[i]; }
};
struct hashed {
  const std::uint32_t* x;
  std::uint32_t* out;
  UPSWEEP_HD void operator()(std::uint64_t i) const { out[i] = x[i] ^ hash_of(i); }
};

// Calls f with the function of a problem.
template <class F>
void with_function(const problem& p, F f) {
  if (p.type == dtype::f32)
    f(scaled_and_added{p.factor, p.in.as<const float>(), p.in2.as<const float>(), p.out.as<float>()});
  else
    f(hashed{p.in.as<const std::uint32_t>(), p.out.as<std::uint32_t>()});
}

inline const char* not_of_the_types(const problem& p) {
  return p.type == dtype::f32 || p.type == dtype::u32 ? nullptr : "elements other than f32 and u32";
}

// A context for the public template, on a device that it does not own.
inline context context_on(device& d) { return context(std::shared_ptr<device>(std::shared_ptr<void>(), &d)); }

}  // namespace upsweep::detail::for_each_impl
