#include "cli/nbody/motion.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "upsweep/communicator/communicator_nbody.hpp"

using namespace upsweep;

namespace {

template <class T>
nbody::bodies<T> converted(const nbody::bodies<double>& from) {
  if constexpr (std::is_same_v<T, double>) {
    return from;
  } else {
    nbody::bodies<T> to;
    const auto narrow = [](const std::vector<double>& x) { return std::vector<T>(x.begin(), x.end()); };
    to.x = narrow(from.x), to.y = narrow(from.y), to.z = narrow(from.z);
    to.vx = narrow(from.vx), to.vy = narrow(from.vy), to.vz = narrow(from.vz), to.mass = narrow(from.mass);
    return to;
  }
}

template <class T>
void wait_for(const nbody::simulation<T>& s) {
  s.execution_context().synchronize();
}
template <class T>
void wait_for(const nbody::distributed_simulation<T>&) {}  // its steps are done on return

template <class T, class Simulation>
class motion_of final : public nbody_motion {
 public:
  motion_of(Simulation s, double adaptive) : run_(std::move(s)), adaptive_(adaptive) {}

  void step(std::uint64_t steps) override {
    run_.step(steps);
    wait_for(run_);
  }
  std::size_t size() const override { return run_.size(); }
  double time() const override { return run_.time(); }
  std::uint64_t steps() const override { return run_.steps(); }
  nbody_settings settings() const override {
    return {run_.parameters(), run_.integrator(), run_.dt(), adaptive_, dtype_of<T>};
  }
  void set(const nbody::parameters& laws) override { run_.set(laws); }
  nbody::invariants measure() override { return run_.measure(); }
  std::vector<std::byte> checkpoint() const override { return run_.checkpoint(); }

  std::vector<double> masses() override {
    const std::vector<T>& m = run_.state().mass;
    return {m.begin(), m.end()};
  }

  nbody_shot shot() override {
    const nbody::bodies<T>& now = run_.state();
    nbody_shot s;
    s.step = run_.steps(), s.time = run_.time();
    std::vector<T> all(3 * now.size());
    for (std::size_t i = 0; i < now.size(); ++i)
      all[3 * i] = now.x[i], all[3 * i + 1] = now.y[i], all[3 * i + 2] = now.z[i];
    if constexpr (std::is_same_v<T, float>)
      s.f32 = std::move(all);
    else
      s.f64 = std::move(all);
    return s;
  }

 private:
  Simulation run_;
  double adaptive_;
};

template <class T, class Where>
using simulation_by =
    std::conditional_t<std::same_as<Where, communicator>, nbody::distributed_simulation<T>, nbody::simulation<T>>;

template <class T, class Where>
std::unique_ptr<nbody_motion> started(const Where& where, const nbody::bodies<double>& start, const nbody_settings& s) {
  using run = simulation_by<T, Where>;
  return std::make_unique<motion_of<T, run>>(run(where, converted<T>(start), s.laws, s.how, s.dt, s.adaptive),
                                             s.adaptive);
}
template <class Where>
std::unique_ptr<nbody_motion> started_as(const Where& where, const nbody::bodies<double>& start,
                                         const nbody_settings& s) {
  return s.type == dtype::f64 ? started<double>(where, start, s) : started<float>(where, start, s);
}

template <class T, class Where>
std::unique_ptr<nbody_motion> resumed(const Where& where, const std::vector<std::byte>& bytes) {
  using run = simulation_by<T, Where>;
  return std::make_unique<motion_of<T, run>>(run::resume(where, bytes), 0);
}
template <class Where>
std::unique_ptr<nbody_motion> resumed_as(const Where& where, dtype type, const std::vector<std::byte>& bytes) {
  return type == dtype::f64 ? resumed<double>(where, bytes) : resumed<float>(where, bytes);
}

double length(const double (&a)[3], const double (&b)[3]) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

}  // namespace

std::unique_ptr<nbody_motion> start_motion(const context& where, const nbody::bodies<double>& start,
                                           const nbody_settings& s) {
  return started_as(where, start, s);
}
std::unique_ptr<nbody_motion> start_motion(const communicator& where, const nbody::bodies<double>& start,
                                           const nbody_settings& s) {
  return started_as(where, start, s);
}

std::unique_ptr<nbody_motion> resume_motion(const context& where, dtype type, const std::vector<std::byte>& bytes) {
  return resumed_as(where, type, bytes);
}
std::unique_ptr<nbody_motion> resume_motion(const communicator& where, dtype type,
                                            const std::vector<std::byte>& bytes) {
  return resumed_as(where, type, bytes);
}

nbody_drift nbody_ledger::against(const nbody::invariants& now) const {
  nbody_drift d;
  const double energy = std::abs(start_.energy());
  d.energy = (now.energy() - start_.energy()) / (energy > 0 ? energy : 1);
  const double scale = std::sqrt(2 * mass_ * std::max(start_.kinetic, now.kinetic));
  d.momentum = length(now.momentum, start_.momentum) / (scale > 0 ? scale : 1);
  const double turning = scale * radius_;
  d.angular = length(now.angular, start_.angular) / (turning > 0 ? turning : 1);
  return d;
}

nbody_ledger ledger_of(nbody_motion& m) {
  const nbody_shot s = m.shot();
  double sum = 0;
  for (std::size_t i = 0; i < 3 * s.size(); ++i) sum += s.at(i) * s.at(i);
  const std::vector<double> masses = m.masses();
  return {m.measure(), std::reduce(masses.begin(), masses.end()),
          std::sqrt(sum / std::max<double>(1, static_cast<double>(s.size())))};
}
