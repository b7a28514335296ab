// The library's own recurrences on OpenCL, compiled at run time from the device source of their steps.
#include <algorithm>
#include <array>

#include "upsweep/opencl/elements_as_words.hpp"
#include "upsweep/recurrence/jit/recurrence_jit.hpp"
#include "upsweep/recurrence/recurrence_problem.hpp"

namespace upsweep::detail::recurrence_impl {

namespace {

using opencl::preamble;
using opencl::recurrence_source;

// A product of many factors may be too small for T, and is 0 then; it is no 0 where the state is infinite.
template <class T>
std::string affine_type(preamble& p) {
  if constexpr (std::is_floating_point_v<T>)
    p.source += "static inline " + p.type<T>() + " led(" + p.type<T>() + " factor, " + p.type<T>() +
                " s) { return factor == 0 && isinf(s) ? s : factor * s; }\n";
  p.source += "typedef struct { " + p.type<T>() + " factor, summand; } affine;\n";
  return "affine";
}

// A section's map carries the power of its matrix: biquad_steps::joined, in doubles where the device has them, and c
// and d of two poles, or in c the pole of one.
template <class Wide>
struct joined_sections {
  Wide power[2], one, two, c, d;
};
template <class T>
std::string section_state(preamble& p) {
  p.source += "typedef " + p.type<T>() + " number;\ntypedef struct { number one, two; } section_state;\n";
  return "section_state";
}
template <class T, class Wide, int Poles>
std::string section_map(preamble& p) {
  if (p.source.find("section_state") == std::string::npos) section_state<T>(p);  // the scan knows maps alone
  p.source += "typedef " + p.type<Wide>() + " wide;\n#define POLES " + std::to_string(Poles);
  p.source += R"(
typedef struct { wide power[2], one, two, c, d; } section_map;
static inline section_map joined(section_map f, section_map g) {
  section_map r = f;
  const wide a = g.power[0], b = g.power[1], c = f.c, d = f.d;
#if POLES == 2
  r.power[0] = a * f.power[0] + d * (b * f.power[1]);
  r.power[1] = a * f.power[1] + b * f.power[0];
  r.one = a * f.one + b * f.two + g.one;
  r.two = a * f.two + b * (d * f.one) + g.two;
#else
  if (b == 0) {
    r.one += g.one;
    r.two += g.two;
    return r;
  }
  r.power[0] = f.power[1] == 0 ? a : f.power[0] * c * a;
  r.power[1] = 1;
  const wide next = (c == 0 ? 0 : c * f.one) + f.two;
  const wide far = a == 0 && isinf(next) ? 1 / a * next : a * next;
  r.one = (c == 0 && a == 0 ? 0 : far) + g.one;
  r.two = g.two;
#endif
  return r;
}
static inline section_state led(section_map f, section_state s) {
  section_map to = f;
  to.power[0] = 1;
  to.power[1] = 0;
  to.one = (wide)s.one;
  to.two = POLES == 2 ? fma(f.c, (wide)s.one, (wide)s.two) : (wide)s.two;
  to = joined(to, f);
  const section_state r = {(number)to.one, (number)(POLES == 2 ? fma(-f.c, to.one, to.two) : to.two)};
  return r;
}
static inline section_state after(section_state s, number x, number y, number b1, number b2, number a1, number a2) {
  const number ahead_one = b1 == 0 && b2 == 0 ? 0 : b1 * x, ahead_two = b2 == 0 ? 0 : b2 * x;
#if POLES == 2
  const section_state r = {ahead_one - a1 * y + s.two, ahead_two - a2 * y};
#else
  const section_state r = {ahead_one + (a1 == 0 ? 0 : -a1 * y) + s.two, ahead_two};
#endif
  return r;
}
static inline section_map extended(section_map f, number in, number b0, number b1, number b2, wide now, wide slope) {
  const wide x = (wide)in, c = f.c;
  section_map r = f;
#if POLES == 2
  r.power[0] = c * f.power[0] + f.d * f.power[1];
  r.power[1] = f.power[0] + c * f.power[1];
  r.one = c * f.one + f.two + now * x;
  r.two = c * f.two + f.d * f.one + slope * x;
#else
  const wide y = (wide)b0 * x + f.one;
  r.power[0] = f.power[1] == 0 ? 1 : c * f.power[0];
  r.power[1] = 1;
  r.one = (b1 == 0 && b2 == 0 ? 0 : (wide)b1 * x) + f.two + (c == 0 ? 0 : c * y);
  r.two = b2 == 0 ? 0 : (wide)b2 * x;
#endif
  return r;
}
static inline section_state stepped(section_state s, number x, global number* out, number b0, number b1, number b2,
                                    number a1, number a2) {
  const number y = b0 * x + s.one;
  *out = y;
  return after(s, x, y, b1, b2, a1, a2);
}
)";
  return "section_map";
}

template <class T, class Map>
void run_typed(device& d, const problem& p, steps_source sources, opencl::operand_list operands, const Map& nothing,
               std::string (*state)(preamble&), std::string (*map)(preamble&), bool in_order = false) {
  recurrence_source t;
  t.in_order = in_order, t.call = "recurrence", t.sources = sources, t.operands = std::move(operands);
  t.state = state, t.map = map;
  t.state_bytes = state_bytes(p), t.map_bytes = sizeof(Map), t.map_align = alignof(Map);
  t.nothing.assign(reinterpret_cast<const char*>(&nothing), sizeof nothing);
  opencl::recur_jit(d, p.n, t, p.in3, p.out2);
}

constexpr const char *composed = "(affine){g.factor * f.factor, g.factor * f.summand + g.summand}",
                     *applied = "f.factor * s + f.summand";

template <class T>
void run_affine(device& d, const problem& p) {
  const device_span<const T> a(p.in, p.n), b(p.in2, p.n);
  const device_span<T> x(p.out, p.n);
  run_typed<T>(
      d, p, {"(affine){a[i] * f.factor, a[i] * f.summand + b[i]}", composed, applied, "(x[i] = a[i] * s + b[i])"},
      named("a", a, "b", b, "x", x), affine_map<T>{1, 0}, [](preamble& q) { return q.type<T>(); }, affine_type<T>);
}

template <class T>
void run_decay(device& d, const problem& p) {
  const device_span<const T> in(p.in, p.n);
  const device_span<T> x(p.out, p.n);
  run_typed<T>(
      d, p,
      {"(affine){keep * f.factor, keep * f.summand + weight * in[i]}",
       p.keep == 0 ? composed : "(affine){g.factor * f.factor, led(g.factor, f.summand) + g.summand}",
       p.keep == 0 ? applied : "led(f.factor, s) + f.summand", "(x[i] = keep * s + weight * in[i])"},
      named("in", in, "x", x, "keep", static_cast<T>(p.keep), "weight", static_cast<T>(p.weight)), affine_map<T>{1, 0},
      [](preamble& q) { return q.type<T>(); }, affine_type<T>);
}

template <class T, class Wide, int Poles>
void run_section_in(device& d, const problem& p, const biquad_steps<T>& steps) {
  const biquad s = steps.section();
  const auto of = [](double x) { return static_cast<T>(x); };
  const auto wide = [](double x) { return static_cast<Wide>(x); };
  const double c = Poles == 2 ? -s.a1 / 2 : -s.a1, now = s.b1 - s.a1 * s.b0, slope = c * now + (s.b2 - s.a2 * s.b0);
  const device_span<const T> in(p.in, p.n);
  const device_span<T> out(p.out, p.n);
  run_typed<T>(d, p,
               {"extended(f, in[i], b0, b1, b2, now, slope)", "joined(f, g)", "led(f, s)",
                "stepped(s, in[i], out + i, b0, b1, b2, a1, a2)"},
               named("in", in, "out", out, "b0", of(s.b0), "b1", of(s.b1), "b2", of(s.b2), "a1", of(s.a1), "a2",
                     of(s.a2), "now", wide(now), "slope", wide(slope)),
               joined_sections<Wide>{{1, 0}, 0, 0, wide(c), wide(std::fma(c, c, -s.a2))}, section_state<T>,
               section_map<T, Wide, Poles>, steps.in_order(p.n));
}

template <class T>
void run_section(device& d, const problem& p) {
  const biquad_steps<T> steps(p.section, nullptr, nullptr);
  const auto in_poles = [&]<class Wide>(type_tag<Wide>) {
    steps.two_poles() ? run_section_in<T, Wide, 2>(d, p, steps) : run_section_in<T, Wide, 1>(d, p, steps);
  };
  if constexpr (std::is_same_v<T, float>)
    if (opencl::lacks_doubles(d)) return in_poles(type_tag<float>{});
  in_poles(type_tag<double>{});
}

void run_runs(device& d, const problem& p) {
  const auto of_floats = [&]<class T>(type_tag<T>) {
    if (p.what == primitive::recurrence) return run_affine<T>(d, p);
    p.what == primitive::biquad ? run_section<T>(d, p) : run_decay<T>(d, p);
  };
  switch (p.type) {
    case dtype::u32: return run_affine<std::uint32_t>(d, p);
    case dtype::u64: return run_affine<std::uint64_t>(d, p);
    case dtype::f32: return of_floats(type_tag<float>{});
    default: return of_floats(type_tag<double>{});
  }
}

variant entry(primitive what, std::string_view name, std::string_view teaches) {
  variant v;
  v.name = name, v.where = backend::opencl, v.what = what, v.kind = variant_kind::tuned, v.year = 2026,
  v.source = "upsweep", v.teaches = teaches;
  v.work = {"2n", [](double n) { return 2 * n; }};
  // An item's run twice, of which a device has 2048 or more, and the scan of the runs' maps.
  v.span = {"n/1024 + min(n/8, 16384) + 44", [](double n) { return n / 1024 + std::min(n / 8, 16384.0) + 44; }};
  v.launches = {"5", [](double) { return 5.0; }};
  v.traffic = {"3n", [](double n) { return 3 * n; }};
  v.cannot = not_of_the_types;
  v.device_lacks = opencl::lacks_lanes;
  v.limits = "work-groups of 256 items";
  v.run = run_runs;
  return v;
}

}  // namespace

std::span<const variant> opencl() {
  static const std::array list = [] {
    variant affine = entry(primitive::recurrence, "recurrence/composed-runs",
                           "An item composes a run of steps to one map; a scan of the maps tells where each run "
                           "begins, and the items step through theirs.");
    affine.traffic = {"5n", [](double n) { return 5 * n; }};
    return std::array{
        affine,
        entry(
            primitive::moving_average, "moving-average/composed-runs",
            "The recurrence whose factor is one number: runs composed, their maps scanned, the runs stepped through."),
        entry(primitive::biquad, "biquad/composed-runs",
              "A run of a second-order section is a power of its matrix and where it leads from zero; the runs' maps "
              "are scanned."),
    };
  }();
  return list;
}

}  // namespace upsweep::detail::recurrence_impl
