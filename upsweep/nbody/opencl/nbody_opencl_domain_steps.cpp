// A domain's steps (nbody_domain_steps.hpp) by the kernels of nbody_opencl_tree.cl and nbody_opencl_tree_domain.cl.
#include "upsweep/nbody/nbody_domain_steps.hpp"
#include "upsweep/nbody/opencl/nbody_tree_launches.hpp"

namespace upsweep::detail::nbody_impl {

namespace {

template <class T>
class steps_on_opencl final : public domain_steps<T>, tree_launches<T> {
  using launches = tree_launches<T>;
  using launches::lanes, launches::d_, launches::launch;
  using typename launches::operand;

 public:
  explicit steps_on_opencl(opencl::device& d) : launches(d) {
    domain_options_ = launches::options_ + " -D BODIES_IN_BOX=" + std::to_string(bodies_in_box) +
                      " -D WITHIN_ROUNDING=" + (sizeof(T) == 4 ? "(1-4e-6f)" : "(1-8e-15)");
  }

  std::uint64_t leaf() const override { return opencl_leaf; }
  std::uint64_t box_width() const override { return 8; }

  bounds bounds_of(memory bodies, std::uint64_t n) override {
    return n ? launches::find_bounds(rows(bodies), n) : bounds{};
  }
  void find_keys(const key_cube& cube, memory bodies, std::uint64_t n, memory keys) override {
    if (n) launches::find_keys(cube, rows(bodies), n, words(keys));
  }
  void bring(memory from, memory places, std::uint64_t base, std::uint64_t count, memory out) override {
    launch_own("bring_rows", count, rows(from), numbers(places), rows(out), cl_ulong(base), cl_ulong(count));
  }
  void put(memory from, memory places, std::uint64_t base, std::uint64_t count, memory out) override {
    launch_own("put_rows", count, rows(from), numbers(places), rows(out), cl_ulong(base), cl_ulong(count));
  }

  std::vector<std::uint32_t> divide(memory keys, memory ranges, std::uint32_t first, std::uint32_t seeds,
                                    memory counts) override {
    std::vector<std::uint32_t> level{first, first + seeds};
    if (seeds) launches::divide(words(keys), {ranges, sizeof(cell_range)}, numbers(counts), level);
    return level;
  }

  void find_moments(memory bodies, const cell_arrays& c, std::uint32_t first, std::uint32_t count) override {
    if (count)
      launch("find_moments", count, rows(bodies), ranges(c), centres(c), moments(c), boxes(c), cl_uint(first),
             cl_uint(count));
  }
  void find_listed_moments(memory bodies, const cell_arrays& c, memory list, std::uint32_t count) override {
    launch_own("find_listed_moments", count, rows(bodies), ranges(c), centres(c), moments(c), boxes(c), numbers(list),
               cl_uint(count));
  }
  void set_openings(const cell_arrays& c, std::uint32_t count, T theta, bool quadrupoles) override {
    launch("set_openings", count, centres(c), moments(c), boxes(c), cl_uint(count), theta, cl_uint(quadrupoles));
  }

  void find_body_boxes(memory bodies, std::uint64_t first, std::uint64_t end, memory sizes, memory to) override {
    const operand known = sizes.base ? operand{sizes, sizeof(T)} : operand{bodies, sizeof(T)};
    launch_own("find_body_boxes", (end - first + bodies_in_box - 1) / bodies_in_box, rows(bodies), known,
               operand{to, sizeof(T)}, cl_ulong(first), cl_ulong(end), cl_uint(sizes.base != nullptr));
  }
  void mark_opened(const cell_arrays& c, const opened_cells& o, std::uint32_t seeds, memory of, memory owners,
                   std::uint32_t count, const box_test<T>& test) override {
    launch_own("mark_opened", count, ranges(c), centres(c), moments(c), operand{of, sizeof(T)}, numbers(owners),
               numbers(o.bits), cl_uint(o.first), cl_uint(seeds), cl_uint(count), cl_uint(o.words), test.margin,
               test.criterion, cl_uint(test.quadrupoles), cl_uint(test.relative));
  }
  void count_sent(memory of, const opened_cells& o, std::uint32_t rank, memory counts) override {
    launch_own("count_sent", o.count + std::uint64_t{1}, operand{of, sizeof(cell_range)}, numbers(o.bits),
               words(counts), cl_uint(o.first), cl_uint(o.count), cl_uint(o.words), cl_uint(rank));
  }
  void pack(const cell_arrays& c, memory bodies, const opened_cells& o, std::uint32_t seeds, std::uint32_t rank,
            memory before, const cell_arrays& to, memory bodies_to) override {
    launch_own("pack_cells", o.count, ranges(c), centres(c), moments(c), rows(bodies), numbers(o.bits), words(before),
               ranges(to), centres(to), moments(to), rows(bodies_to), cl_uint(o.first), cl_uint(o.count),
               cl_uint(seeds), cl_uint(o.words), cl_uint(rank));
  }
  void take_in(const cell_arrays& came, std::uint32_t count, memory seed_places, std::uint32_t seeds,
               std::uint32_t cell_base, std::uint32_t body_base, std::uint32_t nobody, const cell_arrays& to) override {
    launch_own("take_in", count, ranges(came), centres(came), moments(came), numbers(seed_places), ranges(to),
               centres(to), moments(to), cl_uint(count), cl_uint(seeds), cl_uint(cell_base), cl_uint(body_base),
               cl_uint(nobody));
  }

  void walk(const walked_domain& w, const gravitation& g) override {
    // The walk's kernels are handed an order of bodies, and sizes, that they do not look at here.
    const operand sizes = w.sizes.base ? operand{w.sizes, sizeof(T)} : operand{w.bodies, sizeof(T)};
    launches::walk_tree({rows(w.bodies), numbers(w.bodies), ranges(w.cells), centres(w.cells), moments(w.cells), sizes,
                         rows(w.out), w.end, w.first, w.end, w.quadrupoles, w.relative, w.measures, true},
                        g);
  }

 private:
  template <class... Args>
  void launch_own(const char* name, std::uint64_t items, const Args&... args) {
    if (items)
      d_.launch(d_.kernel({"nbody/opencl/nbody_opencl_tree.cl", "nbody/opencl/nbody_opencl_tree_domain.cl"},
                          domain_options_, name),
                (items + lanes - 1) / lanes, lanes, args...);
  }
  static operand rows(memory m) { return {m, 4 * sizeof(T)}; }
  static operand numbers(memory m) { return {m, sizeof(std::uint32_t)}; }
  static operand words(memory m) { return {m, sizeof(std::uint64_t)}; }
  static operand ranges(const cell_arrays& c) { return {c.ranges, sizeof(cell_range)}; }
  static operand centres(const cell_arrays& c) { return {c.centres, 4 * sizeof(T)}; }
  static operand moments(const cell_arrays& c) { return {c.moments, 8 * sizeof(T)}; }
  static operand boxes(const cell_arrays& c) { return {c.boxes, 4 * sizeof(T)}; }

  std::string domain_options_;
};

}  // namespace

template <class T>
std::unique_ptr<domain_steps<T>> domain_steps_on_opencl(device& d) {
  return std::make_unique<steps_on_opencl<T>>(opencl::of(d));
}
template std::unique_ptr<domain_steps<float>> domain_steps_on_opencl(device&);
template std::unique_ptr<domain_steps<double>> domain_steps_on_opencl(device&);

}  // namespace upsweep::detail::nbody_impl
