#include "upsweep/sort/conformance/sort_bench.hpp"
#include "upsweep/sort/sort_problem.hpp"

namespace upsweep::detail::sort_impl {

namespace {

constexpr std::string_view one_bit = "sort/radix-1bit";

// Label, variant, n, CPU, GPU.
constexpr published_row utcs_rows[]{
    {"10^3", one_bit, 1000, 275.0e-6, 2818.0e-6},
    {"10^4", one_bit, 10000, 2658.8e-6, 2948.8e-6},
    {"10^5", one_bit, 100000, 26749.6e-6, 3421.2e-6},
    {"10^6", one_bit, 1000000, 266837.4e-6, 13411.0e-6},
};

constexpr published_table tables[]{
    {.name = "utcs-radix",
     .title = "Radix sort of one bit a pass: predicate, scan, scatter",
     .source = "GPU Accelerated Computing Using CUDA, UT Austin course report",
     .machine = "a Quadro P2000, and a Xeon E3-1270 v6",
     .method = "host clock, launch and synchronization included, mean of five",
     .what = primitive::sort,
     .type = dtype::u32,
     .host_clock = true,
     .time_unit = 1e-6,
     .time_unit_name = "µs",
     .cpu_variant = "sort/radix-1bit-cpu",
     .rows = utcs_rows},
};

}  // namespace

std::span<const published_table> published() { return tables; }

}  // namespace upsweep::detail::sort_impl
