#include "upsweep/sort/cpu/sort_ranks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <vector>

#include "upsweep/core/thread_exit.hpp"
#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/sort/cpu/sort_radix_kernels.hpp"
#include "upsweep/sort/cpu/sort_sample.hpp"
#include "upsweep/sort/sort_order.hpp"

namespace upsweep::detail::sort_impl {

namespace {

constexpr std::uint64_t block = 1 << 14, piece = 1 << 16;

// Keys by their images in the requested order.
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

// Sorts numbers, few enough for the cache.
template <class U>
void sort_images(U* x, std::uint64_t n) {
  std::vector<U> space(2 * n);
  cpu::find_radix_kernels(sizeof(U), false, 0)
      .sort({x}, n, {0, 0, 8 * sizeof(U), true}, {x}, space.data(), space.data() + n);
}

// The images of a sorted sample between which rank k of n very likely is.
template <class U>
bounds<U> around(const U* sample, std::uint64_t size, std::uint64_t k, std::uint64_t n) {
  const places_around at(k, n, size);
  return {
      at.low < 0 ? U{0} : sample[static_cast<std::size_t>(at.low)],
      at.high >= static_cast<std::int64_t>(size) ? static_cast<U>(~U{0}) : sample[static_cast<std::size_t>(at.high)]};
}

template <class T>
auto around_rank(const ordered_keys<T>& x, std::uint64_t n, std::uint64_t k) {
  constexpr std::uint64_t size = 1024;
  order_image<T> sample[size];
  for (std::uint64_t i = 0; i < size; ++i) sample[i] = x[scattered(i, n)];
  sort_images(sample, size);
  // If many are equal to the likely key, returns only that one: the others need not be distinguished or kept.
  const order_image<T> likely = sample[std::min(size - 1, k / cpu::block_count(n, size))];
  const auto equal = std::equal_range(sample, sample + size, likely);
  if (equal.second - equal.first >= static_cast<std::ptrdiff_t>(size / 4))
    return bounds<order_image<T>>{likely, likely};
  return around(sample, size, k, n);
}

struct split {
  std::uint64_t below = 0, inside = 0;
};

std::uint64_t size_of_block(std::uint64_t at, std::uint64_t n) { return std::min(block, n - at * block); }

// Counts each block's keys below `b` and within it, and collects the latter in `kept`, in order. Whether a key is
// within cannot be predicted, so each key is stored, and overwritten by the next one if it is not. Without `kept`
// they are only counted.
template <class T, class U>
split split_keys(device& d, const ordered_keys<T>& x, std::uint64_t n, bounds<U> b, std::vector<split>& of_block,
                 U* kept) {
  of_block.assign(cpu::block_count(n, block), {});
  cpu::for_each_block(d, of_block.size(), [&](std::uint64_t at, const cpu::stop_flag&) {
    std::array<U, block + 1> mine;
    const ordered_keys<T> of_this{x.window, x.keys + at * block};
    std::uint64_t below = 0, inside = 0;
    for (std::uint64_t i = 0; i < size_of_block(at, n); ++i) {
      const U image = of_this[i];
      mine[inside] = of_this.keys[i];
      below += image < b.low;
      inside += (image >= b.low) & (image <= b.high);
    }
    if (kept) std::copy_n(mine.begin(), inside, kept + at * block);
    of_block[at] = {below, inside};
  });
  split all;
  for (std::uint64_t at = 0; at < of_block.size(); ++at) {
    if (kept) std::copy_n(kept + at * block, of_block[at].inside, kept + all.inside);
    all.below += of_block[at].below, all.inside += of_block[at].inside;
  }
  return all;
}

// The keys for which `wanted` is true, in order; `counted` gives their number in a block.
template <class T, class U, class Wanted, class Counted>
void keep_keys(device& d, const ordered_keys<T>& x, std::uint64_t n, U* to, const Wanted& wanted,
               const Counted& counted) {
  std::vector<std::uint64_t> begin(cpu::block_count(n, block));
  std::uint64_t all = 0;
  for (std::uint64_t at = 0; at < begin.size(); ++at) begin[at] = all, all += counted(at);
  cpu::for_each_block(d, begin.size(), [&](std::uint64_t at, const cpu::stop_flag&) {
    std::uint64_t place = begin[at];
    for (std::uint64_t i = at * block; i < at * block + size_of_block(at, n); ++i)
      if (wanted(x[i])) to[place++] = x.keys[i];
  });
}

// The image of rank k, unless the sample misleads; overwrites x.
template <class U>
std::optional<U> image_of_rank(U* x, std::uint64_t n, std::uint64_t k) {
  constexpr std::uint64_t few = 256;  // sorting so few is faster than finding a part
  U sample[512];
  while (n > few) {
    const std::uint64_t size = n < 4096 ? 128 : 512, all = n;
    for (std::uint64_t i = 0; i < size; ++i) sample[i] = x[scattered(i, n)];
    sort_images(sample, size);
    const bounds<U> b = around(sample, size, k, n);
    std::uint64_t below = 0, inside = 0;
    for (std::uint64_t i = 0; i < n; ++i) {  // inside <= i: only elements already read are overwritten
      const U image = x[i];
      x[inside] = image;
      below += image < b.low;
      inside += (image >= b.low) & (image <= b.high);
    }
    if (k < below || k >= below + inside) return {};
    if (b.low == b.high) return b.low;
    k -= below, n = inside;
    if (n == all) return {};
  }
  sort_images(x, n);
  return x[k];
}

// For at most one block, or for any number if nothing else made progress. Of equal images it takes the one of that
// rank.
template <class T>
order_image<T> key_among(const ordered_keys<T>& x, std::uint64_t n, std::uint64_t k) {
  using U = order_image<T>;
  std::vector<U> images(n);
  const auto make_images = [&] {
    for (std::uint64_t i = 0; i < n; ++i) images[i] = x[i];
  };
  make_images();
  std::optional<U> found = image_of_rank(images.data(), n, k);
  if (!found) {
    make_images();
    std::nth_element(images.begin(), images.begin() + static_cast<std::ptrdiff_t>(k), images.end());
    found = images[k];
  }
  std::uint64_t below = 0;
  for (std::uint64_t i = 0; i < n; ++i) below += x[i] < *found;
  std::uint64_t i = 0;
  for (std::uint64_t turn = k - below;; ++i)
    if (x[i] == *found && turn-- == 0) break;
  return x.keys[i];
}

// The key of that rank among the keys of one image.
template <class T>
order_image<T> key_in_turn(const ordered_keys<T>& x, const std::vector<split>& of_block, order_image<T> image,
                           std::uint64_t turn) {
  std::uint64_t at = 0;
  for (; of_block[at].inside <= turn; ++at) turn -= of_block[at].inside;
  std::uint64_t i = at * block;
  for (;; ++i)
    if (x[i] == image && turn-- == 0) return x.keys[i];
}

template <class T>
order_image<T> key_of_rank(device& d, ordered_keys<T> x, std::uint64_t n, std::uint64_t k) {
  using U = order_image<T>;
  std::vector<split> of_block;
  const std::uint64_t most = n * sizeof(U);
  // Each round excludes keys, unless the sample misleads.
  for (int round = 0; n > block && round < 64; ++round) {
    const auto b = around_rank(x, n, k);
    U* left = nullptr;
    const auto get_memory = [&] {
      if (!left) left = d.scratch(round % 2 ? "sort/ranks/odd" : "sort/ranks/even", most).template as<U>();
    };
    // Many keys may have one image; they need no memory of their own.
    if (b.low != b.high) get_memory();
    const split all = split_keys(d, x, n, b, of_block, left);
    if (k >= all.below && k < all.below + all.inside) {
      if (b.low == b.high) return key_in_turn(x, of_block, b.low, k - all.below);
      k -= all.below, n = all.inside;
    } else if (k < all.below) {
      get_memory();
      keep_keys(
          d, x, n, left, [&](U image) { return image < b.low; }, [&](std::uint64_t at) { return of_block[at].below; });
      n = all.below;
    } else {
      get_memory();
      keep_keys(
          d, x, n, left, [&](U image) { return image > b.high; },
          [&](std::uint64_t at) { return size_of_block(at, n) - of_block[at].below - of_block[at].inside; });
      k -= all.below + all.inside, n -= all.below + all.inside;
    }
    x.keys = left;
  }
  return key_among(x, n, k);
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

bool asks_for_few(const problem& p) { return p.m >= 1 && p.m <= 4096 && p.m <= p.n / 4; }

namespace {

// A key's image in the high bits and its index in the low bits: as numbers these are in stable order and all
// distinct.
template <class C>
struct candidates {
  static constexpr unsigned place_bits = 4 * sizeof(C);
  static C of(std::uint64_t image, std::uint64_t place) { return C{image} << place_bits | place; }
  static std::uint64_t image(C c) { return static_cast<std::uint64_t>(c >> place_bits); }
  static std::uint64_t place(C c) { return static_cast<std::uint64_t>(c & ((C{1} << place_bits) - 1)); }
};
using wide_candidate = unsigned __int128;

// A key that very likely is not less than the first k, and greater than few others.
template <class T>
order_image<T> likely_bound(const ordered_keys<T>& x, std::uint64_t n, std::uint64_t k) {
  using U = order_image<T>;
  const std::uint64_t size = std::clamp<std::uint64_t>(n / 256, 256, 4096);
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

// Keeps the first k, in any order, except that the greatest of them is last.
template <class C>
void keep_first(std::vector<C>& found, std::uint64_t k) {
  std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(k - 1), found.end());
  found.resize(k);
}

// The k first among keys [first, last), and maybe some more. A few keys give a bound, which most of a longer part
// exceed, and that part a better bound. Whatever the order of keys, each is collected at most once.
template <class T, class C>
class first_few {
  using U = order_image<T>;

 public:
  first_few(const problem& p, const ordered_keys<T>& x) : x_(x), k_(p.m), first_bit_(p.first_bit) {
    // That order in terms of the radix sort, whose kernels process many keys at once.
    constexpr U sign = order_for<T> == key_order::with_sign ? static_cast<U>(U{1} << (8 * sizeof(U) - 1)) : U{0};
    bits_ = (p.last_bit == 0 ? 8 * sizeof(U) : p.last_bit) - p.first_bit;
    flip_ = static_cast<U>(x.window.flip ^ (sign & x.window.mask));
  }

  // No key above `bound` is among the first; it falls as keys are found. Returns at most k of them, in no more memory.
  std::vector<C> among(std::uint64_t first, std::uint64_t last, std::atomic<U>& bound) const {
    [[maybe_unused]] static thread_local const bool reserved = core::reserve_thread_exit_hook();
    static thread_local std::vector<U> keys;
    static thread_local std::vector<std::uint64_t> places;
    static thread_local std::vector<C> found;
    found.clear();
    bool full = false;
    std::uint64_t worst = 0;  // of the k first so far, where full
    for (std::uint64_t stretch = 4 * k_; first < last; stretch = std::min(4 * stretch, longest)) {
      const std::uint64_t count = std::min(stretch, last - first);
      std::uint64_t high = bound.load(std::memory_order_relaxed);
      if (full) {  // k are kept, and of equal keys the earlier ones come first
        if (worst == 0) break;
        high = std::min(high, worst - 1);
      }
      // The last of them tells of both: where memory ran out between them, too.
      if (places.size() < count) keys.resize(count), places.resize(count);
      const std::uint64_t some =
          kernels_.collect({const_cast<U*>(x_.keys) + first, nullptr, first, false}, count, first_bit_, bits_,
                           flip_ >> first_bit_, high >> first_bit_, {keys.data(), places.data(), 0, false});
      const ordered_keys<T> collected{x_.window, keys.data()};
      for (std::uint64_t i = 0; i < some; ++i) found.push_back(candidates<C>::of(collected[i], places[i]));
      first += count;
      // Earlier, the kept keys would be compared more often than the new ones.
      if (found.size() >= (full ? 2 * k_ : k_)) {
        keep_first(found, k_), full = true;
        worst = candidates<C>::image(found.back());
        lower(bound, static_cast<U>(worst));
      }
    }
    if (found.size() > k_) keep_first(found, k_);
    return {found.begin(), found.end()};
  }

 private:
  static constexpr std::uint64_t longest = 1 << 15;
  ordered_keys<T> x_;
  std::uint64_t k_, flip_ = 0;
  unsigned first_bit_, bits_ = 0;
  const cpu::radix_kernels& kernels_ =
      cpu::find_radix_kernels(sizeof(U), order_for<T> == key_order::floating, sizeof(std::uint64_t));
};

template <class C>
void sort_candidates(std::vector<C>& few) {
  if constexpr (sizeof(C) == 8)
    if (few.size() > 32) {
      std::vector<C> space(2 * few.size());
      cpu::find_radix_kernels(8, false, 0)
          .sort({few.data()}, few.size(), {0, 0, 64, true}, {few.data()}, space.data(), space.data() + few.size());
      return;
    }
  std::sort(few.begin(), few.end());
}

template <class T, class C>
void find_few(device& d, const problem& p) {
  using U = order_image<T>;
  const auto x = keys_of<T>(p);
  const first_few<T, C> look(p, x);
  const auto found_below = [&](U first_bound) {
    std::atomic<U> bound{first_bound};
    if (p.n < 2 * piece) return look.among(0, p.n, bound);
    // Each piece keeps at most k keys, and all pieces together a bounded number of them.
    const std::uint64_t pieces = std::max<std::uint64_t>(256, (std::uint64_t{1} << 18) / p.m),
                        each = std::max(piece, cpu::block_count(p.n, pieces));
    std::vector<std::vector<C>> of_piece(cpu::block_count(p.n, each));
    cpu::for_each_block(d, of_piece.size(), [&](std::uint64_t at, const cpu::stop_flag&) {
      of_piece[at] = look.among(at * each, std::min(p.n, (at + 1) * each), bound);
    });
    std::vector<C> all;
    for (const auto& found : of_piece) all.insert(all.end(), found.begin(), found.end());
    return all;
  };
  constexpr U none = static_cast<U>(~U{0});
  // For very few keys the first parts give a bound sooner than a sample does.
  const U likely = p.m < 64 || p.n / 32 < p.m ? none : likely_bound(x, p.n, p.m);
  std::vector<C> few = found_below(likely);
  if (few.size() < p.m) few = found_below(none);  // the sample misled
  keep_first(few, p.m);
  sort_candidates(few);
  for (std::uint64_t i = 0; i < p.m; ++i) {
    const std::uint64_t place = candidates<C>::place(few[i]);
    p.out.as<U>()[i] = x.keys[place];
    p.out2.as<std::uint64_t>()[i] = place;
  }
}

}  // namespace

void find_few_on_cpu(device& d, const problem& p) {
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    if (sizeof(T) <= 4 && p.n <= std::uint64_t{1} << 32)
      find_few<T, std::uint64_t>(d, p);
    else
      find_few<T, wide_candidate>(d, p);
  });
}

}  // namespace upsweep::detail::sort_impl
