// Barnes and Hut's walk for groups of bodies. A cell that cannot be taken as one mass for one body of a group is opened
// for all of them. The walk only lists the masses that the group meets; vectors of its bodies then meet the list.
#include <algorithm>
#include <cmath>
#include <limits>

#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/nbody/cpu/nbody_cpu.hpp"
#include "upsweep/nbody/cpu/nbody_pairs.hpp"
#include "upsweep/nbody/nbody_problem.hpp"
#include "upsweep/nbody/nbody_tree.hpp"
#include "upsweep/nbody/nbody_tree_times.hpp"
#include "upsweep/nbody/nbody_tuning.hpp"

namespace upsweep::detail::nbody_impl {

namespace {

// How a tree is walked: the parameters, and the accelerations to which errors are relative (or null), in the order of
// the tree.
template <class T>
struct walk_rules {
  T softening, criterion;
  bool quadrupoles, potentials;
  const T* sizes;  // of the bodies from the tree's `first` on
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
        end_(std::min(t.n, first_ + cpu_group)),
        here_(first_ - t.first) {
    find_box();
    to_ = {t.axis[0] + here_,
           t.axis[1] + here_,
           t.axis[2] + here_,
           sums[0],
           sums[1],
           sums[2],
           rules.potentials ? sums[3] : nullptr,
           cpu_group};
  }

  void run() {
    with_.pull({to_.x, to_.y, to_.z, tree_.axis[3] + here_, end_ - first_}, to_, rules_.softening, rules_.far, 0);
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
      } else if (cell.child == not_here) {
        throw error(fault::device_failure, "nbody", "a group came by a cell that its rank was not sent",
                    "say so to whoever wrote this");
      } else if (cell.children == 0) {
        // The group's own bodies have met already.
        take_bodies(cell, cell.first, std::min<std::uint64_t>(cell.end, first_));
        take_bodies(cell, std::max<std::uint64_t>(cell.first, end_), cell.end);
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
      const T* const all = tree_.axis[a] + here_;
      const auto [low, high] = std::minmax_element(all, all + (end_ - first_));
      middle_[a] = *low / 2 + *high / 2;
      half_[a] = std::max(*high - middle_[a], middle_[a] - *low);
    }
    if (rules_.sizes)
      for (std::uint64_t i = 0; i < end_ - first_; ++i) least = std::min(least, rules_.sizes[here_ + i]);
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
  // Takes the bodies [first, end) of a leaf.
  void take_bodies(const cell_range& leaf, std::uint64_t first, std::uint64_t end) {
    for (; first < end; ++first) {
      const std::uint64_t i = leaf.child + (first - leaf.first);
      take_mass(tree_.axis[0][i], tree_.axis[1][i], tree_.axis[2][i], tree_.axis[3][i]);
    }
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
  const std::uint64_t first_, end_, here_;  // here_: where its bodies are in the axes
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
walk_rules<T> rules_of(const tree<T>& t, const gravitation& g) {
  return {
      static_cast<T>(g.softening * g.softening),      static_cast<T>(g.criterion), g.quadrupoles, g.potentials, nullptr,
      reach_of(t.widest, static_cast<T>(g.softening))};
}

template <class T>
void pull_all(device& d, const problem& p) {
  if (p.n == 0) return;
  const gravitation& g = p.gravity;
  const bool relative = g.criterion > 0, some = p.share.of == portion::unit::bodies;
  const std::uint64_t begin = first_pulled(p), count = pulled_by(p);
  const tree<T> t = build_tree<T>(d, p.in, p.n, relative ? roughly() : g);
  T* sizes = nullptr;
  if (relative) {
    sizes = d.scratch("nbody/sizes", p.n * sizeof(T)).template as<T>();
    find_sizes(d, t, g, begin, count, sizes);
    set_openings(d, t, g);
  }
  if (some) std::copy_n(t.order, p.n, p.order.as<std::uint32_t>());
  walk_tree(d, t, g, sizes, begin, count, p.out.as<vec4<T>>(), some ? nullptr : t.order);
  tree_part_done(d, tree_part::walk);
}

}  // namespace

gravitation roughly() {
  gravitation rough;
  rough.theta = 1, rough.quadrupoles = false;
  return rough;
}

template <class T>
void find_sizes(device& d, const tree<T>& t, const gravitation& g, std::uint64_t first, std::uint64_t count, T* sizes) {
  walk_rules<T> rules = rules_of(t, g);
  rules.quadrupoles = rules.potentials = false;
  walk<T>(d, t, rules, first, first + count, [&](std::uint64_t i, const auto& a, std::uint64_t k) {
    sizes[i - t.first] = std::sqrt(a[0][k] * a[0][k] + a[1][k] * a[1][k] + a[2][k] * a[2][k]);
  });
}

template <class T>
void walk_tree(device& d, const tree<T>& t, const gravitation& g, const T* sizes, std::uint64_t first,
               std::uint64_t count, vec4<T>* out, const std::uint32_t* to) {
  walk_rules<T> rules = rules_of(t, g);
  rules.sizes = sizes;
  const T constant = static_cast<T>(g.constant);
  walk<T>(d, t, rules, first, first + count, [&](std::uint64_t i, const auto& a, std::uint64_t k) {
    out[to ? to[i - first] : i - first] = {constant * a[0][k], constant * a[1][k], constant * a[2][k],
                                           constant * a[3][k]};
  });
}

template void find_sizes(device&, const tree<float>&, const gravitation&, std::uint64_t, std::uint64_t, float*);
template void find_sizes(device&, const tree<double>&, const gravitation&, std::uint64_t, std::uint64_t, double*);
template void walk_tree(device&, const tree<float>&, const gravitation&, const float*, std::uint64_t, std::uint64_t,
                        vec4<float>*, const std::uint32_t*);
template void walk_tree(device&, const tree<double>&, const gravitation&, const double*, std::uint64_t, std::uint64_t,
                        vec4<double>*, const std::uint32_t*);

void tree_on_cpu(device& d, const problem& p) { p.type == dtype::f32 ? pull_all<float>(d, p) : pull_all<double>(d, p); }

}  // namespace upsweep::detail::nbody_impl
