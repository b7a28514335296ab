// Fields of a table on CUDA, by masks, in one pass on the scan's ring of tiles. Each thread has 48 bytes, with one bit
// a byte that says whether the byte is a quote, and one that says whether it may end a field. The scanned value of a
// stretch of text is the number of fields that end in it if it begins outside quotes, the number if it begins inside
// quotes, and whether its number of quotes is odd.
#pragma once

#include "upsweep/cuda/relaxed_access.cuh"
#include "upsweep/lex/lex_implementation.hpp"
#include "upsweep/scan/cuda/scan_ring.cuh"

namespace upsweep::cuda {

struct both_ways {
  static constexpr std::uint32_t odd = 1u << 31;
  std::uint32_t outside;  // fields; and the bit `odd`
  std::uint32_t inside;
};
struct join_both_ways {
  UPSWEEP_HD static both_ways identity() { return {0, 0}; }
  __device__ both_ways operator()(both_ways f, both_ways g) const {
    const bool turned = f.outside & both_ways::odd;
    const std::uint32_t plain = g.outside & ~both_ways::odd, sign = (f.outside ^ g.outside) & both_ways::odd;
    return {(f.outside & ~both_ways::odd) + (turned ? g.inside : plain) | sign, f.inside + (turned ? plain : g.inside)};
  }
};

struct fields_result {
  std::uint64_t fields, lines;
  std::uint32_t inside, misplaced;
};

template <class Shape>
struct fields_work {
  using value = both_ways;
  using op = join_both_ways;
  using shape = Shape;
  static constexpr int threads = Shape::threads, items = Shape::items, depth = 6;
  static constexpr bool drains = false;
  static constexpr std::uint32_t tile_size = Shape::tile;
  static_assert(items == 48);
  // The bytes of a thread; later, in the same memory, the masks that finish() reads.
  union run {
    uint4 piece[3];
    struct {
      std::uint64_t quotes, within, ends, line_feeds,
          returns;                                        // within: if it begins outside, are the bytes after each?
      std::uint8_t after_end, after_quote, after_return;  // of the byte before
    };
  };
  struct tile {
    alignas(128) run of[threads];
  };
  struct held {};
  struct own {
    std::uint32_t lines = 0;
  };

  const unsigned char* text;
  std::uint32_t n;             // at most 2^30
  std::uint64_t base, before;  // bytes and fields
  bool inside;
  std::uint32_t separator;  // four times
  std::uint64_t* ends;
  std::uint64_t capacity;
  fields_result* result;
  bool bulk;
  join_both_ways combine{};
  tagged_words aggregates{};
  launch_control* control = nullptr;
  std::uint64_t tiles = 0;

  __device__ value first() const { return {inside ? both_ways::odd : 0, 0}; }
  __device__ void begin(held&) const {}
  __device__ bool in_bulk(std::uint64_t t) const { return has_async_load() && bulk && (t + 1) * tile_size <= n; }
  __device__ bool load(tile& to, std::uint64_t t, copy_barrier* loaded) const {
    if (!in_bulk(t)) return false;
    bulk_load(to.of, text + t * tile_size, tile_size, loaded);
    return true;
  }

  // A bit for each of four bytes that equals the pattern's.
  __device__ static std::uint32_t same(std::uint32_t four, std::uint32_t pattern) {
    const std::uint32_t x = four ^ pattern;
    const std::uint32_t zero = ~(((x & 0x7f7f7f7f) + 0x7f7f7f7f) | x) & 0x80808080;
    return zero * 0x00204081u >> 28;
  }
  __device__ static std::uint64_t prefix_xor(std::uint64_t x) {
#pragma unroll
    for (int by = 1; by < 64; by *= 2) x ^= x << by;
    return x;
  }

