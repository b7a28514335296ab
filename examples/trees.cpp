// Trees of millions of nodes: depths, subtree sizes, both orders, lowest common ancestors, and the values of
// expressions; against the depth-first program of one thread. With a folder for an argument, its directory tree.
#include <filesystem>
#include <numeric>
#include <random>

#include "show.hpp"
#include "trees.hpp"

using namespace trees;

struct by_hand {
  std::vector<u32> pre, post, size;
  std::vector<i32> depth;
};

// Depth first, without recursion: children are linked in order, and each node visited on the way down and on the way
// up.
by_hand depth_first(const std::vector<u32>& parent) {
  const u32 n = static_cast<u32>(parent.size());
  std::vector<u32> child(n, nobody), sibling(n, nobody);
  u32 root = 0;
  for (u32 v = n; v-- > 0;) {
    if (parent[v] == v)
      root = v;
    else
      sibling[v] = child[parent[v]], child[parent[v]] = v;
  }
  by_hand t{std::vector<u32>(n), std::vector<u32>(n), std::vector<u32>(n), std::vector<i32>(n)};
  u32 in = 0, out = 0;
  i32 d = 0;
  for (u32 v = root;;) {
    t.pre[v] = in++, t.depth[v] = d;
    if (child[v] != nobody) {
      v = child[v], ++d;
      continue;
    }
    while (true) {
      t.post[v] = out++;
      t.size[v] = in - t.pre[v];
      if (v == root) return t;
      if (sibling[v] != nobody) break;
      v = parent[v], --d;
    }
    v = sibling[v];
  }
}

// Nodes in a random order in memory, whatever the tree's shape.
std::vector<u32> shuffled(const std::vector<u32>& parent, std::mt19937& bits) {
  std::vector<u32> name(parent.size()), renamed(parent.size());
  std::iota(name.begin(), name.end(), 0);
  std::shuffle(name.begin(), name.end(), bits);
  for (std::size_t v = 0; v < parent.size(); ++v) renamed[name[v]] = name[parent[v]];
  return renamed;
}

void show_tree(const context& where, const char* name, const std::vector<u32>& parent) {
  const u64 n = parent.size();
  const buffer<u32> parents(where, parent);
  std::optional<numbers> t;
  by_hand want;
  const double taken = show::seconds(where, [&] { t.emplace(number(where, parents)); });
  const double loop = show::seconds(where, [&] { want = depth_first(parent); });
  std::printf("%-10s %9llu nodes, depth %9d: %9.2f ms, depth first %9.2f ms, %5.2f x\n", name,
              static_cast<unsigned long long>(n), *std::max_element(want.depth.begin(), want.depth.end()), taken * 1e3,
              loop * 1e3, loop / taken);
  show::verdict(name, t->depth.download() == want.depth && t->preorder.download() == want.pre &&
                          t->postorder.download() == want.post && t->size.download() == want.size);

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
      (want.depth[x] > want.depth[y] ? x : y) = want.depth[x] > want.depth[y] ? parent[x] : parent[y], ++climbed;
    right = right && got[q] == x;
  }
  std::printf("           lowest common ancestors: %.0f ns each\n", asking / double(questions) * 1e9);
  show::verdict("lowest common ancestors", right);
}

expression random_expression(u64 leaves, std::mt19937_64& bits) {
  const u64 n = 2 * leaves - 1;
  expression e{std::vector<u32>(n, nobody), std::vector<u32>(n, nobody), std::vector<u32>(n, nobody), {}, {}};
  // A leaf chosen at random becomes an inner node, again and again.
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
  for (auto it = fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied, ignored);
       it != fs::recursive_directory_iterator(); it.increment(ignored)) {
    at_depth.resize(static_cast<std::size_t>(it.depth()) + 1);
    at_depth.push_back(static_cast<u32>(parent.size()));
    parent.push_back(at_depth[static_cast<std::size_t>(it.depth())]);
    names.push_back(it->path().string());
  }
  show_tree(where, "folder", parent);
  const std::vector<u32> size = number(where, buffer<u32>(where, parent)).size.download();
  std::vector<u32> largest(size.size());
  std::iota(largest.begin(), largest.end(), 0);
  std::partial_sort(largest.begin(), largest.begin() + std::min<std::size_t>(5, largest.size()), largest.end(),
                    [&](u32 a, u32 b) { return size[a] > size[b]; });
  for (std::size_t k = 0; k < std::min<std::size_t>(5, largest.size()); ++k)
    std::printf("%9u  %s\n", size[largest[k]], names[largest[k]].c_str());
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
    for (const u32 few : {1, 2, 3, 64, 65})
      show_tree(where, "small", std::vector<u32>(parent.begin(), parent.begin() + std::min<u64>(few, n)));
    show_expression(where, n / 2 + 1);
    show_expression(where, 1);
    expect_refusal(where, {0, 0, 3, 4, 2}, "its own ancestor");
    expect_refusal(where, {0, 0, 2}, "both roots");
    expect_refusal(where, {1, 2, 0}, "no node is its own parent");
    expect_refusal(where, {0, 9}, "the parent of node 1");
  });
}
