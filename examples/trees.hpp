// Trees by sorting, list ranking and scan, on a CPU or (from a .cu file) a CUDA device.
//
// A tree is an array of parents; the root is its own. Its Euler tour goes down into every node once and up out of it
// once; as a list, each of the 2n passages knows the next. Where each stands in the tour tells depths, sizes and both
// orders.
#pragma once

#include <bit>
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
inline constexpr u64 most_nodes = 1 << 30;

// A passage of the list: what follows it; once it has been walked over, which sublist it is in, and how far.
struct passage {
  u32 next, steps;
};
inline constexpr u32 splits =
    0x80000000;  // in next: a sublist begins here, and `steps` says which. Such a passage stays as it is
inline constexpr u32 end_of_list = 0x7fffffff;

struct sublist {
  u32 first, length, follows;
  i32 rise;  // how much deeper it ends
};
struct sublist_end {  // what is left of the list from a sublist on, as far as it has been added up
  u32 follows, length;
  i32 rise;
};

// Ranks of a list that begins at `head`, by sublists that begin at random places (Helman and JáJá 1999): they are
// walked side by side, and then ranked themselves by pointer jumping (Wyllie 1979). Passages below size / 2 go down and
// the others up; depth[i] is how many more went down than up before passage i, for those that go down. Returns how many
// passages were reached.
//
// One walk is a chain of cache misses. A CPU thread follows sixteen at once, so that their misses overlap; a GPU has
// enough threads.
inline u64 rank_list(const context& where, buffer<passage>& list, u32 head, buffer<u32>& ranks, buffer<i32>& depths) {
  const u64 n = list.size(), half = n / 2;
  const bool gpu = where.kind() == upsweep::backend::cuda;
  const u64 stride = gpu ? 128 : std::max<u64>(n / 4096, 64), count = (n + stride - 1) / stride + 1;
  buffer<sublist> sublists(where, count);
  passage* const p = list.span().data();
  sublist* const s = sublists.span().data();
  // One in each stretch of the array, where a hash says; the head besides.
  for_each_index(where, count, [=] UPSWEEP_HD(u64 k) {
    u32 at = head;
    if (k > 0) {
      const u64 begin = (k - 1) * stride, width = n - begin < stride ? n - begin : stride;
      const u64 h = (k + 1) * 0x9e3779b97f4a7c15;
      at = static_cast<u32>(begin + ((h ^ h >> 29) * 0xbf58476d1ce4e5b9 >> 33) % width);
      if (at == head) at = nobody;
    }
    s[k] = {at, 0, nobody, 0};
    if (at != nobody) p[at].next |= splits, p[at].steps = static_cast<u32>(k);
  });

  i32* const depth = depths.span().data();
  constexpr int most = 16;
  const int together = gpu ? 1 : most;
  const u64 of_one = gpu ? 1 : std::max<u64>(count / 32, most);
  for_each_index(
      where, (count + of_one - 1) / of_one,
      [=] UPSWEEP_HD(u64 group) {
        struct walk {
          u32 id, at, next, steps;
          i32 height;
        } w[most];
        u64 waiting = group * of_one;
        const u64 last = waiting + of_one < count ? waiting + of_one : count;
        const auto begin = [&](walk& x) {
          while (waiting < last && s[waiting].first == nobody) ++waiting;
          if (waiting == last) return false;
          const u32 at = s[waiting].first;
          x = {static_cast<u32>(waiting++), at, p[at].next & ~splits, 0, 0};
          return true;
        };
        int walking = 0;
        while (walking < together && begin(w[walking])) ++walking;
        while (walking > 0)
          for (int k = 0; k < walking; ++k) {
            walk& x = w[k];
            if (x.at < half)
              depth[x.at] = x.height++;
            else
              --x.height;
            if (x.steps > 0) p[x.at] = {x.id, x.steps};
            ++x.steps;
            if (x.next != end_of_list) {
              const passage there = p[x.next];
              if (!(there.next & splits)) {
                x.at = x.next, x.next = there.next;
                continue;
              }
              s[x.id].follows = there.steps;
            }
            s[x.id].length = x.steps, s[x.id].rise = x.height;
            if (!begin(x)) w[k--] = w[--walking];
          }
      },
      1);

  buffer<sublist_end> now(where, count), then(where, count);
  sublist_end* const first = now.span().data();
  for_each_index(where, count, [=] UPSWEEP_HD(u64 k) { first[k] = {s[k].follows, s[k].length, s[k].rise}; });
  for (u64 reach = 1; reach < count; reach *= 2) {
    const sublist_end* const from = now.span().data();
    sublist_end* const to = then.span().data();
    for_each_index(where, count, [=] UPSWEEP_HD(u64 k) {
      const sublist_end here = from[k];
      if (here.follows == nobody) {
        to[k] = here;
      } else {
        const sublist_end on = from[here.follows];
        to[k] = {on.follows, here.length + on.length, here.rise + on.rise};
      }
    });
    std::swap(now, then);
  }
  const sublist_end* const left = now.span().data();
  sublist_end whole;
  where.dev().download(&whole, now.span().where(), sizeof whole);
  if (whole.follows != nobody || whole.length != n) return whole.length;

  u32* const rank = ranks.span().data();
  for_each_index(where, n, [=] UPSWEEP_HD(u64 i) {
    const passage here = p[i];
    const bool splitter = here.next & splits;
    const sublist_end end = left[splitter ? here.steps : here.next];
    rank[i] = static_cast<u32>(n) - end.length + (splitter ? 0 : here.steps);
    if (i < half) depth[i] += whole.rise - end.rise;
  });
  return n;
}

