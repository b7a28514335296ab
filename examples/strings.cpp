// Strings: the first difference of two long ones, the order of many pairs, and all positions of a pattern.
#include <bit>
#include <optional>
#include <random>

#include "show.hpp"

using namespace upsweep;
using u64 = std::uint64_t;

// The first index in [i, end) at which a and b differ, or `end`. On a CPU memcmp handles equal pieces. A GPU thread
// compares the sixteen bytes of its piece as words.
constexpr u64 gpu_piece = 16;
UPSWEEP_HD inline u64 first_of_piece(const char* a, const char* b, u64 i, u64 end) {
#if defined(__CUDA_ARCH__)
  if (end - i == gpu_piece) {
    const uint4 x = *reinterpret_cast<const uint4*>(a + i), y = *reinterpret_cast<const uint4*>(b + i);
    if (((x.x ^ y.x) | (x.y ^ y.y) | (x.z ^ y.z) | (x.w ^ y.w)) == 0) return end;
  }
#else
  if (std::memcmp(a + i, b + i, end - i) == 0) return end;
#endif
  while (i < end && a[i] == b[i]) ++i;
  return i;
}

// The first index at which a and b differ, or n: a reduce by minimum that ends early. Pieces start approximately in
// order, and pieces after a known difference are skipped. On a GPU both strings must be aligned to 16 bytes, as buffers
// are.
u64 first_difference(const context& where, const char* a, const char* b, u64 n) {
  buffer<u64> result(where, std::vector<u64>{n});
  u64* const first = result.span().data();
  const u64 piece = where.kind() == backend::cpu ? 64 << 10 : gpu_piece;
  for_each_index(
      where, (n + piece - 1) / piece,
      [=] UPSWEEP_HD(u64 k) {
        const u64 i = k * piece, end = n - i < piece ? n : i + piece;
        if (least_so_far(first) <= i) return;
        const u64 at = first_of_piece(a, b, i, end);
        if (at < end) take_least(first, at);
      },
      1);
  return result.download()[0];
}

void two_long_ones(const context& where, u64 n) {
  std::string a(n, ' ');
  std::mt19937 bits(1);
  for (char& c : a) c = static_cast<char>(bits());
  std::string b = a;
  const buffer<char> da(where, a);
  const double sequential = show::seconds(context::cpu(1), [&] {
    if (std::memcmp(a.data(), b.data(), n) != 0) show::verdict("memcmp", false);
  });
  for (const u64 at : {n, n - 1, n / 2, u64{0}}) {
    if (at < n) b[at] ^= 1;
    const buffer<char> db(where, b);
    u64 got = 0;
    const double taken =
        show::seconds(where, [&] { got = first_difference(where, da.span().data(), db.span().data(), n); });
    if (at == n) show::note("first difference: none", taken, sequential);
    std::printf("first difference at %11llu of %llu: %8.3f ms, %6.2f GB/s of both; memcmp of all %.3f ms\n",
                static_cast<unsigned long long>(got), static_cast<unsigned long long>(n), taken * 1e3,
                2 * double(at) / taken * 1e-9, sequential * 1e3);
    show::verdict("first difference",
                  got == static_cast<u64>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin()));
    b = a;
  }
}

// Eight characters of each string of a pair. The first character is the highest byte, and the shorter string is padded
// with zeros, so that words compare as their characters do. The operator keeps the first pair that differs: it is
// associative and does not commute.
struct words {
  u64 a, b;
};
struct first_that_differ {
  UPSWEEP_HD words operator()(words x, words y) const { return x.a != x.b ? x : y; }
  UPSWEEP_HD static words identity() { return {0, 0}; }
};
u64 word_of(const std::string& s, u64 first) {
  u64 w = 0;
  for (u64 i = first; i < first + 8; ++i) w = w << 8 | (i < s.size() ? static_cast<unsigned char>(s[i]) : 0);
  return w;
}

