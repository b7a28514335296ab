// The tree of nbody's CUDA variant on the emulated machine: the library's own kernels, sorted and scanned for by the
// host.
#include <algorithm>
#include <numeric>

#include "lens/test_kernels.hpp"
#include "upsweep/conformance/conformance.hpp"
#include "upsweep/nbody/cuda/nbody_cuda_tree.cuh"
#include "upsweep/nbody/nbody_problem.hpp"

namespace upsweep::lens {
namespace {

namespace tree = textbook::nbody_tree;
using detail::nbody_impl::primitive;
using detail::nbody_impl::vec4;

struct tree_machine {
  lens::grid grid;

  template <class T>
  pointer<T> scratch(const char* name, std::uint64_t count) {
    return grid.scratch<T>(name, count);
  }
  template <class T>
  void download(T* to, pointer<T> from, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i)
      to[i] = from.memory().template get<T>(static_cast<std::size_t>(from.index()) + i);
  }
  void sort(pointer<std::uint64_t> keys, pointer<std::uint32_t> order, std::uint64_t n) {
    std::vector<std::uint64_t> key(n);
    std::vector<std::uint32_t> place(n);
    download(key.data(), keys, n);
    std::iota(place.begin(), place.end(), 0u);
    std::stable_sort(place.begin(), place.end(), [&](std::uint32_t a, std::uint32_t b) { return key[a] < key[b]; });
    for (std::uint64_t i = 0; i < n; ++i) keys.memory().put(i, key[place[i]]), order.memory().put(i, place[i]);
  }
  void done(detail::nbody_impl::tree_part) {}
  void scan(pointer<std::uint32_t> counts, std::uint64_t n) {
    std::vector<std::uint32_t> all(n);
    download(all.data(), counts, n);
    std::exclusive_scan(all.begin(), all.end(), all.begin(), 0u);
    for (std::uint64_t i = 0; i < n; ++i) counts.memory().put(i, all[i]);
  }
};

// The conformance test's message about the tree's results.
template <class T>
std::string wrong_with(detail::nbody_impl::problem p, input_kind kind, std::uint64_t seed) {
  const conformance_test& e = conformance_test_of(primitive::nbody);
  const std::vector<array> arrays = e.arrays(p, seed, kind);
  std::vector<vec4<T>> in(p.n), out(p.n);
  arrays[0].fill(in.data(), 0, p.n);
  options o;
  o.seed = seed, o.races = p.n < 400;
  machine m(o);
  tree_machine on{grid(m)};
  const pointer<vec4<T>> bodies = on.scratch<vec4<T>>("in", p.n), pulls = on.scratch<vec4<T>>("out", p.n);
  for (std::uint64_t i = 0; i < p.n; ++i) bodies.memory().put(i, in[i]);
  tree::pull_by_tree<T>(on, bodies, pulls, p.n, p.gravity);
  if (const std::string found = said(m); !found.empty()) return found;
  on.download(out.data(), pulls, p.n);
  p.in = {in.data(), 0}, p.out = {out.data(), 0};
  return e.wrong(p, static_cast<double>(p.n));
}

TEST(lens_nbody_tree, passes_its_conformance_test_at_awkward_sizes) {
  std::uint64_t turn = 0;
  for (const problem& any : conformance_test_of(primitive::nbody).forms(false)) {
    const auto& form = any.as<detail::nbody_impl::problem>();
    if (form.gravity.jerks || form.gravity.compensated) continue;
    for (const std::uint64_t n : {1, 2, 33, 64, 65, 129, 300}) {
      detail::nbody_impl::problem p = form;
      p.n = n;
      const input_kind kind = all_inputs[++turn % all_inputs.size()];
      const std::string wrong =
          p.type == dtype::f32 ? wrong_with<float>(p, kind, turn) : wrong_with<double>(p, kind, turn);
      EXPECT_EQ(wrong, "") << conformance_test_of(primitive::nbody).words(p) << ", n = " << n << ", " << name_of(kind);
    }
  }
}

// Enough bodies for cells to be taken, lists to be full and several levels.
TEST(lens_nbody_tree, passes_its_conformance_test_with_many_bodies) {
  const std::vector<problem> forms = conformance_test_of(primitive::nbody).forms(false);
  for (const std::size_t which : {1, 4, 5}) {
    auto p = forms[which].as<detail::nbody_impl::problem>();
    p.n = 1500;
    const input_kind kind = which == 1 ? input_kind::sorted : which == 4 ? input_kind::zipf : input_kind::constant;
    EXPECT_EQ(wrong_with<float>(p, kind, 3), "") << conformance_test_of(primitive::nbody).words(p);
  }
}

}  // namespace
}  // namespace upsweep::lens
