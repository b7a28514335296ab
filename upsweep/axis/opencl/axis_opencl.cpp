// Launches and catalog entries of axis_opencl.cl, and the launches of axis_opencl_moves.cl.
#include <algorithm>
#include <array>

#include "upsweep/axis/axis_by_segments.hpp"
#include "upsweep/axis/axis_entries.hpp"
#include "upsweep/opencl/elements_as_words.hpp"
#include "upsweep/opencl/opencl_fold.hpp"

namespace upsweep::detail::axis_impl {

namespace {

using opencl::groups_for;
using opencl::operand;

constexpr std::uint64_t edge = 16;
static_assert(edge * edge == opencl::lanes);

opencl::loaded_kernel mover(opencl::device& d, std::uint64_t from, std::uint64_t to, const char* name) {
  return d.kernel({"axis/opencl/axis_opencl_moves.cl"},
                  std::string("-D FROM=") + opencl::word_name(from) + " -D TO=" + opencl::word_name(to) +
                      " -D EDGE=" + std::to_string(edge),
                  name);
}

void write_offsets(device& any, memory to, std::uint64_t lines, std::uint64_t length) {
  opencl::device& d = opencl::of(any);
  d.launch(mover(d, 4, 4, "write_offsets"), groups_for(lines + 1), opencl::lanes, operand{to, 8}, cl_ulong(lines),
           cl_ulong(length));
}

void transpose(device& any, const transposition& t) {
  opencl::device& d = opencl::of(any);
  if (t.elements() == 0) return;
  const auto launch = [&](const char* name, std::uint64_t groups) {
    d.launch(mover(d, t.bytes, t.out_bytes, name), groups, opencl::lanes, operand{t.in, t.bytes},
             operand{t.out, t.out_bytes}, cl_ulong(t.batches), cl_ulong(t.rows), cl_ulong(t.columns), cl_ulong(t.pitch),
             cl_ulong(t.modulo));
  };
  if (t.narrow()) return launch("transpose_each", groups_for(t.elements()));
  launch("transpose_tiles", t.batches * ((t.rows + edge - 1) / edge) * ((t.columns + edge - 1) / edge));
}

struct launches {
  opencl::device& d;
  const problem& p;
  opencl::folding f;
  pieces_of pieces;
  std::uint64_t lines;
  operand in, out, folds;

  launches(device& any, const problem& asked)
      : d(opencl::of(any)),
        p(asked),
        f(opencl::folding(p.type, p).on(d)),
        pieces(p.along),
        lines(p.along.count()),
        in{p.n ? p.in : p.out, f.size},
        out{p.out, f.size},
        folds{pieces.count > 1 ? d.scratch("axis/folds", lines * pieces.count * f.carried) : p.out,
              pieces.count > 1 ? f.carried : f.size} {}

  opencl::loaded_kernel kernel(const char* name) const {
    return d.kernel({"opencl/operators.cl", "axis/opencl/axis_opencl.cl"}, f.options, name);
  }
  void fold(operand to) const {
    d.launch(kernel("fold_lines"), groups_for(lines * pieces.count), opencl::lanes, in, to, cl_ulong(lines),
             cl_ulong(p.along.length), cl_ulong(p.along.inner), cl_ulong(pieces.count), cl_ulong(pieces.length),
             f.init);
  }
};

void run_reduce(device& any, const problem& p) {
  if (p.along.count() == 0) return;
  if (goes_by_segments(p.along)) return fold_by_segments(any, p);
  const launches l(any, p);
  l.fold(l.folds);
  if (l.pieces.count > 1)
    l.d.launch(l.kernel("join_folds"), groups_for(l.lines), opencl::lanes, l.folds, l.out, cl_ulong(l.lines),
               cl_ulong(l.pieces.count), l.f.init);
}

void run_scan(device& any, const problem& p) {
  if (p.n == 0) return;
  if (goes_by_segments(p.along)) return fold_by_segments(any, p);
  const launches l(any, p);
  if (l.pieces.count > 1) {
    l.fold(l.folds);
    l.d.launch(l.kernel("scan_folds"), groups_for(l.lines), opencl::lanes, l.folds, cl_ulong(l.lines),
               cl_ulong(l.pieces.count), l.f.init);
  }
  l.d.launch(l.kernel("scan_lines"), groups_for(l.lines * l.pieces.count), opencl::lanes, l.in, l.out, l.folds,
             cl_ulong(l.lines), cl_ulong(p.along.length), cl_ulong(p.along.inner), cl_ulong(l.pieces.count),
             cl_ulong(l.pieces.length), cl_uint(p.inclusive), l.f.init);
}

}  // namespace

const moves& opencl_moves() {
  static constexpr moves all{write_offsets, transpose};
  return all;
}

std::span<const variant> opencl() {
  constexpr formula span{"min(2n, n/1024 + 1024)", [](double n) { return std::min(2 * n, n / 1024 + 1024); }};
  const auto of_lanes = [&](primitive what, std::string_view name, std::string_view teaches,
                            void (*run)(device&, const problem&)) {
    variant v = entry(backend::opencl, what, name, teaches, span, run);
    v.device_lacks = opencl::lacks_lanes;
    v.limits = "work-groups of 256 items";
    return v;
  };
  static const std::array list{
      of_lanes(primitive::axis_reduce, "axis-reduce/item-per-line",
               "An item a line, long lines in pieces; rows, and few lines, as segments.", run_reduce),
      of_lanes(primitive::axis_scan, "axis-scan/item-per-line",
               "An item a line, long lines in pieces; rows, and few lines, as segments.", run_scan),
  };
  return list;
}

}  // namespace upsweep::detail::axis_impl
