// Searches on OpenCL by device source: the launches of search.cpp, with search_opencl.cl after the device source.
#include "upsweep/opencl/elements_as_words.hpp"
#include "upsweep/search/jit/search_jit.hpp"

namespace upsweep::opencl {

namespace {

using detail::search_impl::bound;
using detail::search_impl::seek;

constexpr std::uint64_t rows = 8;  // places an item looks at between two looks at what others have found
constexpr int groups_per_unit = 8;

// The last option selects the kernels to compile: SEEK, BEST or SIDE.
loaded_kernel kernel_of(device& d, const search_source& s, const std::string& asked, const char* name) {
  return d.kernel({"opencl/work_group_sums.cl", "search/opencl/search_opencl.cl"},
                  "-D LANES=" + std::to_string(lanes) + " -D ROWS=" + std::to_string(rows) + " -D " + asked, name,
                  s.before);
}
std::string seek_option(seek how) { return "SEEK=" + std::to_string(static_cast<int>(how)); }

// An argument that is not read must still name some memory.
operand read_from(memory m, std::size_t bytes, memory instead) {
  return m.base ? operand{m, bytes} : operand{instead, 8};
}

}  // namespace

void count_jit(upsweep::device& any, const search_source& s, seek how, memory in, memory, std::uint64_t places,
               std::uint64_t, memory out) {
  device& d = of(any);
  require_lanes(d, s.call);
  const dealt deal(d, places, lanes, groups_per_unit);
  const operand counts{d.scratch("search/opencl/groups", deal.groups * 8), 8};
  const std::string asked = seek_option(how);
  d.launch(kernel_of(d, s, asked, "count_passing"), deal.groups, lanes, read_from(in, s.bytes, out), counts,
           cl_ulong(places), cl_uint(deal.tiles_each), cl_ulong(0), cl_ulong(0), cl_uint(s.negated));
  d.launch(kernel_of(d, s, asked, "add_counts"), 1, lanes, counts, cl_uint(deal.groups), operand{out, 8});
}

void first_jit(upsweep::device& any, const search_source& s, seek how, memory in, memory in2, std::uint64_t places,
               std::uint64_t m, std::uint64_t n, memory out) {
  device& d = of(any);
  require_lanes(d, s.call);
  const dealt deal(d, places, lanes * rows, groups_per_unit);
  const memory first_group = d.scratch("search/opencl/found", 4);
  const operand found{first_group, 4}, firsts{d.scratch("search/opencl/groups", deal.groups * 8), 8};
  const std::string asked = seek_option(how);
  d.fill(first_group, 0xff, 4);
  d.launch(kernel_of(d, s, asked, "find_first"), deal.groups, lanes, read_from(in, s.bytes, out),
           read_from(in2, s.other_bytes, out), cl_ulong(m), firsts, found, cl_ulong(places), cl_uint(deal.tiles_each),
           cl_ulong(0), cl_ulong(0), cl_uint(s.negated));
  d.launch(kernel_of(d, s, asked, "least_first"), 1, lanes, firsts, cl_uint(deal.groups), cl_ulong(places), cl_ulong(n),
           operand{out, 8});
}

void best_jit(upsweep::device& any, const search_source& s, memory in, std::uint64_t n, memory out) {
  device& d = of(any);
  require_lanes(d, s.call);
  if (n == 0) return d.fill(out, 0, 8);
  const dealt deal(d, n, lanes, groups_per_unit);
  const operand places{d.scratch("search/opencl/groups", deal.groups * 8), 8}, from{in, s.bytes};
  d.launch(kernel_of(d, s, "BEST", "best_of_run"), deal.groups, lanes, from, places, cl_ulong(n),
           cl_uint(deal.tiles_each));
  d.launch(kernel_of(d, s, "BEST", "best_of_groups"), 1, lanes, from, places, cl_uint(deal.groups), operand{out, 8},
           cl_ulong(n));
}

void bounds_jit(upsweep::device& any, const search_source& s, bound side, memory sorted, std::uint64_t m,
                memory queries, std::uint64_t n, memory out, std::size_t answer_bytes) {
  device& d = of(any);
  require_lanes(d, s.call);
  if (n == 0) return;
  d.launch(
      kernel_of(d, s,
                "SIDE=" + std::to_string(static_cast<int>(side)) + " -D OUT=" + std::string(word_name(answer_bytes)),
                "bisect"),
      groups_for(n), lanes, operand{m ? sorted : queries, s.bytes}, operand{queries, s.bytes},
      operand{out, answer_bytes}, cl_ulong(n), cl_ulong(m));
}

}  // namespace upsweep::opencl