// out[k]: the first words in which the strings of pair k differ, or its last words if the strings are equal. If no pair
// is long, each index handles one pair; otherwise a segmented reduce distributes the long pairs among threads.
void compare_pairs(const context& where, const buffer<words>& text, const buffer<u64>& offsets, buffer<words>& out) {
  constexpr u64 most = 1024;
  buffer<u64> longest(where, std::vector<u64>{~u64{0}});
  u64* const too_long = longest.span().data();
  const words* const all = text.span().data();
  const u64* const bound = offsets.span().data();
  words* const result = out.span().data();
  for_each_index(where, out.size(), [=] UPSWEEP_HD(u64 k) {
    u64 i = bound[k];
    const u64 end = bound[k + 1];
    if (end - i > most) {
      take_least(too_long, k);
      return;
    }
    words x{0, 0};
    for (; i < end && x.a == x.b; ++i) x = all[i];
    result[k] = x;
  });
  if (longest.download()[0] != ~u64{0})
    segmented_reduce(where, text.span(), offsets.span(), out.span(), words{0, 0}, first_that_differ{});
}

void many_pairs(const context& where, u64 pairs, u64 length) {
  std::mt19937 bits(2);
  std::vector<std::string> left, right;
  std::vector<words> text;
  std::vector<u64> offsets{0};
  for (u64 k = 0; k < pairs; ++k) {
    std::string a(bits() % length, 'a'), b(bits() % length, 'a');
    for (char& c : a) c = static_cast<char>('a' + (bits() % 8 == 0));
    for (char& c : b) c = static_cast<char>('a' + (bits() % 8 == 0));
    if (k % 3 == 0) b = a;
    if (k % 6 == 0 && !b.empty()) b.back() = 'c';
    for (u64 i = 0; i < std::max(a.size(), b.size()); i += 8) text.push_back({word_of(a, i), word_of(b, i)});
    offsets.push_back(text.size());
    left.push_back(std::move(a)), right.push_back(std::move(b));
  }
  const buffer<words> in(where, text);
  const buffer<u64> bounds(where, offsets);
  buffer<words> out(where, pairs);
  const double taken = show::seconds(where, [&] { compare_pairs(where, in, bounds, out); });
  std::vector<int> order(pairs);
  const double loop = show::seconds(where, [&] {
    for (u64 k = 0; k < pairs; ++k) order[k] = left[k].compare(right[k]);
  });
  const std::vector<words> got = out.download();
  bool same = true;
  for (u64 k = 0; k < pairs; ++k)
    same = same && (order[k] < 0) == (got[k].a < got[k].b) && (order[k] > 0) == (got[k].a > got[k].b);
  show::note("pairs of strings below " + std::to_string(length), taken, loop);
  std::printf("%llu pairs of strings below %llu compared: %.3f ms, one after the other %.3f ms, %.2f x\n",
              static_cast<unsigned long long>(pairs), static_cast<unsigned long long>(length), taken * 1e3, loop * 1e3,
              loop / taken);
  show::verdict("pairs", same);
}

UPSWEEP_HD inline u64 ones(u64 x) {
#if defined(__CUDA_ARCH__)
  return static_cast<u64>(__popcll(x));
#else
  return static_cast<u64>(std::popcount(x));
#endif
}
UPSWEEP_HD inline u64 lowest_one(u64 x) {
#if defined(__CUDA_ARCH__)
  return static_cast<u64>(__ffsll(static_cast<long long>(x)) - 1);
#else
  return static_cast<u64>(std::countr_zero(x));
#endif
}

