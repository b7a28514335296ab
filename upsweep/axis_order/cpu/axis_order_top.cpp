// The k first of each line, where k is a small part of it. Each line has a heap of those found so far, with the last of
// them on top, so that most keys are compared only with that one. Neighbouring lines are processed together, row by
// row.
#include "upsweep/axis_order/cpu/axis_order_top.hpp"

#include <algorithm>
#include <vector>

#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/sort/sort_order.hpp"

namespace upsweep::detail::axis_order_impl {

namespace {

template <class U>
struct found {
  U image;
  std::uint64_t stood;
  bool operator<(const found& other) const {
    return image < other.image || (image == other.image && stood < other.stood);
  }
};

template <class T>
class heaps {
  using U = order_image<T>;

 public:
  explicit heaps(const problem& p)
      : p_(p), l_(p.along), window_(p.first_bit, p.last_bit, p.descending), in_(p.in.as<const U>()) {}

  // Lines [column, column + width) of slice `outer`.
  void run(std::uint64_t outer, std::uint64_t column, std::uint64_t width) const {
    std::vector<found<U>> kept(width * p_.k);
    const std::uint64_t first = outer * l_.length * l_.inner + column;
    for (std::uint64_t j = 0; j < l_.length; ++j)
      for (std::uint64_t c = 0; c < width; ++c) {
        const found<U> key{window_(order_bits_of<order_for<T>>(in_[first + j * l_.inner + c])), j};
        found<U>* const heap = kept.data() + c * p_.k;
        if (j < p_.k) {
          heap[j] = key;
          std::push_heap(heap, heap + j + 1);
        } else if (key.image < heap->image) {
          std::pop_heap(heap, heap + p_.k);
          heap[p_.k - 1] = key;
          std::push_heap(heap, heap + p_.k);
        }
      }
    for (std::uint64_t c = 0; c < width; ++c) {
      found<U>* const heap = kept.data() + c * p_.k;
      std::sort_heap(heap, heap + p_.k);
      for (std::uint64_t j = 0; j < p_.k; ++j)
        write((outer * p_.k + j) * l_.inner + column + c, first + c, heap[j].stood);
    }
  }

 private:
  void write(std::uint64_t to, std::uint64_t line, std::uint64_t stood) const {
    p_.out.as<U>()[to] = in_[line + stood * l_.inner];
    if (p_.out2.base == nullptr) return;
    if (p_.index_bytes == 4)
      p_.out2.as<std::uint32_t>()[to] = static_cast<std::uint32_t>(stood);
    else
      p_.out2.as<std::uint64_t>()[to] = stood;
  }

  const problem& p_;
  const detail::axis_impl::lines& l_;
  order_window<U> window_;
  const U* in_;
};

}  // namespace

void top_by_heaps(device& d, const problem& p) {
  if (p.n == 0 || p.k == 0) return;
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    const heaps<T> each(p);
    const std::uint64_t width = std::min<std::uint64_t>(p.along.inner, 32),
                        columns = cpu::block_count(p.along.inner, width), blocks = p.along.outer * columns,
                        at_once = std::max<std::uint64_t>((1 << 14) / (width * p.along.length), 1);
    cpu::for_each_block(d, cpu::block_count(blocks, at_once), [&](std::uint64_t t, const cpu::stop_flag&) {
      for (std::uint64_t b = t * at_once; b < std::min(blocks, (t + 1) * at_once); ++b) {
        const std::uint64_t column = b % columns * width;
        each.run(b / columns, column, std::min(width, p.along.inner - column));
      }
    });
  });
}

// One long line goes to all threads as a segment.
const char* too_many_for_heaps(const problem& p) {
  if (p.k > p.along.length / 8) return "more than an eighth of each line";
  return p.along.count() < 8 && p.along.length > 1 << 16 ? "few lines that are long" : nullptr;
}

}  // namespace upsweep::detail::axis_order_impl
