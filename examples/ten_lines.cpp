// Quicksort, radix sort and compaction in ten lines each. All need the output positions of the elements that pass a
// test, which are the exclusive scan of the flags. The other elements follow after those that pass.
#include <random>

#include "show.hpp"

using namespace upsweep;
using numbers = std::vector<std::uint32_t>;
using places = std::vector<std::uint64_t>;

const context where = context::best();

// The elements that pass, in order.
template <class Test>
numbers compacted(const numbers& x, Test test) {
  places flags(x.size()), to(x.size());
  std::ranges::transform(x, flags.begin(), test);
  exclusive_scan(where, flags, to);
  numbers out(x.empty() ? 0 : to.back() + flags.back());
  for (std::size_t i = 0; i < x.size(); ++i)
    if (flags[i]) out[to[i]] = x[i];
  return out;
}

// The elements that pass, then the others, both in order.
template <class Test>
numbers split(const numbers& x, Test test) {
  places flags(x.size()), to(x.size());
  std::ranges::transform(x, flags.begin(), test);
  exclusive_scan(where, flags, to);
  const std::uint64_t passed = x.empty() ? 0 : to.back() + flags.back();
  numbers out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) out[flags[i] ? to[i] : passed + (i - to[i])] = x[i];
  return out;
}

numbers radix_sorted(numbers x) {
  for (int bit = 0; bit < 32; ++bit) x = split(x, [=](std::uint32_t v) { return (v >> bit & 1) == 0; });
  return x;
}

numbers quick_sorted(numbers x) {
  if (x.size() < 2) return x;
  const std::uint32_t pivot = x[x.size() / 2];
  numbers all = quick_sorted(compacted(x, [=](std::uint32_t v) { return v < pivot; }));
  for (const numbers& part : {compacted(x, [=](std::uint32_t v) { return v == pivot; }),
                              quick_sorted(compacted(x, [=](std::uint32_t v) { return v > pivot; }))})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

int main(int argc, char** argv) {
  return show::run([&] {
    const show::options o = show::options_of(argc, argv, 20'000);
    std::mt19937 bits(1);
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, o.n}) {
      numbers x(n), want;
      for (std::uint32_t& v : x) v = bits() % 5000;
      std::ranges::copy_if(x, std::back_inserter(want), [](std::uint32_t v) { return v % 3 == 0; });
      show::verdict("compaction", compacted(x, [](std::uint32_t v) { return v % 3 == 0; }) == want);
      want = x;
      std::ranges::sort(want);
      show::verdict("radix sort", radix_sorted(x) == want);
      show::verdict("quicksort", quick_sorted(x) == want);
    }
    std::printf("%llu numbers compacted, and sorted twice, on %s\n", static_cast<unsigned long long>(o.n),
                where.name().c_str());
  });
}
