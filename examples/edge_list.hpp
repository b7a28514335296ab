// Computes the parent of each node from the edges of a tree, in any order and direction, on a CPU or (from a .cu file)
// a CUDA device.
//
// An edge is two arcs, one in each direction. After the arc into a node, an Euler tour takes the arc out of it that
// follows the reverse arc. The first of an edge's two arcs in the tour goes down (Tarjan and Vishkin 1985).
#pragma once

#include <bit>
#include <numeric>

#include "list_ranking.hpp"

namespace trees {

// Reports the first edge that closes a cycle. It exists if n nodes and n - 1 edges are not a tree.
[[noreturn]] inline void name_closing_edge(const std::vector<u32>& ends) {
  std::vector<u32> joined(ends.size() / 2 + 1);
  std::iota(joined.begin(), joined.end(), 0);
  const auto leader = [&](u32 v) {
    while (joined[v] != v) v = joined[v] = joined[joined[v]];
    return v;
  };
  for (u64 e = 0; e < ends.size(); e += 2) {
    const u32 a = leader(ends[e]), b = leader(ends[e + 1]);
    if (a == b)
      throw upsweep::error(upsweep::fault::bad_argument, "tree",
                           "edge " + std::to_string(e / 2) + " joins nodes " + std::to_string(ends[e]) + " and " +
                               std::to_string(ends[e + 1]) + ", which are joined already",
                           "there is a cycle, and a node that nothing reaches");
    joined[a] = b;
  }
  std::abort();
}

// Edge i joins nodes ends[2 i] and ends[2 i + 1]. There is one node more than edges. Throws an error that names an edge
// if they are not a tree.
inline buffer<u32> parents_of(const context& where, const buffer<u32>& ends, u32 root) {
  using upsweep::error;
  const u64 arcs = ends.size(), n = arcs / 2 + 1;
  if (arcs % 2 != 0 || n > most_elements / 2)
    throw error(upsweep::fault::bad_argument, "tree", std::to_string(arcs) + " ends of edges",
                "give two for each, and at most " + std::to_string(most_elements / 2) + " nodes");
  if (root >= n)
    throw error(upsweep::fault::bad_argument, "tree",
                "root " + std::to_string(root) + " is none of the " + std::to_string(n) + " nodes", "name one of them");
  buffer<u32> parents(where, n);
  u32* const parent = parents.span().data();
  for_each_index(where, n, [=] UPSWEEP_HD(u64 v) { parent[v] = static_cast<u32>(v); });
  if (n == 1) return parents;

  const u32* const from = ends.span().data();  // the first node of an arc; its last node is that of arc ^ 1
  buffer<u64> wrong(where, std::vector<u64>{arcs});
  buffer<u32> keys(where, arcs), sorted(where, arcs), places(where, arcs), firsts(where, n);
  u64* const least = wrong.span().data();
  u32 *const key = keys.span().data(), *const arc = sorted.span().data(), *const place = places.span().data(),
             *const first = firsts.span().data();
  for_each_index(where, arcs, [=] UPSWEEP_HD(u64 k) {
    if (from[k] >= n) upsweep::take_least(least, k);
    key[k] = from[k], arc[k] = static_cast<u32>(k);
  });
  if (const u64 k = wrong.download()[0]; k != arcs)
    throw error(upsweep::fault::bad_argument, "tree",
                "edge " + std::to_string(k / 2) + " ends at none of the " + std::to_string(n) + " nodes", "correct it");
  upsweep::sort_by_key(where, keys.span(), sorted.span(), {.last_bit = static_cast<unsigned>(std::bit_width(n - 1))});
  for_each_index(where, n, [=] UPSWEEP_HD(u64 v) { first[v] = nobody; });
  for_each_index(where, arcs, [=] UPSWEEP_HD(u64 k) {
    place[arc[k]] = static_cast<u32>(k);
    if (k == 0 || key[k - 1] != key[k]) first[key[k]] = static_cast<u32>(k);
  });
  buffer<u64> lonely(where, std::vector<u64>{n});
  u64* const alone = lonely.span().data();
  for_each_index(where, n, [=] UPSWEEP_HD(u64 v) {
    if (first[v] == nobody) upsweep::take_least(alone, v);
  });
  if (lonely.download()[0] != n) name_closing_edge(ends.download());

  buffer<passage> tour(where, arcs);
  passage* const to = tour.span().data();
  u32 head_place = 0, head = 0;
  where.device().download(&head_place, firsts.span().subspan(root, 1).where(), sizeof head_place);
  where.device().download(&head, sorted.span().subspan(head_place, 1).where(), sizeof head);
  for_each_index(where, arcs, [=] UPSWEEP_HD(u64 a) {
    const u64 back = place[a ^ 1], after = back + 1;
    const u32 next = arc[after < arcs && key[after] == key[back] ? after : first[key[back]]];
    to[a] = {next == head ? nobody : next, 1, 0, nobody};
  });
  std::optional<sublists> memory;
  const ranking at = rank_list(where, tour, head, memory);
  // The tour from the root has all arcs, so n - 1 edges join n nodes: they are a tree.
  if (at.all.nodes != arcs) name_closing_edge(ends.download());
  for_each_index(where, arcs / 2, [=] UPSWEEP_HD(u64 e) {
    const u64 there = 2 * e, back = 2 * e + 1;
    const bool down = at(there).nodes < at(back).nodes;
    parent[from[down ? back : there]] = from[down ? there : back];
  });
  return parents;
}

}  // namespace trees
