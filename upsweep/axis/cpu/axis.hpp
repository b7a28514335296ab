// Folds and scans along an axis on the CPU, for any type and operator.
//
// Threads take blocks of neighbouring lines and go through them row by row, so that memory is read in order whichever
// axis it is. Where there are few lines and long ones, each is cut in pieces: these are folded first, and then joined
// in order. Where blocks and pieces are cut depends on the shape alone, so results are the same with any number of
// threads.
#pragma once

#include <algorithm>
#include <vector>

#include "upsweep/axis/lines.hpp"
#include "upsweep/cpu/parts.hpp"

namespace upsweep::cpu {

inline constexpr std::uint64_t width_bytes = 4096;  // of a block's rows, at most

// How lines are dealt out: a block is up to `width` neighbours, and `at_once` blocks are one thread's turn.
template <class T>
struct dealt_lines {
  axis_room::lines all;
  std::uint64_t width = 1, columns = 1, blocks = 1, at_once = 1, pieces = 1, piece = 0;

  explicit dealt_lines(const axis_room::lines& l) : all(l), piece(l.length) {
    constexpr std::uint64_t turn = 1 << 15, enough_blocks = 16, most_pieces = 64;
    width = std::min(l.inner, block_elements(width_bytes, sizeof(T)));
    columns = block_count(l.inner, width);
    blocks = l.outer * columns;
    const std::uint64_t work = std::max<std::uint64_t>(width * l.length, 1);
    at_once = std::max<std::uint64_t>(turn / work, 1);
    if (blocks >= enough_blocks || work < 2 * turn) return;
    const std::uint64_t wanted = std::min({most_pieces / blocks, work / turn, l.length});
    piece = block_count(l.length, std::max<std::uint64_t>(wanted, 1));
    pieces = block_count(l.length, piece);
  }

  // Calls body(outer, first column, columns, piece) for each block's every piece below `up_to`.
  template <class Body>
  void for_each(device& d, std::uint64_t up_to, const Body& body) const {
    const auto one = [&](std::uint64_t b, std::uint64_t k) {
      const std::uint64_t column = b % columns * width;
      body(b / columns, column, std::min(width, all.inner - column), k);
    };
    if (pieces == 1)
      return cpu::for_each_block(d, block_count(blocks, at_once), [&](std::uint64_t t, const stop_flag&) {
        for (std::uint64_t b = t * at_once; b < std::min(blocks, (t + 1) * at_once); ++b) one(b, 0);
      });
    cpu::for_each_block(d, blocks * up_to, [&](std::uint64_t t, const stop_flag&) { one(t / up_to, t % up_to); });
  }
  std::uint64_t place(std::uint64_t outer, std::uint64_t column, std::uint64_t k) const {
    return (outer * all.length + k * piece) * all.inner + column;
  }
  std::uint64_t rows(std::uint64_t k) const { return std::min(piece, all.length - k * piece); }
};

// What is folded: row(first, count, tile) is `count` elements side by side, of a line or of a block's lines.
template <class T, class In, class Op, class F>
struct lifted_elements {
  const In& in;
  const Op& op;
  const F& f;

