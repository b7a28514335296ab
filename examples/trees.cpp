// Trees of millions of nodes: depths, subtree sizes, both orders, lowest common ancestors, and the values of
// expressions, compared with a depth-first program of one thread. If the argument is a folder, the tree is its
// directory tree.
#include <filesystem>
#include <numeric>
#include <random>

#include "edge_list.hpp"
#include "expressions.hpp"
#include "show.hpp"
#include "trees.hpp"

using namespace trees;

// Depth first, without recursion: children are linked in order, and each node is visited on the way down and on the way
// up.
std::vector<numbers> depth_first(const std::vector<u32>& parent) {
  const u32 n = static_cast<u32>(parent.size());
  std::vector<u32> child(n, nobody), sibling(n, nobody);
  u32 root = 0;
  for (u32 v = n; v-- > 0;) {
    if (parent[v] == v)
      root = v;
    else
      sibling[v] = child[parent[v]], child[parent[v]] = v;
  }
  std::vector<numbers> t(n);
  u32 in = 0, out = 0;
  i32 d = 0;
  for (u32 v = root;;) {
    t[v].preorder = in++, t[v].depth = d;
    if (child[v] != nobody) {
      v = child[v], ++d;
      continue;
    }
    while (true) {
      t[v].postorder = out++;
      t[v].size = in - t[v].preorder;
      if (v == root) return t;
      if (sibling[v] != nobody) break;
      v = parent[v], --d;
    }
    v = sibling[v];
  }
}

// Parents from edges: the edges of each node are counted, and nodes are processed in the order of a search from the
// root.
std::vector<u32> parents_breadth_first(const std::vector<u32>& ends, u32 root) {
  const u64 n = ends.size() / 2 + 1;
  std::vector<u32> begin(n + 1), other(ends.size()), parent(n, nobody), reached{root};
  for (const u32 v : ends) ++begin[v + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<u32> next(begin.begin(), begin.end() - 1);
  for (u64 k = 0; k < ends.size(); ++k) other[next[ends[k]]++] = ends[k ^ 1];
  parent[root] = root;
  for (u64 i = 0; i < reached.size(); ++i)
    for (u32 k = begin[reached[i]]; k < begin[reached[i] + 1]; ++k)
      if (const u32 v = other[k]; parent[v] == nobody) parent[v] = reached[i], reached.push_back(v);
  return parent;
}

// Nodes in a random order in memory, for any shape of the tree.
std::vector<u32> shuffled(const std::vector<u32>& parent, std::mt19937& bits) {
  std::vector<u32> name(parent.size()), renamed(parent.size());
  std::iota(name.begin(), name.end(), 0);
  std::shuffle(name.begin(), name.end(), bits);
  for (std::size_t v = 0; v < parent.size(); ++v) renamed[name[v]] = name[parent[v]];
  return renamed;
}

// A list of n elements in a random order in memory.
void show_list(const context& where, u64 n) {
  std::mt19937 bits(3);
  std::vector<u32> order(n), want(n);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), bits);
  std::vector<passage> links(n);
  for (u64 k = 0; k < n; ++k) links[order[k]] = {k + 1 < n ? order[k + 1] : nobody, 1};
  const buffer<passage> given(where, links);
  buffer<passage> list(where, n);
  buffer<u32> ranks(where, n);
  u32* const rank = ranks.span().data();
  const double copying = show::seconds(
      where, [&] { where.device().copy(list.span().where(), given.span().where(), n * sizeof(passage)); });
  const double taken =
      show::seconds(where,
                    [&] {
                      where.device().copy(list.span().where(), given.span().where(), n * sizeof(passage));
                      std::optional<sublists> memory;
                      const ranking at = rank_list(where, list, order[0], memory);
                      for_each_index(where, n, [=] UPSWEEP_HD(u64 i) { rank[i] = at(i).nodes; });
                      where.synchronize();
                    }) -
      copying;
  const double loop = show::seconds(context::cpu(1), [&] {
    u32 stands = 0;
    for (u32 i = order[0]; i != nobody; i = links[i].next) want[i] = stands++;
  });
  show::note("list ranking", taken, loop);
  std::printf("list       %9llu elements: %.2f ms, one after the other %.2f ms, %.2f x\n",
              static_cast<unsigned long long>(n), taken * 1e3, loop * 1e3, loop / taken);
  show::verdict("list", ranks.download() == want);
}

