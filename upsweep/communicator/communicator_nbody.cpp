// N bodies over a communicator: how ranks share the forces, and which data they exchange.
#include "upsweep/communicator/communicator_nbody.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "upsweep/communicator/communicator_domains.hpp"
#include "upsweep/nbody/nbody_motion.hpp"
#include "upsweep/nbody/nbody_problem.hpp"
#include "upsweep/nbody/nbody_running.hpp"
#include "upsweep/nbody/nbody_tuning.hpp"
#include "upsweep/select.hpp"
#include "upsweep/transform.hpp"

namespace upsweep {

namespace impl = detail::nbody_impl;

namespace {

// The method by which all ranks find accelerations.
struct agreed {
  nbody::method method = nbody::method::all_pairs;
  bool pairs = false;    // ranks partition the pairs instead of the bodies
  bool domains = false;  // each rank has a domain of the tree instead of all of it
};

// Each rank proposes a method, since the faster one depends on the device. The tree is used only where all ranks
// propose it and their trees are the same cell by cell.
template <class T>
agreed agree(const communicator_rank& m, const nbody::parameters& rules, std::uint64_t n) {
  struct proposal {
    std::uint64_t device;
    bool tree, pairs, domains, holds_all;
  } mine{};
  const impl::problem p = impl::problem_of(m.where(), rules, dtype_of<T>, n);
  const backend kind = m.where().kind();
  mine.device = static_cast<std::uint64_t>(kind);
  if (kind == backend::opencl) mine.device += 16 * std::hash<std::string>{}(m.where().description());
  mine.tree = p.gravity.method == nbody::method::barnes_hut, mine.pairs = impl::takes_pairs(m.where(), p);
  mine.domains = target(m.where()).asked_for("nbody") == nullptr;
  mine.holds_all = core::holds_whole_tree(m.where().device(), dtype_of<T>, n);
  const auto all = m.all(mine);
  const bool alike = std::ranges::all_of(all, [&](const proposal& one) { return one.device == all[0].device; });
  const bool tree = std::ranges::all_of(all, [](const proposal& one) { return one.tree; });
  if (tree && !alike && rules.method == nbody::method::barnes_hut)
    throw error(fault::unsupported, "nbody", "ranks of different kinds would build different trees",
                "take all pairs, or devices of one kind");
  const bool by_domains = kind == backend::cpu
                              ? n >= core::domains_from && m.size() >= core::domains_for
                              : !std::ranges::all_of(all, [](const proposal& one) { return one.holds_all; });
  const bool may = tree && alike && m.size() > 1 && n >> 32 == 0 &&
                   std::ranges::all_of(all, [](const proposal& one) { return one.domains; });
  return {tree && alike ? nbody::method::barnes_hut : nbody::method::all_pairs,
          alike && std::ranges::all_of(all, [](const proposal& one) { return one.pairs; }),
          may && (rules.decomposition == nbody::domain_decomposition::automatic
                      ? by_domains
                      : rules.decomposition == nbody::domain_decomposition::domains)};
}

// One rank's part of one evaluation. Rows of four numbers; `offsets` are the boundaries of the ranks' rows.
template <class T>
class evaluation_across {
 public:
  using vec4 = impl::vec4<T>;

  evaluation_across(const communicator_rank& m, const nbody::parameters& rules, agreed a,
                    std::span<const std::uint64_t> offsets)
      : m_(m),
        agreed_(a),
        offsets_(offsets),
        n_(offsets.back()),
        first_(offsets[static_cast<std::size_t>(m.rank())]),
        count_(offsets[static_cast<std::size_t>(m.rank()) + 1] - first_) {
    nbody::parameters how = rules;
    how.method = a.method;
    problem_ = impl::problem_of(m.where(), how, dtype_of<T>, n_);
  }

  // The rows of all ranks, of which `part` is this rank's.
  device_span<vec4> gathered(const char* name, device_span<const vec4> part) const {
    const auto all = m_.scratch<vec4>(name, n_);
    m_.route().barrier();  // the next rank has finished reading the rows that the previous call sent it
    copy(all.subspan(first_, count_), part);
    core::gather_parts(m_, all, offsets_);
    return all;
  }