  __device__ value fold(tile& x, const held&, std::uint64_t t) const {
    const std::uint32_t begin = static_cast<std::uint32_t>(t * tile_size), at = begin + threadIdx.x * items;
    if (!in_bulk(t)) {
      auto* to = reinterpret_cast<unsigned char*>(x.of);
      const std::uint32_t size = n - begin < tile_size ? n - begin : tile_size;
      for (std::uint32_t i = threadIdx.x; i < size; i += threads) to[i] = text[begin + i];
      sync_first_threads<threads>();  // all threads wrote the tile that each then reads its run of
    }
    if (at >= n) return combine.identity();
    run& mine = x.of[threadIdx.x];
    std::uint64_t quotes = 0, parts = 0, line_feeds = 0, returns = 0;
#pragma unroll
    for (int p = 0; p < 3; ++p) {
      const uint4 piece = mine.piece[p];
      const std::uint32_t word[4] = {piece.x, piece.y, piece.z, piece.w};
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const int shift = 16 * p + 4 * k;
        quotes |= std::uint64_t{same(word[k], 0x22222222)} << shift;
        parts |= std::uint64_t{same(word[k], separator)} << shift;
        line_feeds |= std::uint64_t{same(word[k], 0x0a0a0a0a)} << shift;
        returns |= std::uint64_t{same(word[k], 0x0d0d0d0d)} << shift;
      }
    }
    if (n - at < items) {
      const std::uint64_t there = (std::uint64_t{1} << (n - at)) - 1;
      quotes &= there, parts &= there, line_feeds &= there, returns &= there;
    }
    const std::uint64_t place = base + at;
    const unsigned char last = place > 0 ? text[std::int64_t{at} - 1] : '\n',
                        last_but_one = place > 1 ? text[std::int64_t{at} - 2] : 0;
    const std::uint64_t ends_here = parts | line_feeds, within = prefix_xor(quotes);
    mine.quotes = quotes, mine.within = within, mine.ends = ends_here;
    mine.line_feeds = line_feeds, mine.returns = returns;
    mine.after_end = last == '"' || last == '\n' || last == (separator & 0xff);
    mine.after_quote = last == '"';
    mine.after_return = last == '\r' && last_but_one == '"';
    const std::uint32_t outside = __popcll(ends_here & ~within);
    return {outside | (__popcll(quotes) & 1 ? both_ways::odd : 0),
            static_cast<std::uint32_t>(__popcll(ends_here)) - outside};
  }

  __device__ void finish(tile& x, held&, own& o, std::uint64_t t, const value& prefix) const {
    const std::uint32_t at = static_cast<std::uint32_t>(t * tile_size) + threadIdx.x * items;
    if (at >= n) return;
    const run mine = x.of[threadIdx.x];
    const bool in = prefix.outside & both_ways::odd;
    const std::uint64_t within = in ? ~mine.within : mine.within, any = mine.ends | mine.quotes;
    const std::uint64_t close = mine.quotes & ~within, closed_before = close << 1 | (mine.after_quote && !in),
                        returned = closed_before & mine.returns;
    std::uint64_t misplaced = ((mine.quotes & within) & ~(any << 1 | mine.after_end)) |
                              (closed_before & ~(any | mine.returns)) |
                              ((returned << 1 | (mine.after_return && !in)) & ~mine.line_feeds);
    const std::uint32_t count = n - at < items ? n - at : items;
    misplaced &= (std::uint64_t{1} << count) - 1;  // beyond them there is nothing, or the next thread's
    if (misplaced) store_relaxed(&result->misplaced, std::uint32_t{1});  // any thread that finds one
    o.lines += __popcll(mine.line_feeds & ~within);
    std::uint64_t place = before + (prefix.outside & ~both_ways::odd);
    std::uint64_t bits = mine.ends & ~within;
    if (ends && place + __popcll(bits) <= capacity)
      for (; bits; bits &= bits - 1) ends[place++] = base + at + __ffsll(static_cast<long long>(bits)) - 1;
    else
      place += __popcll(bits);
    if (n - at <= items) {  // the text's last byte is this thread's
      result->fields = place;
      result->inside = within >> (count - 1) & 1;
    }
  }
  __device__ void end(held&, own& o) const {
    const std::uint32_t lines = warp_reduce(o.lines, plus{});
    if (threadIdx.x % warp_size == 0 && lines > 0)
      atomicAdd(reinterpret_cast<unsigned long long*>(&result->lines), static_cast<unsigned long long>(lines));
  }
};

// 2^30 bytes a launch, so that a tile's numbers have 31 bits.
template <class Shape>
std::optional<detail::lex_impl::table_carry> fields_in(device& d, std::string_view text, char separator,
                                                       std::uint64_t* ends, std::uint64_t capacity) {
  constexpr std::uint64_t most = std::uint64_t{1} << 30;
  detail::lex_impl::table_carry all;
  d.make_current();
  const memory results = d.scratch("lex/result", sizeof(fields_result));
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  for (std::uint64_t base = 0; base < text.size(); base += most) {
    fields_result r{};
    d.upload(results, &r, sizeof r);
    const fields_work<Shape> work{bytes + base,
                                  static_cast<std::uint32_t>(std::min(most, text.size() - base)),
                                  base,
                                  all.fields,
                                  all.inside,
                                  static_cast<unsigned char>(separator) * 0x01010101u,
                                  ends,
                                  capacity,
                                  results.as<fields_result>(),
                                  reinterpret_cast<std::uintptr_t>(bytes) % 16 == 0};
    run_tile_ring(d, work, (work.n + Shape::tile - 1) / Shape::tile, "lex");
    d.download(&r, results, sizeof r);
    if (r.misplaced) return std::nullopt;
    all.fields = r.fields, all.inside = r.inside, all.lines += r.lines;
  }
  return all;
}

}  // namespace upsweep::cuda
