// rearrange: the typed descriptor of a computation that moves elements, and the variants that a call chooses from.
// Elements are moved as words, so any trivially copyable type is one of these.
#pragma once

#include "upsweep/core/dispatch.hpp"
#include "upsweep/rearrange/rearrange_permutation.hpp"

namespace upsweep::detail::rearrange_impl {

enum class primitive : std::uint8_t { reverse, rotate, swap_ranges, shuffle, random_permutation };

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"reverse", "rotate", "swap-ranges", "shuffle", "random-permutation"};
  return names[static_cast<int>(p)];
}

// An element is `words` words of `type`: u8, u16, u32 or u64.
//   reverse             out[i] = in[n - 1 - i]
//   rotate              out[i] = in[(i + shift) mod n], shift <= n
//   swap-ranges         out[i] = in2[i], out2[i] = in[i]
//   shuffle             out[i] = in[place(i)], place being seeded_permutation(n, seed)
//   random-permutation  out[i] = place(i), of u32 or u64; words is 1
// `out` may be exactly `in`; of swap-ranges, `out2` may besides be exactly `in2`.
struct problem : problem_head {
  primitive what = primitive::reverse;
  memory in, in2, out, out2;
  std::uint64_t words = 1, shift = 0, seed = 0;
};

using variant = variant_of<problem>;
using variant_lists = lists_of<problem>;

// The algorithm's variants, a list for each backend, and how a call chooses and runs one.
variant_lists variants();
const variant& choose(const target&, const problem&);
bool can_run(const target&, const problem&);
void run(const target&, const problem&);

std::span<const variant> cpu();
std::span<const variant> opencl();
std::span<const variant> cuda();

// Under OpenCL a base is a buffer, not an address.
inline bool in_place(const device& d, const problem& p) {
  if (d.kind() == backend::opencl) return p.out.base == p.in.base && p.out.offset == p.in.offset;
  return p.out.address() == p.in.address();
}

// Elements [first, first + count) of an operand.
inline memory part_of(const problem& p, memory m, std::uint64_t first) {
  return m.plus_bytes(first * p.words * size_of(p.type));
}

// A rotation in place as three reversals: of the elements that move to the end, of the rest, and of all.
template <class Reverse>
void rotate_by_reversing(const problem& p, const Reverse& reverse) {
  const auto part = [&](std::uint64_t first, std::uint64_t count) {
    problem r = p;
    r.what = primitive::reverse, r.in = r.out = detail::rearrange_impl::part_of(p, p.out, first), r.n = count;
    if (count > 1) reverse(r);
  };
  if (p.shift % std::max<std::uint64_t>(p.n, 1) == 0) return;
  part(0, p.shift), part(p.shift, p.n - p.shift), part(0, p.n);
}

}  // namespace upsweep::detail::rearrange_impl