void show_tree(const context& where, const char* name, const std::vector<u32>& parent) {
  const u64 n = parent.size();
  const buffer<u32> parents(where, parent);
  std::optional<numbered> t;
  std::vector<numbers> want;
  const double taken = show::seconds(where, [&] { t.emplace(number(where, parents)); });
  const double loop = show::seconds(where, [&] { want = depth_first(parent); });
  i32 deepest = 0;
  for (const numbers& r : want) deepest = std::max(deepest, r.depth);
  if (n > 65) show::note(std::string("tree: ") + name, taken, loop);
  std::printf("%-10s %9llu nodes, depth %9d: %9.2f ms, depth first %9.2f ms, %5.2f x\n", name,
              static_cast<unsigned long long>(n), deepest, taken * 1e3, loop * 1e3, loop / taken);
  show::verdict(name, t->of.download() == want);

  std::mt19937 bits(9);
  const u64 questions = std::max<u64>(n / 4, 1);
  std::vector<u32> u(questions), v(questions);
  for (u64 q = 0; q < questions; ++q) u[q] = bits() % n, v[q] = bits() % n;
  const ancestors all(where, parents, *t);
  const buffer<u32> us(where, u), vs(where, v);
  buffer<u32> found(where, questions);
  const double asking = show::seconds(where, [&] { all.find(where, us, vs, found); });
  const std::vector<u32> got = found.download();
  bool right = true;
  u64 climbed = 0;
  for (u64 q = 0; q < questions && climbed < 4 * n + 1000; ++q) {
    u32 x = u[q], y = v[q];
    while (x != y)
      (want[x].depth > want[y].depth ? x : y) = want[x].depth > want[y].depth ? parent[x] : parent[y], ++climbed;
    right = right && got[q] == x;
  }
  std::printf("           lowest common ancestors: %.0f ns each\n", asking / double(questions) * 1e9);
  show::verdict("lowest common ancestors", right);
}

// The tree as edges, in any order and direction. The parents are computed from them.
void show_edges(const context& where, const char* name, const std::vector<u32>& parent, std::mt19937& bits) {
  const u32 n = static_cast<u32>(parent.size());
  std::vector<u32> below, edges;
  u32 root = 0;
  for (u32 v = 0; v < n; ++v) {
    if (parent[v] == v)
      root = v;
    else
      below.push_back(v);
  }
  std::shuffle(below.begin(), below.end(), bits);
  for (const u32 v : below) {
    const bool turned = bits() & 1;
    edges.push_back(turned ? v : parent[v]), edges.push_back(turned ? parent[v] : v);
  }
  const buffer<u32> ends(where, edges);
  std::vector<u32> got, want;
  const double taken = show::seconds(where, [&] { got = parents_of(where, ends, root).download(); });
  const double loop = show::seconds(where, [&] { want = parents_breadth_first(edges, root); });
  if (n > 65) show::note(std::string("edges: ") + name, taken, loop);
  std::printf("%-10s %9u nodes, from edges:           %9.2f ms, breadth first %7.2f ms, %5.2f x\n", name, n,
              taken * 1e3, loop * 1e3, loop / taken);
  show::verdict(name, got == parent && want == parent);
}