  // {ax, ay, az, potential} of this rank's rows.
  void find(device_span<const vec4> own, device_span<vec4> out, bool potentials = true) {
    if (!agreed_.domains) return accelerate(gathered("group/bodies", own), out, potentials);
    problem_.gravity.potentials = potentials;
    core::pull_by_domains<T>(m_, problem_.gravity, offsets_, own, out);
  }
  // As above from the positions of all ranks. Jerks: from all velocities, too.
  void accelerate(device_span<const vec4> all, device_span<vec4> out, bool potentials = true) {
    problem_.in = all.where(), problem_.gravity.potentials = potentials;
    if (agreed_.method == nbody::method::barnes_hut)
      by_tree(out);
    else if (agreed_.pairs)
      by_pairs(out);
    else
      by_bodies(out);
  }
  void pull_and_jerk(device_span<const vec4> all, device_span<const vec4> moving, device_span<vec4> out,
                     device_span<vec4> jerks) {
    problem_.in = all.where(), problem_.in2 = moving.where(), problem_.out2 = jerks.where();
    problem_.gravity.jerks = true;
    by_bodies(out);
  }

 private:
  upsweep::device& device() const { return m_.where().device(); }
  void copy(device_span<vec4> to, device_span<const vec4> from) const {
    if (from.size()) device().copy(to.where(), from.where(), from.size() * sizeof(vec4));
  }

  void by_bodies(device_span<vec4> out) {
    if (count_ == 0) return;
    problem_.out = out.where();
    problem_.share = {impl::portion::unit::bodies, first_, count_};
    impl::run(m_.where(), problem_);
  }

  // Each rank's sums over its pairs go to the rank that has the body.
  void by_pairs(device_span<vec4> out) {
    const auto mine = m_.scratch<vec4>("group/pairs", n_);
    problem_.out = mine.where();
    problem_.share = {impl::portion::unit::pairs, static_cast<std::uint64_t>(m_.rank()),
                      static_cast<std::uint64_t>(m_.size())};
    impl::run(m_.where(), problem_);
    const auto ranks = static_cast<std::uint64_t>(m_.size());
    std::vector<std::uint64_t> sent, received(ranks, count_);
    for (std::size_t r = 0; r < ranks; ++r) sent.push_back(offsets_[r + 1] - offsets_[r]);
    const auto stacks = m_.scratch<vec4>("group/pulls", ranks * count_);
    m_.all_to_all(device_span<const vec4>(mine), sent, stacks, received);
    impl::add_up(device(), dtype_of<T>, count_, ranks, stacks.where(), out.where());
  }

  // Each rank walks whole groups of the tree. The results, in the tree's order, go to all ranks, and each picks its
  // own.
  void by_tree(device_span<vec4> out) {
    if (n_ == 0) return;
    const std::vector<std::uint64_t> shares = core::domain_cuts(n_, m_.size());
    const auto rows = m_.scratch<vec4>("group/pulls", n_);
    const auto order = m_.scratch<std::uint32_t>("group/order", n_),
               place = m_.scratch<std::uint32_t>("group/places", n_),
               numbers = m_.scratch<std::uint32_t>("group/numbers", n_);
    const std::uint64_t begin = shares[static_cast<std::size_t>(m_.rank())],
                        end = shares[static_cast<std::size_t>(m_.rank()) + 1];
    problem_.out = rows.where().plus_bytes(begin * sizeof(vec4)), problem_.order = order.where();
    problem_.share = {impl::portion::unit::bodies, begin, end - begin};
    impl::run(m_.where(), problem_);
    core::gather_parts(m_, rows, shares);
    upsweep::iota(m_.where(), numbers);
    upsweep::scatter(m_.where(), device_span<const std::uint32_t>(numbers), device_span<const std::uint32_t>(order),
                     place);
    upsweep::gather(m_.where(), device_span<const vec4>(rows),
                    device_span<const std::uint32_t>(place.subspan(first_, count_)), out);
  }

