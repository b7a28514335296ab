// N bodies over a group: who pulls whom, and what travels.
#include "upsweep/group/bodies.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "upsweep/group/domains.hpp"
#include "upsweep/nbody/motion.hpp"
#include "upsweep/nbody/problem.hpp"
#include "upsweep/nbody/running.hpp"
#include "upsweep/nbody/tuning.hpp"
#include "upsweep/select.hpp"
#include "upsweep/transform.hpp"

namespace upsweep {

namespace room = nbody_room;

namespace {

// How all members find accelerations.
struct agreed {
  nbody::method how = nbody::method::all_pairs;
  bool pairs = false;    // members share out the pairs, and not the bodies
  bool domains = false;  // each has a domain of the tree, and not all of it
};

// Members are asked, since what is faster depends on the device; a tree is taken where all would take it, and where
// theirs are the same cell by cell.
template <class T>
agreed agree(const member& m, const nbody::physics& rules, std::uint64_t n) {
  struct proposal {
    std::uint64_t device;
    bool tree, pairs, domains, holds_all;
  } mine{};
  const room::problem p = room::problem_of(m.where(), rules, dtype_of<T>, n);
  const backend kind = m.where().kind();
  mine.device = static_cast<std::uint64_t>(kind);
  if (kind == backend::opencl) mine.device += 16 * std::hash<std::string>{}(m.where().description());
  mine.tree = p.gravity.method == nbody::method::barnes_hut, mine.pairs = room::takes_pairs(m.where(), p);
  mine.domains = target(m.where()).asked_for("nbody") == nullptr;
  mine.holds_all = core::holds_whole_tree(m.where().dev(), dtype_of<T>, n);
  const auto all = m.all(mine);
  const bool alike = std::ranges::all_of(all, [&](const proposal& one) { return one.device == all[0].device; });
  const bool tree = std::ranges::all_of(all, [](const proposal& one) { return one.tree; });
  if (tree && !alike && rules.how == nbody::method::barnes_hut)
    throw error(fault::unsupported, "nbody", "members of different kinds would build different trees",
                "take all pairs, or devices of one kind");
  const bool by_domains = kind == backend::cpu
                              ? n >= core::domains_from && m.size() >= core::domains_for
                              : !std::ranges::all_of(all, [](const proposal& one) { return one.holds_all; });
  const bool may = tree && alike && m.size() > 1 && n >> 32 == 0 &&
                   std::ranges::all_of(all, [](const proposal& one) { return one.domains; });
  return {tree && alike ? nbody::method::barnes_hut : nbody::method::all_pairs,
          alike && std::ranges::all_of(all, [](const proposal& one) { return one.pairs; }),
          may && (rules.part == nbody::parting::automatic ? by_domains : rules.part == nbody::parting::domains)};
}

// One evaluation, as a member has part in it. Rows of four numbers; `offsets` cut them all.
template <class T>
class evaluation_across {
 public:
  using four = room::four<T>;

  evaluation_across(const member& m, const nbody::physics& rules, agreed a, std::span<const std::uint64_t> offsets)
      : m_(m),
        agreed_(a),
        offsets_(offsets),
        n_(offsets.back()),
        first_(offsets[static_cast<std::size_t>(m.rank())]),
        count_(offsets[static_cast<std::size_t>(m.rank()) + 1] - first_) {
    nbody::physics how = rules;
    how.how = a.how;
    problem_ = room::problem_of(m.where(), how, dtype_of<T>, n_);
  }

  // All members' rows; the part is the member's own.
  device_span<four> gathered(const char* name, device_span<const four> part) const {
    const auto all = m_.scratch<four>(name, n_);
    m_.way().barrier();  // the next member is through with what it was sent of these rows the last time
    copy(all.subspan(first_, count_), part);
    core::gather_parts(m_, all, offsets_);
    return all;
  }

