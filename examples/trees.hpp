// Trees by sorting, scan and list ranking, on a CPU or (from a .cu file) a CUDA device.
//
// A tree is an array of parents; the root is its own parent. The Euler tour goes down into every node once and up out
// of it once. Leaves are not part of the list: it has the passages of inner nodes, and each passage counts the nodes
// that are entered from it up to the next one, that is itself and the leaves after it. The positions in the tour give
// depths, sizes and both orders.
#pragma once

#include <bit>

#include "list_ranking.hpp"

namespace trees {

inline constexpr u64 most_nodes = 1 << 30;

struct numbers {
  u32 preorder, postorder, size;
  i32 depth;
  bool operator==(const numbers&) const = default;
};

// The result of a pass over the parents.
struct parents_seen {
  u32 root;
  bool in_order;  // the parents of the nodes but the root do not decrease
};

// Throws an error that names a node if the parents are not a tree. Cycles are found later.
inline parents_seen look_at(const context& where, const buffer<u32>& parents) {
  using upsweep::error;
  using upsweep::take_least;
  const u64 n = parents.size();
  if (n == 0 || n > most_nodes)
    throw error(upsweep::fault::bad_argument, "tree", std::to_string(n) + " nodes",
                "give 1 to " + std::to_string(most_nodes));
  buffer<u64> least(where, std::vector<u64>(4, n));
  u64* const found = least.span().data();
  const u32* const parent = parents.span().data();
  for_each_index(where, n, [=] UPSWEEP_HD(u64 v) {
    const u32 of = parent[v];
    if (of >= n) take_least(&found[0], v);
    if (of == v) take_least(&found[1], v), take_least(&found[2], n - 1 - v);
    u64 before = v - (v > 0);
    if (parent[before] == before) before -= before > 0;
    if (parent[before] > of && of != v && parent[before] != before) take_least(&found[3], v);
  });
  const std::vector<u64> seen = least.download();
  if (seen[0] != n)
    throw error(upsweep::fault::bad_argument, "tree",
                "the parent of node " + std::to_string(seen[0]) + " is none of the " + std::to_string(n) + " nodes",
                "correct it");
  if (seen[1] == n)
    throw error(upsweep::fault::bad_argument, "tree", "no node is its own parent", "there is a cycle and no root");
  if (const u64 last = n - 1 - seen[2]; last != seen[1])
    throw error(upsweep::fault::bad_argument, "tree",
                "nodes " + std::to_string(seen[1]) + " and " + std::to_string(last) + " are both roots", "join them");
  return {static_cast<u32>(seen[1]), seen[3] == n};
}

// All nodes except the root, grouped by parent and in order. `of` is the parent of each.
struct families {
  const u32* of;
  u64 n;

  UPSWEEP_HD bool begins_at(u64 k) const { return k == 0 || of[k - 1] != of[k]; }
  UPSWEEP_HD bool ends_at(u64 k) const { return k + 1 == n || of[k + 1] != of[k]; }
};

// Numbers the inner nodes in order: a running count of families.
struct count_inner {
  using state = u32;
  using map = u32;
  families all;
  u32* inner;

  UPSWEEP_HD map identity() const { return 0; }
  UPSWEEP_HD map extend(map f, u64 k) const { return f + all.begins_at(k); }
  UPSWEEP_HD map operator()(map f, map g) const { return f + g; }
  UPSWEEP_HD state apply(map f, state s) const { return s + f; }
  UPSWEEP_HD state step(u64 k, state s) const {
    if (all.begins_at(k)) inner[all.of[k]] = s++;
    return s;
  }
};

inline constexpr u32 is_inner = 0x80000000;

// The position of a leaf: the passage before it, and its number among the leaves after that passage.
struct leaf_place {
  u32 behind, after;
};

// Passage 2i goes down into inner node i, and passage 2i + 1 up out of it. A group of any number of leaves follows
// after the passage down, and after each passage up out of a child. The inner child that ends a group belongs to it.
// first[k] is the begin of the group of k.
struct link_passages {
  families all;
  const u32 *child, *inner;  // an inner child is its number with is_inner, a leaf its index
  const u32* first;
  passage* tour;
  leaf_place* place;
  u32 root;

