#include "upsweep/sort/cpu/ranks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include "upsweep/cpu/blocks.hpp"
#include "upsweep/sort/cpu/radix_kernels.hpp"
#include "upsweep/sort/cpu/sample.hpp"
#include "upsweep/sort/order.hpp"

namespace upsweep::sort_room {

namespace {

constexpr std::uint64_t block = 1 << 14;

// Keys by their images in the order asked for.
template <class T>
struct ordered_keys {
  using U = order_image<T>;
  order_window<U> window;
  const U* keys;
  U operator[](std::uint64_t i) const { return window(order_bits_of<order_for<T>>(keys[i])); }
};

template <class U>
struct bounds {
  U low, high;
};

// Two images of a sample, between which rank k very likely lies.
template <class T>
auto around_rank(const ordered_keys<T>& x, std::uint64_t n, std::uint64_t k) {
  using U = order_image<T>;
  constexpr std::size_t size = 1024;
  std::vector<U> sample(size);
  for (std::uint64_t i = 0; i < size; ++i) sample[i] = x[scattered(i, n)];
  std::sort(sample.begin(), sample.end());
  const places_around at(k, n, size);
  return bounds<U>{
      at.low < 0 ? U{0} : sample[static_cast<std::size_t>(at.low)],
      at.high >= static_cast<std::int64_t>(size) ? static_cast<U>(~U{0}) : sample[static_cast<std::size_t>(at.high)]};
}

struct split {
  std::uint64_t below = 0, inside = 0;
};

// How many of each block lie below `b` and within it, and the sums.
template <class T, class U>
split count_blocks(device& d, const ordered_keys<T>& x, std::uint64_t n, bounds<U> b, std::vector<split>& of_block) {
  const std::uint64_t blocks = cpu::block_count(n, block);
  of_block.assign(blocks, {});
  cpu::for_each_block(d, blocks, [&](std::uint64_t at, const cpu::stop_flag&) {
    const std::uint64_t first = at * block, last = std::min(n, first + block);
    std::uint32_t below = 0, not_above = 0;
    for (std::uint64_t i = first; i < last; ++i) {
      const U image = x[i];
      below += image < b.low;
      not_above += image <= b.high;
    }
    of_block[at] = {below, not_above - below};
  });
  split all;
  for (const split& s : of_block) all.below += s.below, all.inside += s.inside;
  return all;
}

// Where each block's part begins of what is counted.
template <class Counted>
std::vector<std::uint64_t> places(std::uint64_t n, const Counted& counted) {
  std::vector<std::uint64_t> begin(cpu::block_count(n, block));
  std::uint64_t all = 0;
  for (std::uint64_t at = 0; at < begin.size(); ++at) begin[at] = all, all += counted(at);
  return begin;
}

// Calls take(i, place) for every key that `wanted` takes, place counting them in order; `counted` says how many a block
// has.
template <class T, class Wanted, class Counted, class Take>
void for_each_of(device& d, const ordered_keys<T>& x, std::uint64_t n, const Wanted& wanted, const Counted& counted,
                 const Take& take) {
  const auto begin = places(n, counted);
  cpu::for_each_block(d, begin.size(), [&](std::uint64_t at, const cpu::stop_flag&) {
    if (counted(at) == 0) return;
    std::uint64_t place = begin[at];
    for (std::uint64_t i = at * block; i < std::min(n, (at + 1) * block); ++i)
      if (wanted(x[i])) take(i, place++);
  });
}

// The keys that `wanted` takes, in order. Which those are cannot be foretold, so each is stored, and the next one over
// it where it is not taken.
template <class T, class U, class Wanted, class Counted>
void keep_keys(device& d, const ordered_keys<T>& x, std::uint64_t n, U* to, const Wanted& wanted,
               const Counted& counted) {
  const auto begin = places(n, counted);
  cpu::for_each_block(d, begin.size(), [&](std::uint64_t at, const cpu::stop_flag&) {
    if (counted(at) == 0) return;
    std::array<U, block + 1> kept;
    std::uint64_t place = 0;
    for (std::uint64_t i = at * block; i < std::min(n, (at + 1) * block); ++i) {
      kept[place] = x.keys[i];
      place += wanted(x[i]);
    }
    std::copy_n(kept.begin(), place, to + begin[at]);
  });
}

// Equal images in their order.
template <class T>
order_image<T> rank_by_sorting(const ordered_keys<T>& x, std::uint64_t n, std::uint64_t k) {
  std::vector<std::pair<order_image<T>, std::uint64_t>> all(n);
  for (std::uint64_t i = 0; i < n; ++i) all[i] = {x[i], i};
  std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(k), all.end());
  return x.keys[all[k].second];
}

template <class T>
order_image<T> key_of_rank(device& d, ordered_keys<T> x, std::uint64_t n, std::uint64_t k) {
  using U = order_image<T>;
  std::vector<split> of_block;
  const std::uint64_t most = n * sizeof(U);
  // Each round leaves keys out, unless the sample misleads.
  for (int round = 0; n > block && round < 64; ++round) {
    const auto b = around_rank(x, n, k);
    const split all = count_blocks(d, x, n, b, of_block);
    const bool inside = k >= all.below && k < all.below + all.inside;
    const auto size = [&](std::uint64_t at) { return std::min(block, n - at * block); };
    if (inside && b.low == b.high) {
      U key{};
      for_each_of(
          d, x, n, [&](U image) { return image == b.low; }, [&](std::uint64_t at) { return of_block[at].inside; },
          [&](std::uint64_t i, std::uint64_t place) {
            if (place == k - all.below) key = x.keys[i];
          });
      return key;
    }
    U* const left = d.scratch(round % 2 ? "sort/ranks/odd" : "sort/ranks/even", most).template as<U>();
    const auto keep = [&](const auto& wanted, const auto& counted) { keep_keys(d, x, n, left, wanted, counted); };
    if (inside) {
      keep([&](U image) { return image >= b.low && image <= b.high; },
           [&](std::uint64_t at) { return of_block[at].inside; });
      k -= all.below, n = all.inside;
    } else if (k < all.below) {
      keep([&](U image) { return image < b.low; }, [&](std::uint64_t at) { return of_block[at].below; });
      n = all.below;
    } else {
      keep([&](U image) { return image > b.high; },
           [&](std::uint64_t at) { return size(at) - of_block[at].below - of_block[at].inside; });
      k -= all.below + all.inside, n -= all.below + all.inside;
    }
    x.keys = left;
  }
  return rank_by_sorting(x, n, k);
}

template <class T>
ordered_keys<T> keys_of(const problem& p) {
  using U = order_image<T>;
  return {order_window<U>(p.first_bit, p.last_bit, p.descending), p.in.as<const U>()};
}

}  // namespace

