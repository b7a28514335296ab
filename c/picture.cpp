// Pictures: summed-area tables and boxes, convolutions, filters.
#include "c/call.hpp"
#include "upsweep/convolve/convolve_operands.hpp"
#include "upsweep/filters.hpp"
#include "upsweep/summed_area_table/summed_area_table_operands.hpp"

using namespace upsweep;
using c::call;
using c::guarded;
using core::operand;
using core::require_no_overlap;

namespace {

image_layout layout_of(const call& k, const upsweep_image_layout* r) {
  c::require_given(k.name, "the picture's shape", r);
  image_layout shape({r->width, r->height, r->depth}, r->channels, r->pitch, r->out_pitch);
  shape.signal = r->is_signal != 0;
  return shape;
}

// Elements from the first of a picture to behind its last.
std::uint64_t elements_of(const call& k, const image_layout& r, extent size, std::uint64_t pitch) {
  const std::uint64_t rows = size.y * size.z, row = size.x * r.channels;
  if (rows == 0 || row == 0) return 0;
  std::uint64_t n = 0;
  if (__builtin_mul_overflow(rows - 1, pitch ? pitch : row, &n) || __builtin_add_overflow(n, row, &n))
    throw error(fault::bad_argument, k.name, "the picture has more elements than 64 bits count", "give a smaller one");
  return n;
}

void require_sums_fit(const call& k, dtype in, dtype out, std::uint64_t width, std::uint64_t height) {
  with_any_type(in, [&]<class In>(type_tag<In>) {
    with_any_type(out, [&]<class Out>(type_tag<Out>) {
      if constexpr (std::is_integral_v<In> && std::is_integral_v<Out>)
        detail::summed_area_table_impl::require_sums_fit<In, Out>(k.name, width, height);
    });
  });
}

void run_on_picture(const call& k, detail::summed_area_table_impl::problem& p, const image_layout& r, const void* in,
                    void* out) {
  detail::summed_area_table_impl::require_layout(k.name, r.size, r.channels, r.pitch, r.out_pitch);
  p.size = r.size, p.channels = r.channels, p.pitch = r.pitch, p.out_pitch = r.out_pitch;
  p.n = r.size.count() * r.channels;
  if (detail::summed_area_table_impl::unsupported_by_algorithm(p))
    throw error(fault::unsupported, k.name,
                "elements of " + std::string(name_of(p.type)) + " and results of " + std::string(name_of(p.out_type)) +
                    " are not supported together",
                "give types as upsweep/summed_area_table.hpp has them");
  const auto from = k.in("the picture", p.type, in, elements_of(k, r, r.size, r.pitch));
  const auto to = k.out("the output", p.out_type, out, elements_of(k, r, r.size, r.out_pitch));
  require_no_overlap(k.name, k.where, {{"the picture", from}, {"the output", to}});
  p.in = from.where(), p.out = to.where();
  detail::summed_area_table_impl::run(k.where, p);
}

template <class T>
void convolve_with(const call& k, dtype in_type, const void* in, const image_layout& r, const upsweep_mask& m,
                   bool flipped, border edge, dtype out_type, void* out) {
  const extent size{m.width, m.height, m.depth};
  std::uint64_t values = 0;
  if (__builtin_mul_overflow(size.x, size.y, &values) || __builtin_mul_overflow(values, size.z, &values))
    throw error(fault::bad_argument, k.name, "the mask has more elements than 64 bits count", "give a smaller one");
  if (values) c::require_given(k.name, "the mask's values", m.host_values);
  const mask<T> weights(size, std::span<const T>(static_cast<const T*>(m.host_values), values),
                        m.has_anchor ? std::optional(extent{m.anchor_x, m.anchor_y, m.anchor_z}) : std::nullopt);
  auto p = detail::convolve_impl::problem_for(k.name, in_type, out_type, r, weights, flipped, edge);
  const auto from = k.in("the input", p.type, in, elements_of(k, r, r.size, r.pitch));
  const auto to =
      k.out("the output", p.out_type, out, elements_of(k, r, detail::convolve_impl::out_size(p), r.out_pitch));
  require_no_overlap(k.name, k.where, {{"the input", from}, {"the output", to}});
  p.in = from.where(), p.out = to.where();
  p.in2 = detail::convolve_impl::on_the_device(k.where, "convolve/mask", weights.values());
  p.in3 = detail::convolve_impl::on_the_device(k.where, "convolve/factors", weights.factors());
  if (detail::convolve_impl::out_size(p).count() > 0) detail::convolve_impl::run(k.where, p);
}

struct floats {
  operand<const float> in;
  operand<float> out;
};

// f(call, shape, operands) of a filter whose result has the picture's shape.
template <class F>
upsweep_status filtered(const char* name, const upsweep_context* context, const float* in,
                        const upsweep_image_layout* picture, float* out, F f) {
  return guarded([&] {
    const call k(name, context);
    const image_layout r = layout_of(k, picture);
    const std::uint64_t n = elements_of(k, r, r.size, r.pitch), m = elements_of(k, r, r.size, r.out_pitch);
    k.in("the input", in, n, sizeof(float)), k.out("the output", out, m, sizeof(float));
    f(k, r, floats{{{const_cast<float*>(in), 0}, n, false}, {{out, 0}, m, false}});
  });
}

}  // namespace