struct numbers {
  u32 root;
  buffer<u32> preorder, postorder, size;
  buffer<i32> depth;
};

// Throws with the place where the parents are no tree.
inline u32 root_of(const context& where, const buffer<u32>& parents) {
  using upsweep::error;
  const u64 n = parents.size();
  if (n == 0 || n > most_nodes)
    throw error(upsweep::fault::bad_argument, "tree", std::to_string(n) + " nodes",
                "give 1 to " + std::to_string(most_nodes));
  buffer<u32> roots(where, n), outside(where, n);
  const u32* const parent = parents.span().data();
  u32 *const is_root = roots.span().data(), *const is_outside = outside.span().data();
  for_each_index(where, n, [=] UPSWEEP_HD(u64 v) {
    is_root[v] = parent[v] == v ? static_cast<u32>(v) : nobody;
    is_outside[v] = parent[v] >= n ? static_cast<u32>(v) : nobody;
  });
  const u32 lost = upsweep::reduce(where, outside.span(), nobody, upsweep::minimum{});
  if (lost != nobody)
    throw error(upsweep::fault::bad_argument, "tree",
                "the parent of node " + std::to_string(lost) + " is none of the " + std::to_string(n) + " nodes",
                "mend it");
  const u32 root = upsweep::reduce(where, roots.span(), nobody, upsweep::minimum{});
  if (root == nobody)
    throw error(upsweep::fault::bad_argument, "tree", "no node is its own parent", "there is a cycle and no root");
  for_each_index(where, 1, [=] UPSWEEP_HD(u64) { is_root[root] = nobody; });
  const u32 second = upsweep::reduce(where, roots.span(), nobody, upsweep::minimum{});
  if (second != nobody)
    throw error(upsweep::fault::bad_argument, "tree",
                "nodes " + std::to_string(root) + " and " + std::to_string(second) + " are both roots", "join them");
  return root;
}

inline numbers number(const context& where, const buffer<u32>& parents) {
  const u64 n = parents.size();
  const u32 root = root_of(where, parents);
  const u32* const parent = parents.span().data();

  // Children stand together once the nodes are sorted by parent. The root is nobody's child: it goes last.
  buffer<u32> keys(where, n), nodes(where, n), first_child(where, n), sibling(where, n);
  u32 *const key = keys.span().data(), *const node = nodes.span().data(), *const child = first_child.span().data(),
             *const next_child = sibling.span().data();
  for_each_index(where, n, [=] UPSWEEP_HD(u64 v) {
    key[v] = v == root ? static_cast<u32>(n) : parent[v];
    node[v] = static_cast<u32>(v);
    child[v] = nobody;
  });
  upsweep::sort_by_key(where, keys.span(), nodes.span(), {.last_bit = static_cast<unsigned>(std::bit_width(n))});
  for_each_index(where, n, [=] UPSWEEP_HD(u64 k) {
    const u32 of = key[k];
    next_child[node[k]] = k + 1 < n && key[k + 1] == of ? node[k + 1] : nobody;
    if (of < n && (k == 0 || key[k - 1] != of)) child[of] = node[k];
  });

  // Passage v goes down into v, passage n + v up out of it.
  buffer<passage> tour(where, 2 * n);
  passage* const p = tour.span().data();
  const u32 up = static_cast<u32>(n);
  for_each_index(where, n, [=] UPSWEEP_HD(u64 i) {
    const u32 v = static_cast<u32>(i), below = child[v], beside = next_child[v];
    p[v] = {below != nobody ? below : up + v, 0};
    p[up + v] = {beside != nobody ? beside : v == root ? end_of_list : up + parent[v], 0};
  });

  numbers t{root, {where, n}, {where, n}, {where, n}, {where, n}};
  buffer<u32> ranks(where, 2 * n);
  const u64 reached = rank_list(where, tour, root, ranks, t.depth);
  if (reached != 2 * n) {
    // Some nodes hang on a cycle. Whoever climbs as often as there are nodes and does not meet the root is on one.
    const std::vector<u32> up_from = parents.download();
    std::vector<bool> fine(n);
    fine[root] = true;
    for (u32 v = 0; v < n; ++v) {
      std::vector<u32> way;
      u32 x = v;
      for (; !fine[x] && way.size() <= n; x = up_from[x]) way.push_back(x);
      if (!fine[x])
        throw upsweep::error(upsweep::fault::bad_argument, "tree", "node " + std::to_string(x) + " is its own ancestor",
                             "break the cycle");
      for (const u32 w : way) fine[w] = true;
    }
  }
  const u32* const rank = ranks.span().data();
  const i32* const depth = t.depth.span().data();
  u32 *const pre = t.preorder.span().data(), *const post = t.postorder.span().data(),
             *const size = t.size.span().data();
  for_each_index(where, n, [=] UPSWEEP_HD(u64 v) {
    const u32 down = rank[v], out = rank[n + v], d = static_cast<u32>(depth[v]);
    pre[v] = (down + d) / 2;  // before it `pre` went down and `pre - d` came up again
    post[v] = (out - d - 1) / 2;
    size[v] = (out - down + 1) / 2;
  });
  return t;
}

