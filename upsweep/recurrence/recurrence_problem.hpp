// recurrence: the typed descriptor of a computation, and the variants that a call chooses from.
#pragma once

#include "upsweep/core/dispatch.hpp"
#include "upsweep/recurrence/recurrence_steps.hpp"

namespace upsweep::detail::recurrence_impl {

enum class primitive : std::uint8_t { recurrence, moving_average, biquad };

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"recurrence", "moving-average", "biquad"};
  return names[static_cast<int>(p)];
}

//   recurrence      out[i] = in[i]·out[i-1] + in2[i]; f32, f64, u32, u64
//   moving-average  out[i] = keep·out[i-1] + weight·in[i]; f32, f64
//   biquad          out = in filtered by `section`, its coefficients in `type`; f32, f64
// in3 is the state to start from, out2 the last one: an element (out[-1] and out[n-1]), of a biquad a biquad_state.
// `out` may be exactly `in` or `in2`, and out2 exactly in3; any other overlap is the caller's error.
struct problem : problem_head {
  primitive what = primitive::recurrence;
  memory in, in2, in3, out, out2;
  double keep = 0, weight = 1;
  biquad section;
};

inline std::uint64_t state_bytes(const problem& p) { return size_of(p.type) * (p.what == primitive::biquad ? 2 : 1); }

inline bool rounds(const problem& p) { return is_floating(p.type); }

using variant = variant_of<problem>;
using variant_lists = lists_of<problem>;

// The algorithm's variants, a list for each backend, and how a call chooses and runs one.
variant_lists variants();
const variant& choose(const target&, const problem&);
bool can_run(const target&, const problem&);
void run(const target&, const problem&);

std::span<const variant> cpu();
std::span<const variant> cuda();
std::span<const variant> opencl();

// The library's own steps, which it is compiled for; of each the problem that it is of.
template <class Steps>
inline constexpr bool builtin_steps = false;
template <class T>
inline constexpr bool builtin_steps<affine_steps<T>> =
    folding_type<T> && (std::is_floating_point_v<T> || std::is_unsigned_v<T>);
template <class T>
inline constexpr bool builtin_steps<decay_steps<T>> = std::is_floating_point_v<T>;
template <class T>
inline constexpr bool builtin_steps<biquad_steps<T>> = std::is_floating_point_v<T>;

template <class T>
problem problem_of(const affine_steps<T>& s) {
  problem p;
  p.type = dtype_of<T>;
  p.in = {const_cast<T*>(s.a), 0}, p.in2 = {const_cast<T*>(s.b), 0}, p.out = {s.x, 0};
  return p;
}
template <class T>
problem problem_of(const decay_steps<T>& s) {
  problem p;
  p.what = primitive::moving_average, p.type = dtype_of<T>, p.keep = s.keep, p.weight = s.weight;
  p.in = {const_cast<T*>(s.in), 0}, p.out = {s.x, 0};
  return p;
}
template <class T>
problem problem_of(const biquad_steps<T>& s) {
  problem p;
  p.what = primitive::biquad, p.type = dtype_of<T>, p.section = s.section();
  p.in = {const_cast<T*>(s.from(0)), 0}, p.out = {s.to(), 0};
  return p;
}

// Calls f(steps) with the steps of a problem.
template <class F>
void with_steps(const problem& p, F f) {
  const auto of_floats = [&]<class T>(type_tag<T>) {
    if (p.what == primitive::moving_average)
      f(decay_steps<T>{static_cast<T>(p.keep), static_cast<T>(p.weight), p.in.as<const T>(), p.out.as<T>()});
    else if (biquad_steps<T>(p.section, nullptr, nullptr).two_poles())
      f(biquad_steps<T, 2>(p.section, p.in.as<const T>(), p.out.as<T>()));
    else
      f(biquad_steps<T, 1>(p.section, p.in.as<const T>(), p.out.as<T>()));
  };
  const auto affine = [&]<class T>(type_tag<T>) {
    f(affine_steps<T>{p.in.as<const T>(), p.in2.as<const T>(), p.out.as<T>()});
  };
  if (p.what != primitive::recurrence)
    return p.type == dtype::f32 ? of_floats(type_tag<float>{}) : of_floats(type_tag<double>{});
  switch (p.type) {
    case dtype::u32: return affine(type_tag<std::uint32_t>{});
    case dtype::u64: return affine(type_tag<std::uint64_t>{});
    case dtype::f32: return affine(type_tag<float>{});
    default: return affine(type_tag<double>{});
  }
}

inline const char* not_of_the_types(const problem& p) {
  if (p.type == dtype::f32 || p.type == dtype::f64) return nullptr;
  if (p.what != primitive::recurrence) return "elements other than f32 and f64";
  return p.type == dtype::u32 || p.type == dtype::u64 ? nullptr : "elements other than f32, f64, u32 and u64";
}

}  // namespace upsweep::detail::recurrence_impl
