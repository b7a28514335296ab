// Folds and scans along an axis on the CPU, for any type and operator.
//
// Threads take blocks of neighbouring lines and process them row by row, so that memory is read in order along any
// axis. Where lines are few and long, each is cut into pieces, which are folded first and then joined in order. The
// cuts depend only on the shape, so results are the same with any number of threads.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "upsweep/axis/axis_layout.hpp"
#include "upsweep/cpu/work_partition.hpp"
#include "upsweep/operators/wide_accumulators.hpp"

namespace upsweep::cpu {

inline constexpr std::uint64_t width_bytes = 4096;  // of a block's rows, at most

// How lines are partitioned: a block is up to `width` neighbouring lines, and a thread takes `at_once` blocks at a
// time.
template <class T>
struct dealt_lines {
  detail::axis_impl::lines all;
  std::uint64_t width = 1, columns = 1, blocks = 1, at_once = 1, pieces = 1, piece = 0;

  explicit dealt_lines(const detail::axis_impl::lines& l) : all(l), piece(l.length) {
    constexpr std::uint64_t turn = 1 << 15, enough_blocks = 16, most_pieces = 64;
    width = (std::min)(l.inner, block_elements(width_bytes, sizeof(T)));
    columns = block_count(l.inner, width);
    blocks = l.outer * columns;
    const std::uint64_t work = std::max<std::uint64_t>(width * l.length, 1);
    at_once = std::max<std::uint64_t>(turn / work, 1);
    if (blocks >= enough_blocks || work < 2 * turn) return;
    const std::uint64_t wanted = (std::min)({most_pieces / blocks, work / turn, l.length});
    piece = block_count(l.length, std::max<std::uint64_t>(wanted, 1));
    pieces = block_count(l.length, piece);
  }
  // For slow operators blocks are narrow, and a thread takes one at a time. This does not change how a line is grouped.
  void narrow(device& d) {
    width = std::clamp<std::uint64_t>(all.count() / (16 * static_cast<std::uint64_t>(threads_of(d))), 1, width);
    columns = block_count(all.inner, width);
    blocks = all.outer * columns, at_once = 1;
  }

  // Calls body(outer, first column, columns, piece) for every block and each of its pieces below `up_to`.
  template <class Body>
  void for_each(device& d, std::uint64_t up_to, const Body& body) const {
    const auto one = [&](std::uint64_t b, std::uint64_t k) {
      const std::uint64_t column = b % columns * width;
      body(b / columns, column, (std::min)(width, all.inner - column), k);
    };
    if (pieces == 1)
      return cpu::for_each_block(d, block_count(blocks, at_once), [&](std::uint64_t t, const stop_flag&) {
        for (std::uint64_t b = t * at_once; b < (std::min)(blocks, (t + 1) * at_once); ++b) one(b, 0);
      });
    cpu::for_each_block(d, blocks * up_to, [&](std::uint64_t t, const stop_flag&) { one(t / up_to, t % up_to); });
  }
  std::uint64_t place(std::uint64_t outer, std::uint64_t column, std::uint64_t k) const {
    return (outer * all.length + k * piece) * all.inner + column;
  }
  std::uint64_t rows(std::uint64_t k) const { return (std::min)(piece, all.length - k * piece); }
};

// The row functor: row(first, count, tile) returns `count` consecutive elements, of one line or of a block's lines.
template <class T, class In, class Op, class F>
struct accumulator_elements {
  const In& in;
  const Op& op;
  const F& f;

