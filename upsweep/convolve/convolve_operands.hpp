// Converts the public forms of convolve and correlate to the catalog's problem.
#pragma once

#include "upsweep/convolve/convolve_geometry.hpp"
#include "upsweep/convolve/convolve_mask.hpp"
#include "upsweep/convolve/convolve_problem.hpp"
#include "upsweep/core/device_table_cache.hpp"
#include "upsweep/core/image_shape.hpp"
#include "upsweep/core/operands.hpp"

namespace upsweep::detail::convolve_impl {

using namespace core;

// Throws fault::bad_argument.
void require_picture(const char* where, const problem&);
// Throws fault::bad_argument where the spans are smaller than the picture.
void require_spans(const char* where, const problem&, std::uint64_t in, std::uint64_t out);

std::string explained(const context&, const problem&);

template <class T>
problem problem_for(const char* where, dtype in, dtype out, const image_layout& picture, const mask<T>& m, bool flipped,
                    border edge) {
  problem p;
  p.what = primitive::convolve;
  p.type = in, p.out_type = out, p.mask_type = dtype_of<T>;
  p.size = picture.size, p.channels = picture.channels, p.pitch = picture.pitch, p.out_pitch = picture.out_pitch;
  p.mask = m.size(), p.anchor = m.anchor(), p.flipped = flipped, p.edge = edge, p.rank = m.rank();
  p.constant = m.constant();
  p.in3 = {const_cast<T*>(m.factors().data()), 0};  // on the host, until a device gets a copy
  // The anchor is reversed with the mask.
  if (flipped) p.anchor = {p.mask.x - 1 - p.anchor.x, p.mask.y - 1 - p.anchor.y, p.mask.z - 1 - p.anchor.z};
  require_picture(where, p);
  p.n = p.size.count() * p.channels;
  return p;
}

template <class T>
memory on_the_device(const context& where, const char* name, std::span<const T> values) {
  if (where.kind() == backend::cpu || values.empty()) return {const_cast<T*>(values.data()), 0};
  return core::kept_on(where.device(), name, std::as_bytes(values));
}

template <class In, class T, class Out>
void apply(const char* name, const context& where, operand<const In> in, const image_layout& picture, const mask<T>& m,
           bool flipped, operand<Out> out, border edge) {
  static_assert(
      builtin_type<In> && builtin_type<Out> && go_together(dtype_of<In>, dtype_of<T>, dtype_of<Out>),
      "upsweep: convolve takes i32 with masks of i32, f32 with f32, f64 with f64, u8 with i32 or f32, f16 with f32; "
      "results are of the elements' type, or, of u8 and f16, of the mask's");
  problem p = problem_for(name, dtype_of<In>, dtype_of<Out>, picture, m, flipped, edge);
  require_spans(name, p, in.size(), out.size());
  require_no_overlap(name, where, {{"the input", in}, {"the output", out}});
  if (!in.accessible_from(where)) {
    // Also uploads `out`, so that the gaps between its rows keep their values.
    const buffer<In> from(where, in.host());
    buffer<Out> to(where, out.host());
    detail::convolve_impl::apply<In, T, Out>(name, where, from.span(), picture, m, flipped, to.span(), edge);
    return to.download(out.host());
  }
  p.in = in.where(), p.out = out.where();
  p.in2 = on_the_device(where, "convolve/mask", m.values());
  p.in3 = on_the_device(where, "convolve/factors", m.factors());
  if (out_size(p).count() > 0) detail::convolve_impl::run(where, p);
}

}  // namespace upsweep::detail::convolve_impl
