// The loops of the radix sort. Images are computed a tile at a time, by vectors. Digits are then counted and keys
// moved one by one, since a key's destination depends on those before it.
#include "upsweep/cpu/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "upsweep/sort/cpu/sort_radix_kernels.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>
#include <type_traits>

#include "upsweep/sort/cpu/sort_network-inl.hpp"
#include "upsweep/sort/cpu/sort_radix_kernels.hpp"
#include "upsweep/sort/sort_order.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {
namespace radix {

namespace hn = hwy::HWY_NAMESPACE;

inline constexpr unsigned digit_bits = 8;      // of a pass within the cache
inline constexpr unsigned passes_at_once = 2;  // counted together
inline constexpr std::uint64_t insertion_max = 12;
inline constexpr unsigned split_bits = 10;  // at most, of the digit that a range is cut by before the network

struct no_value {};

template <class Key, class Value>
struct alignas(sizeof(Key) + sizeof(Value) <= 8 ? 8 : 16) pair_record {
  Key key;
  Value value;
};

template <class Key, class Value, bool Float>
struct kernels {
  static constexpr bool has_values = !std::is_same_v<Value, no_value>;
  // A key alone is its own record.
  using record = std::conditional_t<has_values, pair_record<Key, Value>, Key>;
  static constexpr std::uint64_t tile = 64;

  static HWY_INLINE Key image_of(Key bits) {
    return order_bits_of<Float ? key_order::floating : key_order::plain>(bits);
  }

  struct from_arrays {
    const Key* keys;
    const Value* values;
    std::uint64_t first_index;
    HWY_INLINE Key key(std::uint64_t i) const { return keys[i]; }
    HWY_INLINE record get(std::uint64_t i) const {
      if constexpr (!has_values) {
        return keys[i];
      } else {
        return {keys[i], values ? values[i] : static_cast<Value>(first_index + i)};
      }
    }
    HWY_INLINE void skip(std::uint64_t i) {
      keys += i;
      if (values) values += i;
      first_index += i;
    }
  };
  struct from_records {
    const record* at;
    HWY_INLINE Key key(std::uint64_t i) const {
      if constexpr (has_values) {
        return at[i].key;
      } else {
        return at[i];
      }
    }
    HWY_INLINE record get(std::uint64_t i) const { return at[i]; }
    HWY_INLINE void skip(std::uint64_t i) { at += i; }
  };
  struct to_arrays {
    Key* keys;
    Value* values;
    HWY_INLINE void put(std::uint64_t i, record r) const {
      if constexpr (has_values) {
        keys[i] = r.key;
        values[i] = r.value;
      } else {
        keys[i] = r;
      }
    }
  };
  struct to_records {
    record* at;
    HWY_INLINE void put(std::uint64_t i, record r) const { at[i] = r; }
  };

  static from_arrays arrays(const radix_place& p) {
    return {static_cast<const Key*>(p.keys), static_cast<const Value*>(p.values), p.first_index};
  }
  static from_records records(const radix_place& p) { return {static_cast<const record*>(p.keys)}; }
  static to_arrays arrays_of(const radix_place& p) {
    return {static_cast<Key*>(p.keys), static_cast<Value*>(p.values)};
  }
  static to_records records_of(const radix_place& p) { return {static_cast<record*>(p.keys)}; }

  template <class F>
  static HWY_INLINE void with_source(const radix_place& p, F f) {
    if (!has_values || p.records)
      f(records(p));
    else if constexpr (has_values)
      f(arrays(p));
  }

  // body(i, image of key i), in order.
  template <class From, class Body>
  static HWY_INLINE void for_each_image(const From& from, std::uint64_t n, Body body) {
    std::uint64_t i = 0;
    if constexpr (Float) {
      Key images[tile];
      for (; i + tile <= n; i += tile) {
        for (std::uint64_t j = 0; j < tile; ++j) images[j] = image_of(from.key(i + j));
        for (std::uint64_t j = 0; j < tile; ++j) body(i + j, images[j]);
      }
    }
    for (; i < n; ++i) body(i, image_of(from.key(i)));
  }

