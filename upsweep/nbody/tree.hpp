// A tree of cells over bodies in the order of their keys, for the CPU. A cell is a range of bodies; it is divided where
// the keys of its first and last body first differ, so that each has two children at least. Ranges of equal keys are
// divided into equal parts. The root is cell 0; a level's cells stand together, and so do the children of one.
#pragma once

#include <limits>

#include "upsweep/core/device.hpp"
#include "upsweep/nbody/gravitation.hpp"
#include "upsweep/nbody/motion_steps.hpp"
#include "upsweep/nbody/tree_keys.hpp"

namespace upsweep::nbody_room {

// A cell's bodies [first, end) and children [child, child + children). A leaf has none: its bodies' coordinates begin
// at place `child` of the axes.
struct alignas(16) cell_range {
  std::uint32_t first, end, child, children;
};
inline constexpr std::uint32_t not_here = ~std::uint32_t{0};  // child: of a cell that nobody here has to open

// What the walk needs of each cell that it comes by: where its mass is, and the square of the distance within which it
// must be opened.
template <class T>
struct alignas(16) cell_centre {
  T x, y, z, open_within;
};

// What it needs of those that it takes: mass, second moments about the centre, and for the relative-error criterion
// mass · (size / 2)³ (² for single masses). The box is that of the bodies.
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

// Over n > 0 bodies of 4 T each. All of it lies in the device's scratch memory, until the next tree. Quadrupoles and θ
// say when a cell is to be opened.
template <class T>
tree<T> build_tree(device&, memory bodies, std::uint64_t n, const gravitation&);

// Sets what follows from the way cells are taken: centres' open_within, moments' error_mass.
template <class T>
void set_openings(device&, const tree<T>&, const gravitation&);

// A walk's own physics, where errors are relative to what a rough walk finds: that need be known to a tenth alone.
gravitation roughly();

// The walk, for the bodies [first, first + count) in the tree's order, of which the axes have the coordinates and
// `first` is a group's. sizes: what errors are relative to, of the bodies that the axes begin with; null where g says
// no criterion. Body i's row goes to out[to ? to[i - first] : i - first].
template <class T>
void walk_tree(device&, const tree<T>&, const gravitation& g, const T* sizes, std::uint64_t first, std::uint64_t count,
               four<T>* out, const std::uint32_t* to);
// Its sizes, by roughly()'s openings.
template <class T>
void find_sizes(device&, const tree<T>&, const gravitation& g, std::uint64_t first, std::uint64_t count, T* sizes);

// What build_tree is made of, for domains of a tree (tree_domain.hpp).
struct bounds {
  static constexpr double huge = std::numeric_limits<double>::max();
  double lower[3] = {huge, huge, huge}, upper[3] = {-huge, -huge, -huge};
  void take(const double (&low)[3], const double (&high)[3]);
};
template <class T>
bounds bounds_of(device&, const four<T>* bodies, std::uint64_t n);
// Of n bodies, in their order.
template <class T>
void find_keys(device&, const key_cube&, const four<T>* bodies, std::uint64_t n, std::uint64_t* keys);
// Divides cells [level[0], level[1]), whose bodies' keys are keys[first, end), and their children, and so on. Children
// are written behind them, level by level. Returns how many cells there are then; `levels` of them.
std::uint64_t divide(device&, const std::uint64_t* keys, cell_range* cells, std::uint64_t* level,
                     std::uint64_t& levels);
inline constexpr std::uint64_t most_levels = 64;  // 21 of keys, 11 of equal parts, and some
// Of cell c, from its bodies or its children.
template <class T>
void find_moments(const tree<T>&, std::uint64_t c, const gravitation&);
// Of all levels.
template <class T>
void find_moments(device&, const tree<T>&, const gravitation&);

}  // namespace upsweep::nbody_room
