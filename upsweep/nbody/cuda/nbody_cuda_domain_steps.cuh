// A domain's steps (nbody_domain_steps.hpp) by the kernels of nbody_cuda_tree.cuh and nbody_cuda_tree_domain.cuh.
#pragma once

#include "upsweep/nbody/cuda/nbody_cuda_tree_domain.cuh"
#include "upsweep/nbody/cuda/nbody_tree_gpu.cuh"

namespace upsweep::detail::nbody_impl {

template <class T>
class steps_on_cuda final : public domain_steps<T> {
 public:
  explicit steps_on_cuda(upsweep::cuda::device& d) : machine_{d, textbook::stream_grid(d)} {}

  std::uint64_t leaf() const override { return cuda_leaf; }
  std::uint64_t box_width() const override { return sizeof(textbook::nbody_tree::box<T>) / sizeof(T); }

  bounds bounds_of(memory bodies, std::uint64_t n) override {
    bounds all;
    if (n == 0) return all;
    const std::uint64_t tiles = std::min<std::uint64_t>(blocks(n), 512);
    auto* const each = machine_.scratch<textbook::nbody_tree::box<T>>("bounds", tiles);
    grid().launch(textbook::nbody_tree::find_bounds<block, T>, tiles, block, rows(bodies), n, each);
    std::vector<textbook::nbody_tree::box<T>> found(tiles);
    machine_.download(found.data(), each, tiles);
    for (const textbook::nbody_tree::box<T>& b : found)
      all.take({b.lower[0], b.lower[1], b.lower[2]}, {b.upper[0], b.upper[1], b.upper[2]});
    return all;
  }

  void find_keys(const key_cube& cube, memory bodies, std::uint64_t n, memory keys) override {
    if (n)
      grid().launch(textbook::nbody_tree::find_keys<T>, blocks(n), block, rows(bodies), n, cube,
                    keys.as<std::uint64_t>());
  }

  void bring(memory from, memory places, std::uint64_t base, std::uint64_t count, memory out) override {
    if (count)
      grid().launch(textbook::nbody_tree::bring_rows<T>, blocks(count), block, rows(from), numbers(places), base, count,
                    out.as<vec4<T>>());
  }
  void put(memory from, memory places, std::uint64_t base, std::uint64_t count, memory out) override {
    if (count)
      grid().launch(textbook::nbody_tree::put_rows<T>, blocks(count), block, rows(from), numbers(places), base, count,
                    out.as<vec4<T>>());
  }

  std::vector<std::uint32_t> divide(memory keys, memory ranges, std::uint32_t first, std::uint32_t seeds,
                                    memory counts) override {
    std::vector<std::uint32_t> level{first, first + seeds};
    if (seeds)
      textbook::nbody_tree::divide(machine_, keys.as<const std::uint64_t>(), ranges.as<cell_range>(),
                                   counts.as<std::uint32_t>(), level);
    return level;
  }

  void find_moments(memory bodies, const cell_arrays& c, std::uint32_t first, std::uint32_t count) override {
    if (count)
      grid().launch(textbook::nbody_tree::find_moments<T>, blocks(count), block, rows(bodies),
                    c.ranges.as<const cell_range>(), centres(c), moments(c), boxes(c), first, count);
  }
  void find_listed_moments(memory bodies, const cell_arrays& c, memory list, std::uint32_t count) override {
    if (count)
      grid().launch(textbook::nbody_tree::find_listed_moments<T>, blocks(count), block, rows(bodies),
                    c.ranges.as<const cell_range>(), centres(c), moments(c), boxes(c), numbers(list), count);
  }
  void set_openings(const cell_arrays& c, std::uint32_t count, T theta, bool quadrupoles) override {
    grid().launch(textbook::nbody_tree::set_openings<T>, blocks(count), block, centres(c), moments(c), boxes(c), count,
                  textbook::nbody_tree::opening<T>{theta, quadrupoles});
  }