  struct tile {};  // where a row is prepared, if it is
  struct row_of {
    const lifted_elements& all;
    std::uint64_t first;
    T operator[](std::uint64_t c) const { return upsweep::lifted(all.op, T(all.f(all.in[first + c]))); }
  };
  row_of row(std::uint64_t first, std::uint64_t, tile&) const { return {*this, first}; }
};

// to[c] = the fold of `rows` > 0 elements from in[first + c] on, each `inner` after the one before.
template <class T, class Elements, class Op>
void fold_columns(const Elements& in, std::uint64_t first, std::uint64_t rows, std::uint64_t inner, std::uint64_t width,
                  T* to, const Op& op) {
  typename Elements::tile tiles[4];
  if (inner == 1) {
    const auto x = in.row(first, rows, tiles[0]);
    T all = x[0];
    for (std::uint64_t j = 1; j < rows; ++j) all = T(op(all, x[j]));
    *to = std::move(all);
    return;
  }
  const auto x = in.row(first, width, tiles[0]);
  UPSWEEP_EACH_ALONE
  for (std::uint64_t c = 0; c < width; ++c) to[c] = x[c];
  std::uint64_t j = 1, at = first + inner;
  for (; j + 3 < rows; j += 4, at += 4 * inner) {
    const auto x0 = in.row(at, width, tiles[0]), x1 = in.row(at + inner, width, tiles[1]),
               x2 = in.row(at + 2 * inner, width, tiles[2]), x3 = in.row(at + 3 * inner, width, tiles[3]);
    UPSWEEP_EACH_ALONE
    for (std::uint64_t c = 0; c < width; ++c) to[c] = T(op(T(op(T(op(T(op(to[c], x0[c])), x1[c])), x2[c])), x3[c]));
  }
  for (; j < rows; ++j, at += inner) {
    const auto x0 = in.row(at, width, tiles[0]);
    UPSWEEP_EACH_ALONE
    for (std::uint64_t c = 0; c < width; ++c) to[c] = T(op(to[c], x0[c]));
  }
}

// out[line] = *init ∘ the line; null: from its first element. Nothing overlaps.
template <class T, class Elements, class Op>
void reduce_lines(device& d, const Elements& in, const axis_room::lines& l, T* out, const T* init, const Op& op) {
  if (l.count() == 0) return;
  if (l.length == 0) {
    std::fill_n(out, l.count(), *init);
    return;
  }
  const dealt_lines<T> dealt(l);
  const auto from_init = [&](T* to, std::uint64_t width) {
    if (init != nullptr)
      for (std::uint64_t c = 0; c < width; ++c) to[c] = T(op(*init, to[c]));
  };
  if (dealt.pieces == 1)
    return dealt.for_each(d, 1, [&](std::uint64_t o, std::uint64_t column, std::uint64_t width, std::uint64_t) {
      T* const to = out + o * l.inner + column;
      cpu::fold_columns(in, dealt.place(o, column, 0), l.length, l.inner, width, to, op);
      from_init(to, width);
    });
  typename Elements::tile tile;
  const T any = in.row(0, 1, tile)[0];
  block_values<T> folds(d, "axis/folds", dealt.pieces * l.count(), any);
  dealt.for_each(d, dealt.pieces, [&](std::uint64_t o, std::uint64_t column, std::uint64_t width, std::uint64_t k) {
    cpu::fold_columns(in, dealt.place(o, column, k), dealt.rows(k), l.inner, width,
                      &folds[k * l.count() + o * l.inner + column], op);
  });
  for (std::uint64_t line = 0; line < l.count(); ++line) {
    T all = folds[line];
    for (std::uint64_t k = 1; k < dealt.pieces; ++k) all = T(op(all, folds[k * l.count() + line]));
    out[line] = std::move(all);
  }
  from_init(out, l.count());
}

// The scans of `width` columns, each from its own `before`; null: from its first element. Each element is read before
// its place is written.
template <class T, class Elements, class Op>
void scan_columns(const Elements& in, std::uint64_t first, std::uint64_t rows, std::uint64_t inner, std::uint64_t width,
                  T* out, const T* before, std::uint64_t apart, bool inclusive, const Op& op) {
  struct kept {
    T x;
  };
  typename Elements::tile tile;
  std::vector<kept> running;
  running.reserve(width);
  if (before != nullptr) {
    for (std::uint64_t c = 0; c < width; ++c) running.push_back({before[c * apart]});
  } else {
    const auto x = in.row(first, width, tile);
    for (std::uint64_t c = 0; c < width; ++c) {
      running.push_back({x[c]});
      out[first + c] = running[c].x;
    }
  }
  kept* const now = running.data();
  for (std::uint64_t j = before == nullptr; j < rows; ++j) {
    const std::uint64_t at = first + j * inner;
    const auto x = in.row(at, width, tile);
    if (inclusive) {
      UPSWEEP_EACH_ALONE
      for (std::uint64_t c = 0; c < width; ++c) {
        now[c].x = T(op(now[c].x, x[c]));
        out[at + c] = now[c].x;
      }
    } else {
      UPSWEEP_EACH_ALONE
      for (std::uint64_t c = 0; c < width; ++c) {
        T next = T(op(now[c].x, x[c]));
        out[at + c] = std::move(now[c].x);
        now[c].x = std::move(next);
      }
    }
  }
}

// ... of one row.
template <class T, class Elements, class Op>
void scan_row(const Elements& in, std::uint64_t first, std::uint64_t count, T* out, const T* before, bool inclusive,
              const Op& op) {
  typename Elements::tile tile;
  const auto x = in.row(first, count, tile);
  T now = before != nullptr ? *before : T(x[0]);
  if (before == nullptr) out[first] = now;
  for (std::uint64_t j = before == nullptr; j < count; ++j) {
    T next = T(op(now, x[j]));
    out[first + j] = inclusive ? next : std::move(now);
    now = std::move(next);
  }
}

// Each line scanned from *init, or, inclusive, null: from its first element. `out` may be exactly what `in` reads.
template <class T, class Elements, class Op>
void scan_lines(device& d, const Elements& in, const axis_room::lines& l, T* out, const T* init, bool inclusive,
                const Op& op) {
  if (l.elements() == 0) return;
  const dealt_lines<T> dealt(l);
  // `apart` 0: one value for all columns.
  const auto scan = [&](std::uint64_t o, std::uint64_t column, std::uint64_t width, std::uint64_t k, const T* before,
                        std::uint64_t apart) {
    const std::uint64_t first = dealt.place(o, column, k), rows = dealt.rows(k);
    if (l.inner == 1) return cpu::scan_row(in, first, rows, out, before, inclusive, op);
    cpu::scan_columns(in, first, rows, l.inner, width, out, before, apart, inclusive, op);
  };
  if (dealt.pieces == 1)
    return dealt.for_each(d, 1, [&](std::uint64_t o, std::uint64_t column, std::uint64_t width, std::uint64_t) {
      scan(o, column, width, 0, init, 0);
    });
  // The fold of each piece but the last; then, in its place, of all up to its end.
  typename Elements::tile tile;
  const T any = in.row(0, 1, tile)[0];
  block_values<T> folds(d, "axis/folds", (dealt.pieces - 1) * l.count(), any);
  dealt.for_each(d, dealt.pieces - 1, [&](std::uint64_t o, std::uint64_t column, std::uint64_t width, std::uint64_t k) {
    cpu::fold_columns(in, dealt.place(o, column, k), dealt.rows(k), l.inner, width,
                      &folds[k * l.count() + o * l.inner + column], op);
  });
  for (std::uint64_t line = 0; line < l.count(); ++line) {
    if (init != nullptr) folds[line] = T(op(*init, folds[line]));
    for (std::uint64_t k = 1; k + 1 < dealt.pieces; ++k)
      folds[k * l.count() + line] = T(op(folds[(k - 1) * l.count() + line], folds[k * l.count() + line]));
  }
  dealt.for_each(d, dealt.pieces, [&](std::uint64_t o, std::uint64_t column, std::uint64_t width, std::uint64_t k) {
    if (k == 0) return scan(o, column, width, 0, init, 0);
    scan(o, column, width, k, &folds[(k - 1) * l.count() + o * l.inner + column], 1);
  });
}

// Of each of `batches` matrices of `rows` rows that lie `pitch` apart the first `columns` columns: out[b][column][row]
// = as(in[b][row][column]). What is read may be moved from.
template <class In, class Out, class As>
void transpose(device& d, In* in, Out* out, std::uint64_t batches, std::uint64_t rows, std::uint64_t columns,
               std::uint64_t pitch, const As& as) {
  constexpr std::uint64_t edge = 32;
  const auto tile = [&](std::uint64_t b, std::uint64_t row, std::uint64_t last, std::uint64_t column) {
    for (std::uint64_t c = column; c < std::min(columns, column + edge); ++c)
      for (std::uint64_t r = row; r < last; ++r) out[(b * columns + c) * rows + r] = as(in[(b * rows + r) * pitch + c]);
  };
  const std::uint64_t high = rows == 1 ? 1 : std::min(rows, edge), strips = block_count(rows, high);
  const std::uint64_t at_once = std::max<std::uint64_t>((1 << 15) / std::max<std::uint64_t>(high * columns, 1), 1);
  cpu::for_each_block(d, block_count(batches * strips, at_once), [&](std::uint64_t t, const stop_flag&) {
    for (std::uint64_t s = t * at_once; s < std::min(batches * strips, (t + 1) * at_once); ++s) {
      const std::uint64_t row = s % strips * high;
      for (std::uint64_t column = 0; column < columns; column += edge)
        tile(s / strips, row, std::min(rows, row + high), column);
    }
  });
}

}  // namespace upsweep::cpu