  UPSWEEP_HD bool begins(u64 k) const { return all.begins_at(k) || child[k - 1] & is_inner; }
  UPSWEEP_HD void operator()(u64 k) const {
    const u64 s = first[k];
    const bool leaf = !(child[k] & is_inner), last = all.ends_at(k);
    const u32 behind = all.begins_at(s) ? 2 * inner[all.of[s]] : 2 * (child[s - 1] & ~is_inner) + 1;
    const u32 leaves = static_cast<u32>(k - s);
    if (leaf) place[k] = {behind, leaves};
    if (leaf && !last) return;
    const u32 up = 2 * inner[all.of[k]] + 1;
    if (leaf) {
      link(behind, up, leaves + 1);
    } else {
      const u32 id = child[k] & ~is_inner;
      link(behind, 2 * id, leaves);
      if (last) link(2 * id + 1, up, 0);
    }
    if (last && all.of[k] == root) link(up, nobody, 0);
  }
  UPSWEEP_HD void link(u32 from, u32 to, u32 leaves) const {
    const bool down = from % 2 == 0;
    tour[from] = {to, leaves + down, down ? 1 : -1, nobody};
  }
};

// Reports a node of a cycle: a node from which as many steps up as there are nodes do not reach the root.
[[noreturn]] inline void name_cycle(const std::vector<u32>& parent, u32 root) {
  std::vector<bool> fine(parent.size());
  fine[root] = true;
  for (u32 v = 0; v < parent.size(); ++v) {
    std::vector<u32> way;
    u32 x = v;
    for (; !fine[x] && way.size() <= parent.size(); x = parent[x]) way.push_back(x);
    if (!fine[x])
      throw upsweep::error(upsweep::fault::bad_argument, "tree", "node " + std::to_string(x) + " is its own ancestor",
                           "break the cycle");
    for (const u32 w : way) fine[w] = true;
  }
  std::abort();
}

// The numbers of every node, and the root.
struct numbered {
  u32 root;
  buffer<numbers> of;
};

inline numbered number(const context& where, const buffer<u32>& parents) {
  const u64 n = parents.size(), below = n - 1;
  const auto [root, in_order] = look_at(where, parents);
  numbered t{root, {where, n}};
  numbers* const of = t.of.span().data();
  if (n == 1) {
    for_each_index(where, 1, [=] UPSWEEP_HD(u64) { of[0] = {0, 0, 1, 0}; });
    return t;
  }
  const u32* const parent = parents.span().data();
  buffer<u32> keys(where, below), nodes(where, below), inner_ids(where, n);
  u32 *const key = keys.span().data(), *const child = nodes.span().data(), *const inner = inner_ids.span().data();
  for_each_index(where, below, [=] UPSWEEP_HD(u64 k) {
    const u64 v = k + (k >= root);
    key[k] = parent[v], child[k] = static_cast<u32>(v);
  });
  if (!in_order)
    upsweep::sort_by_key(where, keys.span(), nodes.span(), {.last_bit = static_cast<unsigned>(std::bit_width(below))});
  const families all{key, below};
  for_each_index(where, n, [=] UPSWEEP_HD(u64 v) { inner[v] = nobody; });
  const u32 inner_nodes = upsweep::recur(where, below, count_inner{all, inner}, 0);
  for_each_index(where, below, [=] UPSWEEP_HD(u64 k) {
    if (const u32 id = inner[child[k]]; id != nobody) child[k] = is_inner | id;
  });

  buffer<passage> tour(where, u64{2} * inner_nodes);
  buffer<leaf_place> places(where, below);
  leaf_place* const place = places.span().data();
  buffer<u32> firsts(where, below);
  u32* const first = firsts.span().data();
  const link_passages links{all, child, inner, first, tour.span().data(), place, root};
  for_each_index(where, below, [=] UPSWEEP_HD(u64 k) { first[k] = links.begins(k) ? static_cast<u32>(k) : 0; });
  upsweep::inclusive_scan(where, firsts.span(), firsts.span(), upsweep::maximum{});
  for_each_index(where, below, links);
  u32 head = 0;
  where.device().download(&head, inner_ids.span().subspan(root, 1).where(), sizeof head);
  if (head == nobody) name_cycle(parents.download(), root);
  std::optional<sublists> memory;
  const ranking at = rank_list(where, tour, 2 * head, memory);
  if (at.all.nodes != n) name_cycle(parents.download(), root);

  // When the tour leaves v, it has entered all nodes before v and its subtree, and left all of them except v and v's
  // ancestors.
  const auto tell = [of] UPSWEEP_HD(u32 v, u32 preorder, u32 size, i32 depth) {
    of[v] = {preorder, preorder + size - 1 - static_cast<u32>(depth), size, depth};
  };
  for_each_index(where, n, [=] UPSWEEP_HD(u64 v) {
    const u32 id = inner[v];
    if (id == nobody) return;
    const list_place down = at(2 * id), up = at(2 * id + 1);
    tell(static_cast<u32>(v), down.nodes, up.nodes - down.nodes, down.height);
  });
  for_each_index(where, below, [=] UPSWEEP_HD(u64 k) {
    if (child[k] & is_inner) return;
    const leaf_place here = place[k];
    const list_place p = at(here.behind);
    const bool down = here.behind % 2 == 0;
    tell(child[k], p.nodes + down + here.after, 1, down ? p.height + 1 : p.height - 1);
  });
  return t;
}

// Lowest common ancestors. Among the nodes after the first and up to the second in preorder, a node of least depth is a
// child of the ancestor. A table gives the minimum of a range of blocks, and the rest of the range is searched.
class ancestors {
 public:
  ancestors(const context& where, const buffer<u32>& parents, const numbered& t)
      : n_(parents.size()),
        blocks_((n_ + block - 1) / block),
        levels_(std::bit_width(blocks_)),
        of_(t.of.span().data()),
        order_(where, n_),
        table_(where, blocks_ * levels_) {
    build(where, parents, t);
  }

  // Not in the constructor, because nvcc does not accept device lambdas there.
  void build(const context& where, const buffer<u32>& parents, const numbered& t) {
    const u32* const parent = parents.span().data();
    const numbers* const of = t.of.span().data();
    u64 *const order = order_.span().data(), *const table = table_.span().data();
    const u64 n = n_, blocks = blocks_;
    for_each_index(where, n, [=] UPSWEEP_HD(u64 v) {
      order[of[v].preorder] = u64{static_cast<u32>(of[v].depth)} << 32 | parent[v];
    });
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
    const u32 *const u = us.span().data(), *const v = vs.span().data();
    const numbers* const of = of_;
    u32* const out = outs.span().data();
    const u64 *const order = order_.span().data(), *const table = table_.span().data(), blocks = blocks_;
    for_each_index(where, us.size(), [=] UPSWEEP_HD(u64 q) {
      if (u[q] == v[q]) {
        out[q] = u[q];
        return;
      }
      u64 i = of[u[q]].preorder, last = of[v[q]].preorder;
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
  const numbers* of_;
  buffer<u64> order_, table_;
};

}  // namespace trees