  // {ax, ay, az, potential} of the member's own rows.
  void find(device_span<const four> own, device_span<four> out, bool potentials = true) {
    if (!agreed_.domains) return pull(gathered("group/bodies", own), out, potentials);
    problem_.gravity.potentials = potentials;
    core::pull_by_domains<T>(m_, problem_.gravity, offsets_, own, out);
  }
  // The same from all positions. Jerks: of all velocities, too.
  void pull(device_span<const four> all, device_span<four> out, bool potentials = true) {
    problem_.in = all.where(), problem_.gravity.potentials = potentials;
    if (agreed_.how == nbody::method::barnes_hut)
      by_tree(out);
    else if (agreed_.pairs)
      by_pairs(out);
    else
      by_bodies(out);
  }
  void pull_and_jerk(device_span<const four> all, device_span<const four> moving, device_span<four> out,
                     device_span<four> jerks) {
    problem_.in = all.where(), problem_.in2 = moving.where(), problem_.out2 = jerks.where();
    problem_.gravity.jerks = true;
    by_bodies(out);
  }

 private:
  device& dev() const { return m_.where().dev(); }
  void copy(device_span<four> to, device_span<const four> from) const {
    if (from.size()) dev().copy(to.where(), from.where(), from.size() * sizeof(four));
  }

  void by_bodies(device_span<four> out) {
    if (count_ == 0) return;
    problem_.out = out.where();
    problem_.share = {room::portion::unit::bodies, first_, count_};
    room::run(m_.where(), problem_);
  }

  // What each member's pairs come to for a body goes to the member that has it.
  void by_pairs(device_span<four> out) {
    const auto mine = m_.scratch<four>("group/pairs", n_);
    problem_.out = mine.where();
    problem_.share = {room::portion::unit::pairs, static_cast<std::uint64_t>(m_.rank()),
                      static_cast<std::uint64_t>(m_.size())};
    room::run(m_.where(), problem_);
    const auto members = static_cast<std::uint64_t>(m_.size());
    std::vector<std::uint64_t> sent, received(members, count_);
    for (std::size_t r = 0; r < members; ++r) sent.push_back(offsets_[r + 1] - offsets_[r]);
    const auto stacks = m_.scratch<four>("group/pulls", members * count_);
    m_.all_to_all(device_span<const four>(mine), sent, stacks, received);
    room::add_up(dev(), dtype_of<T>, count_, members, stacks.where(), out.where());
  }

  // Whole groups of the tree to each member; in the tree's order what they come to goes to all, and each picks its own.
  void by_tree(device_span<four> out) {
    if (n_ == 0) return;
    const std::vector<std::uint64_t> shares = core::domain_cuts(n_, m_.size());
    const auto rows = m_.scratch<four>("group/pulls", n_);
    const auto order = m_.scratch<std::uint32_t>("group/order", n_),
               place = m_.scratch<std::uint32_t>("group/places", n_),
               numbers = m_.scratch<std::uint32_t>("group/numbers", n_);
    const std::uint64_t begin = shares[static_cast<std::size_t>(m_.rank())],
                        end = shares[static_cast<std::size_t>(m_.rank()) + 1];
    problem_.out = rows.where().plus_bytes(begin * sizeof(four)), problem_.order = order.where();
    problem_.share = {room::portion::unit::bodies, begin, end - begin};
    room::run(m_.where(), problem_);
    core::gather_parts(m_, rows, shares);
    upsweep::iota(m_.where(), numbers);
    upsweep::scatter(m_.where(), device_span<const std::uint32_t>(numbers), device_span<const std::uint32_t>(order),
                     place);
    upsweep::gather(m_.where(), device_span<const four>(rows),
                    device_span<const std::uint32_t>(place.subspan(first_, count_)), out);
  }

