// The tree on OpenCL: the launches and their order.
#include <vector>

#include "upsweep/nbody/nbody_problem.hpp"
#include "upsweep/nbody/nbody_tree_times.hpp"
#include "upsweep/nbody/opencl/nbody_opencl_tree.hpp"
#include "upsweep/nbody/opencl/nbody_tree_launches.hpp"
#include "upsweep/sort/sort_problem.hpp"

namespace upsweep::detail::nbody_impl {

namespace {

template <class T>
class tree_call : tree_launches<T> {
  using launches = tree_launches<T>;
  using launches::d_, launches::kept, launches::launch;
  using typename launches::operand;

 public:
  tree_call(opencl::device& d, const problem& p) : launches(d), p_(p), n_(p.n) {}

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
  bool a_share() const { return p_.share.of == portion::unit::bodies; }
  operand centres() { return kept("centres", level_.back(), 4 * sizeof(T)); }
  operand moments() { return kept("moments", level_.back(), 8 * sizeof(T)); }
  operand boxes() { return kept("boxes", std::uint64_t{2} * level_.back(), 4 * sizeof(T)); }

  void sort_bodies() {
    const operand in{p_.in, 4 * sizeof(T)};
    const std::uint64_t sampled = std::min(n_, bodies_in_sample);
    const bounds all = launches::find_bounds(in, n_);
    const operand sample = kept("sample", sampled, 4 * sizeof(T));
    launch("take_sample", sampled, in, sample, cl_ulong(n_), cl_uint(sampled));
    std::vector<vec4<T>> some(sampled);
    d_.download(some.data(), sample.where, some.size() * sizeof(vec4<T>));
    std::vector<double> axis[3];
    for (const vec4<T>& b : some) axis[0].push_back(b.x), axis[1].push_back(b.y), axis[2].push_back(b.z);
    const key_cube cube = cube_around({axis[0].data(), axis[1].data(), axis[2].data()}, sampled, all.lower, all.upper);

    keys_ = kept("keys", n_, sizeof(std::uint64_t));
    order_ = a_share() ? operand{p_.order, sizeof(std::uint32_t)} : kept("order", n_, sizeof(std::uint32_t));
    bodies_ = kept("bodies", n_, 4 * sizeof(T));
    launches::find_keys(cube, in, n_, keys_);
    tree_part_done(d_, tree_part::keys);
    detail::sort_impl::problem sort;
    sort.type = dtype::u64, sort.n = n_;
    sort.in = sort.out = keys_.where, sort.out2 = order_.where, sort.indices = true,
    sort.value_bytes = sizeof(std::uint32_t);
    detail::sort_impl::run(d_, sort);
    launch("gather_bodies", n_, in, order_, bodies_, cl_ulong(n_));
    tree_part_done(d_, tree_part::sort);
  }

  void divide() {
    cells_ = kept("cells", 2 * n_ + 8, 4 * sizeof(std::uint32_t));
    launch("set_root", 1, cells_, cl_uint(n_));
    level_ = {0, 1};
    launches::divide(keys_, cells_, kept("counts", n_ + 2, sizeof(std::uint32_t)), level_);
  }

  void walk(T theta, bool quadrupoles, bool measures) {
    const bool relative = p_.gravity.criterion > 0;
    launch("set_openings", level_.back(), centres(), moments(), boxes(), cl_uint(level_.back()), theta,
           cl_uint(quadrupoles));
    const std::uint64_t first = first_pulled(p_);
    launches::walk_tree({bodies_, order_, cells_, centres(), moments(), kept("sizes", relative ? n_ : 1, sizeof(T)),
                         operand{p_.out, 4 * sizeof(T)}, n_, first, first + pulled_by(p_), quadrupoles,
                         relative && !measures, measures, a_share()},
                        p_.gravity);
  }

  const problem& p_;
  const std::uint64_t n_;
  operand keys_{}, order_{}, bodies_{}, cells_{};
  std::vector<std::uint32_t> level_;
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

}  // namespace upsweep::detail::nbody_impl