// Lowest common ancestors. Of the nodes after the first and up to the second in preorder, one least deep is a child of
// theirs; the least of a range of blocks is looked up, the rest of the range looked through.
class ancestors {
 public:
  ancestors(const context& where, const buffer<u32>& parents, const numbers& t)
      : n_(parents.size()),
        blocks_((n_ + block - 1) / block),
        levels_(std::bit_width(blocks_)),
        pre_(t.preorder.span().data()),
        order_(where, n_),
        table_(where, blocks_ * levels_) {
    build(where, parents, t);
  }

  // Not in the constructor, because nvcc takes no device lambda there.
  void build(const context& where, const buffer<u32>& parents, const numbers& t) {
    const u32 *const parent = parents.span().data(), *const pre = pre_;
    const i32* const depth = t.depth.span().data();
    u64 *const order = order_.span().data(), *const table = table_.span().data();
    const u64 n = n_, blocks = blocks_;
    for_each_index(where, n,
                   [=] UPSWEEP_HD(u64 v) { order[pre[v]] = u64{static_cast<u32>(depth[v])} << 32 | parent[v]; });
    for_each_index(where, blocks, [=] UPSWEEP_HD(u64 b) {
      u64 least = ~u64{0};
      for (u64 i = b * block; i < (b + 1) * block && i < n; ++i) least = order[i] < least ? order[i] : least;
      table[b] = least;
    });
    for (u64 level = 1; level < levels_; ++level) {
      const u64 *const below = table + (level - 1) * blocks, half = u64{1} << (level - 1);
      u64* const here = table + level * blocks;
      for_each_index(where, blocks, [=] UPSWEEP_HD(u64 b) {
        const u64 x = below[b], y = b + half < blocks ? below[b + half] : x;
        here[b] = x < y ? x : y;
      });
    }
  }

  // out[q] is the lowest common ancestor of u[q] and v[q].
  void find(const context& where, const buffer<u32>& us, const buffer<u32>& vs, buffer<u32>& outs) const {
    const u32 *const u = us.span().data(), *const v = vs.span().data(), *const pre = pre_;
    u32* const out = outs.span().data();
    const u64 *const order = order_.span().data(), *const table = table_.span().data(), blocks = blocks_;
    for_each_index(where, us.size(), [=] UPSWEEP_HD(u64 q) {
      if (u[q] == v[q]) {
        out[q] = u[q];
        return;
      }
      u64 i = pre[u[q]], last = pre[v[q]];
      if (i > last) {
        const u64 other = i;
        i = last, last = other;
      }
      u64 least = ~u64{0};
      const auto look = [&](u64 x) { least = x < least ? x : least; };
      for (++i; i <= last && i % block != 0; ++i) look(order[i]);
      if (i + block <= last + 1) {
        const u64 first_block = i / block, count = (last + 1) / block - first_block;
        u64 level = 0;
        while (u64{2} << level <= count) ++level;
        look(table[level * blocks + first_block]);
        look(table[level * blocks + first_block + count - (u64{1} << level)]);
        i += count * block;
      }
      for (; i <= last; ++i) look(order[i]);
      out[q] = static_cast<u32>(least);
    });
  }

 private:
  static constexpr u64 block = 32;
  u64 n_, blocks_, levels_;
  const u32* pre_;
  buffer<u64> order_, table_;
};