  const communicator_rank& m_;
  const agreed agreed_;
  const std::span<const std::uint64_t> offsets_;
  const std::uint64_t n_, first_, count_;
  impl::problem problem_;
};

}  // namespace

namespace core {

namespace {

// Checks the bodies. Without softening two bodies of different ranks could be at one point, so the first rank checks
// all of them; otherwise each rank checks its own.
template <class T>
void require_sound(const communicator_rank& m, const nbody::parameters& rules, device_span<const impl::vec4<T>> own,
                   std::span<const std::uint64_t> offsets) {
  const std::uint8_t looks = m.where().kind() == backend::cpu || core::is_checked(m.where());
  if (!m.all(looks)[0]) return;
  const auto me = static_cast<std::size_t>(m.rank()), ranks = static_cast<std::size_t>(m.size());
  const bool apart = rules.softening > 0;
  std::vector<impl::vec4<T>> rows(own.size());
  upsweep::download(m.where(), own, std::span(rows));
  std::uint64_t first = offsets[me];
  if (!apart) {
    std::vector<std::uint64_t> sent(ranks), received(ranks);
    sent[0] = rows.size() * sizeof rows[0];
    for (std::size_t r = 0; me == 0 && r < ranks; ++r) received[r] = (offsets[r + 1] - offsets[r]) * sizeof rows[0];
    std::vector<impl::vec4<T>> all(me == 0 ? offsets.back() : 0);
    m.route().all_to_all(rows.data(), sent, all.data(), received);
    rows = std::move(all), first = 0;
  }
  nbody::bodies<T> b;
  b.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    b.x[i] = rows[i].x, b.y[i] = rows[i].y, b.z[i] = rows[i].z, b.mass[i] = rows[i].w;
  impl::require_bodies_from(first, b, rules);
}

}  // namespace

template <class T>
void accelerations_across(const communicator& g, const nbody::parameters& rules, const bodies_across<T>& b) {
  using vec4 = impl::vec4<T>;
  constexpr const char* call = "accelerations";
  impl::require_parameters(rules);
  for (const distributed<T>* each :
       {&b.x, &b.y, &b.z, &b.mass, static_cast<const distributed<T>*>(&b.ax), static_cast<const distributed<T>*>(&b.ay),
        static_cast<const distributed<T>*>(&b.az), static_cast<const distributed<T>*>(b.potential)}) {
    if (!each) continue;
    core::require_one_group(call, g, each->comm());
    core::require_cut_alike(call, b.x.offsets(), each->offsets());
  }
  g.for_each_rank(call, [&](communicator_rank& m) {
    const int here = m.local_rank();
    const std::uint64_t count = b.x.part(here).size();
    device& d = m.where().device();
    const auto mine = m.scratch<vec4>("group/own bodies", count), out = m.scratch<vec4>("group/own pulls", count);
    impl::interleave(
        d, dtype_of<T>, count,
        {b.x.part(here).where(), b.y.part(here).where(), b.z.part(here).where(), b.mass.part(here).where()},
        mine.where());
    evaluation_across<T> e(m, rules, agree<T>(m, rules, b.x.size()), b.x.offsets());
    require_sound<T>(m, rules, mine, b.x.offsets());
    e.find(mine, out, b.potential != nullptr);
    impl::deinterleave(d, dtype_of<T>, count, out.where(),
                       {b.ax.part(here).where(), b.ay.part(here).where(), b.az.part(here).where(),
                        b.potential ? b.potential->part(here).where() : memory{}});
  });
}

template void accelerations_across(const communicator&, const nbody::parameters&, const bodies_across<float>&);
template void accelerations_across(const communicator&, const nbody::parameters&, const bodies_across<double>&);

}  // namespace core

namespace nbody {

template <class T>
struct distributed_simulation<T>::implementation : impl::running {
  using rows = distributed<vec4<T>>;

  communicator all;
  rows position, velocity, acceleration, jerk, next_position, next_velocity, next_acceleration, next_jerk;

  bodies<T> seen;
  field felt;
  bool has_seen = false, has_felt = false;

  implementation(const communicator& g, const running& r)
      : running(r),
        all(g),
        position(rows::even(g, n)),
        velocity(rows::even(g, n)),
        acceleration(rows::even(g, n)),
        jerk(rows::even(g, of_hermite())),
        next_position(rows::even(g, of_hermite())),
        next_velocity(rows::even(g, of_hermite())),
        next_acceleration(rows::even(g, of_hermite())),
        next_jerk(rows::even(g, of_hermite())) {}

  // A process without memory for the object, or for the preparation, ends the call on all ranks.
  template <class Prepare>
  static std::unique_ptr<implementation> made(const communicator& g, const running& r, const Prepare& prepare) {
    const auto give_back = [](implementation* p) { std::allocator<implementation>().deallocate(p, 1); };
    std::unique_ptr<implementation, decltype(give_back)> place(nullptr, give_back);
    g.for_each_rank("simulation", [&](communicator_rank& m) {
      if (m.local_rank() != 0) return;
      place.reset(std::allocator<implementation>().allocate(1));
      prepare();
    });
    std::unique_ptr<implementation> one(std::construct_at(place.get(), g, r));
    place.release();
    return one;
  }

  running& run() { return *this; }
  const running& run() const { return *this; }
  std::uint64_t of_hermite() const { return hermite() ? n : 0; }

