// A tree of cells over bodies in the order of their keys, for the CPU. A cell is a range of bodies. It is divided where
// the keys of its first and last body first differ, so each cell has at least two children. Ranges of equal keys are
// divided into equal parts. The root is cell 0. The cells of a level are adjacent, and so are the children of a cell.
#pragma once

#include <limits>

#include "upsweep/core/device.hpp"
#include "upsweep/nbody/nbody_gravitation.hpp"
#include "upsweep/nbody/nbody_motion_steps.hpp"
#include "upsweep/nbody/nbody_tree_keys.hpp"

namespace upsweep::detail::nbody_impl {

// A cell's bodies [first, end) and children [child, child + children). A leaf has none: its bodies' coordinates begin
// at place `child` of the axes.
struct alignas(16) cell_range {
  std::uint32_t first, end, child, children;
};
inline constexpr std::uint32_t not_here = ~std::uint32_t{0};  // child: of a cell that no walk here opens

// Data of each cell that the walk meets: the centre of mass, and the square of the distance within which the cell must
// be opened.
template <class T>
struct alignas(16) cell_centre {
  T x, y, z, open_within;
};

// Data of the cells that the walk takes as one mass: mass, second moments about the centre, and for the relative-error
// criterion mass · (size / 2)³ (² for single masses). The box is that of the bodies.
template <class T>
struct cell_moments {
  T mass, moment[6], error_mass;
  T lower[3], upper[3];
};

template <class T>
struct tree {
  std::uint64_t n = 0;                   // bodies
  std::uint64_t first = 0, padded = 0;   // axes begin with these of them: from `first` on, whole groups
  const std::uint32_t* order = nullptr;  // body i of the tree is the order[i]-th of the problem's
  T* axis[4] = {};                       // x, y, z, mass, in the tree's order
  const cell_range* ranges = nullptr;
  const cell_centre<T>* centres = nullptr;
  const cell_moments<T>* moments = nullptr;
  std::uint64_t count = 0, levels = 0;
  const std::uint64_t* level = nullptr;  // level l is cells [level[l], level[l + 1])
  T widest = 0;                          // the largest coordinate's size
};

// Over n > 0 bodies of 4 T each. The whole tree is in the device's scratch memory, until the next tree is built.
// Quadrupoles and θ determine when a cell is opened.
template <class T>
tree<T> build_tree(device&, memory bodies, std::uint64_t n, const gravitation&);

// Sets the members that depend on the opening criterion: centres' open_within, moments' error_mass.
template <class T>
void set_openings(device&, const tree<T>&, const gravitation&);

// Parameters of the rough walk that gives the accelerations for relative errors: a tenth of accuracy is enough.
gravitation roughly();

// The walk, for the bodies [first, first + count) in the tree's order, of which the axes have the coordinates and
// `first` is a group's. sizes: what errors are relative to, of the bodies that the axes begin with; null where g says
// no criterion. Body i's row goes to out[to ? to[i - first] : i - first].
template <class T>
void walk_tree(device&, const tree<T>&, const gravitation& g, const T* sizes, std::uint64_t first, std::uint64_t count,
               vec4<T>* out, const std::uint32_t* to);
// The sizes of the accelerations, by a walk with roughly()'s openings.
template <class T>
void find_sizes(device&, const tree<T>&, const gravitation& g, std::uint64_t first, std::uint64_t count, T* sizes);

// Steps of build_tree, also used for domains of a tree (nbody_tree_domain.hpp).
struct bounds {
  static constexpr double huge = (std::numeric_limits<double>::max)();
  double lower[3] = {huge, huge, huge}, upper[3] = {-huge, -huge, -huge};
  void take(const double (&low)[3], const double (&high)[3]);
};
template <class T>
bounds bounds_of(device&, const vec4<T>* bodies, std::uint64_t n);
// The keys of n bodies, in their order.
template <class T>
void find_keys(device&, const key_cube&, const vec4<T>* bodies, std::uint64_t n, std::uint64_t* keys);
// Divides cells [level[0], level[1]), whose bodies' keys are keys[first, end), and their children, and so on. Children
// are written behind them, level by level. Returns how many cells there are then; `levels` of them.
std::uint64_t divide(device&, const std::uint64_t* keys, cell_range* cells, std::uint64_t* level,
                     std::uint64_t& levels);
inline constexpr std::uint64_t most_levels = 64;  // 21 of keys, 11 of equal parts, and some
// Finds the moments of cell c, from its bodies or its children.
template <class T>
void find_moments(const tree<T>&, std::uint64_t c, const gravitation&);
// Finds the moments of all levels.
template <class T>
void find_moments(device&, const tree<T>&, const gravitation&);

}  // namespace upsweep::detail::nbody_impl
