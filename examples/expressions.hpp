// Values of expressions by tree contraction, on a CPU or (from a .cu file) a CUDA device.
#pragma once

#include "list_ranking.hpp"

namespace trees {

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

// Each inner node adds or multiplies its two children. Leaves have left == nobody and a value below `prime`. The root
// is its own parent.
struct expression {
  std::vector<u32> parent, left, right;
  std::vector<std::uint8_t> multiplies;
  std::vector<u64> value;
};

// A node with the map x -> a·x + b that is still to be applied to its value. In a leaf a is 0 and b is the value.
struct term {
  u64 a, b;
  u32 parent, left, right;
  bool multiplies;
};

// Returns the root. Throws an error that names a node if the arrays are not an expression. Cycles are found later.
inline u32 root_of(const context& where, const expression& e, const term* t) {
  const u64 n = e.parent.size();
  const auto wrong = [](const std::string& why) {
    throw upsweep::error(upsweep::fault::bad_argument, "expression", why, "correct the arrays");
  };
  if (n == 0 || n > most_elements / 2 || e.left.size() != n || e.right.size() != n || e.multiplies.size() != n ||
      e.value.size() != n)
    wrong("it has " + std::to_string(n) + " nodes, or arrays of other sizes");
  buffer<u64> least(where, std::vector<u64>(3, n));
  u64* const found = least.span().data();
  for_each_index(where, n, [=] UPSWEEP_HD(u64 v) {
    const u32 l = t[v].left, r = t[v].right, p = t[v].parent;
    const bool leaf = l == nobody;
    if (leaf ? r != nobody : l >= n || r >= n || l == r || t[l].parent != v || t[r].parent != v)
      upsweep::take_least(&found[0], v);
    else if (p >= n || (p != v && t[p].left != v && t[p].right != v))
      upsweep::take_least(&found[0], v);
    if (p == v) upsweep::take_least(&found[1], v), upsweep::take_least(&found[2], n - 1 - v);
  });
  const std::vector<u64> seen = least.download();
  if (seen[0] != n) wrong("node " + std::to_string(seen[0]) + " and its parent or children do not know each other");
  if (seen[1] == n) wrong("no node is its own parent");
  if (seen[1] != n - 1 - seen[2])
    wrong("nodes " + std::to_string(seen[1]) + " and " + std::to_string(n - 1 - seen[2]) + " are both roots");
  return static_cast<u32>(seen[1]);
}

// The leaves from left to right. The Euler tour of the inner nodes is a list that counts leaves, so its ranking gives
// the number of leaves before each. Passage 2v goes down into v and passes its left child if that is a leaf, and its
// right child as well if both are leaves. Passage 2v + 1 goes up out of v and passes the leaf to the right of v.
inline buffer<u32> leaves_in_order(const context& where, const term* t, u64 n, u32 root) {
  const auto leaf = [t] UPSWEEP_HD(u32 v) { return t[v].left == nobody; };
  buffer<passage> tour(where, 2 * n);
  passage* const p = tour.span().data();
  for_each_index(where, n, [=] UPSWEEP_HD(u64 i) {
    const u32 v = static_cast<u32>(i), up = 2 * v + 1, l = t[v].left, r = t[v].right, of = t[v].parent;
    passage down{}, out{};
    if (!leaf(v)) {
      down = !leaf(l) ? passage{2 * l, 0} : !leaf(r) ? passage{2 * r, 1} : passage{up, 2};
      const u32 beside = t[of].right;
      if (v == root)
        out = {};
      else if (v == beside)
        out = {2 * of + 1, 0};
      else
        out = !leaf(beside) ? passage{2 * beside, 0} : passage{2 * of + 1, 1};
    }
    p[2 * v] = down, p[up] = out;
  });
  std::optional<sublists> memory;
  const ranking at = rank_list(where, tour, 2 * root, memory);
  const u64 leaves = (n + 1) / 2;
  if (at.all.nodes != leaves)
    throw upsweep::error(upsweep::fault::bad_argument, "expression",
                         "of " + std::to_string(leaves) + " leaves " + std::to_string(at.all.nodes) +
                             " hang on the root, " + std::to_string(root),
                         "there is a cycle: break it");
  buffer<u32> order(where, leaves);
  u32* const leaf_at = order.span().data();
  for_each_index(where, n, [=] UPSWEEP_HD(u64 i) {
    const u32 v = static_cast<u32>(i), of = t[v].parent;
    if (!leaf(v)) return;
    const u32 first = t[of].left;
    const u32 place = v == first || leaf(first) ? at(2 * of).nodes + (v != first) : at(2 * first + 1).nodes;
    leaf_at[place] = v;
  });
  return order;
}

// Tree contraction (Abrahamson, Dadoun, Kirkpatrick and Przytycka 1989): leaves are numbered from the left. Each round
// removes the leaves with odd numbers, first the left children, then the right ones, so that no two removed leaves are
// neighbours. A leaf is removed together with its parent, and the sibling stores the composed map of both.
inline u64 evaluate(const context& where, const expression& e) {
  const u64 n = e.parent.size();
  const buffer<u32> parents(where, e.parent), lefts(where, e.left), rights(where, e.right);
  const buffer<std::uint8_t> products(where, e.multiplies);
  const buffer<u64> values(where, e.value);
  const u32 *const parent = parents.span().data(), *const left = lefts.span().data(),
                   *const right = rights.span().data();
  const std::uint8_t* const product = products.span().data();
  const u64* const value = values.span().data();
  buffer<term> terms(where, n);
  term* const t = terms.span().data();
  for_each_index(where,
                 std::min({n, u64{e.left.size()}, u64{e.right.size()}, u64{e.multiplies.size()}, u64{e.value.size()}}),
                 [=] UPSWEEP_HD(u64 v) {
                   const bool leaf = left[v] == nobody;
                   t[v] = {leaf ? u64{0} : u64{1}, leaf ? value[v] : 0, parent[v], left[v], right[v], product[v] != 0};
                 });
  const u32 root = root_of(where, e, t);
  if (n == 1) return e.value[0];

  u64 leaves = (n + 1) / 2;
  buffer<u32> now = leaves_in_order(where, t, n, root), fewer(where, leaves);
  for_each_index(where, 1, [=] UPSWEEP_HD(u64) { t[root].parent = nobody; });
  for (; leaves > 1; leaves = (leaves + 1) / 2) {
    const u32* const leaf = now.span().data();
    u32* const next = fewer.span().data();
    for (const bool of_left : {true, false})
      for_each_index(where, leaves / 2, [=] UPSWEEP_HD(u64 k) {
        if (of_left) next[k] = leaf[2 * k];
        const u32 l = leaf[2 * k + 1];
        const u64 c = t[l].b;
        const u32 p = t[l].parent;
        if (p == nobody) return;
        const term above = t[p];
        if ((above.left == l) != of_left) return;
        const u32 s = of_left ? above.right : above.left, g = above.parent;
        term& beside = t[s];
        // Compose the sibling's map, the operation with c, and the parent's map.
        const u64 a = above.multiplies ? times(beside.a, c) : beside.a,
                  b = above.multiplies ? times(beside.b, c) : add(beside.b, c);
        beside.a = times(above.a, a), beside.b = add(times(above.a, b), above.b);
        beside.parent = g;
        t[l].parent = nobody;
        if (g != nobody) (t[g].left == p ? t[g].left : t[g].right) = s;
      });
    const u64 last = leaves - 1;
    if (leaves % 2) for_each_index(where, 1, [=] UPSWEEP_HD(u64) { next[last / 2] = leaf[last]; });
    std::swap(now, fewer);
  }
  u32 last;
  where.device().download(&last, now.span().where(), sizeof last);
  term whole;
  where.device().download(&whole, terms.span().subspan(last, 1).where(), sizeof whole);
  return whole.b;
}

}  // namespace trees
