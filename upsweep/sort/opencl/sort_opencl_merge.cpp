// The merge sort by a user-defined comparator: shapes and launches. The kernels are in sort_opencl_merge.cl.
#include "upsweep/sort/opencl/sort_opencl_merge.hpp"

#include <algorithm>

#include "upsweep/opencl/elements_as_words.hpp"
#include "upsweep/sort/sort_records.hpp"

namespace upsweep::opencl {

merge_shape& shape_of_merges(const device& d) {
  static merge_shape cpu{1, 4096}, gpu{256, 8};
  return d.is_cpu() ? cpu : gpu;
}

namespace {

struct merge_kernels {
  device& d;
  const custom_order& order;
  merge_shape s;

  merge_kernels(device& its_device, const custom_order& by) : d(its_device), order(by), s(shape_of_merges(d)) {
    if (s.lanes == 1) return;
    // A tile's keys, and the original position of each.
    const auto local = [&] { return s.lanes * s.rows * (order.bytes + 2) + 16; };
    while (s.rows > 1 && local() > d.local_memory()) s.rows /= 2;
    while (s.lanes > 32 && (local() > d.local_memory() || s.lanes > d.max_group_size())) s.lanes /= 2;
    if (local() > d.local_memory() || s.lanes > d.max_group_size())
      throw error(fault::unsupported, order.call,
                  d.name() + " has " + std::to_string(d.local_memory()) +
                      " bytes of local memory, too few for keys of " + std::to_string(order.bytes) +
                      " bytes in a work-group of " + std::to_string(s.lanes),
                  "sort indices, or on the CPU");
  }
  // With values of that many bytes, 0 for none.
  loaded_kernel operator()(const char* name, std::uint64_t value_bytes = 0) const {
    std::string options = "-D LANES=" + std::to_string(s.lanes) + " -D ROWS=" + std::to_string(s.rows);
    if (value_bytes) options += std::string(" -D V=") + word_name(value_bytes);
    return d.kernel({"sort/opencl/sort_opencl_merge.cl"}, options, name, order.before);
  }
  std::uint64_t tile() const { return s.lanes * s.rows; }
  std::uint64_t tiles(std::uint64_t n) const { return (n + tile() - 1) / tile(); }
  operand keys(memory m) const { return {m, order.bytes}; }
};

// Values of 4 and 8 bytes, or, with `places`, the keys' indices; or none.
struct moved_values {
  std::uint64_t bytes = 0;
  memory in, out;
  bool places = false;
};

void sort_keys(const merge_kernels& kernel, const merge_problem& p, const moved_values& v) {
  device& d = kernel.d;
  const memory keys_aside = d.scratch("sort/opencl/keys aside", p.n * kernel.order.bytes),
               values_aside = v.bytes ? d.scratch("sort/opencl/values aside", p.n * v.bytes) : memory{};
  std::uint64_t passes = 0;
  for (std::uint64_t width = kernel.tile(); width < p.n; width *= 2) ++passes;

  // Passes alternate between two buffers, and the last one writes the output.
  const bool begins_aside = passes % 2 != 0;
  memory from = begins_aside ? keys_aside : p.out, to = begins_aside ? p.out : keys_aside;
  memory values_from = begins_aside ? values_aside : v.out, values_to = begins_aside ? v.out : values_aside;
  const auto value = [&](memory m) { return operand{m, v.bytes}; };
  const std::uint64_t groups = kernel.tiles(p.n), lanes_each = kernel.s.lanes;
  if (v.bytes)
    d.launch(kernel("sort_tiles", v.bytes), groups, lanes_each, kernel.keys(p.in), kernel.keys(from), kernel.keys(to),
             value(v.places ? v.out : v.in), value(values_from), value(values_to), cl_uint(v.places), cl_ulong(p.n));
  else
    d.launch(kernel("sort_tiles"), groups, lanes_each, kernel.keys(p.in), kernel.keys(from), kernel.keys(to),
             cl_ulong(p.n));
  for (std::uint64_t width = kernel.tile(); width < p.n; width *= 2) {
    if (v.bytes)
      d.launch(kernel("merge_runs", v.bytes), groups, lanes_each, kernel.keys(from), kernel.keys(to),
               value(values_from), value(values_to), cl_ulong(p.n), cl_ulong(width));
    else
      d.launch(kernel("merge_runs"), groups, lanes_each, kernel.keys(from), kernel.keys(to), cl_ulong(p.n),
               cl_ulong(width));
    std::swap(from, to);
    std::swap(values_from, values_to);
  }
}

bool is_same(memory a, memory b) { return a.base == b.base && a.offset == b.offset; }

std::uint64_t least_break(const merge_kernels& kernel, memory in, std::uint64_t n, std::uint64_t distance) {
  device& d = kernel.d;
  constexpr std::uint64_t asking = 64;
  const std::uint64_t groups = std::min<std::uint64_t>((n + asking - 1) / asking, 256);
  const operand found{d.scratch("sort/opencl/breaks", 256 * 8), 8};
  d.launch(kernel("find_break"), groups, asking, kernel.keys(in), cl_ulong(n), cl_ulong(distance), found);
  std::vector<std::uint64_t> firsts(groups);
  d.download(firsts.data(), found.where, groups * 8);
  return *std::min_element(firsts.begin(), firsts.end());
}

void require_order(const merge_kernels& kernel, memory sorted, std::uint64_t n) {
  const auto contradiction = [&](const char* what) {
    return error(fault::bad_argument, kernel.order.call,
                 std::string("the comparison is not a strict weak order: ") + what,
                 "compare so that no element stands before itself, and what stands before one that stands before a "
                 "third stands before that third");
  };
  if (least_break(kernel, sorted, n, 0) != n) throw contradiction("it orders an element before itself");
  for (std::uint64_t apart = 1; apart < n; apart *= 2)
    if (least_break(kernel, sorted, n, apart) != n)
      throw contradiction("it orders an element before its predecessor in the sorted sequence");
}

}  // namespace

void merge_sort(upsweep::device& any, const custom_order& order, const merge_problem& p) {
  device& d = of(any);
  const merge_kernels kernel(d, order);
  if (p.n == 0) return;
  if (p.value_bytes == 0 || p.value_bytes == 4 || p.value_bytes == 8) {
    sort_keys(kernel, p, {p.value_bytes, p.values_in, p.values_out, p.places});
  } else {
    // Values of other sizes follow by the keys' original indices.
    const std::uint32_t index_bytes = p.n >> 32 ? 8 : 4;
    const memory places = d.scratch("sort/opencl/places", p.n * index_bytes);
    sort_keys(kernel, p, {index_bytes, {}, places, true});
    memory values = p.values_in;
    if (is_same(values, p.values_out)) {
      values = d.scratch("sort/opencl/records aside", p.n * p.value_bytes);
      d.copy(values, p.values_in, p.n * p.value_bytes);
    }
    detail::sort_impl::gather_records(d, values, p.value_bytes, places, index_bytes, p.n, p.values_out);
  }
  if (p.checked) require_order(kernel, p.out, p.n);
}

void merge_two(upsweep::device& any, const custom_order& order, memory a, std::uint64_t a_size, memory b,
               std::uint64_t b_size, memory out) {
  const merge_kernels kernel(of(any), order);
  if (a_size + b_size == 0) return;
  // An argument that is not read must still name some memory.
  kernel.d.launch(kernel("merge_two"), kernel.tiles(a_size + b_size), kernel.s.lanes, kernel.keys(a_size ? a : out),
                  cl_ulong(a_size), kernel.keys(b_size ? b : out), cl_ulong(b_size), kernel.keys(out));
}

std::uint64_t first_break(upsweep::device& any, const custom_order& order, memory in, std::uint64_t n) {
  const merge_kernels kernel(of(any), order);
  return n < 2 ? n : least_break(kernel, in, n, 1);
}

}  // namespace upsweep::opencl
