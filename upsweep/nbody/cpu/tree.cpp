// Barnes and Hut's walk for groups of bodies: what one of a group cannot take as one mass is opened for all. The walk
// only lists what the group meets; vectors of its bodies then meet the list.
#include <algorithm>
#include <cmath>
#include <limits>

#include "upsweep/cpu/blocks.hpp"
#include "upsweep/nbody/cpu/nbody.hpp"
#include "upsweep/nbody/cpu/pairs.hpp"
#include "upsweep/nbody/problem.hpp"
#include "upsweep/nbody/tree.hpp"
#include "upsweep/nbody/tree_parts.hpp"
#include "upsweep/nbody/tuning.hpp"

namespace upsweep::nbody_room {

namespace {

// How a tree is walked: the physics, and the accelerations to which errors are relative (or null), in the tree's order.
template <class T>
struct walk_rules {
  T softening, criterion;
  bool quadrupoles, potentials;
  const T* sizes;
  reach far;
};

// One group's walk.
template <class T>
class group_walk {
 public:
  group_walk(const tree<T>& t, const walk_rules<T>& rules, std::uint64_t group)
      : tree_(t),
        rules_(rules),
        with_(find_pair_kernels<T>()),
        first_(group * cpu_group),
        end_(std::min(t.n, first_ + cpu_group)) {
    find_box();
    to_ = {t.axis[0] + first_,
           t.axis[1] + first_,
           t.axis[2] + first_,
           sums[0],
           sums[1],
           sums[2],
           rules.potentials ? sums[3] : nullptr,
           cpu_group};
  }

  void run() {
    with_.pull({to_.x, to_.y, to_.z, tree_.axis[3] + first_, end_ - first_}, to_, rules_.softening, rules_.far, 0);
    std::uint32_t waiting[8 * 64];
    int depth = 0;
    for (waiting[depth++] = 0; depth > 0;) {
      const std::uint32_t c = waiting[--depth];
      const cell_range cell = tree_.ranges[c];
      const cell_centre<T> centre = tree_.centres[c];
      if ((cell.end <= first_ || cell.first >= end_) && may_take(c, centre)) {
        if (centre.open_within == 0 || !rules_.quadrupoles)
          take_mass(centre.x, centre.y, centre.z, tree_.moments[c].mass);
        else
          take_cell(centre, tree_.moments[c]);
      } else if (cell.children == 0) {
        // The group's own bodies have met already.
        take_bodies(cell.first, std::min<std::uint64_t>(cell.end, first_));
        take_bodies(std::max<std::uint64_t>(cell.first, end_), cell.end);
      } else {
        for (std::uint32_t k = cell.children; k-- > 0;) waiting[depth++] = cell.child + k;
      }
    }
    meet_masses();
    meet_cells();
  }

  alignas(64) T sums[4][cpu_group] = {};

 private:
  void find_box() {
    T least = std::numeric_limits<T>::max();
    for (int a = 0; a < 3; ++a) {
      const auto [low, high] = std::minmax_element(tree_.axis[a] + first_, tree_.axis[a] + end_);
      middle_[a] = *low / 2 + *high / 2;
      half_[a] = std::max(*high - middle_[a], middle_[a] - *low);
    }
    if (rules_.sizes)
      for (std::uint64_t i = first_; i < end_; ++i) least = std::min(least, rules_.sizes[i]);
    least_ = least;
  }

  bool may_take(std::uint32_t c, const cell_centre<T>& centre) const {
    if (centre.open_within == 0) return true;
    const T x = std::max(std::abs(centre.x - middle_[0]) - half_[0], T(0)),
            y = std::max(std::abs(centre.y - middle_[1]) - half_[1], T(0)),
            z = std::max(std::abs(centre.z - middle_[2]) - half_[2], T(0));
    const T square = x * x + y * y + z * z;
    if (!(square > centre.open_within)) return false;
    if (!rules_.sizes) return true;
    // Its error is some mass · (size / 2)^p / distance^(p + 2).
    const T fall = square * square * (rules_.quadrupoles ? std::sqrt(square) : T(1));
    return tree_.moments[c].error_mass <= rules_.criterion * least_ * fall;
  }

