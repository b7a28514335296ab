// Strings: where two long ones first differ, which of many pairs comes first, and where a pattern stands.
#include <atomic>
#include <random>
#include <string_view>

#include "show.hpp"

using namespace upsweep;
using u64 = std::uint64_t;

// The least of all that come, whatever their order.
UPSWEEP_HD inline void take_least(u64* to, u64 x) {
#if defined(__CUDA_ARCH__)
  atomicMin(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(x));
#else
  const std::atomic_ref<u64> least(*to);
  for (u64 now = least.load(std::memory_order_relaxed);
       x < now && !least.compare_exchange_weak(now, x, std::memory_order_relaxed);) {
  }
#endif
}
UPSWEEP_HD inline u64 least_so_far(const u64* at) {
#if defined(__CUDA_ARCH__)
  return *static_cast<const volatile u64*>(at);
#else
  return std::atomic_ref<u64>(*const_cast<u64*>(at)).load(std::memory_order_relaxed);
#endif
}

// The first place where a and b differ, or n: a reduce by minimum that ends early. Pieces are begun in order, near
// enough, and what comes after a difference that is known already is not looked at.
u64 first_difference(const context& where, const char* a, const char* b, u64 n) {
  buffer<u64> result(where, std::vector<u64>{n});
  u64* const first = result.span().data();
  const u64 piece = where.kind() == backend::cpu ? 64 << 10 : 256;
  for_each_index(
      where, (n + piece - 1) / piece,
      [=] UPSWEEP_HD(u64 k) {
        u64 i = k * piece;
        const u64 end = n - i < piece ? n : i + piece;
        if (least_so_far(first) <= i) return;
#if !defined(__CUDA_ARCH__)
        if (std::memcmp(a + i, b + i, end - i) == 0) return;
#endif
        while (i < end && a[i] == b[i]) ++i;
        if (i < end) take_least(first, i);
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
    std::printf("first difference at %11llu of %llu: %8.3f ms, %6.2f GB/s of both; memcmp of all %.3f ms\n",
                static_cast<unsigned long long>(got), static_cast<unsigned long long>(n), taken * 1e3,
                2 * double(at) / taken * 1e-9, sequential * 1e3);
    show::verdict("first difference",
                  got == static_cast<u64>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin()));
    b = a;
  }
}

// Pairs of strings, one character of each beside the other and the shorter filled up with zeros. The operator keeps the
// first pair that differs: it is associative and does not commute.
struct characters {
  unsigned char a, b;
};
struct first_that_differ {
  UPSWEEP_HD characters operator()(characters x, characters y) const { return x.a != x.b ? x : y; }
  UPSWEEP_HD static characters identity() { return {0, 0}; }
};

void many_pairs(const context& where, u64 pairs) {
  std::mt19937 bits(2);
  std::vector<std::string> left, right;
  std::vector<characters> text;
  std::vector<u64> offsets{0};
  for (u64 k = 0; k < pairs; ++k) {
    std::string a(bits() % 20, 'a'), b(bits() % 20, 'a');
    for (char& c : a) c = static_cast<char>('a' + (bits() % 8 == 0));
    for (char& c : b) c = static_cast<char>('a' + (bits() % 8 == 0));
    for (u64 i = 0; i < std::max(a.size(), b.size()); ++i)
      text.push_back(
          {static_cast<unsigned char>(i < a.size() ? a[i] : 0), static_cast<unsigned char>(i < b.size() ? b[i] : 0)});
    offsets.push_back(text.size());
    left.push_back(std::move(a)), right.push_back(std::move(b));
  }
  const buffer<characters> in(where, text);
  const buffer<u64> bounds(where, offsets);
  buffer<characters> out(where, pairs);
  const double taken = show::seconds(where, [&] {
    segmented_reduce(where, in.span(), bounds.span(), out.span(), characters{0, 0}, first_that_differ{});
  });
  std::vector<int> order(pairs);
  const double loop = show::seconds(where, [&] {
    for (u64 k = 0; k < pairs; ++k) order[k] = left[k].compare(right[k]);
  });
  const std::vector<characters> got = out.download();
  bool same = true;
  for (u64 k = 0; k < pairs; ++k)
    same = same && (order[k] < 0) == (got[k].a < got[k].b) && (order[k] > 0) == (got[k].a > got[k].b);
  std::printf("%llu pairs of strings compared: %.3f ms, one after the other %.3f ms\n",
              static_cast<unsigned long long>(pairs), taken * 1e3, loop * 1e3);
  show::verdict("pairs", same);
}

// Every place of a pattern: each piece of the text counts its own, a scan of the counts says where they go.
void find_pattern(const context& where, u64 n) {
  std::mt19937 bits(3);
  std::string text(n, ' ');
  for (char& c : text) c = static_cast<char>('a' + bits() % 3);
  const std::string_view pattern = "abcabcabca";
  const buffer<char> in(where, text), wanted(where, std::string(pattern));
  const char *const t = in.span().data(), *const p = wanted.span().data();
  const u64 m = pattern.size(), piece = where.kind() == backend::cpu ? 32 << 10 : 256, pieces = (n + piece - 1) / piece;
  std::vector<u64> got;
  const double taken = show::seconds(where, [&] {
    buffer<u64> counts(where, pieces), offsets(where, pieces);
    u64 *const count = counts.span().data(), *const offset = offsets.span().data();
    const auto each = [=] UPSWEEP_HD(u64 k, u64 * out) {
      u64 found = 0;
#if !defined(__CUDA_ARCH__)
      const std::string_view here(t + k * piece, std::min(piece + m - 1, n - k * piece));
      for (std::size_t at = here.find({p, m}); at != std::string_view::npos; at = here.find({p, m}, at + 1), ++found)
        if (out) out[found] = k * piece + at;
      return found;
#endif
      for (u64 i = k * piece; i < (k + 1) * piece && i + m <= n; ++i) {
        u64 same = 0;
        while (same < m && t[i + same] == p[same]) ++same;
        if (same == m) {
          if (out) out[found] = i;
          ++found;
        }
      }
      return found;
    };
    for_each_index(
        where, pieces, [=] UPSWEEP_HD(u64 k) { count[k] = each(k, nullptr); }, 1);
    exclusive_scan(where, counts.span(), offsets.span());
    const u64 all = pieces ? offsets.download().back() + counts.download().back() : 0;
    buffer<u64> places(where, all);
    u64* const place = places.span().data();
    for_each_index(
        where, pieces,
        [=] UPSWEEP_HD(u64 k) {
          if (count[k]) each(k, place + offset[k]);
        },
        1);
    got = places.download();
  });
  std::vector<u64> want;
  const double loop = show::seconds(where, [&] {
    want.clear();
    for (std::size_t at = text.find(pattern); at != std::string::npos; at = text.find(pattern, at + 1))
      want.push_back(at);
  });
  std::printf("a pattern found %zu times in %llu bytes: %.3f ms, string::find %.3f ms\n", got.size(),
              static_cast<unsigned long long>(n), taken * 1e3, loop * 1e3);
  show::verdict("pattern", got == want);
}

int main(int argc, char** argv) {
  return show::run([&] {
    const show::options o = show::options_of(argc, argv, 1 << 20);
    const context where = context::named(o.device);
    two_long_ones(where, o.n);
    many_pairs(where, o.n / 16);
    find_pattern(where, o.n);
  });
}