expression random_expression(u64 leaves, std::mt19937_64& bits) {
  const u64 n = 2 * leaves - 1;
  expression e{std::vector<u32>(n, nobody), std::vector<u32>(n, nobody), std::vector<u32>(n, nobody), {}, {}};
  // Repeatedly a random leaf becomes an inner node.
  std::vector<u32> ends{0};
  e.parent[0] = 0;
  for (u32 next = 1; next < n; next += 2) {
    const u64 k = bits() % ends.size();
    const u32 v = ends[k];
    e.left[v] = next, e.right[v] = next + 1, e.parent[next] = e.parent[next + 1] = v;
    ends[k] = next, ends.push_back(next + 1);
  }
  for (u64 v = 0; v < n; ++v) e.multiplies.push_back(bits() & 1), e.value.push_back(bits() % prime);
  return e;
}

u64 post_order_value(const expression& e) {
  std::vector<std::pair<u32, bool>> open{{0, false}};
  std::vector<u64> stack;
  while (!open.empty()) {
    const auto [v, done] = open.back();
    open.pop_back();
    if (e.left[v] == nobody) {
      stack.push_back(e.value[v]);
    } else if (!done) {
      open.push_back({v, true}), open.push_back({e.right[v], false}), open.push_back({e.left[v], false});
    } else {
      const u64 x = stack.back();
      stack.pop_back();
      u64& y = stack.back();
      const auto wide = static_cast<unsigned __int128>(x) * y;
      y = e.multiplies[v] ? static_cast<u64>(wide % prime) : (x + y) % prime;
    }
  }
  return stack[0];
}

void show_expression(const context& where, u64 leaves) {
  std::mt19937_64 bits(11);
  const expression e = random_expression(leaves, bits);
  u64 got = 0, want = 0;
  const double taken = show::seconds(where, [&] { got = evaluate(where, e); });
  const double loop = show::seconds(where, [&] { want = post_order_value(e); });
  if (leaves > 1) show::note("expression", taken, loop);
  std::printf("expression of %llu leaves: %.2f ms, in post order %.2f ms, %.2f x; value %llu\n",
              static_cast<unsigned long long>(leaves), taken * 1e3, loop * 1e3, loop / taken,
              static_cast<unsigned long long>(got));
  show::verdict("expression", got == want);
}

// Nodes are folders and files.
void show_folder(const context& where, const std::string& path) {
  namespace fs = std::filesystem;
  std::vector<u32> parent{0};
  std::vector<std::string> names{path};
  std::vector<u32> at_depth{0};
  std::error_code ignored;
  if (!fs::is_directory(path, ignored))
    throw upsweep::error(upsweep::fault::bad_argument, path, "it is not a folder that can be read", "name one");
  for (auto it = fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied, ignored);
       it != fs::recursive_directory_iterator(); it.increment(ignored)) {
    at_depth.resize(static_cast<std::size_t>(it.depth()) + 1);
    at_depth.push_back(static_cast<u32>(parent.size()));
    parent.push_back(at_depth[static_cast<std::size_t>(it.depth())]);
    names.push_back(it->path().string());
  }
  show_tree(where, "folder", parent);
  const std::vector<numbers> of = number(where, buffer<u32>(where, parent)).of.download();
  std::vector<u32> largest(of.size());
  std::iota(largest.begin(), largest.end(), 0);
  std::partial_sort(largest.begin(), largest.begin() + std::min<std::size_t>(5, largest.size()), largest.end(),
                    [&](u32 a, u32 b) { return of[a].size > of[b].size; });
  for (std::size_t k = 0; k < std::min<std::size_t>(5, largest.size()); ++k)
    std::printf("%9u  %s\n", of[largest[k]].size, names[largest[k]].c_str());
}

void expect_refusal(const context& where, const std::vector<u32>& parent, const char* words) {
  try {
    number(where, buffer<u32>(where, parent));
    show::verdict(words, false);
  } catch (const upsweep::error& e) {
    show::verdict(words, std::string(e.what()).find(words) != std::string::npos);
  }
}

