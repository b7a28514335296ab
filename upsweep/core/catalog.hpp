// The catalog: every variant of every primitive, by name. Tests, bench, command and report walk it and nothing else.
//
// A variant works on device memory with its types erased; the public templates of each room (reduce.hpp, scan.hpp) end
// here for built-in types and operators. Adding a variant is one file with the algorithm and one entry in its room's
// list.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "upsweep/context.hpp"
#include "upsweep/core/shape.hpp"
#include "upsweep/nbody/gravitation.hpp"
#include "upsweep/operators.hpp"

namespace upsweep {

enum class primitive : std::uint8_t {
  vector_add,
  reduce,
  scan,
  sort,
  segmented_sort,
  top_k,
  merge,
  is_sorted,  // sort.hpp
  select,
  run_lengths,
  expand_runs,
  gather,
  scatter_if,  // select.hpp
  histogram,
  range_counts,  // histogram.hpp
  reduce_by_key,
  scan_by_key,
  segmented_reduce,
  segmented_scan,  // segmented.hpp
  integral,
  box_filter,
  rectangle_sums,  // integral.hpp
  convolve,        // convolve.hpp
  nbody,           // nbody.hpp
};

// In the order of `upsweep list`.
inline constexpr std::array all_primitives{
    primitive::vector_add,     primitive::reduce,         primitive::scan,
    primitive::sort,           primitive::segmented_sort, primitive::top_k,
    primitive::merge,          primitive::is_sorted,      primitive::select,
    primitive::run_lengths,    primitive::expand_runs,    primitive::gather,
    primitive::scatter_if,     primitive::histogram,      primitive::range_counts,
    primitive::reduce_by_key,  primitive::scan_by_key,    primitive::segmented_reduce,
    primitive::segmented_scan, primitive::integral,       primitive::box_filter,
    primitive::rectangle_sums, primitive::convolve,       primitive::nbody};

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{
      "vector-add",     "reduce",    "scan",         "sort",           "segmented-sort", "top-k",
      "merge",          "is-sorted", "select",       "run-lengths",    "expand-runs",    "gather",
      "scatter-if",     "histogram", "range-counts", "reduce-by-key",  "scan-by-key",    "segmented-reduce",
      "segmented-scan", "integral",  "box-filter",   "rectangle-sums", "convolve",       "nbody"};
  return names[static_cast<int>(p)];
}

// Whether an operator is applied.
constexpr bool folds_elements(primitive p) {
  return p <= primitive::scan || (p >= primitive::reduce_by_key && p <= primitive::segmented_scan);
}

// Which elements a selection keeps, and where the others go.
enum class selection : std::uint8_t {
  where,       // those that pass the test
  flagged,     // those whose flag is not zero
  unique,      // the first of each run of equal elements
  partition,   // those that pass the test, and after them the others
  partition3,  // those that pass `test`, then those of the others that pass `test2`, then the rest
};

// What a box filter gives of the elements in the box around each place.
enum class box_result : std::uint8_t { sum, mean, variance };

