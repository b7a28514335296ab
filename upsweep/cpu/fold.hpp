// The fold of one block on one thread, by SIMD, for the built-in types and operators. reduce and scan on the CPU begin
// with it. The instruction set is chosen once, at run time.
#pragma once

#include "upsweep/cpu/carry_chain.hpp"
#include "upsweep/types.hpp"

namespace upsweep::cpu {

// The number of elements that are prepared or buffered at a time: at most 16 KB, so that they stay in the first-level
// cache. It is a multiple of every vector group, so a scan in tiles has the same grouping as a scan without tiles.
inline constexpr std::uint64_t tile_elements = 2048;

// Folds n elements of the type into *carry, a carry_of<T, Op>; for n == 0 the result is the identity of the operator.
// The elements of logical operators are already 0 or 1.
using fold_kernel = void (*)(const void* in, std::uint64_t n, void* carry);

// Null for compose_affine, which does not commute and is folded like a user-defined operator. `in_f64`: sums of f32 are
// computed in f64 throughout, as in a scan, so that the carry of a block equals the last value of its scan.
fold_kernel find_fold(dtype type, op_kind op, bool in_f64 = false);

// out[i] = f(in[i]), then converted to 0 or 1 for a logical operator. `out` may be `in`.
using prepare_kernel = void (*)(const void* in, std::uint64_t n, void* out);
prepare_kernel find_prepare(dtype type, transform_kind f, op_kind op);

constexpr bool is_logical(op_kind op) { return op == op_kind::logical_and || op == op_kind::logical_or; }

// Copies with stores that bypass the caches. end_stream() orders them before later writes of this thread.
void stream_copy(const void* from, void* to, std::uint64_t bytes);
void end_stream();

// The fold of a block whose elements may have to be prepared first.
template <class T, class Op>
class block_fold {
 public:
  using carry = carry_of<T, Op>;

  // `type` is the type of the elements. They are folded as T.
  explicit block_fold(transform_kind f, dtype type = dtype_of<T>, bool in_f64 = false)
      : fold_(find_fold(dtype_of<T>, Op::kind, in_f64)) {
    if (f != transform_kind::identity || is_logical(Op::kind)) prepare_ = find_prepare(type, f, Op::kind);
  }

  carry operator()(const T* in, std::uint64_t n) const {
    carry all;
    if (!prepare_) {
      fold_(in, n, &all);
      return all;
    }
    all = to_carry<T, Op>(identity_of<T>(Op{}));
    alignas(64) T tile[tile_elements];
    for (std::uint64_t done = 0; done < n; done += tile_elements) {
      const std::uint64_t count = n - done < tile_elements ? n - done : tile_elements;
      prepare_(in + done, count, tile);
      carry part;
      fold_(tile, count, &part);
      all = join<T, Op>(all, part);
    }
    return all;
  }

  prepare_kernel prepare() const { return prepare_; }  // null if elements need no preparation

 private:
  fold_kernel fold_;
  prepare_kernel prepare_ = nullptr;
};

}  // namespace upsweep::cpu
