#include <limits>

#include "upsweep/nbody/nbody_motion_backends.hpp"
#include "upsweep/opencl/opencl_device.hpp"

namespace upsweep::detail::nbody_impl {

namespace {

using namespace upsweep::opencl;

inline constexpr std::uint64_t items = 64;  // a work-group

template <class... Args>
void launch(upsweep::device& any, dtype type, std::uint64_t n, const char* name, const Args&... args) {
  opencl::device& d = opencl::of(any);
  if (!d.supports(type))
    throw error(fault::unsupported, d.name(), "the device has no f64", "simulate in f32, or choose another device");
  std::string options = std::string("-D REAL=") + (type == dtype::f32 ? "float" : "double");
  if (type == dtype::f64) options += " -D WITH_f64";
  d.launch(d.kernel({"nbody/opencl/nbody_opencl_motion.cl"}, options, name), (n + items - 1) / items, items, args...);
}
template <class... Args>
void launch(upsweep::device& any, const moving& m, const char* name, const Args&... args) {
  launch(any, m.type, m.n, name, args...);
}

operand four_of(const moving& m, memory at) { return {at, 4 * size_of(m.type)}; }

// A number as the kernel's REAL.
struct real {
  real(dtype type, double x) : single(static_cast<float>(x)), twice(x), type(type) {}
  operator value() const { return type == dtype::f32 ? value{&single, sizeof single} : value{&twice, sizeof twice}; }
  float single;
  double twice;
  dtype type;
};

void kick_and_drift_there(upsweep::device& d, const moving& m, double kick, double drift) {
  launch(d, m, "kick_and_drift", four_of(m, m.position), four_of(m, m.velocity), four_of(m, m.acceleration),
         cl_ulong(m.n), value(real(m.type, kick)), value(real(m.type, drift)));
}

void predict_there(upsweep::device& d, const moving& m, const moving& to, double dt) {
  launch(d, m, "predict", four_of(m, m.position), four_of(m, m.velocity), four_of(m, m.acceleration),
         four_of(m, m.jerk), four_of(m, to.position), four_of(m, to.velocity), cl_ulong(m.n), value(real(m.type, dt)));
}

void correct_there(upsweep::device& d, const moving& m, const moving& there, double dt) {
  launch(d, m, "correct", four_of(m, m.position), four_of(m, m.velocity), four_of(m, m.acceleration),
         four_of(m, m.jerk), four_of(m, there.acceleration), four_of(m, there.jerk), cl_ulong(m.n),
         value(real(m.type, dt)));
}

void times_there(upsweep::device& d, const moving& m, double softening, bool jerks, memory to) {
  const double never = m.type == dtype::f32 ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  launch(d, m, "times", four_of(m, m.acceleration), four_of(m, jerks ? m.jerk : m.acceleration),
         operand{to, size_of(m.type)}, cl_ulong(m.n), value(real(m.type, softening)), value(real(m.type, never)),
         cl_uint(jerks));
}

// A kernel needs memory for each column; `wanted` has a bit for each column that is used.
void between_rows_and_columns(upsweep::device& d, const char* name, dtype type, std::uint64_t n, const columns& all,
                              memory rows) {
  cl_uint wanted = 0;
  operand each[4];
  for (unsigned k = 0; k < 4; ++k) {
    const bool meant = all[k].base != nullptr;
    wanted |= meant ? 1u << k : 0;
    each[k] = {meant ? all[k] : rows, size_of(type)};
  }
  launch(d, type, n, name, each[0], each[1], each[2], each[3], operand{rows, 4 * size_of(type)}, cl_ulong(n), wanted);
}

void interleave_there(upsweep::device& d, dtype type, std::uint64_t n, const columns& from, memory rows) {
  between_rows_and_columns(d, "interleave", type, n, from, rows);
}

void deinterleave_there(upsweep::device& d, dtype type, std::uint64_t n, memory rows, const columns& to) {
  between_rows_and_columns(d, "deinterleave", type, n, to, rows);
}

void add_up_there(upsweep::device& d, dtype type, std::uint64_t n, std::uint64_t stacks, memory rows, memory to) {
  const std::uint64_t row = 4 * size_of(type);
  launch(d, type, n, "add_up", operand{rows, row}, operand{to, row}, cl_ulong(n), cl_ulong(stacks));
}

}  // namespace

const motion_on& opencl_motion() {
  static constexpr motion_on on{kick_and_drift_there, predict_there,      correct_there, times_there,
                                interleave_there,     deinterleave_there, add_up_there};
  return on;
}

}  // namespace upsweep::detail::nbody_impl