// One bit for each of 64 adjacent positions: whether a pattern of m bytes occurs there. Four bytes of the pattern are
// compared at all positions at once, and the others where these four match. Requires 72 + m readable bytes.
UPSWEEP_HD inline u64 places_of(const char* text, const char* pattern, u64 m) {
  const u64 at_once = m < 4 ? m : 4;
  u64 found = 0;
#if defined(__CUDA_ARCH__)
  constexpr u64 low = 0x7f7f7f7f7f7f7f7f;
  const u64* const word = reinterpret_cast<const u64*>(text);
  u64 now = word[0];
  for (int w = 0; w < 8; ++w) {
    const u64 next = word[w + 1];
    u64 same = ~u64{0};
    for (u64 j = 0; j < at_once; ++j) {
      const u64 here = j ? now >> 8 * j | next << (64 - 8 * j) : now;
      const u64 off = here ^ 0x0101010101010101 * static_cast<unsigned char>(pattern[j]);
      same &= ~((off & low) + low | off);  // the highest bit of each byte that matches
    }
    found |= ((same >> 7 & 0x0101010101010101) * 0x0102040810204080 >> 56) << 8 * w;
    now = next;
  }
#else
  unsigned char same[64];
  for (int i = 0; i < 64; ++i) same[i] = text[i] == pattern[0];
  for (u64 j = 1; j < at_once; ++j)
    for (int i = 0; i < 64; ++i) same[i] &= text[i + j] == pattern[j];
  for (int w = 0; w < 8; ++w) {
    u64 eight = 0;
    for (int i = 0; i < 8; ++i) eight |= u64{same[8 * w + i]} << 8 * i;
    found |= (eight * 0x0102040810204080 >> 56) << 8 * w;
  }
#endif
  for (u64 rest = m > at_once ? found : 0; rest != 0; rest &= rest - 1) {
    const u64 place = lowest_one(rest);
    u64 j = at_once;
    while (j < m && text[place + j] == pattern[j]) ++j;
    if (j < m) found ^= u64{1} << place;
  }
  return found;
}
// All positions of a pattern. A search sets a bit for each position, and a scan of the counts gives the output offset
// of each group. `text` is aligned to 8 bytes and followed by 72 readable bytes.
buffer<u64> all_places(const context& where, const char* text, u64 n, const buffer<char>& pattern) {
  const u64 m = pattern.size(), words = (n + 63) / 64, group = where.kind() == backend::cpu ? 256 : 1,
            groups = (words + group - 1) / group;
  const char* const p = pattern.span().data();
  buffer<u64> bits(where, words), counts(where, groups), offsets(where, groups);
  u64 *const bit = bits.span().data(), *const count = counts.span().data(), *const offset = offsets.span().data();
  for_each_index(
      where, groups,
      [=] UPSWEEP_HD(u64 g) {
        u64 found = 0;
        for (u64 w = g * group; w < (g + 1) * group && w < words; ++w) {
          u64 here = 0;
          if (w * 64 + m <= n) {
            here = places_of(text + w * 64, p, m);
            const u64 fit = n - m - w * 64;  // the last position at which the whole pattern fits
            if (fit < 63) here &= (u64{2} << fit) - 1;
          }
          bit[w] = here;
          found += ones(here);
        }
        count[g] = found;
      },
      1);
  exclusive_scan(where, counts.span(), offsets.span());
  buffer<u64> places(where, reduce(where, counts.span()));
  u64* const place = places.span().data();
  for_each_index(
      where, groups,
      [=] UPSWEEP_HD(u64 g) {
        u64 to = offset[g];
        for (u64 w = g * group; w < (g + 1) * group && w < words; ++w)
          for (u64 rest = bit[w]; rest != 0; rest &= rest - 1) place[to++] = w * 64 + lowest_one(rest);
      },
      1);
  return places;
}

void find_pattern(const context& where, u64 n, const std::string& pattern) {
  std::mt19937 bits(3);
  std::string text(n, ' ');
  for (char& c : text) c = static_cast<char>('a' + bits() % 3);
  const buffer<char> in(where, text + std::string(72 + pattern.size(), 'a')), wanted(where, pattern);
  std::optional<buffer<u64>> places;
  const double taken = show::seconds(where, [&] { places.emplace(all_places(where, in.span().data(), n, wanted)); });
  std::vector<u64> want;
  const double loop = show::seconds(where, [&] {
    want.clear();
    for (std::size_t at = text.find(pattern); at != std::string::npos; at = text.find(pattern, at + 1))
      want.push_back(at);
  });
  if (n > 74) show::note("pattern of " + std::to_string(pattern.size()), taken, loop);
  std::printf("a pattern of %zu found %zu times in %llu bytes: %.3f ms, %.2f GB/s, string::find %.3f ms, %.2f x\n",
              pattern.size(), want.size(), static_cast<unsigned long long>(n), taken * 1e3, double(n) / taken * 1e-9,
              loop * 1e3, loop / taken);
  show::verdict("pattern", places->download() == want);
}

int main(int argc, char** argv) {
  return show::run([&] {
    const show::options o = show::options_of(argc, argv, 1 << 20);
    const context where = context::named(o.device);
    two_long_ones(where, o.n);
    many_pairs(where, o.n / 16, 20);
    many_pairs(where, 20, 50'000);

    for (const char* pattern : {"abcabcabca", "ab", "b", "ccccc"}) find_pattern(where, o.n, pattern);
    for (const u64 few : {0, 1, 9, 10, 63, 64, 65, 74})
      find_pattern(where, few, "ca"), find_pattern(where, few, "abcabcabca");
  });
}