// One element of any built-in type.
struct scalar {
  alignas(8) std::byte bytes[8]{};
  template <class T>
  static scalar of(T value) {
    static_assert(sizeof(T) <= 8);
    scalar s;
    std::memcpy(s.bytes, &value, sizeof value);
    return s;
  }
  template <class T>
  T as() const {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
};

// What is to be computed. x_i stands for op-lifted transform(in[i]); elements are of `type` where nothing else is said.
//   reduce:           out[0] = init ∘ x_0 ∘ … ∘ x_{n-1}
//   scan, exclusive:  out[i] = init ∘ x_0 ∘ … ∘ x_{i-1}
//   scan, inclusive:  out[i] = init ∘ x_0 ∘ … ∘ x_i
//   vector-add:       out[i] = in[i] + in2[i]
//
//   sort:             out = in, sorted stably by bits [first_bit, last_bit) of the keys' order (sort.hpp), last_bit 0
//                     meaning all of them.
//                     value_bytes > 0: out2 = in2, moved along. `indices`: out2 = where each key stood (u32 or u64 by
//                     value_bytes), in2 is not read.
//   segmented-sort:   the same within each segment [in3[s], in3[s + 1]) (u64), m segments. What lies in no segment is
//                     copied.
//   top-k:            out = the m first of in in that order (descending: the largest), out2 = their indices (u64). m <=
//                     n.
//   merge:            out = the n of in and the m of in2, each sorted, as one sorted sequence; equal ones of in stand
//                     first.
//   is-sorted:        count[0] = the first i with in[i] before in[i - 1] in that order, or n.
//
//   Elements, and keys, are equal as == says: the zeros of both signs are, a NaN is not equal to itself.
//   select:           out = what `how` keeps, in order; count[0] = how many (u64), partition3: count[1] = how many of
//                     the second class. flagged: in3 = flags (u8). value_bytes > 0: out2 = in2, moved along. Of `out`,
//                     what lies beyond the kept elements is left as it is.
//   run-lengths:      out = the first of each run of equal elements, out2 = its length (u64), count[0] = how many runs
//   expand-runs:      out (m elements) = each of in as often as in2 (u64, n of them, of sum m) says
//   gather:           out[i] = in[in2[i]] for i < n; in2 is u64, each below m, in has m elements
//   scatter-if:       out[in2[i]] = in[i] where in3[i] (u8) is not zero; out has m elements, no two go to one place
//
//   histogram:        n samples, of `channels` channels that take turns (sample i is of channel i mod channels). out
//                     (u64, channels · m) = how many samples of each channel lie in each of the m bins. Bins: m equal
//                     ones of [lower, upper), or with `edges`: bin b is [in3[b], in3[b + 1]), m + 1 increasing edges.
//                     Samples in no bin, NaN too, are not counted.
//                     value_bytes 4: out (f64) = the sum of their weights, in2 (f32).
//   range-counts:     out[i] (u64) = in[b] - in[a] for the i-th pair (a, b) of in2 (u64); in (u64) = m + 1 prefixes, a
//                     <= b <= m
//
//   reduce-by-key:    for each run of equal keys in in2 (key_type): out2 = its first key, out = its x folded; count[0]
//                     = how many runs
//   scan-by-key:      a scan that begins anew with init at each run of equal keys in in2 (key_type)
//   segmented-reduce: out[s] = init ∘ the x of segment [in2[s], in2[s + 1]), m segments, m + 1 offsets (u64), each at
//   most n
//   segmented-scan:   a scan that begins anew with init at each segment; what lies in no segment is not written
//
//   Pictures have `size` pixels of `channels` interleaved elements; row y of slice z begins `pitch` (of out: out_pitch)
//   elements after row y - 1, slice z size.y rows after slice z - 1; 0 means that rows lie without gaps. What lies in
//   the gaps is neither read nor written. n is the number of elements in `in`, gaps not counted. `out` is of out_type.
//   integral:         out(x, y) = the sum of in(i, j) for i <= x, j <= y, for each channel, in out_type (integers wrap)
//   box-filter:       out(x, y) = `box`, of the elements (i, j) with |i - x| <= radius.x, |j - y| <= radius.y that lie
//                     in the picture, for each channel
//   rectangle-sums:   out[i] (out_type) = the sum over the i-th rectangle {x0, y0, x1, y1} of in2 (u64), [x0, x1) by
//                     [y0, y1), for each channel; in is an integral's table, of `type` = out_type, m rectangles
//   convolve:         out(x, y, z) = Σ mask(i, j, k) · in(x + i - anchor.x, y + j - anchor.y, z + k - anchor.z), the
//                     mask being in2 (mask_type, `mask` of them, x fastest), the same for each channel; in beyond its
//                     edges as `edge` says. `flipped`:
//                     the mask is turned about its middle first, which makes it a convolution; else it is a
//                     correlation. edge none: out has only the size.x - mask.x + 1 by … places that need nothing from
//                     beyond. Sums are made in mask_type; integers of less than 32 bits are rounded (half to even) and
//                     saturated. rank > 0: the mask is the sum of `rank` products of a row, a column and a pillar,
//                     which in3 (mask_type) holds one after the other.
//                     constant: the mask's elements are all one number.
//
//   nbody:            n bodies, each {x, y, z, mass} in in; out = for each {a_x, a_y, a_z, potential}
//                     (gravitation.hpp), the potential 0 where it is not wanted. gravity.jerks: in2 = {v_x, v_y, v_z,
//                     any} of each, out2 = {da_x/dt, da_y/dt, da_z/dt, 0}. `type` is f32 or f64.
//
// `out` of scan, sort, segmented-sort, scan-by-key and segmented-scan may be exactly `in` (and out2 exactly in2); any
// other overlap is the caller's error. n may be 0: reduce then yields init.
struct problem {
  primitive what = primitive::reduce;
  dtype type = dtype::u32;
  op_kind op = op_kind::plus;
  transform_kind transform = transform_kind::identity;
  bool inclusive = false;  // scans
  memory in, in2, in3, out, out2, count;
  std::uint64_t n = 0, m = 0;
  scalar init;  // of `type`; set it to identity_scalar(op, type) for none

