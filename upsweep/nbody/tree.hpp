// A tree of cells over bodies in the order of their keys, for the CPU. A cell is a range of bodies; it is divided where
// the keys of its first and last body first differ, so that each has two children at least. Ranges of equal keys are
// divided into equal parts. The root is cell 0; a level's cells stand together, and so do the children of one.
#pragma once

#include "upsweep/core/device.hpp"
#include "upsweep/nbody/gravitation.hpp"
#include "upsweep/nbody/motion_steps.hpp"

namespace upsweep::nbody_room {

// A cell's bodies [first, end) and children [child, child + children); a leaf has none.
struct alignas(16) cell_range {
  std::uint32_t first, end, child, children;
};

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
  std::uint64_t n = 0, padded = 0;       // bodies, and what they take with those that fill the last group
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

extern template tree<float> build_tree(device&, memory, std::uint64_t, const gravitation&);
extern template tree<double> build_tree(device&, memory, std::uint64_t, const gravitation&);
extern template void set_openings(device&, const tree<float>&, const gravitation&);
extern template void set_openings(device&, const tree<double>&, const gravitation&);

}  // namespace upsweep::nbody_room