int main(int argc, char** argv) {
  return show::run([&] {
    const show::options o = show::options_of(argc, argv, 1 << 17);
    const context where = context::named(o.device);
    if (!o.file.empty()) return show_folder(where, o.file);
    show_list(where, o.n);
    std::mt19937 bits(1);
    const u64 n = o.n;
    std::vector<u32> parent(n);
    for (u64 v = 0; v < n; ++v) parent[v] = static_cast<u32>(v ? v - 1 : 0);
    show_tree(where, "path", shuffled(parent, bits));
    std::fill(parent.begin(), parent.end(), 0);
    show_tree(where, "star", shuffled(parent, bits));
    for (u64 v = 0; v < n; ++v) parent[v] = static_cast<u32>(v ? bits() % v : 0);
    show_tree(where, "random", shuffled(parent, bits));
    for (u64 v = 0; v < n; ++v) parent[v] = static_cast<u32>(v ? (v - 1) / 2 : 0);
    show_tree(where, "binary", shuffled(parent, bits));
    for (const char* shape : {"path", "star", "random"}) {
      for (u64 v = 1; v < n; ++v) parent[v] = *shape == 'p' ? u32(v - 1) : *shape == 's' ? 0 : u32(bits() % v);
      show_edges(where, shape, shuffled(parent, bits), bits);
    }
    for (u64 v = 0; v < n; ++v) parent[v] = static_cast<u32>(v ? (v - 1) / 2 : 0);
    for (const u32 few : {1, 2, 3, 64, 65})
      show_edges(where, "small", std::vector<u32>(parent.begin(), parent.begin() + std::min<u64>(few, n)), bits);
    for (const u32 few : {1, 2, 3, 64, 65})
      show_tree(where, "small", std::vector<u32>(parent.begin(), parent.begin() + std::min<u64>(few, n)));
    show_expression(where, n / 2 + 1);
    show_expression(where, 1);
    expect_refusal(where, {0, 0, 3, 4, 2}, "its own ancestor");
    expect_refusal(where, {0, 0, 2}, "both roots");
    expect_refusal(where, {1, 2, 0}, "no node is its own parent");
    expect_refusal(where, {0, 2, 1}, "its own ancestor");
    expect_refusal(where, {0, 9}, "the parent of node 1");
    expect_refusal(where, {}, "0 nodes");
    const auto refuse_edges = [&](const std::vector<u32>& ends, u32 root, const char* words) {
      try {
        parents_of(where, buffer<u32>(where, ends), root);
        show::verdict(words, false);
      } catch (const upsweep::error& e) {
        show::verdict(words, std::string(e.what()).find(words) != std::string::npos);
      }
    };
    refuse_edges({0, 1, 2, 3, 3, 4, 4, 2}, 0, "edge 3 joins nodes 4 and 2");
    refuse_edges({0, 1, 1, 2, 2, 0}, 0, "edge 2 joins nodes 2 and 0");
    refuse_edges({0, 1, 2, 2}, 0, "edge 1 joins nodes 2 and 2");
    refuse_edges({0, 1, 1, 9}, 0, "edge 1 ends at none of the 3 nodes");
    refuse_edges({0, 1, 1}, 0, "3 ends");
    refuse_edges({0, 1}, 2, "root 2 is none");
    // A sum of two leaves, and two nodes that are each other's parents; then a child with a wrong parent.
    const auto refuse = [&](const expression& e, const char* words) {
      try {
        evaluate(where, e);
        show::verdict(words, false);
      } catch (const upsweep::error& wrong) {
        show::verdict(words, std::string(wrong.what()).find(words) != std::string::npos);
      }
    };
    refuse({{0, 0, 0, 4, 3, 3, 4},
            {1, nobody, nobody, 4, 3, nobody, nobody},
            {2, nobody, nobody, 5, 6, nobody, nobody},
            std::vector<std::uint8_t>(7),
            std::vector<u64>(7)},
           "there is a cycle");
    refuse({{0, 0, 1}, {1, nobody, nobody}, {2, nobody, nobody}, std::vector<std::uint8_t>(3), std::vector<u64>(3)},
           "do not know each other");
  });
}
