#include "upsweep/reduce/conformance/reduce_bench.hpp"
#include "upsweep/reduce/reduce_problem.hpp"

namespace upsweep::detail::reduce_impl {

namespace {

constexpr std::uint64_t four_million = std::uint64_t{1} << 22, sixteen_million = std::uint64_t{1} << 24;

// Label, variant, n, CPU, GPU, rate. The last row was published as a rate alone.
constexpr published_row kaust_rows[]{
    {"1 interleaved, divergent", "reduce/interleaved-divergent", four_million, 0, 8.054e-3, 2.083},
    {"2 interleaved, bank conflicts", "reduce/interleaved-strided", four_million, 0, 3.456e-3, 4.854},
    {"3 sequential addressing", "reduce/sequential-addressing", four_million, 0, 1.722e-3, 9.741},
    {"4 first add during load", "reduce/first-add-on-load", four_million, 0, 0.965e-3, 17.377},
    {"5 unroll last warp", "reduce/unrolled-last-warp", four_million, 0, 0.536e-3, 31.289},
    {"6 completely unrolled", "reduce/fully-unrolled", four_million, 0, 0.381e-3, 43.996},
    {"7 multiple elements per thread", "reduce/grid-stride", four_million, 0, 0.268e-3, 62.671},
    {"7 on 32 M elements", "reduce/grid-stride", std::uint64_t{1} << 25, 0, 0, 73},
};

constexpr published_row kit_rows[]{
    {"interleaved", "reduce/global-interleaved", sixteen_million, 0, 7.405e-3, 2.266},
    {"sequential", "reduce/global-sequential", sixteen_million, 0, 1.793e-3, 9.356},
    {"decomposition", "reduce/first-add-on-load", sixteen_million, 0, 1.788e-3, 9.383},
};

constexpr published_table tables[]{
    {.name = "kaust-reduction",
     .title = "Seven reduction kernels, 2^22 ints",
     .source = "KAUST CS 380, lecture 26, after M. Harris",
     .machine = "a GeForce of the G80 class",
     .method = "kernel time",
     .what = primitive::reduce,
     .type = dtype::i32,
     .steps = true,
     .rate_unit = "GB/s",
     .rows = kaust_rows},
    {.name = "kit-reduction",
     .title = "Three OpenCL reductions, 16 M elements",
     .source = "KIT, GPU Computing, assignment 2 (2015)",
     .machine = "a GeForce GTX 470",
     .method = "average kernel time",
     .what = primitive::reduce,
     .type = dtype::u32,
     .steps = false,
     .rate_unit = "Gelem/s",
     .rows = kit_rows},
};

}  // namespace

std::span<const published_table> published() { return tables; }

}  // namespace upsweep::detail::reduce_impl