  void take_mass(T x, T y, T z, T mass) {
    if (masses_ == most_masses) meet_masses();
    mass_[0][masses_] = x, mass_[1][masses_] = y, mass_[2][masses_] = z, mass_[3][masses_] = mass;
    ++masses_;
  }
  void take_bodies(std::uint64_t first, std::uint64_t end) {
    for (; first < end; ++first)
      take_mass(tree_.axis[0][first], tree_.axis[1][first], tree_.axis[2][first], tree_.axis[3][first]);
  }
  void take_cell(const cell_centre<T>& centre, const cell_moments<T>& m) {
    if (cells_ == most_cells) meet_cells();
    cell_[0][cells_] = centre.x, cell_[1][cells_] = centre.y, cell_[2][cells_] = centre.z, cell_[3][cells_] = m.mass;
    for (int k = 0; k < 6; ++k) cell_[4 + k][cells_] = m.moment[k];
    cell_[10][cells_] = m.moment[0] + m.moment[3] + m.moment[5];
    ++cells_;
  }
  void meet_masses() {
    with_.pull({mass_[0], mass_[1], mass_[2], mass_[3], masses_}, to_, rules_.softening, rules_.far, nobody);
    masses_ = 0;
  }
  void meet_cells() {
    with_.pull_by_cells({{cell_[0], cell_[1], cell_[2], cell_[3], cells_},
                         {cell_[4], cell_[5], cell_[6], cell_[7], cell_[8], cell_[9]},
                         cell_[10]},
                        to_, rules_.softening, rules_.far);
    cells_ = 0;
  }

  static constexpr std::uint64_t most_masses = 512, most_cells = 256;
  const tree<T>& tree_;
  const walk_rules<T>& rules_;
  const pair_kernels<T>& with_;
  const std::uint64_t first_, end_;
  pulled<T> to_;
  T middle_[3], half_[3], least_;
  std::uint64_t masses_ = 0, cells_ = 0;
  T mass_[4][most_masses], cell_[11][most_cells];
};

// Calls f(i, sums, k) for the bodies [first, end) of the tree, body i's sums being the k-th; first is a group's.
template <class T, class F>
void walk(device& d, const tree<T>& t, const walk_rules<T>& rules, std::uint64_t first, std::uint64_t end, const F& f) {
  cpu::for_each_block(d, cpu::block_count(end - first, cpu_group), [&](std::uint64_t b, const cpu::stop_flag&) {
    const std::uint64_t g = first / cpu_group + b;
    group_walk<T> one(t, rules, g);
    one.run();
    for (std::uint64_t i = g * cpu_group, k = 0; i < std::min(end, (g + 1) * cpu_group); ++i, ++k) f(i, one.sums, k);
  });
}

template <class T>
void pull_all(device& d, const problem& p) {
  if (p.n == 0) return;
  const gravitation& g = p.gravity;
  gravitation rough;  // what errors are relative to need be known to a tenth alone
  rough.theta = 1, rough.quadrupoles = false;
  const bool relative = g.criterion > 0, some = p.share.of == portion::unit::bodies;
  const std::uint64_t begin = first_pulled(p), end = begin + pulled_by(p);
  const tree<T> t = build_tree<T>(d, p.in, p.n, relative ? rough : g);
  walk_rules<T> rules{
      static_cast<T>(g.softening * g.softening),      static_cast<T>(g.criterion), g.quadrupoles, g.potentials, nullptr,
      reach_of(t.widest, static_cast<T>(g.softening))};
  if (relative) {
    T* const sizes = d.scratch("nbody/sizes", p.n * sizeof(T)).template as<T>();
    walk_rules<T> first = rules;
    first.quadrupoles = first.potentials = false;
    walk<T>(d, t, first, begin, end, [&](std::uint64_t i, const auto& a, std::uint64_t k) {
      sizes[i] = std::sqrt(a[0][k] * a[0][k] + a[1][k] * a[1][k] + a[2][k] * a[2][k]);
    });
    rules.sizes = sizes;
    set_openings(d, t, g);
  }
  const T constant = static_cast<T>(g.constant);
  if (some) std::copy_n(t.order, p.n, p.order.as<std::uint32_t>());
  walk<T>(d, t, rules, begin, end, [&](std::uint64_t i, const auto& a, std::uint64_t k) {
    p.out.as<four<T>>()[some ? i - begin : t.order[i]] = {constant * a[0][k], constant * a[1][k], constant * a[2][k],
                                                          constant * a[3][k]};
  });
  tree_part_done(d, tree_part::walk);
}

}  // namespace

void tree_on_cpu(device& d, const problem& p) { p.type == dtype::f32 ? pull_all<float>(d, p) : pull_all<double>(d, p); }

}  // namespace upsweep::nbody_room
