// A tree of cells (nbody_tree.hpp) of which each rank of a communicator has a domain: whole groups of bodies, adjacent
// in the order of the tree. It is the tree that one device builds of all bodies, cell by cell and bit for bit; only the
// places of its cells differ. Declarations for the CPU say so; nbody_domain_steps.hpp is for other devices.
//
// Cells with bodies of several ranks are shared: every rank has all of them (the top). A cell whose bodies all belong
// to one rank, and whose parent is shared, is a seed of that rank; the cells below it are in that rank's domain alone.
// To walk the tree for its own groups, a rank needs from the other domains the cells that one of its groups meets, and
// the bodies of leaves that one of them opens. It receives those that the boxes of its own bodies, 1024 at a time, may
// open. These boxes contain the boxes of the groups, and their test has a margin for the roundings of the groups' test
// (may_be_opened), so no cell is missing.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "upsweep/nbody/nbody_tree.hpp"

namespace upsweep::detail::nbody_impl {

// The keys of the first and the last of a rank's bodies, in the order of the tree.
struct key_ends {
  std::uint64_t first = 0, last = 0;
};

// The bodies whose keys begin with these bits: key >> 3·level == bits.
struct key_prefix {
  int level = key_bits;
  std::uint64_t bits = 0;
  friend auto operator<=>(const key_prefix&, const key_prefix&) = default;
};
// How many of them there are by their next three bits.
using bodies_by_digit = std::array<std::uint32_t, 8>;

// The prefixes that bodies of two ranks have in common, in an order that is the same on all; `offsets` cut the bodies.
std::vector<key_prefix> shared_prefixes(std::span<const key_ends>, std::span<const std::uint64_t> offsets);
// How many of a rank's bodies, whose keys these are, have each.
std::vector<bodies_by_digit> count_shared(std::span<const std::uint64_t> keys, std::span<const key_prefix>);

// The shared cells and the seeds, level by level, the root first.
struct tree_top {
  std::vector<cell_range> cells;
  std::vector<int> owners;                        // of each: a rank, or shared
  std::vector<std::vector<std::uint32_t>> seeds;  // of each rank
  std::vector<std::uint32_t> leaves;              // shared ones, in the order of their bodies
  static constexpr int shared = -1;
};
// leaf: the most bodies of one.
tree_top find_top(std::span<const key_prefix>, std::span<const bodies_by_digit> of_all,
                  std::span<const std::uint64_t> offsets, std::uint64_t leaf);

// A box that contains bodies, and the least size of an acceleration among them. A box with a NaN or infinite coordinate
// contains everything.
template <class T>
struct body_box {
  T lower[3], upper[3], least;
};
inline constexpr std::uint64_t bodies_in_box = 16 * 64;

// Boxes of the `count` bodies with which the tree's axes begin. sizes may be null.
template <class T>
std::vector<body_box<T>> boxes_of(device&, const tree<T>&, std::uint64_t count, const T* sizes);

// A cell as it is sent. child: whether it is opened, by one group at least.
template <class T>
struct sent_cell {
  cell_range range;
  cell_centre<T> centre;
  cell_moments<T> moments;
};
template <class T>
struct sent_cells {
  std::vector<sent_cell<T>> cells;  // the seeds, and then the children of each of these that is opened
  std::vector<vec4<T>> bodies;      // of leaves that are opened, in the order of these
};
// The cells that groups within the boxes meet, of the domain below `seeds`. The ranges of the tree count the bodies of
// the domain, of which the first is body t.first of all.
template <class T>
sent_cells<T> needed_within(device&, const tree<T>&, std::uint64_t seeds_begin, std::uint64_t seeds_end,
                            std::span<const body_box<T>>, const gravitation&, bool relative);

}  // namespace upsweep::detail::nbody_impl
