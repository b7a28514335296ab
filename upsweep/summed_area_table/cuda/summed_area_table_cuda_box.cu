// Box filters on CUDA.
#include "upsweep/summed_area_table/cuda/summed_area_table_box_float.cuh"
#include "upsweep/summed_area_table/cuda/summed_area_table_box_from_table.cuh"
#include "upsweep/summed_area_table/cuda/summed_area_table_box_variance.cuh"
#include "upsweep/summed_area_table/cuda/summed_area_table_byte_box.cuh"
#include "upsweep/summed_area_table/cuda/summed_area_table_cuda_box.cuh"
#include "upsweep/summed_area_table/cuda/summed_area_table_float_tile.cuh"
#include "upsweep/summed_area_table/cuda/summed_area_table_small_float_box.cuh"
#include "upsweep/summed_area_table/summed_area_table_problem.hpp"

namespace upsweep::detail::summed_area_table_impl {

void make_table(cuda::device&, const problem&);  // cuda.cu: of one slice

namespace {

template <box_result what, class In, class Out>
using rule_of =
    std::conditional_t<what == box_result::sum, box_sum_of<In, Out>,
                       std::conditional_t<what == box_result::mean, box_mean_of<In, Out>, box_variance_of<In, Out>>>;

// The kernel along rows depends on the type of the parts, not on that of the elements; the kernel down columns does not
// depend on the output type. So types that share a kernel are mapped to one type.
template <class In>
using any_like =
    std::conditional_t<std::is_floating_point_v<In>, double, std::conditional_t<(sizeof(In) <= 2), std::uint16_t, In>>;
template <box_result what, class In, class Out>
using rule_down = std::conditional_t<what == box_result::variance, box_variance_of<In, double>, box_sum_of<In, double>>;
template <box_result what, class In, class Out>
using rule_along =
    rule_of<what, std::conditional_t<what == box_result::variance && (sizeof(In) > 2), double, any_like<In>>, Out>;

template <box_result what, class In, class Out>
void slide(cuda::device& d, const problem& p) {
  using down = rule_down<what, In, Out>;
  using along = rule_along<what, In, Out>;
  using part = typename down::part;
  static_assert(std::is_same_v<part, typename along::part> &&
                std::is_same_v<part, typename rule_of<what, In, Out>::part>);
  const std::uint64_t row = row_of(p), width = p.size.x, height = p.size.y;
  const std::uint64_t rx = useful_radius(p.radius.x, width), ry = useful_radius(p.radius.y, height);
  part* const ends = d.scratch("integral/box ends", p.n * sizeof(part)).template as<part>();
  part* const columns = d.scratch("integral/box columns", p.n * sizeof(part)).template as<part>();
  const auto blocks = [](std::uint64_t lines, std::uint64_t length, std::uint64_t radius) {
    const std::uint64_t threads = lines * ((length + 2 * radius) / (2 * radius + 1));
    return static_cast<unsigned>((threads + cuda_box_threads - 1) / cuda_box_threads);
  };
  cuda::slide_down<down, In><<<blocks(row, height, ry), cuda_box_threads, 0, d.stream()>>>(
      p.in.as<const In>(), row, height, p.pitch, ry, ends, columns);
  cuda::slide_along<along, Out><<<blocks(height * p.channels, width, rx), cuda_box_threads, 0, d.stream()>>>(
      columns, width, height, p.channels, p.out_pitch, rx, ry, ends, p.out.as<Out>());
}

template <box_result what, class In, class Out>
void filter(cuda::device& d, const problem& p) {
  const std::uint64_t rx = useful_radius(p.radius.x, p.size.x), ry = useful_radius(p.radius.y, p.size.y);
  if constexpr (sizeof(In) == 1)
    if (p.channels == 1 && std::max(rx, ry) > 0 && std::max(rx, ry) <= cuda::largest_small_radius)
      return cuda::filter_bytes<what, Out>(d, p);
  if constexpr (what != box_result::variance && std::is_integral_v<In>) {
    if (std::max(rx, ry) <= cuda::largest_small_radius &&
        cuda::filter_with_small_box<cuda::small_box<what, In, Out>>(d, p))
      return;
    if constexpr (what == box_result::sum) {
      using word = std::make_unsigned_t<Out>;
      return cuda::boxes_from_table<box_sum_of<word, word>, word, word>(d, p, make_table);
    }
    using rule = rule_of<what, any_like<In>, Out>;
    const auto from_table_of = [&]<class T>(type_tag<T>) { cuda::boxes_from_table<rule, T, Out>(d, p, make_table); };
    // Sums of 32 bits are enough where no box's own sum is larger.
    const std::uint64_t largest = std::min(2 * rx + 1, p.size.x) * std::min(2 * ry + 1, p.size.y);
    if constexpr (sizeof(In) <= 2 && what == box_result::mean)
      if (largest <= std::numeric_limits<std::uint32_t>::max() / std::numeric_limits<In>::max())
        return from_table_of(type_tag<std::uint32_t>());
    if constexpr (what == box_result::mean) return from_table_of(type_tag<std::uint64_t>());
  } else if constexpr (std::is_integral_v<In> && sizeof(In) <= 2) {
    if (std::max(rx, ry) <= cuda::largest_small_radius &&
        cuda::filter_with_small_box<cuda::small_box<what, In, Out>>(d, p))
      return;
    slide<what, In, Out>(d, p);
  } else {
    if constexpr (std::is_same_v<In, float> && std::is_same_v<Out, float>) {
      constexpr bool squares = what == box_result::variance;
      if (cuda::filter_float_tiles<squares>(d, p)) return;
      if (squares ? cuda::walk_variances(d, p) : cuda::walk_floats(d, p)) return;
    }
    if (!cuda::filter_with_small_float_box<what, In, Out>(d, p)) slide<what, In, Out>(d, p);
  }
}

struct box_of {
  box_result what;
  type_pair types;
  void (*filter)(cuda::device&, const problem&);
};
template <box_result what, class In, class Out>
constexpr box_of box_from{what, {dtype_of<In>, dtype_of<Out>}, filter<what, In, Out>};

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

constexpr auto sum = box_result::sum, mean = box_result::mean, variance = box_result::variance;
constexpr box_of boxes[]{box_from<sum, u8, u32>,
                         box_from<sum, u8, u64>,
                         box_from<sum, u16, u32>,
                         box_from<sum, u16, u64>,
                         box_from<sum, u32, u64>,
                         box_from<sum, i32, i64>,
                         box_from<sum, float, float>,
                         box_from<sum, float, double>,
                         box_from<sum, double, double>,
                         box_from<mean, u8, u8>,
                         box_from<mean, u8, float>,
                         box_from<mean, u16, u16>,
                         box_from<mean, u16, float>,
                         box_from<mean, u32, double>,
                         box_from<mean, i32, double>,
                         box_from<mean, float, float>,
                         box_from<mean, double, double>,
                         box_from<variance, u8, float>,
                         box_from<variance, u16, float>,
                         box_from<variance, u32, double>,
                         box_from<variance, i32, double>,
                         box_from<variance, float, float>,
                         box_from<variance, double, double>};
static_assert(std::size(boxes) == std::size(sum_types) + std::size(mean_types) + std::size(variance_types));

}  // namespace

void run_cuda_box(device& where, const problem& all) {
  const auto with = std::find_if(std::begin(boxes), std::end(boxes), [&](const box_of& b) {
    return b.what == all.box && b.types == type_pair{all.type, all.out_type};
  });
  if (with == std::end(boxes))
    throw error(fault::unsupported, "box_filter", "no boxes of these types are summed on CUDA");
  cuda::device& d = cuda::of(where);
  d.make_current();
  for_each_slice(all, [&](const problem& p) {
    with->filter(d, p);
    cuda::check(cudaGetLastError(), "launching a box filter's kernels");
  });
}

}  // namespace upsweep::detail::summed_area_table_impl