  static radix_place advance(radix_place p, std::uint64_t i) {
    p.keys = static_cast<char*>(p.keys) + i * (p.records ? sizeof(record) : sizeof(Key));
    if constexpr (has_values)
      if (p.values) p.values = static_cast<Value*>(p.values) + i;
    p.first_index += i;
    return p;
  }

  static std::uint64_t image(const radix_place& p, std::uint64_t i) {
    return p.records ? image_of(records(p).key(i)) : image_of(arrays(p).key(i));
  }

  template <class From>
  static HWY_INLINE Key varying_bits(const From& from, std::uint64_t n, Key first) {
    Key varies = 0;
    for (std::uint64_t i = 0; i < n; ++i) varies |= static_cast<Key>(image_of(from.key(i)) ^ first);
    return varies;
  }

  static std::uint64_t varying(const radix_place& p, std::uint64_t n, std::uint64_t first) {
    Key varies = 0;
    with_source(p, [&](const auto& from) { varies = varying_bits(from, n, static_cast<Key>(first)); });
    return varies;
  }

  static std::uint64_t count(const radix_place& p, std::uint64_t n, unsigned shift, unsigned bits, std::uint64_t first,
                             std::uint64_t* counts) {
    // Two tables alternate, because equal neighbours would wait for each other's store. Their counts are 32 bits wide
    // and are added to the totals before they overflow.
    constexpr unsigned max_bits = 11;
    constexpr std::uint64_t most = std::uint64_t{1} << 31, step = 1024;
    std::uint32_t table[2][1 << max_bits] = {};
    const std::uint64_t digits = std::uint64_t{1} << bits;
    const Key mask = static_cast<Key>(digits - 1);
    Key varies = 0;
    with_source(p, [&](auto from) {
      for (std::uint64_t done = 0; done < n;) {
        const std::uint64_t some = n - done < step ? n - done : step;
        varies |= varying_bits(from, some, static_cast<Key>(first));
        for_each_image(from, some, [&](std::uint64_t i, Key image) { ++table[i & 1][(image >> shift) & mask]; });
        from.skip(some);
        done += some;
        if (done % most == 0 || done == n)
          for (std::uint64_t digit = 0; digit < digits; ++digit) {
            counts[digit] += std::uint64_t{table[0][digit]} + table[1][digit];
            table[0][digit] = table[1][digit] = 0;
          }
      }
    });
    return varies;
  }

  // --- scatter from memory ---

  static constexpr std::uint64_t per_line = 64 / sizeof(record);

  static HWY_INLINE void write_line(const record* line, record* to, bool past_caches) {
    const hn::CappedTag<std::uint8_t, 64> d;
    constexpr std::uint64_t width = hn::MaxLanes(hn::CappedTag<std::uint8_t, 64>());
    const auto* source = reinterpret_cast<const std::uint8_t*>(line);
    auto* target = reinterpret_cast<std::uint8_t*>(to);
    if (past_caches)
      for (std::uint64_t i = 0; i < 64; i += width) hn::Stream(hn::Load(d, source + i), d, target + i);
    else
      for (std::uint64_t i = 0; i < 64; i += width) hn::StoreU(hn::Load(d, source + i), d, target + i);
  }

  // Records are collected in a line for each digit, at the position in the line that they will have in memory, so
  // that a full line is one store.
  template <class From>
  static HWY_INLINE void scatter_lines(const From& from, std::uint64_t n, unsigned shift, unsigned bits, record* to,
                                       std::uint64_t* next, void* scratch, bool past_caches) {
    const std::uint64_t digits = std::uint64_t{1} << bits;
    const Key mask = static_cast<Key>(digits - 1);
    auto* lines = static_cast<record*>(scratch);
    auto* start = reinterpret_cast<std::uint64_t*>(lines + digits * per_line);
    std::memcpy(start, next, digits * sizeof(*start));
    for_each_image(from, n, [&](std::uint64_t i, Key image) {
      const std::uint64_t digit = (image >> shift) & mask, place = next[digit];
      record* line = lines + digit * per_line;
      line[place % per_line] = from.get(i);
      next[digit] = place + 1;
      if (place % per_line == per_line - 1) [[unlikely]] {
        const std::uint64_t base = place + 1 - per_line;
        if (base >= start[digit]) [[likely]]
          write_line(line, to + base, past_caches);
        else
          for (std::uint64_t j = start[digit]; j <= place; ++j) to[j] = line[j % per_line];
      }
    });
    for (std::uint64_t digit = 0; digit < digits; ++digit) {
      const std::uint64_t end = next[digit], base = end / per_line * per_line;
      for (std::uint64_t j = base < start[digit] ? start[digit] : base; j < end; ++j)
        to[j] = lines[digit * per_line + j % per_line];
    }
    if (past_caches) hwy::FlushStream();
  }

