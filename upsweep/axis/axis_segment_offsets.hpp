// The operations of every backend that turn lines along an axis into segments: offsets of segments of one length, and
// transposition of matrices.
#pragma once

#include "upsweep/axis/axis_layout.hpp"
#include "upsweep/core/device.hpp"

namespace upsweep::detail::axis_impl {

// Transposes the first `columns` columns of each of `batches` matrices of `rows` rows, `pitch` elements apart:
//   out[b][column][row] = in[b][row][column]
// Elements are `bytes` wide. With `modulo` they are integers of 4 or 8 bytes, and taken modulo that into integers of
// `out_bytes`.
struct transposition {
  memory in, out;
  std::uint64_t bytes = 4, out_bytes = 4;
  std::uint64_t batches = 0, rows = 0, columns = 0, pitch = 0;
  std::uint64_t modulo = 0;

  std::uint64_t elements() const { return batches * rows * columns; }
  // Too narrow for square tiles.
  bool narrow() const { return rows < 16 || columns < 16; }
};

// Calls f(widths<From, To>{}) with unsigned integers as wide as what is read and written.
template <class From, class To>
struct widths {};
template <class F>
void with_widths(const transposition& t, const F& f) {
  switch (t.bytes * 10 + t.out_bytes) {
    case 11: return f(widths<std::uint8_t, std::uint8_t>{});
    case 22: return f(widths<std::uint16_t, std::uint16_t>{});
    case 44: return f(widths<std::uint32_t, std::uint32_t>{});
    case 48: return f(widths<std::uint32_t, std::uint64_t>{});
    case 84: return f(widths<std::uint64_t, std::uint32_t>{});
    default: return f(widths<std::uint64_t, std::uint64_t>{});
  }
}

struct moves {
  void (*offsets)(device&, memory to, std::uint64_t lines, std::uint64_t length);  // s·length for s = 0 … lines
  void (*transpose)(device&, const transposition&);
};

const moves& moves_on(const device&);

const moves& cpu_moves();
const moves& opencl_moves();
const moves& cuda_moves();

// u64 offsets of the lines as segments, in scratch.
memory offsets_of(device&, const lines&);
// Copies the lines to contiguous memory, in scratch; the second copies them back.
memory gathered_lines(device&, memory in, const lines&, std::uint64_t bytes);
void spread_lines(device&, memory from, memory out, const lines&, std::uint64_t bytes);
// As above for elements of any size and alignment, through their indices. `out` must not overlap `from`.
memory gathered_records(device&, memory in, const lines&, std::uint64_t bytes);
void spread_records(device&, memory from, memory out, const lines&, std::uint64_t bytes);
// 0 … n - 1 as u64, in scratch; n > 0.
memory numbers_in_scratch(device&, std::uint64_t n);

}  // namespace upsweep::detail::axis_impl
