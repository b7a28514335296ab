// Element by element, and elements moved about.
#include "c/call.hpp"
#include "upsweep/rearrange/rearrange_problem.hpp"
#include "upsweep/transform/transform_problem.hpp"

using namespace upsweep;
using c::call;
using c::guarded;
using core::require_no_overlap;
using detail::transform_impl::primitive;

namespace {

// `out` may be exactly either input, where there is one.
void run(const call& k, detail::transform_impl::problem& p, const void* in, const void* in2, void* out, bool inputs) {
  const auto a = k.in("the input", p.type, in, inputs ? p.n : 0);
  const auto b = k.in("the second input", p.type, in2, in2 ? p.n : 0);
  const auto to = k.out("the output", p.type, out, p.n);
  require_no_overlap(k.name, k.where, {{"the input", a}, {"the output", to}}, 1);
  require_no_overlap(k.name, k.where, {{"the second input", b}, {"the output", to}}, 1);
  p.in = a.where(), p.in2 = b.where(), p.out = to.where();
  detail::transform_impl::run(k.where, p);
}

void require_second(const call& k, const void* in2, std::uint64_t n) {
  if (n) c::require_given(k.name, "the second input", in2);
}

upsweep_status moved(const char* name, detail::rearrange_impl::primitive what, const upsweep_context* context,
                     const void* in, std::uint32_t element_bytes, std::uint64_t n, std::uint64_t shift,
                     std::uint64_t seed, void* out) {
  return guarded([&] {
    const call k(name, context);
    if (element_bytes == 0) throw error(fault::bad_argument, name, "elements have no bytes", "give their size");
    detail::rearrange_impl::problem p;
    const std::uint32_t word = std::min(element_bytes & (~element_bytes + 1), 8u);
    p.what = what, p.type = c::bitwise_type(name, word), p.words = element_bytes / word;
    p.n = n, p.shift = shift, p.seed = seed;
    if (shift > n)
      throw error(fault::bad_argument, name,
                  "element " + std::to_string(shift) + " is to become first, past the end of " + std::to_string(n),
                  "give an index below the size; take it modulo the size");
    const auto from = k.in("the input", in, n, element_bytes);
    const auto to = k.out("the output", out, n, element_bytes);
    require_no_overlap(name, k.where, {{"the input", from}, {"the output", to}}, 1);
    p.in = from.where(), p.out = to.where();
    detail::rearrange_impl::run(k.where, p);
  });
}

}  // namespace

upsweep_status upsweep_map(const upsweep_context* context, upsweep_type type, const void* in, uint64_t n,
                           upsweep_transform transform, void* out) {
  return guarded([&] {
    const call k("transform", context);
    detail::transform_impl::problem p;
    p.type = k.type(type), p.n = n;
    p.transform =
        c::chosen<transform_kind>(k.name, "the transform", transform, static_cast<int>(all_transforms.size()));
    run(k, p, in, nullptr, out, true);
  });
}

upsweep_status upsweep_combine(const upsweep_context* context, upsweep_type type, const void* a, const void* b,
                               uint64_t n, upsweep_operator op, void* out) {
  return guarded([&] {
    const call k("transform", context);
    detail::transform_impl::problem p;
    p.type = k.type(type), p.n = n, p.two_inputs = true;
    p.op = c::chosen<op_kind>(k.name, "the operator", op, static_cast<int>(all_ops.size()));
    if (!accepts(p.op, p.type))
      throw error(fault::unsupported, k.name,
                  std::string(name_of(p.op)) + " does not take " + std::string(name_of(p.type)),
                  "bit operators take integers, compose_affine u64, and all of them a type that reduce supports");
    require_second(k, b, n);
    run(k, p, a, b, out, true);
  });
}

upsweep_status upsweep_subtract(const upsweep_context* context, upsweep_type type, const void* a, const void* b,
                                uint64_t n, void* out) {
  return guarded([&] {
    const call k("transform", context);
    detail::transform_impl::problem p;
    p.type = k.type(type), p.n = n, p.two_inputs = p.subtracts = true;
    require_second(k, b, n);
    run(k, p, a, b, out, true);
  });
}