  template <class From, class To>
  static HWY_INLINE void scatter_directly(const From& from, std::uint64_t n, unsigned shift, unsigned bits,
                                          const To& to, std::uint64_t* next) {
    const Key mask = static_cast<Key>((std::uint64_t{1} << bits) - 1);
    for_each_image(from, n, [&](std::uint64_t i, Key image) { to.put(next[(image >> shift) & mask]++, from.get(i)); });
  }

  static void scatter(const radix_place& p, std::uint64_t n, unsigned shift, unsigned bits, const radix_place& to,
                      std::uint64_t* next, void* lines, bool past_caches) {
    with_source(p, [&](const auto& from) {
      if (to.records || !has_values)
        scatter_lines(from, n, shift, bits, static_cast<record*>(to.keys), next, lines, past_caches);
      else
        scatter_directly(from, n, shift, bits, arrays_of(to), next);
    });
  }

  static HWY_INLINE bool any_digit_up_to(std::uint64_t last, const Key* keys, unsigned shift, Key mask, Key flip) {
    if constexpr (sizeof(Key) < 4) {
      Key least = static_cast<Key>(~Key{0});
      for (std::uint64_t j = 0; j < tile; ++j) {
        const Key digit = static_cast<Key>((image_of(keys[j]) >> shift & mask) ^ flip);
        least = digit < least ? digit : least;
      }
      return least <= last;
    } else {
      const hn::CappedTag<Key, tile> d;
      const hn::RebindToSigned<decltype(d)> signed_d;
      const auto masks = hn::Set(d, mask), flips = hn::Set(d, flip), limit = hn::Set(d, static_cast<Key>(last)),
                 sign = hn::Set(d, static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1))),
                 infinity = hn::Set(d, infinity_bits<Key>);
      auto above = hn::Eq(limit, limit);
      for (std::uint64_t j = 0; j < tile; j += hn::Lanes(d)) {
        auto v = hn::LoadU(d, keys + j);
        if constexpr (Float) {
          const auto magnitude = hn::AndNot(sign, v),
                     below_zero = hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(signed_d, v)));
          v = hn::Add(sign, hn::Sub(hn::Xor(magnitude, below_zero), below_zero));
          v = hn::Or(v, hn::VecFromMask(d, hn::Lt(infinity, magnitude)));  // a NaN is the last
        }
        v = hn::Xor(hn::And(hn::ShiftRightSame(v, static_cast<int>(shift)), masks), flips);
        above = hn::And(above, hn::Lt(limit, v));
      }
      return !hn::AllTrue(d, above);
    }
  }

  // If few keys are wanted, most tiles contain none.
  static std::uint64_t collect(const radix_place& p, std::uint64_t n, unsigned shift, unsigned bits, std::uint64_t flip,
                               std::uint64_t last, const radix_place& to) {
    std::uint64_t place = 0;
    if constexpr (has_values) {
      const Key mask = static_cast<Key>(bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1),
                flipped = static_cast<Key>(flip);
      const from_arrays from = arrays(p);
      const to_arrays out = arrays_of(to);
      const auto digit = [&](std::uint64_t i) {
        return static_cast<Key>((image_of(from.key(i)) >> shift & mask) ^ flipped);
      };
      const auto take = [&](std::uint64_t i) {
        if (digit(i) <= last) out.put(place++, from.get(i));
      };
      std::uint64_t i = 0;
      for (; i + tile <= n; i += tile)
        if (any_digit_up_to(last, from.keys + i, shift, mask, flipped))
          for (std::uint64_t j = 0; j < tile; ++j) take(i + j);
      for (; i < n; ++i) take(i);
    }
    return place;
  }

  // --- within the cache ---

  template <class From, class To>
  static HWY_INLINE void pass(const From& from, std::uint64_t n, unsigned shift, Key mask, const To& to,
                              std::uint32_t* next) {
    for_each_image(from, n, [&](std::uint64_t i, Key image) { to.put(next[(image >> shift) & mask]++, from.get(i)); });
  }

  template <class From>
  static HWY_INLINE void copy_arrays(const From& from, std::uint64_t n, const to_arrays& to) {
    for (std::uint64_t i = 0; i < n; ++i) to.put(i, from.get(i));
  }

  static void copy(const radix_place& p, std::uint64_t n, const radix_place& to) {
    if (!p.records && p.keys == to.keys && p.values == to.values) return;
    with_source(p, [&](const auto& from) { copy_arrays(from, n, arrays_of(to)); });
  }

  static void insertion_sort(const to_arrays& a, std::uint64_t n, Key flip, Key mask) {
    const auto order = [&](Key k) { return static_cast<Key>((image_of(k) ^ flip) & mask); };
    for (std::uint64_t i = 1; i < n; ++i) {
      const Key key = a.keys[i], rank = order(key);
      if (order(a.keys[i - 1]) <= rank) continue;
      const record moved = from_arrays{a.keys, a.values, 0}.get(i);
      std::uint64_t j = i;
      do {
        a.keys[j] = a.keys[j - 1];
        if constexpr (has_values) a.values[j] = a.values[j - 1];
      } while (--j > 0 && order(a.keys[j - 1]) > rank);
      a.put(j, moved);
    }
  }

  static void sort(const radix_place& p, std::uint64_t n, radix_field by, const radix_place& to, void* a, void* b) {
    if (n <= insertion_max) {
      copy(p, n, to);
      return insertion_sort(arrays_of(to), n, static_cast<Key>(by.flip), static_cast<Key>(by.mask()));
    }
    if (n <= network::max_keys) return sort_few(p, n, by, to, a, b);
    const std::uint64_t varies = varying(p, n, image(p, 0)) & by.mask();
    if (varies == 0) return copy(p, n, to);
    by.high = 64 - static_cast<unsigned>(__builtin_clzll(varies));
    by.low = static_cast<unsigned>(__builtin_ctzll(varies));
    if (network::max_keys > 0 && by.high - by.low > 2 * digit_bits)
      split(p, n, by, to, a, b);
    else
      sort_by_digits(p, n, by, to, a, b);
  }

  // Partitions by a digit into parts, about half as large as the network takes, in a.
  static void split(const radix_place& p, std::uint64_t n, radix_field by, const radix_place& to, void* a, void* b) {
    unsigned width = 1;
    while (width < split_bits && n >> width > network::max_keys / 2) ++width;
    const unsigned shift = by.high - width;
    const Key mask = static_cast<Key>((Key(1) << width) - 1), flip = static_cast<Key>(by.flip >> shift) & mask;
    std::uint32_t next[1 << split_bits];
    std::memset(next, 0, (std::size_t{1} << width) * sizeof next[0]);
    auto* pieces = static_cast<record*>(a);
    with_source(p, [&](const auto& from) {
      for_each_image(from, n, [&](std::uint64_t, Key x) { ++next[(x >> shift) & mask]; });
    });
    std::uint32_t sum = 0;
    for (std::uint64_t digit = 0; digit <= mask; ++digit) {
      std::uint32_t& mine = next[digit ^ flip];
      const std::uint32_t before = sum;
      sum += mine;
      mine = before;
    }
    with_source(p, [&](const auto& from) { pass(from, n, shift, mask, to_records{pieces}, next); });
    by.high = shift;
    std::uint32_t begin = 0;
    for (std::uint64_t digit = 0; digit <= mask; ++digit) {
      const std::uint32_t end = next[digit ^ flip], count = end - begin;
      const radix_place piece{pieces + begin, nullptr, 0, true}, place = advance(to, begin);
      if (count <= network::max_keys) {
        if (count != 0) sort_few(piece, count, by, place, a, b);
      } else {
        sort_by_digits(piece, count, by, place, b, pieces + begin);
      }
      begin = end;
    }
  }

  // Sorts with the network: ranks with the key's index in the low bits, so that equal ranks keep their order; or, if
  // equal keys are identical, the keys themselves. a and b are not used.
  static void sort_few(const radix_place& p, std::uint64_t n, radix_field by, const radix_place& to, void* a, void* b) {
    if constexpr (network::max_keys > 0) {
      using network::lanes;
      const to_arrays out = arrays_of(to);
      const Key flip = static_cast<Key>(by.flip), mask = static_cast<Key>(by.mask());
      alignas(64) std::uint32_t x[network::max_keys];
      if constexpr (!has_values && !Float && sizeof(Key) == 4) {
        if (by.whole) {
          const Key* keys = static_cast<const Key*>(p.keys);
          for (std::uint64_t i = 0; i < n; ++i) x[i] = keys[i] ^ flip;
          const std::uint64_t rows = network::sort(x, n);
          for (std::uint64_t place = 0, lane = 0; place < n; ++lane)
            for (std::uint64_t row = 0; row < rows && place < n; ++row)
              out.keys[place++] = x[row * lanes + lane] ^ flip;
          return;
        }
      }
      constexpr unsigned rank_bits = 24;
      const unsigned shift = by.high > by.low + rank_bits ? by.high - rank_bits : by.low;
      record held[network::max_keys];
      with_source(p, [&](const auto& from) {
        for (std::uint64_t i = 0; i < n; ++i) {
          const Key rank = static_cast<Key>((image_of(from.key(i)) ^ flip) & mask);
          x[i] = static_cast<std::uint32_t>(rank >> shift) << 8 | static_cast<std::uint32_t>(i);
        }
        for (std::uint64_t i = 0; i < n; ++i) held[i] = from.get(i);
      });
      const std::uint64_t rows = network::sort(x, n);
      std::uint32_t before = ~x[0], ties = 0;
      for (std::uint64_t place = 0, lane = 0; place < n; ++lane)
        for (std::uint64_t row = 0; row < rows && place < n; ++row) {
          const std::uint32_t mine = x[row * lanes + lane];
          out.put(place++, held[mine & 255]);
          ties |= (mine ^ before) < 256;
          before = mine;
        }
      if (ties && shift > by.low) sort_ties(out, n, by, shift, a, b);
    }
  }

  // Least significant digit first.
  static void sort_by_digits(const radix_place& p, std::uint64_t n, radix_field by, const radix_place& to, void* a,
                             void* b) {
    const bool in_place = !p.records && p.keys == to.keys;
    const to_arrays out = arrays_of(to);
    const std::uint64_t varies = varying(p, n, image(p, 0)) & by.mask();
    if (varies == 0) return copy(p, n, to);
    by.high = 64 - static_cast<unsigned>(__builtin_clzll(varies));
    by.low = static_cast<unsigned>(__builtin_ctzll(varies));

    // Sorts by the highest bits first, as many as are counted together; keys that are still equal are sorted by the
    // rest.
    const unsigned all = by.high - by.low, bits = all < passes_at_once * digit_bits ? all : passes_at_once * digit_bits;
    const unsigned passes = (bits + digit_bits - 1) / digit_bits, rest = by.high - bits;
    unsigned shift[passes_at_once];
    Key mask[passes_at_once];
    for (unsigned k = 0, low = rest; k < passes; ++k) {
      const unsigned width = (by.high - low) / (passes - k);
      shift[k] = low;
      mask[k] = static_cast<Key>((Key(1) << width) - 1);
      low += width;
    }

    std::uint32_t counts[passes_at_once][1 << digit_bits] = {};
    with_source(p, [&](const auto& from) {
      switch (passes) {
        case 1: for_each_image(from, n, [&](std::uint64_t, Key x) { ++counts[0][(x >> shift[0]) & mask[0]]; }); break;
        default:
          for_each_image(from, n, [&](std::uint64_t, Key x) {
            ++counts[0][(x >> shift[0]) & mask[0]];
            ++counts[1][(x >> shift[1]) & mask[1]];
          });
      }
    });
    unsigned order[passes_at_once], used = 0;
    for (unsigned k = 0; k < passes; ++k) {
      std::uint32_t* c = counts[k];
      const Key flip = static_cast<Key>(by.flip >> shift[k]) & mask[k];
      if (c[(image(p, 0) >> shift[k]) & mask[k]] == n) continue;  // one occupied digit: nothing would move
      order[used++] = k;
      std::uint32_t sum = 0;
      for (std::uint64_t digit = 0; digit <= mask[k]; ++digit) {
        std::uint32_t& mine = c[digit ^ flip];
        const std::uint32_t before = sum;
        sum += mine;
        mine = before;
      }
    }

    auto* near = static_cast<record*>(a);
    auto* far = static_cast<record*>(b);
    if (used == 1 && in_place) {
      with_source(p, [&](const auto& from) {
        pass(from, n, shift[order[0]], mask[order[0]], to_records{near}, counts[order[0]]);
      });
      copy_arrays(from_records{near}, n, out);
    } else {
      for (unsigned k = 0; k < used; ++k) {
        const unsigned at = order[k];
        const bool last = k + 1 == used;
        const auto go = [&](const auto& from) {
          if (last)
            pass(from, n, shift[at], mask[at], out, counts[at]);
          else
            pass(from, n, shift[at], mask[at], to_records{near}, counts[at]);
        };
        if (k == 0) {
          with_source(p, go);
        } else {
          go(from_records{far});
        }
        record* const written = near;
        near = far;
        far = written;
      }
    }
    if (rest > by.low) sort_ties(out, n, by, rest, a, b);
  }

  // Keys with equal bits from `rest` up are adjacent now, and still in input order.
  static void sort_ties(const to_arrays& out, std::uint64_t n, radix_field by, unsigned rest, void* a, void* b) {
    const Key top = static_cast<Key>(radix_field{0, rest, by.high}.mask());
    by.high = rest;
    const auto differ = [&](std::uint64_t i, std::uint64_t j) {
      return ((image_of(out.keys[i]) ^ image_of(out.keys[j])) & top) != 0;
    };
    for (std::uint64_t i = 1; i < n; ++i) {
      if (differ(i - 1, i)) continue;
      const std::uint64_t first = i - 1;
      while (i + 1 < n && !differ(first, i + 1)) ++i;
      const radix_place group = advance({out.keys, out.values, 0, false}, first);
      sort(group, i + 1 - first, by, group, a, b);
    }
  }

  static constexpr radix_kernels table{sizeof(record), advance, image, count, varying, scatter, sort, collect, copy};
};

