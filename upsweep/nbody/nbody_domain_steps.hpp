// Steps of a GPU for its domain of the tree of a communicator (nbody_tree_domain.hpp,
// communicator/communicator_device_domains.cpp). All operands are in the device's memory. All steps are enqueued,
// except those that return a value.
//
// Places of bodies are the rank's own: the bodies of its domain begin at domain_margin, in the order of the tree.
// Before and after them are those bodies of its neighbours that are in one leaf with them. So such a leaf is one range,
// and the kernels that build and walk the tree of one device also build and walk this one.
#pragma once

#include <memory>
#include <vector>

#include "upsweep/nbody/nbody_tree_domain.hpp"

namespace upsweep::detail::nbody_impl {

// A leaf that two ranks share has fewer than this number of bodies of one of them.
inline constexpr std::uint64_t domain_margin = 32;

// Cells as devices have them: {first, end, child, children} of 4 u32, {x, y, z, open_within} of 4 T, eight T of
// moments, and the box of their bodies.
struct cell_arrays {
  memory ranges, centres, moments, boxes;
};

// Whether a walk of one of a box's groups may open a cell. Distances are reduced by a margin for rounding, `margin`.
template <class T>
struct box_test {
  T margin, criterion;
  bool quadrupoles, relative;
};

// The cells of a domain that the walks of each rank meet: `words` u32 a cell, one bit a rank, for the cells from
// `first` on.
struct opened_cells {
  memory bits;
  std::uint32_t first, count, words;
};

// A walk for the bodies [first, end). measures: sizes[i] becomes what body i is accelerated by, roughly, and nothing
// else is written. relative: errors are, to `sizes`.
struct walked_domain {
  memory bodies, sizes, out;
  cell_arrays cells;
  std::uint64_t first, end;
  bool quadrupoles, measures, relative;
};

template <class T>
class domain_steps {
 public:
  virtual ~domain_steps() = default;

  virtual std::uint64_t leaf() const = 0;       // most bodies of one
  virtual std::uint64_t box_width() const = 0;  // T of a cell's box

  virtual bounds bounds_of(memory bodies, std::uint64_t n) = 0;
  virtual void find_keys(const key_cube&, memory bodies, std::uint64_t n, memory keys) = 0;
  // out[i] = rows[places[i] - base], and out[places[i] - base] = rows[i]. places: u32.
  virtual void bring(memory rows, memory places, std::uint64_t base, std::uint64_t count, memory out) = 0;
  virtual void put(memory rows, memory places, std::uint64_t base, std::uint64_t count, memory out) = 0;

  // Divides cells [first, first + seeds) and their children, level by level, each behind the one before. Returns where
  // the levels begin, and where the last one ends. counts: u32, one more than there are bodies.
  virtual std::vector<std::uint32_t> divide(memory keys, memory ranges, std::uint32_t first, std::uint32_t seeds,
                                            memory counts) = 0;
  virtual void find_moments(memory bodies, const cell_arrays&, std::uint32_t first, std::uint32_t count) = 0;
  // Finds the moments of the listed cells, u32.
  virtual void find_listed_moments(memory bodies, const cell_arrays&, memory list, std::uint32_t count) = 0;
  virtual void set_openings(const cell_arrays&, std::uint32_t count, T theta, bool quadrupoles) = 0;

  // body_box<T> of each bodies_in_box of the bodies [first, end). sizes: without base none are known.
  virtual void find_body_boxes(memory bodies, std::uint64_t first, std::uint64_t end, memory sizes, memory boxes) = 0;
  // Bits of all that the boxes may open below the seeds, the first of the cells; boxes[i] is rank owners[i]'s.
  virtual void mark_opened(const cell_arrays&, const opened_cells&, std::uint32_t seeds, memory boxes, memory owners,
                           std::uint32_t count, const box_test<T>&) = 0;
  // The cells and bodies that a rank is sent in addition to the seeds, u64. For each cell that the rank opens: the
  // number of its children, or 2^32 times the number of bodies of a leaf. There are count + 1 of them, the last is 0.
  virtual void count_sent(memory ranges, const opened_cells&, std::uint32_t rank, memory counts) = 0;
  // before: the exclusive sums of the counts. Places in the sent data are relative to its own beginning.
  virtual void pack(const cell_arrays& from, memory bodies, const opened_cells&, std::uint32_t seeds,
                    std::uint32_t rank, memory before, const cell_arrays& to, memory bodies_to) = 0;
  // `count` received cells: seeds go to `seed_places`, the others to cell_base and on. Received bodies are at body_base
  // and on. Cells that are not here have the body `nobody`, which is NaN: a walk that met it would show a NaN.
  virtual void take_in(const cell_arrays& came, std::uint32_t count, memory seed_places, std::uint32_t seeds,
                       std::uint32_t cell_base, std::uint32_t body_base, std::uint32_t nobody,
                       const cell_arrays& to) = 0;

  // out[i] = what pulls body first + i, of the bodies [first, end).
  virtual void walk(const walked_domain&, const gravitation&) = 0;
};

// For a device other than the CPU that has a tree.
template <class T>
std::unique_ptr<domain_steps<T>> domain_steps_on(device&);

template <class T>
std::unique_ptr<domain_steps<T>> domain_steps_on_cuda(device&);
template <class T>
std::unique_ptr<domain_steps<T>> domain_steps_on_opencl(device&);

}  // namespace upsweep::detail::nbody_impl
