// Launches of the tree's kernels (nbody_opencl_tree.cl, and a CPU's walk in nbody_walk_by_vectors.cl) that a tree of
// all bodies and a tree of a domain share.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "upsweep/nbody/nbody_gravitation.hpp"
#include "upsweep/nbody/nbody_tree.hpp"
#include "upsweep/nbody/nbody_tuning.hpp"
#include "upsweep/opencl/opencl_device.hpp"
#include "upsweep/scan/scan_problem.hpp"

namespace upsweep::detail::nbody_impl {

inline constexpr std::uint64_t opencl_leaf = 32;  // most bodies of one

template <class T>
class tree_launches {
 protected:
  using operand = opencl::operand;
  static constexpr std::uint64_t lanes = 64;

  explicit tree_launches(opencl::device& d) : d_(d) {
    options_ = "-D LEAF=" + std::to_string(opencl_leaf) + " -D GROUP=" + std::to_string(bodies_in_group);
    options_ += sizeof(T) == 4
                    ? " -D REAL=float -D LEAST=1e-37f -D LARGEST=1e38f -D TOO_WIDE=1e12f -D NEVER=3e38f"
                    : " -D REAL=double -D LEAST=1e-300 -D LARGEST=1e300 -D TOO_WIDE=1e90 -D NEVER=1e308 -D WITH_f64";
  }

  template <class... Args>
  void launch(const char* name, std::uint64_t items, const Args&... args) {
    d_.launch(d_.kernel({"nbody/opencl/nbody_opencl_tree.cl"}, options_, name), (items + lanes - 1) / lanes, lanes,
              args...);
  }
  operand kept(const char* name, std::uint64_t count, std::size_t size) {
    return {d_.scratch(std::string("nbody/tree ") + name, count * size), size};
  }

  // The bounds of n > 0 bodies.
  bounds find_bounds(const operand& in, std::uint64_t n) {
    const std::uint64_t bounded = std::min<std::uint64_t>((n + lanes - 1) / lanes, 16) * lanes;
    const operand found = kept("bounds", 2 * bounded, 4 * sizeof(T));
    launch("find_bounds", bounded, in, found, cl_ulong(n));
    std::vector<vec4<T>> corners(2 * bounded);
    d_.download(corners.data(), found.where, corners.size() * sizeof(vec4<T>));
    bounds all;
    for (std::size_t i = 0; i < corners.size(); i += 2)
      all.take({corners[i].x, corners[i].y, corners[i].z}, {corners[i + 1].x, corners[i + 1].y, corners[i + 1].z});
    return all;
  }

  void find_keys(const key_cube& cube, const operand& in, std::uint64_t n, const operand& keys) {
    launch("find_keys", n, in, keys, cl_ulong(n), T(cube.lower[0]), T(cube.lower[1]), T(cube.lower[2]), T(cube.scale));
  }

  // Divides the cells between the last two entries of `level`, and the cells below them, a level at a time. Appends the
  // beginning of each level to `level`.
  void divide(const operand& keys, const operand& cells, const operand& counts, std::vector<std::uint32_t>& level) {
    for (;;) {
      const std::uint32_t first = level[level.size() - 2], count = level.back() - first;
      launch("count_children", count + std::uint64_t{1}, keys, cells, counts, cl_uint(first), cl_uint(count));
      detail::scan_impl::problem scan;
      scan.type = dtype::u32, scan.op = op_kind::plus, scan.n = count + std::uint64_t{1};
      scan.in = scan.out = counts.where, scan.init = identity_scalar(op_kind::plus, dtype::u32);
      detail::scan_impl::run(d_, scan);
      std::uint32_t children = 0;
      d_.download(&children, counts.where.plus_bytes(count * sizeof children), sizeof children);
      if (children == 0) return;
      launch("write_children", count, keys, cells, counts, cl_uint(first), cl_uint(count));
      level.push_back(level.back() + children);
    }
  }

  // The bodies [first, end) in the order of the tree are pulled; `n` bounds what their groups have.
  struct walked {
    operand bodies, order, cells, centres, moments, sizes, out;
    std::uint64_t n, first, end;
    bool quadrupoles, relative, measures, in_tree_order;
  };
  void walk_tree(const walked& w, const gravitation& g) {
    const auto groups = [&](const opencl::loaded_kernel& walk, std::uint64_t items) {
      d_.launch(walk, (w.end - w.first + bodies_in_group - 1) / bodies_in_group, items, w.bodies, w.order, w.cells,
                w.centres, w.moments, w.sizes, w.out, cl_ulong(w.n), static_cast<T>(g.softening * g.softening),
                static_cast<T>(g.constant), static_cast<T>(g.criterion), cl_uint(w.quadrupoles), cl_uint(g.potentials),
                cl_uint(w.relative), cl_uint(w.measures), cl_ulong(w.first), cl_uint(w.in_tree_order));
    };
    if (d_.is_cpu()) {
      const std::string vectors = " -D WIDTH=" + std::to_string(d_.vector_bytes() / sizeof(T)) +
                                  (sizeof(T) == 4 ? " -D LANE=int" : " -D LANE=long");
      return groups(d_.kernel({"nbody/opencl/nbody_vectors.cl", "nbody/opencl/nbody_walk_by_vectors.cl"},
                              options_ + vectors, "walk_by_vectors"),
                    1);
    }
    groups(d_.kernel({"nbody/opencl/nbody_opencl_tree.cl"}, options_, "walk_groups"), bodies_in_group);
  }

  opencl::device& d_;
  std::string options_;
};

}  // namespace upsweep::detail::nbody_impl
