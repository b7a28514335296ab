#include "upsweep/scan/conformance/scan_bench.hpp"
#include "upsweep/scan/scan_problem.hpp"

namespace upsweep::detail::scan_impl {

namespace {

constexpr std::string_view padded = "scan/blelloch-doubly-padded", global = "scan/blelloch";

// Label, variant, n, CPU, GPU.
constexpr published_row harris_rows[]{
    {"1024", padded, 1024, 0.002231e-3, 0.079492e-3},           {"32768", padded, 32768, 0.072663e-3, 0.106159e-3},
    {"65536", padded, 65536, 0.146326e-3, 0.137006e-3},         {"131072", padded, 131072, 0.726429e-3, 0.200257e-3},
    {"262144", padded, 262144, 1.454742e-3, 0.326900e-3},       {"524288", padded, 524288, 2.911067e-3, 0.624104e-3},
    {"1048576", padded, 1048576, 5.900097e-3, 1.118091e-3},     {"2097152", padded, 2097152, 11.848376e-3, 2.099666e-3},
    {"4194304", padded, 4194304, 23.835931e-3, 4.062923e-3},    {"8388608", padded, 8388608, 47.390906e-3, 7.987311e-3},
    {"16777216", padded, 16777216, 94.794598e-3, 15.854781e-3},
};

constexpr published_row utcs_rows[]{
    {"1000", global, 1000, 2e-6, 326.48e-6},
    {"10^4", global, 10000, 21.8e-6, 352.72e-6},
    {"10^5", global, 100000, 530e-6, 399.72e-6},
    {"10^6", global, 1000000, 2329.2e-6, 474.12e-6},
};

constexpr published_table tables[]{
    {.name = "harris2007-scan",
     .title = "Scan of large arrays, by number of elements",
     .source = "M. Harris, Parallel Prefix Sum (Scan) with CUDA (2007)",
     .machine = "a GeForce 8800 GTX, and one core at 2.93 GHz",
     .method = "kernel time",
     .what = primitive::scan,
     .type = dtype::f32,
     .cpu_variant = "scan/sequential",
     .rows = harris_rows},
    {.name = "utcs-scan",
     .title = "Blelloch's scan in global memory, a launch a level",
     .source = "GPU Accelerated Computing Using CUDA, UT Austin course report",
     .machine = "a Quadro P2000, and a Xeon E3-1270 v6",
     .method = "host clock, launch and synchronization included, mean of five",
     .what = primitive::scan,
     .type = dtype::i32,
     .host_clock = true,
     .time_unit = 1e-6,
     .time_unit_name = "µs",
     .cpu_variant = "scan/sequential",
     .rows = utcs_rows},
};

}  // namespace

std::span<const published_table> published() { return tables; }

}  // namespace upsweep::detail::scan_impl