void find_rank_on_cpu(device& d, const problem& p, std::uint64_t k, void* key) {
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    const auto found = key_of_rank(d, keys_of<T>(p), p.n, k);
    std::memcpy(key, &found, sizeof found);
  });
}

bool asks_for_few(const problem& p) { return p.n >= 4 * block && p.m >= 1 && p.m <= p.n / 64 && p.m <= 4096; }

namespace {

// A key that very likely the first k are not above, and few others. For few a small sample does: a block of keys says
// more than a larger one.
template <class T>
order_image<T> likely_bound(const ordered_keys<T>& x, std::uint64_t n, std::uint64_t k) {
  using U = order_image<T>;
  const std::uint64_t size = k < 64 ? 256 : std::clamp<std::uint64_t>(n / 256, 256, 4096);
  const places_around at(k, n, size);
  if (at.high >= static_cast<std::int64_t>(size)) return static_cast<U>(~U{0});
  std::vector<U> sample(size);
  for (std::uint64_t i = 0; i < size; ++i) sample[i] = x[scattered(i, n)];
  std::nth_element(sample.begin(), sample.begin() + at.high, sample.end());
  return sample[static_cast<std::size_t>(at.high)];
}

template <class U>
void lower(std::atomic<U>& bound, U to) {
  U now = bound.load(std::memory_order_relaxed);
  while (to < now && !bound.compare_exchange_weak(now, to, std::memory_order_relaxed)) {
  }
}

}  // namespace

bool find_few_on_cpu(device& d, const problem& p) {
  return with_any_type(p.type, [&]<class T>(type_tag<T>) {
    using U = order_image<T>;
    const auto x = keys_of<T>(p);
    // The same order in the radix sort's terms, whose kernels look at many keys at once.
    constexpr U sign = order_for<T> == key_order::with_sign ? static_cast<U>(U{1} << (8 * sizeof(U) - 1)) : U{0};
    const unsigned last_bit = p.last_bit == 0 ? 8 * sizeof(U) : p.last_bit, bits = last_bit - p.first_bit;
    const std::uint64_t flip = static_cast<U>(x.window.flip ^ (sign & x.window.mask));
    const cpu::radix_kernels& kernels =
        cpu::find_radix_kernels(sizeof(U), order_for<T> == key_order::floating, sizeof(std::uint64_t));
    using candidate = std::pair<U, std::uint64_t>;
    // No key above it is among the first p.m: at first as the sample says, then as each block finds.
    std::atomic<U> bound{likely_bound(x, p.n, p.m)};
    const std::uint64_t blocks = cpu::block_count(p.n, block);
    std::vector<std::vector<candidate>> of_block(blocks);
    std::atomic<std::uint64_t> all_found{0};
    std::atomic<bool> misled{false};
    cpu::for_each_block(d, blocks, [&](std::uint64_t at, const cpu::stop_flag&) {
      if (misled.load(std::memory_order_relaxed)) return;
      static thread_local std::vector<U> keys;
      static thread_local std::vector<std::uint64_t> places;
      keys.resize(block), places.resize(block);
      const std::uint64_t first = at * block, high = bound.load(std::memory_order_relaxed);
      const std::uint64_t some = kernels.collect({const_cast<U*>(x.keys) + first, nullptr, first, false},
                                                 std::min(block, p.n - first), p.first_bit, bits, flip >> p.first_bit,
                                                 high >> p.first_bit, {keys.data(), places.data(), 0, false});
      const ordered_keys<T> collected{x.window, keys.data()};
      std::vector<candidate> found;
      found.reserve(some);
      for (std::uint64_t i = 0; i < some; ++i) found.emplace_back(collected[i], places[i]);
      if (all_found.fetch_add(found.size(), std::memory_order_relaxed) > p.n / 16)
        misled.store(true, std::memory_order_relaxed);
      if (found.size() >= p.m) {
        const auto worst = found.begin() + static_cast<std::ptrdiff_t>(p.m - 1);
        std::nth_element(found.begin(), worst, found.end());
        found.resize(p.m);
        lower(bound, worst->first);
      }
      of_block[at] = std::move(found);
    });
    std::vector<candidate> few;
    for (const auto& found : of_block) few.insert(few.end(), found.begin(), found.end());
    if (misled.load() || few.size() < p.m) return false;
    std::partial_sort(few.begin(), few.begin() + static_cast<std::ptrdiff_t>(p.m), few.end());
    for (std::uint64_t i = 0; i < p.m; ++i) {
      p.out.as<U>()[i] = x.keys[few[i].second];
      p.out2.as<std::uint64_t>()[i] = few[i].second;
    }
    return true;
  });
}

}  // namespace upsweep::sort_room
