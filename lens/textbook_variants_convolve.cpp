#include "lens/counted.hpp"
#include "lens/textbook_variant_entry.hpp"
#include "upsweep/convolve/textbook/constant_mask.cuh"
#include "upsweep/convolve/textbook/convolve_register_blocked.cuh"
#include "upsweep/convolve/textbook/convolve_shared_tile.cuh"
#include "upsweep/convolve/textbook/naive.cuh"
#include "upsweep/convolve/textbook/picture_naive.cuh"
#include "upsweep/convolve/textbook/picture_register_blocked.cuh"
#include "upsweep/convolve/textbook/picture_separable.cuh"
#include "upsweep/convolve/textbook/picture_shared_tile.cuh"

namespace upsweep::lens {

namespace book = textbook::convolve_variants;

struct counted_multiply_add {
  template <class T>
  T operator()(T sum, std::type_identity_t<T> weight, std::type_identity_t<T> element,
               where w = where::current()) const {
    now->stepped(w);
    return sum + weight * element;
  }
};

struct convolutions {
  using problem = detail::convolve_impl::problem;
  static constexpr auto what = detail::convolve_impl::primitive::convolve;
  template <class Variant>
  static void run(grid& g, const problem& p, const operand_blocks& o) {
    book::with_elements(p, [&]<class T>(type_tag<T>) {
      Variant::template run<T>(g, at<const T>(o.in), at<const T>(o.in2), at<const T>(o.in3), at<T>(o.out),
                               book::shape_of(p), counted_multiply_add{});
    });
  }
};

std::vector<textbook_variant> convolve_variants() {
  return {
      asked<convolutions, book::naive, 256, 32, 64, 256>(),
      asked<convolutions, book::constant_mask, 256, 32, 64, 256>(),
      asked<convolutions, book::shared_tile, 256, 32, 64, 256>(),
      asked<convolutions, book::register_blocked, 256, 32, 64, 256>(),
      asked<convolutions, book::picture_naive, 256, 32, 64, 256>(),
      asked<convolutions, book::picture_shared_tile, 256, 32, 64, 256>(),
      asked<convolutions, book::picture_separable, 256, 32, 64, 256>(),
      asked<convolutions, book::picture_register_blocked, 256, 32, 64, 256>(),
  };
}

}  // namespace upsweep::lens