  const member& m_;
  const agreed agreed_;
  const std::span<const std::uint64_t> offsets_;
  const std::uint64_t n_, first_, count_;
  room::problem problem_;
};

}  // namespace

namespace core {

namespace {

// Looked at by the first member where without softening two of all could be on one point, else each by its own.
template <class T>
void require_sound(const member& m, const nbody::physics& rules, device_span<const room::four<T>> own,
                   std::span<const std::uint64_t> offsets) {
  const std::uint8_t looks = m.where().kind() == backend::cpu || core::is_checked(m.where());
  if (!m.all(looks)[0]) return;
  const auto me = static_cast<std::size_t>(m.rank()), members = static_cast<std::size_t>(m.size());
  const bool apart = rules.softening > 0;
  std::vector<room::four<T>> rows(own.size());
  upsweep::download(m.where(), own, std::span(rows));
  std::uint64_t first = offsets[me];
  if (!apart) {
    std::vector<std::uint64_t> sent(members), received(members);
    sent[0] = rows.size() * sizeof rows[0];
    for (std::size_t r = 0; me == 0 && r < members; ++r) received[r] = (offsets[r + 1] - offsets[r]) * sizeof rows[0];
    std::vector<room::four<T>> all(me == 0 ? offsets.back() : 0);
    m.way().all_to_all(rows.data(), sent, all.data(), received);
    rows = std::move(all), first = 0;
  }
  nbody::bodies<T> b;
  b.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    b.x[i] = rows[i].x, b.y[i] = rows[i].y, b.z[i] = rows[i].z, b.mass[i] = rows[i].w;
  room::require_bodies_from(first, b, rules);
}

}  // namespace

template <class T>
void accelerations_across(const group& g, const nbody::physics& rules, const bodies_across<T>& b) {
  using four = room::four<T>;
  constexpr const char* call = "accelerations";
  room::require_physics(rules);
  for (const distributed<T>* each :
       {&b.x, &b.y, &b.z, &b.mass, static_cast<const distributed<T>*>(&b.ax), static_cast<const distributed<T>*>(&b.ay),
        static_cast<const distributed<T>*>(&b.az), static_cast<const distributed<T>*>(b.potential)}) {
    if (!each) continue;
    core::require_one_group(call, g, each->members());
    core::require_cut_alike(call, b.x.offsets(), each->offsets());
  }
  g.each(call, [&](member& m) {
    const int here = m.here();
    const std::uint64_t count = b.x.part(here).size();
    device& d = m.where().dev();
    const auto mine = m.scratch<four>("group/own bodies", count), out = m.scratch<four>("group/own pulls", count);
    room::interleave(
        d, dtype_of<T>, count,
        {b.x.part(here).where(), b.y.part(here).where(), b.z.part(here).where(), b.mass.part(here).where()},
        mine.where());
    evaluation_across<T> e(m, rules, agree<T>(m, rules, b.x.size()), b.x.offsets());
    require_sound<T>(m, rules, mine, b.x.offsets());
    e.find(mine, out, b.potential != nullptr);
    room::deinterleave(d, dtype_of<T>, count, out.where(),
                       {b.ax.part(here).where(), b.ay.part(here).where(), b.az.part(here).where(),
                        b.potential ? b.potential->part(here).where() : memory{}});
  });
}

template void accelerations_across(const group&, const nbody::physics&, const bodies_across<float>&);
template void accelerations_across(const group&, const nbody::physics&, const bodies_across<double>&);

}  // namespace core

namespace nbody {

template <class T>
struct group_simulation<T>::inside : room::running {
  using rows = distributed<four<T>>;

  group all;
  rows position, velocity, acceleration, jerk, next_position, next_velocity, next_acceleration, next_jerk;

  bodies<T> seen;
  field felt;
  bool has_seen = false, has_felt = false;

  inside(const group& g, const running& r)
      : running(r),
        all(g),
        position(rows::evenly(g, n)),
        velocity(rows::evenly(g, n)),
        acceleration(rows::evenly(g, n)),
        jerk(rows::evenly(g, of_hermite())),
        next_position(rows::evenly(g, of_hermite())),
        next_velocity(rows::evenly(g, of_hermite())),
        next_acceleration(rows::evenly(g, of_hermite())),
        next_jerk(rows::evenly(g, of_hermite())) {}

  // A process that has no memory for it, or for what is to be prepared, ends the call on all.
  template <class Prepare>
  static std::unique_ptr<inside> made(const group& g, const running& r, const Prepare& prepare) {
    const auto give_back = [](inside* p) { std::allocator<inside>().deallocate(p, 1); };
    std::unique_ptr<inside, decltype(give_back)> place(nullptr, give_back);
    g.each("simulation", [&](member& m) {
      if (m.here() != 0) return;
      place.reset(std::allocator<inside>().allocate(1));
      prepare();
    });
    std::unique_ptr<inside> one(std::construct_at(place.get(), g, r));
    place.release();
    return one;
  }

