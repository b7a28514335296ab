// Copies lines of elements of any size to contiguous memory, through their indices. A separate object file, so that
// folds of built-in types along an axis do not link the sorts.
#include <algorithm>

#include "upsweep/axis/axis_segment_offsets.hpp"
#include "upsweep/sort/sort_records.hpp"

namespace upsweep::detail::axis_impl {

memory numbers_in_scratch(device& d, std::uint64_t n) {
  const memory numbers = d.scratch("axis/numbers", n * sizeof(std::uint64_t));
  moves_on(d).offsets(d, numbers, n - 1, 1);
  return numbers;
}

namespace {

// out[i] = the element of `from` that is at i after matrices of `rows` rows are transposed.
void gather_transposed(device& d, memory from, memory out, std::uint64_t batches, std::uint64_t rows,
                       std::uint64_t columns, std::uint64_t bytes) {
  const std::uint64_t n = batches * rows * columns;
  if (n == 0) return;
  const memory places = d.scratch("axis/places", n * sizeof(std::uint64_t));
  moves_on(d).transpose(d, {numbers_in_scratch(d, n), places, 8, 8, batches, rows, columns, columns, 0});
  detail::sort_impl::gather_records(d, from, bytes, places, 8, n, out);
}

}  // namespace

memory gathered_records(device& d, memory in, const lines& l, std::uint64_t bytes) {
  const memory to = d.scratch("axis/lines", std::max<std::uint64_t>(l.elements() * bytes, 16));
  gather_transposed(d, in, to, l.outer, l.length, l.inner, bytes);
  return to;
}

void spread_records(device& d, memory from, memory out, const lines& l, std::uint64_t bytes) {
  gather_transposed(d, from, out, l.outer, l.inner, l.length, bytes);
}

}  // namespace upsweep::detail::axis_impl