  // Whether `n` calls of the user's functions are slow.
  bool are_slow(std::uint64_t n) const {
    static constinit pace known;
    const row_of x{*this, 0};
    return n > 1 && cpu::calls_are_slow(known, n, [&] { (void)op(x[0], x[1]); });
  }
  struct tile {};  // buffer for a row, if rows are prepared
  struct row_of {
    const accumulator_elements& all;
    std::uint64_t first;
    T operator[](std::uint64_t c) const { return upsweep::to_accumulator(all.op, T(all.f(all.in[first + c]))); }
  };
  row_of row(std::uint64_t first, std::uint64_t, tile&) const { return {*this, first}; }
};

// Lines in one piece are folded one after the other in their own type, as the definition says. The fold of a later
// piece may not be the value of any prefix, so it is kept in the type's carrier.

// to[c] = *init ∘ the fold of `rows` > 0 elements from in[first + c] on, each `inner` after the one before. T is the
// elements' type or its carrier; init null: from the first element.
template <class T, class Elements, class Op>
void fold_columns(const Elements& in, std::uint64_t first, std::uint64_t rows, std::uint64_t inner, std::uint64_t width,
                  T* to, const T* init, const Op& op) {
  typename Elements::tile tiles[4];
  if (inner == 1) {
    const auto x = in.row(first, rows, tiles[0]);
    T all = init != nullptr ? T(op(*init, T(x[0]))) : T(x[0]);
    for (std::uint64_t j = 1; j < rows; ++j) all = T(op(all, T(x[j])));
    *to = std::move(all);
    return;
  }
  const auto x = in.row(first, width, tiles[0]);
  if (init != nullptr) {
    UPSWEEP_EACH_ALONE
    for (std::uint64_t c = 0; c < width; ++c) to[c] = T(op(*init, T(x[c])));
  } else {
    UPSWEEP_EACH_ALONE
    for (std::uint64_t c = 0; c < width; ++c) to[c] = T(x[c]);
  }
  std::uint64_t j = 1, at = first + inner;
  for (; j + 3 < rows; j += 4, at += 4 * inner) {
    const auto x0 = in.row(at, width, tiles[0]), x1 = in.row(at + inner, width, tiles[1]),
               x2 = in.row(at + 2 * inner, width, tiles[2]), x3 = in.row(at + 3 * inner, width, tiles[3]);
    UPSWEEP_EACH_ALONE
    for (std::uint64_t c = 0; c < width; ++c)
      to[c] = T(op(T(op(T(op(T(op(to[c], T(x0[c]))), T(x1[c]))), T(x2[c]))), T(x3[c])));
  }
  for (; j < rows; ++j, at += inner) {
    const auto x0 = in.row(at, width, tiles[0]);
    UPSWEEP_EACH_ALONE
    for (std::uint64_t c = 0; c < width; ++c) to[c] = T(op(to[c], T(x0[c])));
  }
}

// As above for a piece, in the carrier.
template <class T, class Elements, class Op>
void fold_piece(const Elements& in, std::uint64_t first, std::uint64_t rows, std::uint64_t inner, std::uint64_t width,
                core::carrier<T, Op>* to, const Op& op) {
  using W = core::carrier<T, Op>;
  if constexpr (std::is_same_v<W, core::scaled_sum>) {
    T sums[block_elements(width_bytes, sizeof(T))];
    cpu::fold_columns<T>(in, first, rows, inner, width, sums, nullptr, op);
    bool finite = true;  // then every intermediate value was finite, too
    for (std::uint64_t c = 0; c < width; ++c) finite &= core::is_finite(sums[c]);
    if (finite) return void(std::copy_n(sums, width, to));
  }
  cpu::fold_columns<W>(in, first, rows, inner, width, to, nullptr, op);
}

// out[line] = *init ∘ the line; null: from its first element. No overlap is allowed.
template <class T, class Elements, class Op>
void reduce_lines(device& d, const Elements& in, const detail::axis_impl::lines& l, T* out, const T* init,
                  const Op& op) {
  if (l.count() == 0) return;
  if (l.length == 0) {
    std::fill_n(out, l.count(), *init);
    return;
  }
  dealt_lines<T> dealt(l);
  if constexpr (requires { in.are_slow(l.elements()); })
    if (in.are_slow(l.elements())) dealt.narrow(d);
  if (dealt.pieces == 1)
    return dealt.for_each(d, 1, [&](std::uint64_t o, std::uint64_t column, std::uint64_t width, std::uint64_t) {
      cpu::fold_columns<T>(in, dealt.place(o, column, 0), l.length, l.inner, width, out + o * l.inner + column, init,
                           op);
    });
  using W = core::carrier<T, Op>;
  typename Elements::tile tile;
  const W any = in.row(0, 1, tile)[0];
  block_values<W> folds(d, "axis/folds", dealt.pieces * l.count(), any);
  dealt.for_each(d, dealt.pieces, [&](std::uint64_t o, std::uint64_t column, std::uint64_t width, std::uint64_t k) {
    cpu::fold_piece<T>(in, dealt.place(o, column, k), dealt.rows(k), l.inner, width,
                       &folds[k * l.count() + o * l.inner + column], op);
  });
  for (std::uint64_t line = 0; line < l.count(); ++line) {
    W all = init != nullptr ? W(op(W(*init), folds[line])) : folds[line];
    for (std::uint64_t k = 1; k < dealt.pieces; ++k) all = W(op(all, folds[k * l.count() + line]));
    out[line] = static_cast<T>(std::move(all));
  }
}

// Scans `width` columns, each from its own `before`; null: from its first element. Each element is read before the
// result at its position is written. W is the elements' type or its carrier.
template <class W, class T, class Elements, class Op>
void scan_columns(const Elements& in, std::uint64_t first, std::uint64_t rows, std::uint64_t inner, std::uint64_t width,
                  T* out, const W* before, std::uint64_t apart, bool inclusive, const Op& op) {
  struct kept {
    W x;
  };
  typename Elements::tile tile;
  std::vector<kept> running;
  running.reserve(width);
  if (before != nullptr) {
    for (std::uint64_t c = 0; c < width; ++c) running.push_back({before[c * apart]});
  } else {
    const auto x = in.row(first, width, tile);
    for (std::uint64_t c = 0; c < width; ++c) {
      running.push_back({W(x[c])});
      out[first + c] = static_cast<T>(running[c].x);
    }
  }
  kept* const now = running.data();
  for (std::uint64_t j = before == nullptr; j < rows; ++j) {
    const std::uint64_t at = first + j * inner;
    const auto x = in.row(at, width, tile);
    if (inclusive) {
      UPSWEEP_EACH_ALONE
      for (std::uint64_t c = 0; c < width; ++c) {
        now[c].x = W(op(now[c].x, W(x[c])));
        out[at + c] = static_cast<T>(now[c].x);
      }
    } else {
      UPSWEEP_EACH_ALONE
      for (std::uint64_t c = 0; c < width; ++c) {
        W next = W(op(now[c].x, W(x[c])));
        out[at + c] = static_cast<T>(std::move(now[c].x));
        now[c].x = std::move(next);
      }
    }
  }
}

// As above for one row.
template <class W, class T, class Elements, class Op>
void scan_row(const Elements& in, std::uint64_t first, std::uint64_t count, T* out, const W* before, bool inclusive,
              const Op& op) {
  typename Elements::tile tile;
  const auto x = in.row(first, count, tile);
  W now = before != nullptr ? *before : W(x[0]);
  if (before == nullptr) out[first] = static_cast<T>(now);
  for (std::uint64_t j = before == nullptr; j < count; ++j) {
    W next = W(op(now, W(x[j])));
    out[first + j] = inclusive ? static_cast<T>(next) : static_cast<T>(std::move(now));
    now = std::move(next);
  }
}

// Scans each line from *init, or, inclusive, null: from its first element. `out` may be exactly the memory that `in`
// reads.
template <class T, class Elements, class Op>
void scan_lines(device& d, const Elements& in, const detail::axis_impl::lines& l, T* out, const T* init, bool inclusive,
                const Op& op) {
  if (l.elements() == 0) return;
  dealt_lines<T> dealt(l);
  if constexpr (requires { in.are_slow(l.elements()); })
    if (in.are_slow(l.elements())) dealt.narrow(d);
  using W = core::carrier<T, Op>;
  // `apart` 0: all columns begin with one value.
  const auto scan = [&]<class Before>(std::uint64_t o, std::uint64_t column, std::uint64_t width, std::uint64_t k,
                                      const Before* before, std::uint64_t apart) {
    const std::uint64_t first = dealt.place(o, column, k), rows = dealt.rows(k);
    if (l.inner == 1) return cpu::scan_row<Before>(in, first, rows, out, before, inclusive, op);
    cpu::scan_columns<Before>(in, first, rows, l.inner, width, out, before, apart, inclusive, op);
  };
  if (dealt.pieces == 1)
    return dealt.for_each(d, 1, [&](std::uint64_t o, std::uint64_t column, std::uint64_t width, std::uint64_t) {
      scan(o, column, width, 0, init, 0);
    });
  // Folds each piece except the last, then replaces each fold by that of all pieces up to its end.
  typename Elements::tile tile;
  const W any = in.row(0, 1, tile)[0];
  block_values<W> folds(d, "axis/folds", (dealt.pieces - 1) * l.count(), any);
  dealt.for_each(d, dealt.pieces - 1, [&](std::uint64_t o, std::uint64_t column, std::uint64_t width, std::uint64_t k) {
    cpu::fold_piece<T>(in, dealt.place(o, column, k), dealt.rows(k), l.inner, width,
                       &folds[k * l.count() + o * l.inner + column], op);
  });
  std::optional<W> begin;
  if (init != nullptr) begin.emplace(*init);
  for (std::uint64_t line = 0; line < l.count(); ++line) {
    if (begin) folds[line] = W(op(*begin, folds[line]));
    for (std::uint64_t k = 1; k + 1 < dealt.pieces; ++k)
      folds[k * l.count() + line] = W(op(folds[(k - 1) * l.count() + line], folds[k * l.count() + line]));
  }
  dealt.for_each(d, dealt.pieces, [&](std::uint64_t o, std::uint64_t column, std::uint64_t width, std::uint64_t k) {
    const W* before = k == 0 ? (begin ? &*begin : nullptr) : &folds[(k - 1) * l.count() + o * l.inner + column];
    scan(o, column, width, k, before, k == 0 ? 0 : 1);
  });
}

// Transposes the first `columns` columns of each of `batches` matrices of `rows` rows, `pitch` elements apart:
// out[b][column][row] = as(in[b][row][column]). The input may be moved from.
template <class In, class Out, class As>
void transpose(device& d, In* in, Out* out, std::uint64_t batches, std::uint64_t rows, std::uint64_t columns,
               std::uint64_t pitch, const As& as) {
  constexpr std::uint64_t edge = 32;
  const auto tile = [&](std::uint64_t b, std::uint64_t row, std::uint64_t last, std::uint64_t column) {
    for (std::uint64_t c = column; c < (std::min)(columns, column + edge); ++c)
      for (std::uint64_t r = row; r < last; ++r) out[(b * columns + c) * rows + r] = as(in[(b * rows + r) * pitch + c]);
  };
  const std::uint64_t high = rows == 1 ? 1 : (std::min)(rows, edge), strips = block_count(rows, high);
  const std::uint64_t at_once = std::max<std::uint64_t>((1 << 15) / std::max<std::uint64_t>(high * columns, 1), 1);
  cpu::for_each_block(d, block_count(batches * strips, at_once), [&](std::uint64_t t, const stop_flag&) {
    for (std::uint64_t s = t * at_once; s < (std::min)(batches * strips, (t + 1) * at_once); ++s) {
      const std::uint64_t row = s % strips * high;
      for (std::uint64_t column = 0; column < columns; column += edge)
        tile(s / strips, row, (std::min)(rows, row + high), column);
    }
  });
}

}  // namespace upsweep::cpu
