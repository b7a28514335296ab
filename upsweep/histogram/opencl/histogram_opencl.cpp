// Histograms on OpenCL: launches and catalog entries. The kernels are in histogram_opencl.cl.
#include <array>
#include <bit>

#include "upsweep/histogram/histogram_bins.hpp"
#include "upsweep/histogram/histogram_problem.hpp"
#include "upsweep/histogram/histogram_weights.hpp"
#include "upsweep/opencl/elements_as_words.hpp"

namespace upsweep {

namespace opencl {

namespace {

constexpr std::uint64_t rows = 8;  // samples an item reads at once
constexpr int groups_per_unit = 8;
constexpr std::uint64_t most_local = 32 << 10;      // bytes of a work-group's counters in local memory
constexpr std::uint64_t most_columns = 8;           // copies of a counter there: more leave room for fewer groups
constexpr std::uint64_t most_near_edges = 8 << 10;  // bytes of edges there
constexpr std::uint64_t handed_out_by_one = 8192;   // bins up to which one group writes all results
constexpr std::uint64_t slice_samples = std::uint64_t{1} << 31;  // the largest count of a 32-bit counter

struct even {
  cl_ulong lower = 0, upper = 0, width = 0, scale = 0;
  cl_uint shift = 0, exact = 0;
};

even even_of(const detail::histogram_impl::problem& p) {
  return with_any_type(p.type, [&]<class T>(type_tag<T>) -> even {
    using bound = detail::histogram_impl::bound_of<T>;
    const auto b = detail::histogram_impl::even_bins<T>::of(p.lower.as<bound>(), p.upper.as<bound>(), p.m);
    if constexpr (is_floating(dtype_of<T>)) {
      using bits = bits_of_size<sizeof(bound)>;
      return {std::bit_cast<bits>(b.lower), std::bit_cast<bits>(b.upper), 0, std::bit_cast<bits>(b.scale), 0, 0};
    } else {
      return {b.lower, b.last, b.width, b.scale, static_cast<cl_uint>(b.shift), b.exact};
    }
  });
}

std::string sample_options(dtype type) {
  switch (type) {
    case dtype::i32: return "-D SAMPLE=int -D DISTANCE=uint";
    case dtype::u32: return "-D SAMPLE=uint -D DISTANCE=uint";
    case dtype::i64: return "-D SAMPLE=long -D DISTANCE=ulong";
    case dtype::u64: return "-D SAMPLE=ulong -D DISTANCE=ulong";
    case dtype::f32: return "-D SAMPLE=float -D REAL=float";
    case dtype::f64: return "-D SAMPLE=double -D REAL=double -D WITH_f64";
    case dtype::i8: return "-D SAMPLE=char -D DISTANCE=uint";
    case dtype::u8: return "-D SAMPLE=uchar -D DISTANCE=uint";
    case dtype::i16: return "-D SAMPLE=short -D DISTANCE=uint";
    case dtype::u16: return "-D SAMPLE=ushort -D DISTANCE=uint";
    case dtype::f16: break;
  }
  return "-D SAMPLE=ushort -D REAL=float -D HALF";
}

void histogram(upsweep::device& any, const detail::histogram_impl::problem& p) {
  device& d = of(any);
  const std::uint64_t size = size_of(p.type), bins = p.channels * p.m;
  const bool weights = p.weighted;
  std::string options =
      "-D LANES=" + std::to_string(lanes) + " -D ROWS=" + std::to_string(rows) + " " + sample_options(p.type);
  const std::uint64_t edge_bytes = p.edges ? (p.m + 1) * size : 0;
  if (p.edges) options += " -D EDGES";
  if (p.edges && edge_bytes <= std::min(most_near_edges, d.local_memory() / 8))
    options += " -D LOCAL_EDGES=" + std::to_string(p.m + 1);
  if (p.edges && p.closed) options += " -D CLOSED";
  const bool wide = weights && p.weight_type == dtype::f64;
  if (weights) options += " -D WEIGHTS";
  if (wide) options += " -D WIDE_WEIGHTS -D WEIGHT=ulong";
  // The last group's reads of other groups' counts need a fence for the whole device.
  const bool one_launch = !weights && bins <= handed_out_by_one && d.speaks_ptx();
  if (one_launch) options += " -D ONE_LAUNCH=1";
  const auto kernel = [&](const char* name, const char* more = "") -> loaded_kernel {
    if (one_launch)
      return d.kernel({"opencl/warp.cl", "opencl/work_group_sums.cl", "histogram/opencl/histogram_opencl.cl"}, options,
                      name);
    return d.kernel({"opencl/work_group_sums.cl", "histogram/opencl/histogram_opencl.cl"}, options + more, name);
  };

  const std::uint64_t counter_bytes = (weights ? 16 : 4) * bins;
  constexpr std::uint64_t arrived_bytes = 64;  // the number of finished groups of the one launch; zero between launches
  const operand arrived{one_launch ? d.scratch("histogram/opencl/arrived", arrived_bytes + counter_bytes) : memory{},
                        4},
      counters{
          one_launch ? arrived.where.plus_bytes(arrived_bytes) : d.scratch("histogram/opencl/counters", counter_bytes),
          4},
      exponents{d.scratch("histogram/opencl/exponents", weights ? 4 * bins : 16), 4};
  // Operands that are not read need valid memory all the same, aligned to a whole element.
  const operand out{p.out, 8}, weight{weights && p.n ? p.in2 : counters.where, wide ? 8u : 4u};
  const auto bits_of_n = static_cast<cl_int>(detail::histogram_impl::bits_of_count(p.n));
  const even b = p.edges ? even{} : even_of(p);
  const operand in{p.n ? p.in : counters.where, size}, edges{p.edges ? p.in3 : counters.where, size};
  const std::uint64_t space = std::min(most_local, d.local_memory() / 2);
  const auto columns_of = [&](std::uint64_t bytes) -> std::uint64_t {
    // On a CPU the items of a group run one after the other.
    return bytes > space ? 0 : d.is_cpu() ? 1 : std::min(std::bit_floor(space / bytes), most_columns);
  };
  // Counts samples [first, last) in `to`, `bytes` of counters.
  const auto count = [&](const loaded_kernel& with, const operand& to, std::uint64_t bytes, std::uint64_t first,
                         std::uint64_t last, const auto&... more) {
    const std::uint64_t columns = columns_of(bytes);
    const value local_counters{nullptr, std::max<std::uint64_t>(columns * bytes, 4)};
    const dealt deal(d, last - first, lanes * rows, groups_per_unit);
    d.launch(with, deal.groups, lanes, in, weight, edges, exponents, to, local_counters, cl_uint(columns),
             cl_ulong(first), cl_ulong(last), cl_ulong(deal.tiles_each * lanes * rows), cl_uint(p.channels),
             cl_uint(bins), bits_of_n, b.lower, b.upper, b.width, b.scale, b.shift, cl_uint(p.m), b.exact, more...);
  };
  if (weights) {
    d.fill(exponents.where, 0, 4 * bins);
    count(kernel("count_samples", " -D EXPONENTS"), exponents, 4 * bins, 0, p.n);
  }
  // Sums of weights have 128 bits and need no slices.
  const std::uint64_t slice = weights ? std::max<std::uint64_t>(p.n, 1) : slice_samples;
  std::uint64_t first = 0;
  do {
    const std::uint64_t last = std::min(first + slice, p.n);
    if (!one_launch) d.fill(counters.where, 0, counter_bytes);
    if (one_launch) {
      count(kernel("count_samples"), counters, counter_bytes, first, last, out, cl_uint(first != 0), arrived);
    } else {
      count(kernel("count_samples"), counters, counter_bytes, first, last);
      d.launch(kernel("give_counts"), groups_for(bins), lanes, counters, exponents, out, cl_uint(bins),
               cl_uint(first != 0), bits_of_n);
    }
    first = last;
  } while (first < p.n);
}

void range_count(upsweep::device& any, const detail::histogram_impl::problem& p) {
  device& d = of(any);
  d.launch(d.kernel({"histogram/opencl/histogram_ranges.cl"}, "", "range_count"), groups_for(p.n), lanes,
           operand{p.in, 8}, operand{p.in2, 8}, operand{p.out, 8}, cl_ulong(p.n));
}

}  // namespace

}  // namespace opencl

namespace detail::histogram_impl {

std::span<const variant> opencl() {
  constexpr formula one{"1", [](double) { return 1.0; }}, linear{"n", [](double n) { return n; }};
  const auto entry = [&](std::string_view name, primitive what, std::string_view teaches, formula launches,
                         formula traffic, void (*run)(device&, const problem&)) {
    variant v;
    v.name = name, v.where = backend::opencl, v.what = what, v.kind = variant_kind::tuned, v.year = 2026,
    v.source = "upsweep", v.teaches = teaches;
    v.work = linear, v.span = one, v.launches = launches, v.traffic = traffic, v.run = run;
    v.device_lacks = opencl::lacks_lanes;
    v.limits = "work-groups of 256 items";
    return v;
  };
  static const std::array list{
      [&] {
        variant v = entry("histogram/local-counters", primitive::histogram,
                          "Items count in local memory where the counters fit, each counter with a column for each "
                          "item that may meet "
                          "there, in global memory where not; equal bins in a row are counted at once.",
                          {"2", [](double) { return 2.0; }}, linear, opencl::histogram);
        v.cannot = [](const problem& p) -> const char* {
          return p.channels * p.m >> 31 ? "2^31 bins of all channels together, or more" : nullptr;
        };
        return v;
      }(),
      entry("range-counts/item-per-range", primitive::range_count, "One item a range.", one,
            {"5n", [](double n) { return 5 * n; }}, opencl::range_count)};
  return list;
}

}  // namespace detail::histogram_impl

}  // namespace upsweep
