// The tree on OpenCL: what is launched in which order. The kernels are in tree.cl, and a CPU's walk in
// walk_by_vectors.cl.
#include <algorithm>
#include <limits>
#include <vector>

#include "upsweep/nbody/motion_steps.hpp"
#include "upsweep/nbody/opencl/tree.hpp"
#include "upsweep/nbody/problem.hpp"
#include "upsweep/nbody/tree_keys.hpp"
#include "upsweep/nbody/tree_parts.hpp"
#include "upsweep/nbody/tuning.hpp"
#include "upsweep/opencl/device.hpp"
#include "upsweep/scan/problem.hpp"
#include "upsweep/sort/problem.hpp"

namespace upsweep::nbody_room {

namespace {

using opencl::operand;

inline constexpr std::uint64_t lanes = 64, leaf = 32, group = 64;

template <class T>
class tree_call {
 public:
  tree_call(opencl::device& d, const problem& p) : d_(d), p_(p), n_(p.n) {
    constexpr bool single = sizeof(T) == 4;
    options_ = "-D LEAF=" + std::to_string(leaf) + " -D GROUP=" + std::to_string(group);
    options_ += single ? " -D REAL=float -D LEAST=1e-37f -D LARGEST=1e38f -D TOO_WIDE=1e12f -D NEVER=3e38f"
                       : " -D REAL=double -D LEAST=1e-300 -D LARGEST=1e300 -D TOO_WIDE=1e90 -D NEVER=1e308 -D WITH_f64";
  }

  void run() {
    sort_bodies();
    divide();
    tree_part_done(d_, tree_part::cells);
    for (std::size_t l = level_.size() - 1; l-- > 0;)
      launch("find_moments", level_[l + 1] - level_[l], bodies_, cells_, centres(), moments(), boxes(),
             cl_uint(level_[l]), cl_uint(level_[l + 1] - level_[l]));
    tree_part_done(d_, tree_part::moments);
    const gravitation& g = p_.gravity;
    const bool relative = g.criterion > 0;
    if (pulled_by(p_) == 0) return;
    if (relative) walk(1, false, true);
    walk(static_cast<T>(relative ? 1 : g.theta), g.quadrupoles, false);
    tree_part_done(d_, tree_part::walk);
  }

 private:
  template <class... Args>
  void launch(const char* name, std::uint64_t items, const Args&... args) {
    d_.launch(d_.kernel({"nbody/opencl/tree.cl"}, options_, name), (items + lanes - 1) / lanes, lanes, args...);
  }
  operand kept(const char* name, std::uint64_t count, std::size_t size) {
    return {d_.scratch(std::string("nbody/tree ") + name, count * size), size};
  }
  bool a_share() const { return p_.share.of == portion::unit::bodies; }
  operand centres() { return kept("centres", level_.back(), 4 * sizeof(T)); }
  operand moments() { return kept("moments", level_.back(), 8 * sizeof(T)); }
  operand boxes() { return kept("boxes", 2 * level_.back(), 4 * sizeof(T)); }

  void sort_bodies() {
    const operand in{p_.in, 4 * sizeof(T)};
    const std::uint64_t bounded = std::min<std::uint64_t>((n_ + lanes - 1) / lanes, 16) * lanes,
                        sampled = std::min(n_, bodies_in_sample);
    const operand bounds = kept("bounds", 2 * bounded, 4 * sizeof(T)), sample = kept("sample", sampled, 4 * sizeof(T));
    launch("find_bounds", bounded, in, bounds, cl_ulong(n_));
    launch("take_sample", sampled, in, sample, cl_ulong(n_), cl_uint(sampled));
    std::vector<four<T>> corners(2 * bounded), some(sampled);
    d_.download(corners.data(), bounds.where, corners.size() * sizeof(four<T>));
    d_.download(some.data(), sample.where, some.size() * sizeof(four<T>));
    const auto axis_of = [](const four<T>& b, int a) { return double(a == 0 ? b.x : a == 1 ? b.y : b.z); };
    double lower[3], upper[3];
    std::vector<double> axis[3];
    for (int a = 0; a < 3; ++a) {
      lower[a] = axis_of(corners[0], a), upper[a] = axis_of(corners[1], a);
      for (std::size_t i = 0; i < corners.size(); i += 2)
        lower[a] = std::min(lower[a], axis_of(corners[i], a)),
        upper[a] = std::max(upper[a], axis_of(corners[i + 1], a));
      for (const four<T>& b : some) axis[a].push_back(axis_of(b, a));
    }
    const key_cube cube = cube_around({axis[0].data(), axis[1].data(), axis[2].data()}, sampled, lower, upper);
    const T numbers[4] = {T(cube.lower[0]), T(cube.lower[1]), T(cube.lower[2]), T(cube.scale)};

    keys_ = kept("keys", n_, sizeof(std::uint64_t));
    order_ = a_share() ? operand{p_.order, sizeof(std::uint32_t)} : kept("order", n_, sizeof(std::uint32_t));
    bodies_ = kept("bodies", n_, 4 * sizeof(T));
    launch("find_keys", n_, in, keys_, cl_ulong(n_), numbers[0], numbers[1], numbers[2], numbers[3]);
    tree_part_done(d_, tree_part::keys);
    sort_room::problem sort;
    sort.type = dtype::u64, sort.n = n_;
    sort.in = sort.out = keys_.where, sort.out2 = order_.where, sort.indices = true,
    sort.value_bytes = sizeof(std::uint32_t);
    sort_room::run(d_, sort);
    launch("gather_bodies", n_, in, order_, bodies_, cl_ulong(n_));
    tree_part_done(d_, tree_part::sort);
  }