template <class Key, bool Float>
const radix_kernels& with_values(unsigned value_bytes) {
  switch (value_bytes) {
    case 0: return kernels<Key, no_value, Float>::table;
    case 4: return kernels<Key, std::uint32_t, Float>::table;
    default: return kernels<Key, std::uint64_t, Float>::table;
  }
}

}  // namespace radix

const radix_kernels* radix_kernels_for(unsigned key_bytes, bool is_float, unsigned value_bytes) {
  using radix::with_values;
  if (key_bytes == 4)
    return is_float ? &with_values<std::uint32_t, true>(value_bytes) : &with_values<std::uint32_t, false>(value_bytes);
  return is_float ? &with_values<std::uint64_t, true>(value_bytes) : &with_values<std::uint64_t, false>(value_bytes);
}

#if HWY_ONCE
// One or two passes sort these keys, limited by memory: compiled once, for the baseline, which saves a quarter of
// this file's compile time.
const radix_kernels* narrow_radix_kernels(unsigned key_bytes, bool is_float, unsigned value_bytes) {
  using radix::with_values;
  if (key_bytes == 1) return &with_values<std::uint8_t, false>(value_bytes);
  return is_float ? &with_values<std::uint16_t, true>(value_bytes) : &with_values<std::uint16_t, false>(value_bytes);
}
#endif

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::cpu {

UPSWEEP_EXPORT(radix_kernels_for);

const radix_kernels& find_radix_kernels(unsigned key_bytes, bool is_float, unsigned value_bytes) {
  if (key_bytes <= 2) return *HWY_STATIC_DISPATCH(narrow_radix_kernels)(key_bytes, is_float, value_bytes);
  return *UPSWEEP_DISPATCH(radix_kernels_for)(key_bytes, is_float, value_bytes);
}

}  // namespace upsweep::cpu
#endif
