// Tables, and the CUDA variants' place in the catalog. Boxes are in summed_area_table_cuda_box.cu, so
// that the two files compile in parallel.
#include <algorithm>

#include "upsweep/summed_area_table/cuda/summed_area_table_one_pass.cuh"
#include "upsweep/summed_area_table/cuda/summed_area_table_rectangles.cuh"
#include "upsweep/summed_area_table/summed_area_table_problem.hpp"

namespace upsweep::detail::summed_area_table_impl {

void run_cuda_box(device&, const problem&);  // summed_area_table_cuda_box.cu

namespace {

struct table_of {
  type_pair types;
  void (*make)(cuda::device&, const problem&);
};
template <class In, class Out>
constexpr table_of table_from{{dtype_of<In>, dtype_of<Out>}, cuda::make_table<In, Out>};
constexpr table_of table_of_signed{{dtype::i32, dtype::i64}, cuda::make_table<std::uint32_t, std::uint64_t>};

}  // namespace

// Computes one slice, with pitches that are not 0.
void make_table(cuda::device& d, const problem& p) {
  static constexpr table_of tables[]{table_from<std::uint8_t, std::uint32_t>,
                                     table_from<std::uint8_t, std::uint64_t>,
                                     table_from<std::uint16_t, std::uint32_t>,
                                     table_from<std::uint16_t, std::uint64_t>,
                                     table_from<std::uint32_t, std::uint64_t>,
                                     table_of_signed,
                                     table_from<float, float>,
                                     table_from<float, double>,
                                     table_from<double, double>};
  static_assert(std::size(tables) == std::size(sum_types));
  const auto with = std::find_if(std::begin(tables), std::end(tables),
                                 [&](const table_of& t) { return t.types == type_pair{p.type, p.out_type}; });
  if (with == std::end(tables))
    throw error(fault::unsupported, "summed_area_table", "no table of these types is made on CUDA");
  with->make(d, p);
  cuda::check(cudaGetLastError(), "launching an integral's kernel");
}

namespace {

void run_table(device& where, const problem& all) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  for_each_slice(all, [&](const problem& p) { make_table(d, p); });
}

template <class T>
void sum_rectangles(cuda::device& d, const problem& p) {
  const std::uint64_t blocks = (p.m * p.channels + cuda_rectangle_threads - 1) / cuda_rectangle_threads;
  cuda::sum_rectangles<T><<<static_cast<unsigned>(blocks), cuda_rectangle_threads, 0, d.stream()>>>(
      p.in.as<const T>(), p.in2.as<const std::uint64_t>(), p.out.as<T>(), p.m, p.channels, pitch_of(p));
}

void run_rectangles(device& where, const problem& p) {
  cuda::device& d = cuda::of(where);
  d.make_current();
  if (p.m == 0) return;
  switch (p.type) {
    case dtype::u32: sum_rectangles<std::uint32_t>(d, p); break;
    case dtype::f32: sum_rectangles<float>(d, p); break;
    case dtype::f64: sum_rectangles<double>(d, p); break;
    default: sum_rectangles<std::uint64_t>(d, p); break;
  }
  cuda::check(cudaGetLastError(), "launching rectangle-sums' kernel");
}

}  // namespace

std::span<const variant> cuda() {
  constexpr formula one{"1", [](double) { return 1.0; }}, slices{"1 a slice", [](double) { return 1.0; }},
      linear{"n", [](double n) { return n; }};
  constexpr formula longest{"width + height at most", [](double n) { return n + 1; }};
  const auto entry = [&](std::string_view name, primitive what, std::string_view teaches, formula work, formula span,
                         formula launches, formula traffic, void (*run)(device&, const problem&)) {
    variant v;
    v.name = name, v.where = backend::cuda, v.what = what, v.kind = variant_kind::tuned, v.year = 2026,
    v.source = "upsweep", v.teaches = teaches;
    v.work = work, v.span = span, v.launches = launches, v.traffic = traffic, v.run = run;
    v.cannot = unsupported_by_algorithm;
    return v;
  };
  static const variant all[]{
      entry(
          "integral/tiles", primitive::summed_area_table,
          "Tiles are added up, and finished some rows of tiles later from the cache, when all that lies before them is "
          "known: one launch, one pass over memory, no waiting. Small pictures' tiles stay in registers, and wait "
          "once.",
          {"6n", [](double n) { return 6 * n; }}, longest, slices, {"2n", [](double n) { return 2 * n; }}, run_table),
      entry(
          "box-filter/van-herk", primitive::box_filter,
          "Up to a radius of 31 columns slide into shared memory and rows out of it, in one launch, floats joined from "
          "sums of eights; integers in larger boxes come from a table, floats from the ends and beginnings of blocks, "
          "without a subtraction.",
          {"6n", [](double n) { return 6 * n; }}, longest, {"1 a slice; 2 for large boxes", [](double) { return 1.0; }},
          {"2n; 10n for large boxes of floats", [](double n) { return 2 * n; }}, run_cuda_box),
      entry("rectangle-sums/four-look-ups", primitive::rectangle_sums,
            "A thread a rectangle, its four loads under way together.", {"3 a rectangle", linear.value}, one, one,
            {"n at least, as a measure: 4 look-ups a rectangle", linear.value}, run_rectangles),
  };
  return all;
}

}  // namespace upsweep::detail::summed_area_table_impl
