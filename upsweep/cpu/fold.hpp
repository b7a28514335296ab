// One block on one thread, by SIMD, for the built-in types and operators: what reduce and scan on the CPU both begin
// with.
// The instruction set is chosen at run time, once.
#pragma once

#include "upsweep/cpu/carry.hpp"
#include "upsweep/types.hpp"

namespace upsweep::cpu {

// Elements that are prepared or held back at a time: at most 16 KB, so that it stays in the first-level cache. A
// multiple of every vector group, so that working by tiles groups a scan as working without them does.
inline constexpr std::uint64_t tile_elements = 2048;

// Folds n elements of the type into *carry, a carry_of<T, Op>; the operator's identity for n == 0. The elements are
// lifted already.
using fold_kernel = void (*)(const void* in, std::uint64_t n, void* carry);

// Null for compose_affine, which does not commute and folds as a user's operator does.
fold_kernel find_fold(dtype type, op_kind op);

// out[i] = f(in[i]), and then 0 or 1 when the operator reads elements as true or false. `out` may be `in`.
using prepare_kernel = void (*)(const void* in, std::uint64_t n, void* out);
prepare_kernel find_prepare(dtype type, transform_kind f, op_kind op);

constexpr bool is_logical(op_kind op) { return op == op_kind::logical_and || op == op_kind::logical_or; }

// Copies past the caches; end_stream orders it before whatever this thread writes next.
void stream_copy(const void* from, void* to, std::uint64_t bytes);
void end_stream();

// The fold of a block whose elements may have to be prepared first.
template <class T, class Op>
class block_fold {
 public:
  using carry = carry_of<T, Op>;

  // `type` is that of the elements, which are folded as T.
  explicit block_fold(transform_kind f, dtype type = dtype_of<T>) : fold_(find_fold(dtype_of<T>, Op::kind)) {
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

  prepare_kernel prepare() const { return prepare_; }  // null where elements are used as they are

 private:
  fold_kernel fold_;
  prepare_kernel prepare_ = nullptr;
};

}  // namespace upsweep::cpu