upsweep_status upsweep_summed_area_table(const upsweep_context* context, upsweep_type type, const void* in,
                                         const upsweep_image_layout* picture, int wrap, upsweep_type out_type,
                                         void* table) {
  return guarded([&] {
    const call k("summed_area_table", context);
    const image_layout r = layout_of(k, picture);
    detail::summed_area_table_impl::problem p;
    p.type = k.type(type), p.out_type = k.type(out_type);
    if (!wrap) require_sums_fit(k, p.type, p.out_type, r.size.x, r.size.y);
    run_on_picture(k, p, r, in, table);
  });
}

upsweep_status upsweep_box_filter(const upsweep_context* context, upsweep_type type, const void* in,
                                  const upsweep_image_layout* picture, upsweep_box what, uint64_t radius_x,
                                  uint64_t radius_y, int wrap, upsweep_type out_type, void* out) {
  return guarded([&] {
    const call k("box_filter", context);
    const image_layout r = layout_of(k, picture);
    detail::summed_area_table_impl::problem p;
    p.what = detail::summed_area_table_impl::primitive::box_filter, p.type = k.type(type),
    p.out_type = k.type(out_type);
    p.box = c::chosen<detail::summed_area_table_impl::box_result>(k.name, "what the box gives", what, 3);
    p.radius = {radius_x, radius_y, 0};
    if (!wrap && p.box == detail::summed_area_table_impl::box_result::sum)
      require_sums_fit(k, p.type, p.out_type, detail::summed_area_table_impl::widest_window(radius_x, r.size.x),
                       detail::summed_area_table_impl::widest_window(radius_y, r.size.y));
    run_on_picture(k, p, r, in, out);
  });
}

upsweep_status upsweep_convolve(const upsweep_context* context, upsweep_type type, const void* in,
                                const upsweep_image_layout* picture, const upsweep_mask* mask, int flipped,
                                upsweep_border border, upsweep_type out_type, void* out) {
  return guarded([&] {
    const call k(flipped ? "convolve" : "correlate", context);
    const image_layout r = layout_of(k, picture);
    c::require_given(k.name, "the mask", mask);
    const dtype from = k.type(type), by = k.type(mask->type), to = k.type(out_type);
    if (!detail::convolve_impl::go_together(from, by, to))
      throw error(fault::unsupported, k.name,
                  "elements of " + std::string(name_of(from)) + ", a mask of " + std::string(name_of(by)) +
                      " and results of " + std::string(name_of(to)) + " are not supported together",
                  "give types as upsweep/convolve.hpp has them");
    const auto edge = k.edge(border);
    const auto with = [&]<class T>(type_tag<T>) { convolve_with<T>(k, from, in, r, *mask, flipped, edge, to, out); };
    if (by == dtype::i32) return with(type_tag<std::int32_t>{});
    if (by == dtype::f32) return with(type_tag<float>{});
    with(type_tag<double>{});
  });
}

upsweep_status upsweep_median(const upsweep_context* context, const float* in, const upsweep_image_layout* picture,
                              uint32_t radius, upsweep_border border, float* out) {
  return filtered("median", context, in, picture, out, [&](const call& k, const image_layout& r, const floats& p) {
    detail::filters_impl::median(k.where, p.in, r, radius, p.out, k.edge(border));
  });
}
upsweep_status upsweep_bilateral(const upsweep_context* context, const float* in, const upsweep_image_layout* picture,
                                 float sigma_space, float sigma_range, upsweep_border border, float* out) {
  return filtered("bilateral", context, in, picture, out, [&](const call& k, const image_layout& r, const floats& p) {
    detail::filters_impl::bilateral(k.where, p.in, r, sigma_space, sigma_range, p.out, k.edge(border));
  });
}
upsweep_status upsweep_gaussian(const upsweep_context* context, const float* in, const upsweep_image_layout* picture,
                                float sigma, upsweep_border border, float* out) {
  return filtered("recursive_gaussian", context, in, picture, out,
                  [&](const call& k, const image_layout& r, const floats& p) {
                    detail::filters_impl::recursive_gaussian(k.where, p.in, r, sigma, p.out, k.edge(border));
                  });
}
upsweep_status upsweep_resize(const upsweep_context* context, const float* in, const upsweep_image_layout* picture,
                              uint64_t width, uint64_t height, upsweep_resampling how, float* out) {
  return filtered("resize", context, in, picture, out, [&](const call& k, const image_layout& r, const floats& p) {
    const extent to{width, height, 1};
    const std::uint64_t n = elements_of(k, r, to, r.out_pitch);
    k.out("the output", out, n, sizeof(float));
    const operand<float> result{{out, 0}, n, false};
    detail::filters_impl::resize(k.where, p.in, r, result, to, c::chosen<resampling>(k.name, "the resampling", how, 5));
  });
}
