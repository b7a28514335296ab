#include "lens/textbook_variant_entry.hpp"
#include "upsweep/nbody/textbook/nbody_register_blocked.cuh"
#include "upsweep/nbody/textbook/nbody_shared_tile.cuh"
#include "upsweep/nbody/textbook/split_j.cuh"
#include "upsweep/nbody/textbook/thread_per_body.cuh"

namespace upsweep::lens {

namespace book = textbook::nbody_variants;

struct counted_newton : book::newton {
  template <class T>
  void operator()(book::vec4<T>& sum, const book::vec4<T>& here, const book::vec4<T>& there, T softening_squared,
                  bool itself, where w = where::current()) const {
    now->stepped(w);
    newton::operator()(sum, here, there, softening_squared, itself);
  }
  template <class T>
  void add(book::vec4<T>& sum, const book::vec4<T>& other, where w = where::current()) const {
    now->stepped(w);
    newton::add(sum, other);
  }
};

struct attractions {
  using problem = detail::nbody_impl::problem;
  static constexpr auto what = detail::nbody_impl::primitive::nbody;
  template <class Variant>
  static void run(grid& g, const problem& p, const operand_blocks& o) {
    book::with_real(p, [&]<class T>(type_tag<T>) {
      Variant::template run<T>(g, at<const book::vec4<T>>(o.in), at<book::vec4<T>>(o.out), p.n,
                               static_cast<T>(p.gravity.softening * p.gravity.softening),
                               book::result_form<T>{static_cast<T>(p.gravity.constant), p.gravity.potentials},
                               counted_newton{});
    });
  }
};

template <unsigned block>
using register_blocked = book::register_blocked<block>;
template <unsigned block>
using split_j = book::split_j<block>;

std::vector<textbook_variant> nbody_variants() {
  return {
      asked<attractions, book::thread_per_body, 256, 32, 64, 256>(),
      asked<attractions, book::shared_tile, 256, 32, 64, 256>(),
      asked<attractions, register_blocked, 256, 32, 64, 256>(),
      asked<attractions, split_j, 128, 32, 64, 128>(),
  };
}

}  // namespace upsweep::lens