// --- expressions ---

inline constexpr u64 prime = 0x1fffffffffffffff;  // 2^61 - 1: values are modulo it
UPSWEEP_HD inline u64 add(u64 x, u64 y) { return x + y < prime ? x + y : x + y - prime; }
UPSWEEP_HD inline u64 times(u64 x, u64 y) {
  const u64 x1 = x >> 32, x0 = x & 0xffffffff, y1 = y >> 32, y0 = y & 0xffffffff, middle = x1 * y0 + x0 * y1;
  // x1·y1·2^64 = x1·y1·8, and middle·2^32 wraps at bit 61.
  u64 low = (x0 * y0 & prime) + (x0 * y0 >> 61);
  low += (middle >> 29) + ((middle << 32) & prime);
  low = (low & prime) + (low >> 61) + x1 * y1 * 8;
  low = (low & prime) + (low >> 61);
  return low >= prime ? low - prime : low;
}

// Each inner node adds or multiplies its two children; leaves have left == nobody and a value.
struct expression {
  std::vector<u32> parent, left, right;
  std::vector<std::uint8_t> multiplies;
  std::vector<u64> value;
};

// Tree contraction (Abrahamson, Dadoun, Kirkpatrick and Przytycka 1989): leaves are numbered from the left; in each
// round those with an odd number go, first all that are left children, then the right ones, so that no two that go are
// neighbours. A leaf that goes takes its parent with it; what both would have done to the sibling's value, x -> a·x +
// b, is kept there.
inline u64 evaluate(const context& where, const expression& e) {
  const u64 n = e.parent.size();
  buffer<u32> parents(where, e.parent), lefts(where, e.left), rights(where, e.right);
  buffer<std::uint8_t> products(where, e.multiplies);
  buffer<u64> values(where, e.value), as(where, n), bs(where, n);
  const numbers t = number(where, parents);
  u32 *const parent = parents.span().data(), *const left = lefts.span().data(), *const right = rights.span().data();
  const std::uint8_t* const product = products.span().data();
  const u64* const value = values.span().data();
  u64 *const a = as.span().data(), *const b = bs.span().data();

  // The leaves in preorder, which is from the left: a scan of flags says where each goes.
  buffer<u64> flags(where, n), places(where, n);
  u64 *const flag = flags.span().data(), *const place = places.span().data();
  const u32* const pre = t.preorder.span().data();
  for_each_index(where, n, [=] UPSWEEP_HD(u64 v) { flag[pre[v]] = left[v] == nobody, a[v] = 1, b[v] = 0; });
  upsweep::exclusive_scan(where, flags.span(), places.span());
  u64 leaves = (n + 1) / 2;
  buffer<u32> now(where, leaves), fewer(where, leaves);
  u32* const first = now.span().data();
  for_each_index(where, n, [=] UPSWEEP_HD(u64 v) {
    if (left[v] == nobody) first[place[pre[v]]] = static_cast<u32>(v);
  });
  const u32 root = t.root;
  for_each_index(where, 1, [=] UPSWEEP_HD(u64) { parent[root] = nobody; });

  for (; leaves > 1; leaves = (leaves + 1) / 2) {
    const u32* const leaf = now.span().data();
    for (const bool of_left : {true, false})
      for_each_index(where, leaves / 2, [=] UPSWEEP_HD(u64 k) {
        const u32 l = leaf[2 * k + 1], p = parent[l];
        if (p == nobody || (left[p] == l) != of_left) return;
        const u32 s = of_left ? right[p] : left[p], g = parent[p];
        const u64 c = add(times(a[l], value[l]), b[l]);
        // The sibling's map, then with c, then the parent's.
        const u64 a1 = product[p] ? times(a[s], c) : a[s], b1 = product[p] ? times(b[s], c) : add(b[s], c);
        a[s] = times(a[p], a1), b[s] = add(times(a[p], b1), b[p]);
        parent[s] = g;
        parent[l] = nobody;
        if (g != nobody) (left[g] == p ? left[g] : right[g]) = s;
      });
    u32* const next = fewer.span().data();
    for_each_index(where, (leaves + 1) / 2, [=] UPSWEEP_HD(u64 k) { next[k] = leaf[2 * k]; });
    std::swap(now, fewer);
  }
  u32 last;
  where.dev().download(&last, now.span().where(), sizeof last);
  u64 one[3];
  where.dev().download(&one[0], values.span().subspan(last, 1).where(), 8);
  where.dev().download(&one[1], as.span().subspan(last, 1).where(), 8);
  where.dev().download(&one[2], bs.span().subspan(last, 1).where(), 8);
  return add(times(one[1], one[0]), one[2]);
}

}  // namespace trees