upsweep_status upsweep_fill(const upsweep_context* context, upsweep_type type, const void* host_value, uint64_t n,
                            void* out) {
  return guarded([&] {
    const call k("fill", context);
    detail::transform_impl::problem p;
    p.what = primitive::fill, p.type = k.type(type), p.n = n;
    p.value = k.element("the value", host_value, size_of(p.type));
    run(k, p, nullptr, nullptr, out, false);
  });
}

upsweep_status upsweep_iota(const upsweep_context* context, upsweep_type type, const void* host_value,
                            const void* host_step, uint64_t n, void* out) {
  return guarded([&] {
    const call k("iota", context);
    detail::transform_impl::problem p;
    p.what = primitive::iota, p.type = k.type(type), p.n = n;
    p.value = k.element("the value", host_value, size_of(p.type));
    p.step = k.element("the step", host_step, size_of(p.type));
    run(k, p, nullptr, nullptr, out, false);
  });
}

upsweep_status upsweep_replace(const upsweep_context* context, upsweep_type type, const void* in, const void* in2,
                               uint64_t n, upsweep_comparison test, const void* host_threshold, const void* host_value,
                               void* out) {
  return guarded([&] {
    const call k("replace", context);
    detail::transform_impl::problem p;
    p.what = primitive::replace, p.type = k.type(type), p.n = n, p.test = k.test(test);
    p.threshold = k.element("the threshold", host_threshold, size_of(p.type));
    p.value = k.element("the value", host_value, size_of(p.type));
    require_second(k, in2, n);
    run(k, p, in, in2, out, true);
  });
}

upsweep_status upsweep_adjacent_difference(const upsweep_context* context, upsweep_type type, const void* in,
                                           uint64_t n, void* out) {
  return guarded([&] {
    const call k("adjacent_difference", context);
    detail::transform_impl::problem p;
    p.what = primitive::adjacent_difference, p.type = k.type(type), p.n = n;
    run(k, p, in, nullptr, out, true);
  });
}

upsweep_status upsweep_reverse(const upsweep_context* context, const void* in, uint32_t element_bytes, uint64_t n,
                               void* out) {
  return moved("reverse", detail::rearrange_impl::primitive::reverse, context, in, element_bytes, n, 0, 0, out);
}
upsweep_status upsweep_rotate(const upsweep_context* context, const void* in, uint32_t element_bytes, uint64_t n,
                              uint64_t first, void* out) {
  return moved("rotate", detail::rearrange_impl::primitive::rotate, context, in, element_bytes, n, first, 0, out);
}
upsweep_status upsweep_shuffle(const upsweep_context* context, const void* in, uint32_t element_bytes, uint64_t n,
                               uint64_t seed, void* out) {
  return moved("shuffle", detail::rearrange_impl::primitive::shuffle, context, in, element_bytes, n, 0, seed, out);
}

upsweep_status upsweep_random_permutation(const upsweep_context* context, upsweep_type type, uint64_t n, uint64_t seed,
                                          void* out) {
  return guarded([&] {
    const call k("random_permutation", context);
    detail::rearrange_impl::problem p;
    p.what = detail::rearrange_impl::primitive::random_permutation, p.type = k.type(type), p.n = n, p.seed = seed;
    if (p.type != dtype::u32 && p.type != dtype::u64)
      throw error(fault::unsupported, k.name, "indices of " + std::string(name_of(p.type)), "give u32 or u64");
    if (p.type == dtype::u32 && n > std::uint64_t{1} << 32)
      throw error(fault::bad_argument, k.name, std::to_string(n) + " indices are more than u32 counts",
                  "give an output of u64");
    p.out = k.out("the output", p.type, out, n).where();
    detail::rearrange_impl::run(k.where, p);
  });
}