  running& run() { return *this; }
  const running& run() const { return *this; }
  std::uint64_t of_hermite() const { return hermite() ? n : 0; }

  room::moving now(const member& m) {
    const int i = m.here();
    return {dtype_of<T>,
            position.part(i).size(),
            position.part(i).where(),
            velocity.part(i).where(),
            acceleration.part(i).where(),
            jerk.part(i).where()};
  }
  room::moving next(const member& m) {
    const int i = m.here();
    return {dtype_of<T>,
            next_position.part(i).size(),
            next_position.part(i).where(),
            next_velocity.part(i).where(),
            next_acceleration.part(i).where(),
            next_jerk.part(i).where()};
  }

  // Where the bodies are, or where hermite predicts them.
  void find_forces(const member& m, agreed a, bool predicted = false) {
    const int i = m.here();
    evaluation_across<T> e(m, rules, a, position.offsets());
    const auto own = (predicted ? next_position : position).part(i);
    const auto out = (predicted ? next_acceleration : acceleration).part(i);
    if (!hermite()) return e.find(own, out);
    const auto places = e.gathered("group/bodies", own);
    const auto speeds = e.gathered("group/velocities", (predicted ? next_velocity : velocity).part(i));
    e.pull_and_jerk(places, speeds, out, (predicted ? next_jerk : jerk).part(i));
  }

  agreed agree_on(const member& m) const { return hermite() ? agreed{} : agree<T>(m, rules, n); }

  // One step, as a member makes it; `r` is the member's own count of them.
  void step(const member& m, running& r, agreed a) {
    device& d = m.where().dev();
    room::make_step(
        r, d, [&] { return now(m); }, [&] { return next(m); }, [&](bool predicted) { find_forces(m, a, predicted); },
        [&] {
          const auto of_all = m.all(room::shortest_time(d, now(m), rules.softening, hermite()));
          return *std::ranges::min_element(of_all);
        });
  }

  // A step of a call, in which each member has a copy of what is known and gives it back; they are all the same.
  template <class Body>
  void each(const char* call, const Body& body) {
    running after = run();
    all.each(call, [&](member& m) {
      running mine = run();
      body(m, mine);
      if (m.here() == 0) after = mine;
    });
    run() = after;
  }

  void have_forces() {
    if (forces_at_hand) return;
    each("simulation::forces", [&](member& m, running& r) {
      find_forces(m, agree_on(m));
      r.forces_at_hand = true;
    });
    has_felt = false;
  }

  void see() {
    if (has_seen) return;
    all.each("simulation::state", [&](member& m) {
      if (m.here() == 0) seen.resize(n);
    });
    const std::vector<four<T>> x = position.whole(), v = velocity.whole();
    for (std::uint64_t i = 0; i < n; ++i) {
      seen.x[i] = x[i].x, seen.y[i] = x[i].y, seen.z[i] = x[i].z, seen.mass[i] = x[i].w;
      seen.vx[i] = v[i].x, seen.vy[i] = v[i].y, seen.vz[i] = v[i].z;
    }
    has_seen = true;
  }