  impl::moving now(const communicator_rank& m) {
    const int i = m.local_rank();
    return {dtype_of<T>,
            position.part(i).size(),
            position.part(i).where(),
            velocity.part(i).where(),
            acceleration.part(i).where(),
            jerk.part(i).where()};
  }
  impl::moving next(const communicator_rank& m) {
    const int i = m.local_rank();
    return {dtype_of<T>,
            next_position.part(i).size(),
            next_position.part(i).where(),
            next_velocity.part(i).where(),
            next_acceleration.part(i).where(),
            next_jerk.part(i).where()};
  }

  // From the bodies' positions, or from those that hermite predicts.
  void find_forces(const communicator_rank& m, agreed a, bool predicted = false) {
    const int i = m.local_rank();
    evaluation_across<T> e(m, rules, a, position.offsets());
    const auto own = (predicted ? next_position : position).part(i);
    const auto out = (predicted ? next_acceleration : acceleration).part(i);
    if (!hermite()) return e.find(own, out);
    const auto places = e.gathered("group/bodies", own);
    const auto speeds = e.gathered("group/velocities", (predicted ? next_velocity : velocity).part(i));
    e.pull_and_jerk(places, speeds, out, (predicted ? next_jerk : jerk).part(i));
  }

  agreed agree_on(const communicator_rank& m) const { return hermite() ? agreed{} : agree<T>(m, rules, n); }

  // One rank's part of a step; `r` is this rank's copy of the running state.
  void step(const communicator_rank& m, running& r, agreed a) {
    device& d = m.where().device();
    impl::make_step(
        r, d, [&] { return now(m); }, [&] { return next(m); }, [&](bool predicted) { find_forces(m, a, predicted); },
        [&] {
          const auto of_all = m.all(impl::shortest_time(d, now(m), rules.softening, hermite()));
          return *std::ranges::min_element(of_all);
        });
  }

  // A step of a call. Each rank gets a copy of the running state and returns it; the copies of all ranks stay equal.
  template <class Body>
  void for_each_rank(const char* call, const Body& body) {
    running after = run();
    all.for_each_rank(call, [&](communicator_rank& m) {
      running mine = run();
      body(m, mine);
      if (m.local_rank() == 0) after = mine;
    });
    run() = after;
  }

  void have_forces() {
    if (forces_at_hand) return;
    for_each_rank("simulation::forces", [&](communicator_rank& m, running& r) {
      find_forces(m, agree_on(m));
      r.forces_at_hand = true;
    });
    has_felt = false;
  }

  void download_state() {
    if (has_seen) return;
    all.for_each_rank("simulation::state", [&](communicator_rank& m) {
      if (m.local_rank() == 0) seen.resize(n);
    });
    const std::vector<vec4<T>> x = position.gather(), v = velocity.gather();
    for (std::uint64_t i = 0; i < n; ++i) {
      seen.x[i] = x[i].x, seen.y[i] = x[i].y, seen.z[i] = x[i].z, seen.mass[i] = x[i].w;
      seen.vx[i] = v[i].x, seen.vy[i] = v[i].y, seen.vz[i] = v[i].z;
    }
    has_seen = true;
  }

