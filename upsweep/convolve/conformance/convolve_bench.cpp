#include "upsweep/convolve/conformance/convolve_bench.hpp"
#include "upsweep/convolve/convolve_problem.hpp"

namespace upsweep::detail::convolve_impl {

namespace {

// Label, variant, n, CPU, GPU. The report has one size, and times its CPU loop once.
constexpr published_row utcs_rows[]{
    {"naive", "convolve/naive", 1000000, 2950.6e-6, 405e-6},
    {"constant mask, tile with halo", "convolve/shared-tile", 1000000, 2950.6e-6, 41.8e-6},
};

constexpr published_table tables[]{
    {.name = "utcs-convolution",
     .title = "Convolution of 10^6 integers with a mask of three, zeros beyond the ends",
     .source = "GPU Accelerated Computing Using CUDA, UT Austin course report",
     .machine = "a Quadro P2000, and a Xeon E3-1270 v6",
     .method =
         "host clock, launch and synchronization included, mean of five; the mask is that of their worked example",
     .what = primitive::convolve,
     .type = dtype::i32,
     .form =
         [](upsweep::problem& any) {
           problem& p = any.as<problem>();
           p.mask_type = p.out_type = dtype::i32;
           p.mask = {3, 1, 1}, p.anchor = {1, 0, 0};
           p.size = {0, 0, 0};  // it follows from n
         },
     .host_clock = true,
     .time_unit = 1e-6,
     .time_unit_name = "µs",
     .cpu_variant = "convolve/sequential",
     .rows = utcs_rows},
};

}  // namespace

std::span<const published_table> published() { return tables; }

}  // namespace upsweep::detail::convolve_impl
