// Folds and scans along an axis on CUDA: one thread per line, or per piece of a line where lines are few and long.
// Neighbouring threads take neighbouring lines, so that their accesses are coalesced. Rows, and too few lines to fill a
// GPU, are treated as segments.
//
// Pointers are device addresses, aligned as their type needs; the work is enqueued on the device's stream. Operators
// need not commute. Results repeat bit for bit: how elements are grouped depends on the shape and the type alone.
#pragma once

#if !defined(__CUDACC__)
#error "upsweep: upsweep/axis/axis_cuda.cuh is CUDA; include it from a .cu file compiled by nvcc"
#endif

#include "upsweep/axis/axis_by_segments.hpp"
#include "upsweep/axis/cuda/axis_offsets.cuh"
#include "upsweep/for_each/for_each_cuda.cuh"
#include "upsweep/segmented/segmented_cuda.cuh"

namespace upsweep::cuda {

// to[piece][line] = the fold of that piece; with one piece: init ∘ the line. To is the elements' type or, for pieces,
// its carrier.
template <class T, class To, class Op, class F>
struct fold_of_lines {
  const T* in;
  To* to;
  detail::axis_impl::lines all;
  std::uint64_t pieces, piece;
  T init;
  Op op;
  F f;

  __device__ void operator()(std::uint64_t i) const {
    const std::uint64_t lines = all.count(), line = i % lines, begin = i / lines * piece;
    const std::uint64_t end = begin + piece < all.length ? begin + piece : all.length;
    const T* x = in + all.place(line, 0);
    using W = core::carrier<T, Op>;
    W sum(init);
    if (begin < end) {
      sum = W(upsweep::to_accumulator(op, f(x[begin * all.inner])));
#pragma unroll 8
      for (std::uint64_t j = begin + 1; j < end; ++j)
        sum = op(sum, W(upsweep::to_accumulator(op, f(x[j * all.inner]))));
      if (pieces == 1) sum = op(W(init), sum);
    }
    to[i] = static_cast<To>(sum);
  }
};

// Joins the folds of a line's pieces in order, after init.
template <class T, class Op>
struct join_of_folds {
  using W = core::carrier<T, Op>;
  const W* folds;
  T* out;
  std::uint64_t lines, pieces;
  T init;
  Op op;

  __device__ void operator()(std::uint64_t line) const {
    W sum = folds[line];
#pragma unroll 8
    for (std::uint64_t k = 1; k < pieces; ++k) sum = op(sum, folds[k * lines + line]);
    out[line] = static_cast<T>(op(W(init), sum));
  }
};

// Replaces each fold by that of the pieces before it, after init.
template <class T, class Op>
struct scan_of_folds {
  using W = core::carrier<T, Op>;
  W* folds;
  std::uint64_t lines, pieces;
  T init;
  Op op;

  __device__ void operator()(std::uint64_t line) const {
    W running(init);
    for (std::uint64_t k = 0; k < pieces; ++k) {
      const W next = op(running, folds[k * lines + line]);
      folds[k * lines + line] = running;
      running = next;
    }
  }
};

template <class T, class Op, class F>
struct scan_of_lines {
  using W = core::carrier<T, Op>;
  const T* in;
  T* out;
  const W* before;
  detail::axis_impl::lines all;
  std::uint64_t pieces, piece;
  bool inclusive;
  T init;
  Op op;
  F f;

