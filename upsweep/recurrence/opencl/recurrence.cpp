// The library's own recurrences on OpenCL, by the texts of their steps.
#include <algorithm>
#include <array>

#include "upsweep/opencl/words.hpp"
#include "upsweep/recurrence/opencl/text.hpp"
#include "upsweep/recurrence/problem.hpp"

namespace upsweep::recurrence_room {

namespace {

using opencl::preamble;
using opencl::recurrence_text;

template <class T>
std::string affine_type(preamble& p) {
  p.text += "typedef struct { " + p.type<T>() + " factor, summand; } affine;\n";
  return "affine";
}

// A section's map carries the power of its matrix.
template <class T>
struct joined_sections {
  T power[4];
  biquad_state<T> from_zero;
};
template <class T>
std::string section_state(preamble& p) {
  p.text += "typedef " + p.type<T>() + " number;\ntypedef struct { number one, two; } section_state;\n";
  return "section_state";
}
template <class T>
std::string section_map(preamble& p) {
  if (p.text.find("section_state") == std::string::npos) section_state<T>(p);  // the scan knows maps alone
  p.text += R"(
typedef struct { number power[4]; section_state from_zero; } section_map;
static inline section_state after(section_state s, number x, number y, number b1, number b2, number a1, number a2) {
  const section_state r = {b1 * x - a1 * y + s.two, b2 * x - a2 * y};
  return r;
}
static inline section_state led(section_map f, section_state s) {
  const section_state r = {f.power[0] * s.one + f.power[1] * s.two + f.from_zero.one,
                           f.power[2] * s.one + f.power[3] * s.two + f.from_zero.two};
  return r;
}
static inline section_map multiplied(const number* m, section_map f) {
  section_map r = f;
  for (int k = 0; k < 2; ++k) {
    r.power[k] = m[0] * f.power[k] + m[1] * f.power[2 + k];
    r.power[2 + k] = m[2] * f.power[k] + m[3] * f.power[2 + k];
  }
  return r;
}
static inline section_map joined(section_map f, section_map g) {
  section_map r = multiplied(g.power, f);
  r.from_zero = led(g, f.from_zero);
  return r;
}
static inline section_map extended(section_map f, number x, number b0, number b1, number b2, number a1, number a2) {
  const number m[4] = {-a1, 1, -a2, 0};
  section_map r = multiplied(m, f);
  r.from_zero = after(f.from_zero, x, b0 * x + f.from_zero.one, b1, b2, a1, a2);
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
void run_typed(device& d, const problem& p, steps_text texts, opencl::operand_list operands, const Map& nothing,
               std::string (*state)(preamble&), std::string (*map)(preamble&)) {
  recurrence_text t;
  t.call = "recurrence", t.texts = texts, t.operands = std::move(operands);
  t.state = state, t.map = map;
  t.state_bytes = state_bytes(p), t.map_bytes = sizeof(Map), t.map_align = alignof(Map);
  t.nothing.assign(reinterpret_cast<const char*>(&nothing), sizeof nothing);
  opencl::recur_by_text(d, p.n, t, p.in3, p.out2);
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
      {"(affine){keep * f.factor, keep * f.summand + weight * in[i]}", composed, applied,
       "(x[i] = keep * s + weight * in[i])"},
      named("in", in, "x", x, "keep", static_cast<T>(p.keep), "weight", static_cast<T>(p.weight)), affine_map<T>{1, 0},
      [](preamble& q) { return q.type<T>(); }, affine_type<T>);
}

template <class T>
void run_section(device& d, const problem& p) {
  const biquad s = biquad_steps<T>(p.section, nullptr, nullptr).section();
  const auto of = [](double c) { return static_cast<T>(c); };
  const device_span<const T> in(p.in, p.n);
  const device_span<T> out(p.out, p.n);
  run_typed<T>(
      d, p,
      {"extended(f, in[i], b0, b1, b2, a1, a2)", "joined(f, g)", "led(f, s)",
       "stepped(s, in[i], out + i, b0, b1, b2, a1, a2)"},
      named("in", in, "out", out, "b0", of(s.b0), "b1", of(s.b1), "b2", of(s.b2), "a1", of(s.a1), "a2", of(s.a2)),
      joined_sections<T>{{1, 0, 0, 1}, {0, 0}}, section_state<T>, section_map<T>);
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
  v.name = name, v.where = backend::opencl, v.what = what, v.kind = rung::library, v.year = 2026, v.source = "upsweep",
  v.teaches = teaches;
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

}  // namespace upsweep::recurrence_room