  void find_body_boxes(memory bodies, std::uint64_t first, std::uint64_t end, memory sizes, memory to) override {
    const std::uint64_t count = textbook::blocks_for(end - first, bodies_in_box);
    if (count)
      grid().launch(textbook::nbody_tree::find_body_boxes<T>, warps(count), 32 * cuda_walking_warps, rows(bodies),
                    first, end, sizes.as<const T>(), sizes.base != nullptr, to.as<body_box<T>>(),
                    static_cast<std::uint32_t>(count));
  }
  void mark_opened(const cell_arrays& c, const opened_cells& o, std::uint32_t seeds, memory of, memory owners,
                   std::uint32_t count, const box_test<T>& test) override {
    if (count && seeds)
      grid().launch(textbook::nbody_tree::mark_opened<T>, warps(count), 32 * cuda_walking_warps,
                    c.ranges.as<const cell_range>(), centres(c), moments(c), o.first, seeds, of.as<const body_box<T>>(),
                    numbers(owners), count, test, o.words, o.bits.as<std::uint32_t>());
  }
  void count_sent(memory ranges, const opened_cells& o, std::uint32_t rank, memory counts) override {
    grid().launch(textbook::nbody_tree::count_sent<std::uint32_t>, blocks(o.count + std::uint64_t{1}), block,
                  ranges.as<const cell_range>(), numbers(o.bits), o.first, o.count, o.words, rank,
                  counts.as<std::uint64_t>());
  }
  void pack(const cell_arrays& c, memory bodies, const opened_cells& o, std::uint32_t seeds, std::uint32_t rank,
            memory before, const cell_arrays& to, memory bodies_to) override {
    grid().launch(textbook::nbody_tree::pack_cells<T>, blocks(o.count), block, c.ranges.as<const cell_range>(),
                  centres(c), moments(c), rows(bodies), numbers(o.bits), o.first, o.count, seeds, o.words, rank,
                  before.as<const std::uint64_t>(), to.ranges.as<cell_range>(), centres(to), moments(to),
                  bodies_to.as<vec4<T>>());
  }
  void take_in(const cell_arrays& came, std::uint32_t count, memory seed_places, std::uint32_t seeds,
               std::uint32_t cell_base, std::uint32_t body_base, std::uint32_t nobody, const cell_arrays& to) override {
    if (count)
      grid().launch(textbook::nbody_tree::take_in<T>, blocks(count), block, came.ranges.as<const cell_range>(),
                    centres(came), moments(came), count, numbers(seed_places), seeds, cell_base, body_base, nobody,
                    to.ranges.as<cell_range>(), centres(to), moments(to));
  }

  void walk(const walked_domain& w, const gravitation& g) override {
    const textbook::nbody_tree::walked_tree<T> t{
        rows(w.bodies),   nullptr,          w.end,   w.cells.ranges.as<const cell_range>(),
        centres(w.cells), moments(w.cells), w.first, w.end};
    textbook::nbody_tree::launch_walk(machine_, t, w.sizes.as<T>(), w.out.as<vec4<T>>(), g,
                                      {w.quadrupoles, w.relative, w.measures, true});
  }

 private:
  static constexpr unsigned block = 256;
  static std::uint64_t blocks(std::uint64_t n) { return textbook::blocks_for(n, block); }
  static std::uint64_t warps(std::uint64_t n) { return textbook::blocks_for(n, cuda_walking_warps); }
  static const vec4<T>* rows(memory m) { return m.as<const vec4<T>>(); }
  static const std::uint32_t* numbers(memory m) { return m.as<const std::uint32_t>(); }
  static cell_centre<T>* centres(const cell_arrays& c) { return c.centres.as<cell_centre<T>>(); }
  static textbook::nbody_tree::moments<T>* moments(const cell_arrays& c) {
    return c.moments.as<textbook::nbody_tree::moments<T>>();
  }
  static textbook::nbody_tree::box<T>* boxes(const cell_arrays& c) {
    return c.boxes.as<textbook::nbody_tree::box<T>>();
  }
  textbook::stream_grid& grid() { return machine_.grid; }

  static_assert(sizeof(textbook::nbody_tree::moments<T>) == 8 * sizeof(T) && sizeof(cell_centre<T>) == 4 * sizeof(T));

  tree_machine machine_;
};

}  // namespace upsweep::detail::nbody_impl