  __device__ T element(std::uint64_t i) const { return upsweep::to_accumulator(op, f(in[i])); }
  __device__ void put(std::uint64_t i, const T& x, W& running) const {
    const W next = op(running, W(x));
    out[i] = static_cast<T>(inclusive ? next : running);
    running = next;
  }
  // Four elements are read before the first result is written, so that more memory accesses are in flight at once.
  __device__ void operator()(std::uint64_t i) const {
    const std::uint64_t lines = all.count(), line = i % lines, begin = i / lines * piece, apart = all.inner;
    const std::uint64_t end = begin + piece < all.length ? begin + piece : all.length;
    std::uint64_t at = all.place(line, 0) + begin * apart, j = begin;
    W running = pieces == 1 ? W(init) : before[i];
    for (; j + 3 < end; j += 4, at += 4 * apart) {
      const T a = element(at), b = element(at + apart), c = element(at + 2 * apart), e = element(at + 3 * apart);
      put(at, a, running), put(at + apart, b, running), put(at + 2 * apart, c, running),
          put(at + 3 * apart, e, running);
    }
    for (; j < end; ++j, at += apart) put(at, element(at), running);
  }
};

// Copies the lines to contiguous memory, and back.
template <class T>
struct gathered_element {
  const T* in;
  T* to;
  detail::axis_impl::lines all;
  __device__ void operator()(std::uint64_t i) const { to[i] = in[all.place(i / all.length, i % all.length)]; }
};
template <class T>
struct spread_element {
  const T* from;
  T* out;
  detail::axis_impl::lines all;
  __device__ void operator()(std::uint64_t i) const {
    const std::uint64_t j = i / all.inner % all.length, o = i / all.inner / all.length;
    out[i] = from[(o * all.inner + i % all.inner) * all.length + j];
  }
};

inline const std::uint64_t* offsets_of_lines(device& d, const detail::axis_impl::lines& l) {
  auto* const offsets = d.scratch("axis/offsets", (l.count() + 1) * sizeof(std::uint64_t)).template as<std::uint64_t>();
  write_offsets(d, offsets, l.count(), l.length);
  return offsets;
}

template <class T>
T* scratch_for_folds(device& d, const detail::axis_impl::lines& l, const detail::axis_impl::pieces_of& cut) {
  return d.scratch("axis/folds", l.count() * cut.count * sizeof(T)).template as<T>();
}

// One thread per line, or per piece of one.
template <class T, class Op, class F>
void fold_each_line(device& d, const T* in, const detail::axis_impl::lines& l, T* out, T init, Op op, F f) {
  using W = core::carrier<T, Op>;
  const detail::axis_impl::pieces_of cut(l);
  if (cut.count <= 1)
    return for_each_index(d, l.count(), fold_of_lines<T, T, Op, F>{in, out, l, 1, cut.length, init, op, f});
  W* const folds = scratch_for_folds<W>(d, l, cut);
  for_each_index(d, l.count() * cut.count,
                 fold_of_lines<T, W, Op, F>{in, folds, l, cut.count, cut.length, init, op, f});
  for_each_index(d, l.count(), join_of_folds<T, Op>{folds, out, l.count(), cut.count, init, op});
}
template <class T, class Op, class F>
void scan_each_line(device& d, const T* in, const detail::axis_impl::lines& l, T* out, bool inclusive, T init, Op op,
                    F f) {
  using W = core::carrier<T, Op>;
  const detail::axis_impl::pieces_of cut(l);
  W* folds = nullptr;
  if (cut.count > 1) {
    folds = scratch_for_folds<W>(d, l, cut);
    for_each_index(d, l.count() * cut.count,
                   fold_of_lines<T, W, Op, F>{in, folds, l, cut.count, cut.length, init, op, f});
    for_each_index(d, l.count(), scan_of_folds<T, Op>{folds, l.count(), cut.count, init, op});
  }
  for_each_index(d, l.count() * cut.count,
                 scan_of_lines<T, Op, F>{in, out, folds, l, cut.count, cut.length, inclusive, init, op, f});
}

// For user-defined types and operators; with the library's, rows go to the precompiled segmented variants.

template <class T>
T* gathered(device& d, const T* in, const detail::axis_impl::lines& l) {
  T* const to = d.scratch("axis/lines", l.elements() * sizeof(T)).template as<T>();
  for_each_index(d, l.elements(), gathered_element<T>{in, to, l});
  return to;
}

template <class T, class Op, class F>
void reduce_lines(upsweep::device& where, const T* in, const detail::axis_impl::lines& l, T* out, T init, Op op, F f) {
  device& d = of(where);
  if (l.count() == 0) return;
  if (!detail::axis_impl::goes_by_segments(l)) return fold_each_line(d, in, l, out, init, op, f);
  const T* const rows = l.inner == 1 ? in : gathered(d, in, l);
  segmented_reduce(d, rows, l.elements(), offsets_of_lines(d, l), l.count(), out, init, op, f);
}

// `out` may be exactly `in`.
template <class T, class Op, class F>
void scan_lines(upsweep::device& where, const T* in, const detail::axis_impl::lines& l, T* out, bool inclusive, T init,
                Op op, F f) {
  device& d = of(where);
  if (l.elements() == 0) return;
  if (!detail::axis_impl::goes_by_segments(l)) return scan_each_line(d, in, l, out, inclusive, init, op, f);
  const std::uint64_t* const offsets = offsets_of_lines(d, l);
  if (l.inner == 1) return segmented_scan(d, in, l.elements(), offsets, l.count(), out, inclusive, init, op, f);
  T* const rows = gathered(d, in, l);
  segmented_scan(d, static_cast<const T*>(rows), l.elements(), offsets, l.count(), rows, inclusive, init, op, f);
  for_each_index(d, l.elements(), spread_element<T>{rows, out, l});
}

}  // namespace upsweep::cuda