  void divide() {
    cells_ = kept("cells", 2 * n_ + 8, 4 * sizeof(std::uint32_t));
    const operand counts = kept("counts", n_ + 2, sizeof(std::uint32_t));
    launch("set_root", 1, cells_, cl_uint(n_));
    level_ = {0, 1};
    for (;;) {
      const std::uint64_t first = level_[level_.size() - 2], count = level_.back() - first;
      launch("count_children", count + 1, keys_, cells_, counts, cl_uint(first), cl_uint(count));
      scan_room::problem scan;
      scan.type = dtype::u32, scan.op = op_kind::plus, scan.n = count + 1;
      scan.in = scan.out = counts.where, scan.init = identity_scalar(op_kind::plus, dtype::u32);
      scan_room::run(d_, scan);
      std::uint32_t children = 0;
      d_.download(&children, counts.where.plus_bytes(count * sizeof children), sizeof children);
      if (children == 0) return;
      launch("write_children", count, keys_, cells_, counts, cl_uint(first), cl_uint(count));
      level_.push_back(level_.back() + children);
    }
  }

  void walk(T theta, bool quadrupoles, bool measures) {
    const gravitation& g = p_.gravity;
    const bool relative = g.criterion > 0;
    launch("set_openings", level_.back(), centres(), moments(), boxes(), cl_uint(level_.back()), theta,
           cl_uint(quadrupoles));
    const auto groups = [&](cl::Kernel& walk, std::uint64_t items) {
      d_.launch(walk, (pulled_by(p_) + group - 1) / group, items, bodies_, order_, cells_, centres(), moments(),
                kept("sizes", relative ? n_ : 1, sizeof(T)), operand{p_.out, 4 * sizeof(T)}, cl_ulong(n_),
                static_cast<T>(g.softening * g.softening), static_cast<T>(g.constant), static_cast<T>(g.criterion),
                cl_uint(quadrupoles), cl_uint(g.potentials), cl_uint(relative && !measures), cl_uint(measures),
                cl_ulong(first_pulled(p_)), cl_uint(a_share()));
    };
    if (d_.is_cpu()) {
      const char* const vectors = sizeof(T) == 4 ? " -D WIDTH=16 -D LANE=int" : " -D WIDTH=8 -D LANE=long";
      return groups(d_.kernel({"nbody/opencl/vectors.cl", "nbody/opencl/walk_by_vectors.cl"}, options_ + vectors,
                              "walk_by_vectors"),
                    1);
    }
    groups(d_.kernel({"nbody/opencl/tree.cl"}, options_, "walk_groups"), group);
  }

  opencl::device& d_;
  const problem& p_;
  const std::uint64_t n_;
  std::string options_;
  operand keys_{}, order_{}, bodies_{}, cells_{};
  std::vector<std::uint64_t> level_;
};

}  // namespace

std::uint64_t tree_from_on_opencl(device& any) {
  return opencl::of(any).is_cpu() ? opencl_cpu_tree_from : opencl_tree_from;
}

void tree_on_opencl(device& any, const problem& p) {
  if (p.n == 0) return;
  opencl::device& d = opencl::of(any);
  p.type == dtype::f32 ? tree_call<float>(d, p).run() : tree_call<double>(d, p).run();
}

}  // namespace upsweep::nbody_room