  std::uint32_t value_bytes = 0;
  bool indices = false, descending = false;
  std::uint8_t first_bit = 0, last_bit = 0;
  selection how = selection::where;
  comparison test = comparison::less, test2 = comparison::less;
  scalar threshold, threshold2;  // of `type`
  bool edges = false;
  std::uint32_t channels = 1;
  scalar lower,
      // of histogram_room::bound_of<type> (histogram/bins.hpp): i64 for integers of up to 32 bits, f32 for f16, else
      // `type`
      upper;
  dtype key_type = dtype::u32;

  extent size, mask, anchor{0, 0, 0}, radius{0, 0, 0};
  std::uint64_t pitch = 0, out_pitch = 0;
  dtype out_type = dtype::u32, mask_type = dtype::f32;
  border edge = border::zero;
  bool flipped = false;
  std::uint32_t rank = 0;
  bool constant = false;
  box_result box = box_result::sum;

  gravitation gravity;
};

scalar identity_scalar(op_kind op, dtype type);

// A count as a function of the number of elements, and as the text people read ("2(n - 1)").
struct formula {
  const char* text = "";
  double (*value)(double n) = nullptr;
};

enum class rung : std::uint8_t { textbook, library };

struct variant {
  std::string_view name;  // "scan/blelloch-padded"
  backend where = backend::cpu;
  primitive what = primitive::reduce;
  rung kind = rung::textbook;
  int year = 0;
  std::string_view source;   // "harris2007", or "upsweep" for our own
  std::string_view teaches;  // one sentence: what it is and what it shows

  formula work;      // operator applications
  formula span;      // the longest chain of dependent applications; it also bounds the float error in units of eps·Σ|x|
  formula launches;  // kernels, or parallel phases on the CPU
  formula traffic;   // elements read and written in device memory

  // What it can take; `limits` says in words what is left out, and why.
  std::uint64_t max_n = ~std::uint64_t{0};
  bool inclusive = true, exclusive = true;  // scan
  bool transforms = true;                   // takes any transform but identity
  bool needs_commutative = false;
  bool (*takes)(op_kind, dtype) = accepts;
  // What it cannot take of a problem ("values of 8 bytes", "more than 256 bins"), or null; unset: it takes all.
  const char* (*cannot)(const problem&) = nullptr;
  // What a device lacks for it ("64-bit atomics"), or null; unset: nothing that any device of its backend could lack.
  const char* (*device_lacks)(const device&) = nullptr;
  std::string_view limits;

  // Enqueues the work (CPU: done on return). `p` has been checked against all of the above.
  void (*run)(device&, const problem& p) = nullptr;
};

// What a call chooses from: its room's own variants, backend by backend, the fastest last. Each room defines its own,
// so that a call links its room and no other.
using variant_lists = std::span<const std::span<const variant>>;
namespace vector_add_room {
variant_lists variants();
}
namespace reduce_room {
variant_lists variants();
}
namespace scan_room {
variant_lists variants();
}
namespace sort_room {
variant_lists variants();
}
namespace select_room {
variant_lists variants();
}
namespace histogram_room {
variant_lists variants();
}
namespace segmented_room {
variant_lists variants();
}
namespace integral_room {
variant_lists variants();
}
namespace convolve_room {
variant_lists variants();
}
namespace nbody_room {
variant_lists variants();
}

// All variants that are linked, in teaching order within a room, the fastest last: the library's own, and what was
// added. Using it links all rooms.
std::span<const variant> catalog();
// Adds more, the textbook's (textbook.hpp). Throws where the catalog was read before.
void add_to_catalog(variant_lists);

// The variant of that name on that backend, or null.
const variant* find_variant(std::string_view name, backend where);

// As above, but throws fault::bad_argument with the nearest names, or with the backends that have it.
const variant& require_variant(std::string_view name, backend where);

// Why `v` cannot do `p` on `d`, as a sentence; empty when it can.
std::string why_not(const variant& v, const device& d, const problem& p);

// The variant the device would run `p` with: the forced one, or the fastest of these for that device, size and type.
const variant& choose(variant_lists, const device& d, const problem& p);
// Whether there is one.
bool can_run(variant_lists, const device& d, const problem& p);

// Chooses, checks and runs on the device; sets d.last.
void run(variant_lists, device& d, const problem& p);

// The same of the whole catalog.
const variant& choose(const device& d, const problem& p);
void run(device& d, const problem& p);

// The same for operands in host memory (in.base and out.base are host addresses, offset 0): streams through the device
// in chunks when they do not fit, and returns when `out` is written. On the CPU nothing is copied.
void run_on_host(variant_lists, device& d, const problem& p);  // reduce and scan
void run_on_host(device& d, const problem& p);                 // of the whole catalog

// The init for the elements after p's, from its last input and output: an inclusive scan ends with it, an exclusive one
// lacks the last element.
scalar carry_after(const problem& p, scalar last_in, scalar last_out);

}  // namespace upsweep
