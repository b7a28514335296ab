// Searches on OpenCL: launches and catalog entries. The kernels are in search_opencl.cl.
#include <array>
#include <cmath>

#include "upsweep/opencl/elements_as_words.hpp"
#include "upsweep/search/search_problem.hpp"
#include "upsweep/sort/sort_thresholds.hpp"

namespace upsweep::detail::search_impl {

namespace {

using opencl::dealt;
using opencl::operand;

constexpr std::uint64_t rows = 8;  // places an item looks at between two looks at what others have found
constexpr int groups_per_unit = 8;

opencl::loaded_kernel kernel(opencl::device& d, const problem& p, const char* name) {
  constexpr const char* words[]{"uchar", "uint", "ulong"};
  const std::string options = opencl::word_options(p.type) + " -D ROWS=" + std::to_string(rows) +
                              " -D SEEK=" + std::to_string(static_cast<int>(p.how)) +
                              " -D BEST -D SIDE=" + std::to_string(static_cast<int>(p.side)) +
                              " -D OUT=" + words[answer_bytes(p) / 4];
  return d.kernel({"opencl/elements_as_words.cl", "opencl/work_group_sums.cl", "search/opencl/search_opencl.cl"},
                  options, name);
}

// An argument that is not read must still name some memory.
operand read_from(const problem& p, memory m, std::uint64_t elements) {
  const bool read = elements != 0;
  return {read ? m : p.out, read ? size_of(p.type) : 8};
}

interval test_of(const problem& p) {
  interval t = interval_of(p.type, p.test, p.threshold);
  if (p.negated) t.others ^= 1;
  return t;
}

void run_count(upsweep::device& any, const problem& p) {
  opencl::device& d = opencl::of(any);
  const dealt deal(d, p.n, opencl::lanes, groups_per_unit);
  const operand counts{d.scratch("search/opencl/groups", deal.groups * 8), 8};
  const interval t = test_of(p);
  d.launch(kernel(d, p, "count_passing"), deal.groups, opencl::lanes, read_from(p, p.in, p.n), counts, cl_ulong(p.n),
           cl_uint(deal.tiles_each), cl_ulong(t.low), cl_ulong(t.high), cl_uint(t.others));
  d.launch(kernel(d, p, "add_counts"), 1, opencl::lanes, counts, cl_uint(deal.groups), operand{p.out, 8});
}

void run_find(upsweep::device& any, const problem& p) {
  opencl::device& d = opencl::of(any);
  const std::uint64_t places = places_of(p.how, p.n, p.m);
  const dealt deal(d, places, opencl::lanes * rows, groups_per_unit);
  const memory first_group = d.scratch("search/opencl/found", 4);
  const operand found{first_group, 4}, firsts{d.scratch("search/opencl/groups", deal.groups * 8), 8};
  const bool two = p.how != seek::passing && p.how != seek::adjacent;
  const bool beside = p.how == seek::unequal || p.how == seek::apart;
  const interval t = p.how == seek::passing ? test_of(p) : interval{};
  d.fill(first_group, 0xff, 4);
  d.launch(kernel(d, p, "find_first"), deal.groups, opencl::lanes, read_from(p, p.in, p.n),
           read_from(p, p.in2,
                     !two     ? 0
                     : beside ? p.n
                              : p.m),
           cl_ulong(p.m), firsts, found, cl_ulong(places), cl_uint(deal.tiles_each), cl_ulong(t.low), cl_ulong(t.high),
           cl_uint(t.others));
  d.launch(kernel(d, p, "least_first"), 1, opencl::lanes, firsts, cl_uint(deal.groups), cl_ulong(places), cl_ulong(p.n),
           operand{p.out, 8});
}

void run_argmin(upsweep::device& any, const problem& p) {
  opencl::device& d = opencl::of(any);
  const dealt deal(d, p.n, opencl::lanes, groups_per_unit);
  const operand places{d.scratch("search/opencl/groups", deal.groups * 8), 8}, in = read_from(p, p.in, p.n);
  const cl_uint greatest = p.which == extreme::max, groups = p.n ? cl_uint(deal.groups) : 0;
  if (p.n)
    d.launch(kernel(d, p, "best_of_run"), deal.groups, opencl::lanes, in, places, cl_ulong(p.n),
             cl_uint(deal.tiles_each), greatest);
  d.launch(kernel(d, p, "best_of_groups"), 1, opencl::lanes, in, places, groups, operand{p.out, 8}, cl_ulong(p.n),
           greatest);
}

void run_bounds(upsweep::device& any, const problem& p) {
  if (p.n == 0) return;
  opencl::device& d = opencl::of(any);
  const std::uint64_t size = size_of(p.type);
  // An empty `in` is not read.
  d.launch(kernel(d, p, "bisect"), opencl::groups_for(p.n), opencl::lanes, operand{p.m ? p.in : p.in2, size},
           operand{p.in2, size}, operand{p.out, answer_bytes(p)}, cl_ulong(p.n), cl_ulong(p.m));
}

}  // namespace

std::span<const variant> opencl() {
  constexpr formula one{"1", [](double) { return 1.0; }}, linear{"n", [](double n) { return n; }};
  constexpr formula two{"2", [](double) { return 2.0; }};
  const auto entry = [&](std::string_view name, primitive what, std::string_view teaches, formula work,
                         formula launches, formula traffic, void (*run)(device&, const problem&)) {
    variant v;
    v.name = name, v.where = backend::opencl, v.what = what, v.kind = variant_kind::tuned, v.year = 2026,
    v.source = "upsweep", v.teaches = teaches;
    v.work = work, v.span = one, v.launches = launches, v.traffic = traffic, v.run = run;
    v.device_lacks = opencl::lacks_lanes;
    v.limits = "work-groups of 256 items";
    return v;
  };
  static const std::array list{
      entry("count-if/group-counts", primitive::count_if,
            "Each group counts in its contiguous run; one adds the counts up.", linear, two, linear, run_count),
      entry("find-if/groups-leave-off", primitive::find_if,
            "Each group looks through its contiguous run, and leaves off when one before it has found something.",
            linear, two, linear, run_find),
      entry("mismatch/groups-leave-off", primitive::mismatch,
            "Each group looks through its contiguous run, and leaves off when one before it has found something.",
            linear, two, {"2n", [](double n) { return 2 * n; }}, run_find),
      entry("argmin/group-places", primitive::argmin,
            "Each group finds the best place of its contiguous run; one chooses among them.", linear, two, linear,
            run_argmin),
      entry("bounds/bisection", primitive::bounds, "One bisection an item.",
            {"n log2 m", [](double n) { return n * std::log2(n + 2); }}, one, {"2n", [](double n) { return 2 * n; }},
            run_bounds),
  };
  return list;
}

}  // namespace upsweep::detail::search_impl