  void download_forces() {
    have_forces();
    if (has_felt) return;
    all.for_each_rank("simulation::forces", [&](communicator_rank& m) {
      if (m.local_rank() != 0) return;
      for (std::vector<T>* column : {&felt.ax, &felt.ay, &felt.az, &felt.potential}) column->resize(n);
    });
    const std::vector<vec4<T>> a = acceleration.gather();
    for (std::uint64_t i = 0; i < n; ++i)
      felt.ax[i] = a[i].x, felt.ay[i] = a[i].y, felt.az[i] = a[i].z, felt.potential[i] = a[i].w;
    has_felt = true;
  }
};

template <class T>
distributed_simulation<T>::distributed_simulation(const communicator& g, const bodies<T>& start,
                                                  const nbody::parameters& p, nbody::integrator how, double dt,
                                                  double adaptive) {
  impl::require_method(p, how);
  impl::require_step(dt, adaptive);
  require_bodies(start, p);
  std::vector<vec4<T>> x, v;
  implementation_ = implementation::made(g, {p, how, start.size(), dt, dt, adaptive},
                                         [&] { x.resize(start.size()), v.resize(start.size()); });
  for (std::size_t i = 0; i < start.size(); ++i) {
    x[i] = {start.x[i], start.y[i], start.z[i], start.mass[i]};
    v[i] = {start.vx[i], start.vy[i], start.vz[i], 0};
  }
  implementation_->position = distributed<vec4<T>>::of(g, x),
  implementation_->velocity = distributed<vec4<T>>::of(g, v);
}

template <class T>
distributed_simulation<T>::distributed_simulation(std::unique_ptr<implementation> i) : implementation_(std::move(i)) {}
template <class T>
distributed_simulation<T>::distributed_simulation(distributed_simulation&&) noexcept = default;
template <class T>
distributed_simulation<T>& distributed_simulation<T>::operator=(distributed_simulation&&) noexcept = default;
template <class T>
distributed_simulation<T>::~distributed_simulation() = default;

template <class T>
void distributed_simulation<T>::step(std::uint64_t steps) {
  constexpr std::uint64_t most_enqueued = 1000;
  implementation_->for_each_rank("simulation::step", [&](communicator_rank& m, impl::running& r) {
    const agreed a = implementation_->agree_on(m);
    for (std::uint64_t k = 1; k <= steps; ++k) {
      implementation_->step(m, r, a);
      if (k % most_enqueued == 0) m.where().synchronize();
    }
  });
  if (steps) implementation_->has_seen = implementation_->has_felt = false;
}

template <class T>
std::size_t distributed_simulation<T>::size() const {
  return implementation_->n;
}
template <class T>
double distributed_simulation<T>::time() const {
  return implementation_->time;
}
template <class T>
std::uint64_t distributed_simulation<T>::steps() const {
  return implementation_->steps;
}
template <class T>
double distributed_simulation<T>::dt() const {
  return implementation_->dt;
}
template <class T>
const nbody::parameters& distributed_simulation<T>::parameters() const {
  return implementation_->rules;
}
template <class T>
nbody::integrator distributed_simulation<T>::integrator() const {
  return implementation_->how;
}
template <class T>
const communicator& distributed_simulation<T>::comm() const {
  return implementation_->all;
}

template <class T>
const bodies<T>& distributed_simulation<T>::state() {
  implementation_->download_state();
  return implementation_->seen;
}
template <class T>
const typename distributed_simulation<T>::field& distributed_simulation<T>::forces() {
  implementation_->download_forces();
  return implementation_->felt;
}
template <class T>
invariants distributed_simulation<T>::measure() {
  const bodies<T>& now = state();
  return impl::invariants_of(now, forces().potential);
}

template <class T>
const distributed<vec4<T>>& distributed_simulation<T>::positions() const {
  return implementation_->position;
}
template <class T>
const distributed<vec4<T>>& distributed_simulation<T>::velocities() const {
  return implementation_->velocity;
}

template <class T>
void distributed_simulation<T>::set(const nbody::parameters& p) {
  impl::require_method(p, implementation_->how);
  require_bodies(state(), p);
  implementation_->rules = p;
  implementation_->forces_at_hand = implementation_->has_felt = false;
}

template <class T>
std::vector<std::byte> distributed_simulation<T>::checkpoint() const {
  const implementation& s = *implementation_;
  impl::kept<T> all{s.run()};
  all.position = s.position.gather(), all.velocity = s.velocity.gather();
  if (s.forces_at_hand) all.acceleration = s.acceleration.gather();
  if (s.forces_at_hand && s.hermite()) all.jerk = s.jerk.gather();
  std::vector<std::byte> bytes;
  s.all.for_each_rank("simulation::checkpoint", [&](communicator_rank& m) {
    if (m.local_rank() == 0) bytes = impl::packed(all);
  });
  return bytes;
}

template <class T>
distributed_simulation<T> distributed_simulation<T>::resume(const communicator& g, std::span<const std::byte> bytes) {
  impl::kept<T> all;
  bool has_memory = true;
  try {
    all = impl::unpacked<T>(bytes);
  } catch (const std::bad_alloc&) {
    has_memory = false;
  }
  auto s = implementation::made(g, all, [&] {
    if (!has_memory) throw std::bad_alloc();
  });
  using rows = distributed<vec4<T>>;
  s->position = rows::of(g, all.position), s->velocity = rows::of(g, all.velocity);
  if (s->forces_at_hand) s->acceleration = rows::of(g, all.acceleration);
  if (s->forces_at_hand && s->hermite()) s->jerk = rows::of(g, all.jerk);
  return distributed_simulation(std::move(s));
}

template class distributed_simulation<float>;
template class distributed_simulation<double>;

}  // namespace nbody

}  // namespace upsweep
