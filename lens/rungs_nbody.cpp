#include "lens/rung_entry.hpp"
#include "upsweep/nbody/textbook/register_blocked.cuh"
#include "upsweep/nbody/textbook/shared_tile.cuh"
#include "upsweep/nbody/textbook/split_j.cuh"
#include "upsweep/nbody/textbook/thread_per_body.cuh"

namespace upsweep::lens {

namespace book = textbook::nbody_rungs;

struct counted_newton : book::newton {
  template <class T>
  void operator()(book::four<T>& sum, const book::four<T>& here, const book::four<T>& there, T softening_squared,
                  bool itself, where w = where::current()) const {
    now->stepped(w);
    newton::operator()(sum, here, there, softening_squared, itself);
  }
  template <class T>
  void add(book::four<T>& sum, const book::four<T>& other, where w = where::current()) const {
    now->stepped(w);
    newton::add(sum, other);
  }
};

struct attractions {
  using problem = nbody_room::problem;
  static constexpr auto what = nbody_room::primitive::nbody;
  template <class Rung>
  static void run(grid& g, const problem& p, const operand_blocks& o) {
    book::with_real(p, [&]<class T>(type_tag<T>) {
      Rung::template run<T>(g, at<const book::four<T>>(o.in), at<book::four<T>>(o.out), p.n,
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

std::vector<rung> nbody_rungs() {
  return {
      asked<attractions, book::thread_per_body, 256, 32, 64, 256>(),
      asked<attractions, book::shared_tile, 256, 32, 64, 256>(),
      asked<attractions, register_blocked, 256, 32, 64, 256>(),
      asked<attractions, split_j, 128, 32, 64, 128>(),
  };
}

}  // namespace upsweep::lens
