// List ranking: the position of every element of a linked list, on a CPU or (from a .cu file) a CUDA device.
#pragma once

#include <optional>

#include "upsweep/upsweep.hpp"

namespace trees {

using upsweep::buffer;
using upsweep::context;
using upsweep::for_each_index;
using i32 = std::int32_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
inline constexpr u32 nobody = 0xffffffff;
inline constexpr u64 most_elements = u64{1} << 31;

// An element of the list: the next element, and two numbers that are summed along the list, nodes (never negative) and
// height. After the walk the numbers are the sums of the elements before it in its sublist. It has 16 bytes, so that a
// walk touches one sector of memory for each element.
struct passage {
  u32 next = nobody;  // nobody: the end of the list
  u32 nodes = 0;
  i32 height = 0;
  u32 sublist = nobody;
};
// A flag in `sublist`: a sublist begins with this element, and its numbers remain its own.
inline constexpr u32 begins = 0x80000000;

struct list_place {
  u32 nodes;
  i32 height;
};

// The sums of a sublist; after pointer jumping, the sums of the list from this sublist on.
struct stretch {
  u32 follows, nodes;
  i32 height;
};

// The sums before each element, and of the whole list.
struct ranking {
  const passage* list;
  const stretch* left;
  list_place all;

  UPSWEEP_HD list_place operator()(u64 i) const {
    const passage here = list[i];
    const stretch end = left[here.sublist & ~begins];
    const bool first = here.sublist & begins;
    return {all.nodes - end.nodes + (first ? 0 : here.nodes), all.height - end.height + (first ? 0 : here.height)};
  }
};

// Prefetches an element.
UPSWEEP_HD inline void fetch_early([[maybe_unused]] const passage* p) {
#if !defined(__CUDA_ARCH__) && defined(__GNUC__)
  __builtin_prefetch(p, 1);
#endif
}

// Walks the sublists from `waiting` up to `last`. One walk is a chain of cache misses. A CPU thread therefore
// interleaves many walks, so that their misses overlap. A GPU has enough threads.
UPSWEEP_HD inline void walk_sublists(passage* p, stretch* s, const u32* heads, u64 waiting, u64 last) {
#if defined(__CUDA_ARCH__)
  constexpr int together = 1;
#else
  constexpr int together = 24;
#endif
  struct walk {
    passage here;
    u32 at, id, nodes;
    i32 height;
  } w[together];
  const auto begin = [&](walk& x) {
    while (waiting < last && heads[waiting] == nobody) ++waiting;
    if (waiting == last) return false;
    const u32 at = heads[waiting];
    x = {p[at], at, static_cast<u32>(waiting++), 0, 0};
    fetch_early(p + x.here.next);
    return true;
  };
  int walking = 0;
  while (walking < together && begin(w[walking])) ++walking;
  while (walking > 0)
    for (int k = 0; k < walking; ++k) {
      walk& x = w[k];
      // Other walks read the first element of a sublist, so it is not changed.
      if (x.here.sublist == nobody) p[x.at] = {x.here.next, x.nodes, x.height, x.id};
      x.nodes += x.here.nodes, x.height += x.here.height;
      u32 follows = nobody;
      if (x.here.next != nobody) {
        const passage there = p[x.here.next];
        if (there.sublist == nobody) {
          x.at = x.here.next, x.here = there;
          fetch_early(p + there.next);
          continue;
        }
        follows = there.sublist & ~begins;
      }
      s[x.id] = {follows, x.nodes, x.height};
      if (!begin(x)) w[k--] = w[--walking];
    }
}

// The memory of a ranking: the heads of the sublists, and two buffers of sums.
struct sublists {
  buffer<u32> heads;
  buffer<stretch> now, then;
};

// Ranks the list that begins at `head`. Sublists begin at random elements and are walked in parallel (Helman and JáJá
// 1999); the sublists are then ranked by pointer jumping (Wyllie 1979). Throws an error if the list has a cycle.
// Elements that cannot be reached from `head` are not in `all`, and must not be queried.
inline ranking rank_list(const context& where, buffer<passage>& list, u32 head, std::optional<sublists>& memory,
                         u64 stride = 0) {
  const u64 n = list.size();
  const bool gpu = where.kind() == upsweep::backend::cuda;
  if (stride == 0) stride = gpu ? 32 : std::max<u64>(n / 4096, 64);
  const u64 count = (n + stride - 1) / stride + 1;
  memory.emplace(sublists{{where, count}, {where, count}, {where, count}});
  passage* const p = list.span().data();
  u32* const heads = memory->heads.span().data();
  stretch* const s = memory->now.span().data();
  // A sublist begins at `head`, and one at a hashed position in each stretch of the array.
  for_each_index(where, count, [=] UPSWEEP_HD(u64 k) {
    u32 at = head;
    if (k > 0) {
      const u64 begin = (k - 1) * stride, width = n - begin < stride ? n - begin : stride;
      const u64 h = (k + 1) * 0x9e3779b97f4a7c15;
      at = static_cast<u32>(begin + ((h ^ h >> 29) * 0xbf58476d1ce4e5b9 >> 33) % width);
      if (at == head) at = nobody;
    }
    heads[k] = at;
    s[k] = {nobody, 0, 0};
    if (at != nobody) p[at].sublist = begins | static_cast<u32>(k);
  });
  const u64 of_one = gpu ? 1 : std::max<u64>(count / 32, 16);
  for_each_index(
      where, (count + of_one - 1) / of_one,
      [=] UPSWEEP_HD(u64 group) {
        const u64 last = (group + 1) * of_one;
        walk_sublists(p, s, heads, group * of_one, last < count ? last : count);
      },
      1);
  for (u64 reach = 1; reach < count; reach *= 2) {
    const stretch* const from = memory->now.span().data();
    stretch* const to = memory->then.span().data();
    for_each_index(where, count, [=] UPSWEEP_HD(u64 k) {
      stretch here = from[k];
      if (here.follows != nobody) {
        const stretch on = from[here.follows];
        here = {on.follows, here.nodes + on.nodes, here.height + on.height};
      }
      to[k] = here;
    });
    std::swap(memory->now, memory->then);
  }
  stretch whole;
  where.device().download(&whole, memory->now.span().where(), sizeof whole);
  if (whole.follows != nobody)
    throw upsweep::error(upsweep::fault::bad_argument, "rank_list",
                         "from element " + std::to_string(head) + " the list never ends", "break the cycle");
  return {p, memory->now.span().data(), {whole.nodes, whole.height}};
}

}  // namespace trees