  void feel() {
    have_forces();
    if (has_felt) return;
    all.each("simulation::forces", [&](member& m) {
      if (m.here() != 0) return;
      for (std::vector<T>* column : {&felt.ax, &felt.ay, &felt.az, &felt.potential}) column->resize(n);
    });
    const std::vector<four<T>> a = acceleration.whole();
    for (std::uint64_t i = 0; i < n; ++i)
      felt.ax[i] = a[i].x, felt.ay[i] = a[i].y, felt.az[i] = a[i].z, felt.potential[i] = a[i].w;
    has_felt = true;
  }
};

template <class T>
group_simulation<T>::group_simulation(const group& g, const bodies<T>& start, const physics& p, integrator how,
                                      double dt, double adaptive) {
  room::require_method(p, how);
  room::require_step(dt, adaptive);
  require_bodies(start, p);
  std::vector<four<T>> x, v;
  inside_ = inside::made(g, {p, how, start.size(), dt, dt, adaptive},
                         [&] { x.resize(start.size()), v.resize(start.size()); });
  for (std::size_t i = 0; i < start.size(); ++i) {
    x[i] = {start.x[i], start.y[i], start.z[i], start.mass[i]};
    v[i] = {start.vx[i], start.vy[i], start.vz[i], 0};
  }
  inside_->position = distributed<four<T>>::of(g, x), inside_->velocity = distributed<four<T>>::of(g, v);
}

template <class T>
group_simulation<T>::group_simulation(std::unique_ptr<inside> i) : inside_(std::move(i)) {}
template <class T>
group_simulation<T>::group_simulation(group_simulation&&) noexcept = default;
template <class T>
group_simulation<T>& group_simulation<T>::operator=(group_simulation&&) noexcept = default;
template <class T>
group_simulation<T>::~group_simulation() = default;

template <class T>
void group_simulation<T>::step(std::uint64_t steps) {
  constexpr std::uint64_t most_enqueued = 1000;
  inside_->each("simulation::step", [&](member& m, room::running& r) {
    const agreed a = inside_->agree_on(m);
    for (std::uint64_t k = 1; k <= steps; ++k) {
      inside_->step(m, r, a);
      if (k % most_enqueued == 0) m.where().synchronize();
    }
  });
  if (steps) inside_->has_seen = inside_->has_felt = false;
}

template <class T>
std::size_t group_simulation<T>::size() const {
  return inside_->n;
}
template <class T>
double group_simulation<T>::time() const {
  return inside_->time;
}
template <class T>
std::uint64_t group_simulation<T>::steps() const {
  return inside_->steps;
}
template <class T>
double group_simulation<T>::dt() const {
  return inside_->dt;
}
template <class T>
const physics& group_simulation<T>::rules() const {
  return inside_->rules;
}
template <class T>
integrator group_simulation<T>::how() const {
  return inside_->how;
}
template <class T>
const group& group_simulation<T>::members() const {
  return inside_->all;
}

template <class T>
const bodies<T>& group_simulation<T>::state() {
  inside_->see();
  return inside_->seen;
}
template <class T>
const typename group_simulation<T>::field& group_simulation<T>::forces() {
  inside_->feel();
  return inside_->felt;
}
template <class T>
conserved group_simulation<T>::measure() {
  const bodies<T>& now = state();
  return room::conserved_of(now, forces().potential);
}

template <class T>
const distributed<four<T>>& group_simulation<T>::positions() const {
  return inside_->position;
}
template <class T>
const distributed<four<T>>& group_simulation<T>::velocities() const {
  return inside_->velocity;
}

template <class T>
void group_simulation<T>::set(const physics& p) {
  room::require_method(p, inside_->how);
  require_bodies(state(), p);
  inside_->rules = p;
  inside_->forces_at_hand = inside_->has_felt = false;
}

template <class T>
std::vector<std::byte> group_simulation<T>::checkpoint() const {
  const inside& s = *inside_;
  room::kept<T> all{s.run()};
  all.position = s.position.whole(), all.velocity = s.velocity.whole();
  if (s.forces_at_hand) all.acceleration = s.acceleration.whole();
  if (s.forces_at_hand && s.hermite()) all.jerk = s.jerk.whole();
  std::vector<std::byte> bytes;
  s.all.each("simulation::checkpoint", [&](member& m) {
    if (m.here() == 0) bytes = room::packed(all);
  });
  return bytes;
}

template <class T>
group_simulation<T> group_simulation<T>::resume(const group& g, std::span<const std::byte> bytes) {
  room::kept<T> all;
  bool has_memory = true;
  try {
    all = room::unpacked<T>(bytes);
  } catch (const std::bad_alloc&) {
    has_memory = false;
  }
  auto s = inside::made(g, all, [&] {
    if (!has_memory) throw std::bad_alloc();
  });
  using rows = distributed<four<T>>;
  s->position = rows::of(g, all.position), s->velocity = rows::of(g, all.velocity);
  if (s->forces_at_hand) s->acceleration = rows::of(g, all.acceleration);
  if (s->forces_at_hand && s->hermite()) s->jerk = rows::of(g, all.jerk);
  return group_simulation(std::move(s));
}

template class group_simulation<float>;
template class group_simulation<double>;

}  // namespace nbody

}  // namespace upsweep
