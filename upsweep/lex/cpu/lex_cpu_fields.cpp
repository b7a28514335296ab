// Fields of a table, 64 bytes at a time.
//
// A byte is within quotes if the number of quotes before it is odd. This is an exclusive-or scan of the bits of the
// quotes: within a word by doubling shifts, from block to block by one bit. A doubled quote leaves the quotes and
// enters them again. The rule holds if every quote opens a field, closes one or is doubled. The loop checks this; where
// it does not hold, the automaton of lex_implementation.cpp processes the text.

#include <array>
#include <atomic>
#include <bit>
#include <cstring>

#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/lex/cpu/lex_cpu.hpp"

namespace upsweep {

namespace detail::lex_impl {

namespace {

constexpr std::uint64_t block_words = 1024, block_bytes = block_words * 64;

// Bit i: an odd number of bits up to i.
constexpr std::uint64_t prefix_xor(std::uint64_t x) {
  for (int by = 1; by < 64; by *= 2) x ^= x << by;
  return x;
}

// By whether the block begins within quotes.
struct both_ways {
  std::uint64_t fields[2] = {0, 0}, lines[2] = {0, 0};
  bool odd = false;  // its quotes
};

both_ways count_block(const byte_masks* m, std::uint64_t words) {
  both_ways c;
  std::uint64_t inside = 0;
  std::uint64_t all = 0, all_lines = 0;
  for (std::uint64_t w = 0; w < words; ++w) {
    const std::uint64_t within = prefix_xor(m[w].quotes) ^ inside, ends = m[w].separators | m[w].line_feeds;
    c.fields[0] += static_cast<std::uint64_t>(std::popcount(ends & ~within));
    c.lines[0] += static_cast<std::uint64_t>(std::popcount(m[w].line_feeds & ~within));
    all += static_cast<std::uint64_t>(std::popcount(ends));
    all_lines += static_cast<std::uint64_t>(std::popcount(m[w].line_feeds));
    inside = -(within >> 63);
  }
  c.fields[1] = all - c.fields[0], c.lines[1] = all_lines - c.lines[0];
  c.odd = inside != 0;
  return c;
}

// Writes the ends if requested, and returns whether every quote is in a place that this method supports.
bool write_block(const byte_masks* m, std::uint64_t size, bool inside_before, std::string_view text,
                 std::uint64_t place, std::uint64_t* ends) {
  const std::uint64_t words = cpu::block_count(size, 64),
                      last_word = size % 64 ? (std::uint64_t{1} << size % 64) - 1 : ~std::uint64_t{0};
  const auto is = [&](std::uint64_t back, char c) { return place >= back && text[place - back] == c; };
  const bool closed = !inside_before && is(1, '"');
  std::uint64_t inside = -std::uint64_t{inside_before};
  std::uint64_t after_end = place == 0 || ((m - 1)->separators | (m - 1)->line_feeds | (m - 1)->quotes) >> 63;
  std::uint64_t after_close = closed, after_return = !inside_before && is(1, '\r') && is(2, '"');
  std::uint64_t wrong = 0;
  for (std::uint64_t w = 0; w < words; ++w) {
    const std::uint64_t quotes = m[w].quotes, ends_here = m[w].separators | m[w].line_feeds, any = ends_here | quotes;
    const std::uint64_t within = prefix_xor(quotes) ^ inside;
    const std::uint64_t close = quotes & ~within, closed_before = close << 1 | after_close,
                        returns = closed_before & m[w].returns;
    const std::uint64_t misplaced = ((quotes & within) & ~(any << 1 | after_end)) |
                                    (closed_before & ~(any | m[w].returns)) |
                                    ((returns << 1 | after_return) & ~m[w].line_feeds);
    wrong |= w + 1 < words ? misplaced : misplaced & last_word;  // beyond the text's end there is nothing
    after_end = any >> 63, after_close = close >> 63, after_return = returns >> 63;
    inside = -(within >> 63);
    if (ends)
      for (std::uint64_t bits = ends_here & ~within; bits; bits &= bits - 1)
        *ends++ = place + w * 64 + static_cast<std::uint64_t>(std::countr_zero(bits));
  }
  return wrong == 0;
}

}  // namespace

// Returns nothing if the text has a quote where none is allowed.
std::optional<table_carry> fields_by_parity(device& d, std::string_view text, char separator, std::uint64_t* ends,
                                            std::uint64_t capacity) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  const std::uint64_t blocks = cpu::block_count(text.size(), block_bytes);
  table_carry now;
  cpu::relay turns;
  std::atomic<bool> wrong{false};
  cpu::for_each_block(d, blocks, [&](std::uint64_t b, const cpu::stop_flag& stop) {
    const std::uint64_t place = b * block_bytes, size = std::min(block_bytes, text.size() - place), whole = size / 64;
    // One more word in front, for the bytes before the block.
    std::array<byte_masks, block_words + 2> around;
    byte_masks* const m = around.data() + 1;
    if (place > 0) find_masks(bytes + place - 64, 1, static_cast<unsigned char>(separator), m - 1);
    find_masks(bytes + place, whole, static_cast<unsigned char>(separator), m);
    std::uint64_t words = whole;
    unsigned char last[64] = {};
    if (size % 64 != 0) {
      std::memcpy(last, bytes + place + whole * 64, size % 64);
      find_masks(last, 1, static_cast<unsigned char>(separator), m + words++);
      const std::uint64_t there = (std::uint64_t{1} << size % 64) - 1;
      m[whole].separators &= there;  // the separator may be the byte 0
    }
    const both_ways counted = count_block(m, words);

    turns.await(b, stop);
    const table_carry before = now;
    now.fields += counted.fields[before.inside];
    now.lines += counted.lines[before.inside];
    now.inside = before.inside != counted.odd;
    turns.pass(b);

    if (wrong.load(std::memory_order_relaxed)) return;
    if (ends && before.fields + counted.fields[before.inside] > capacity)
      return wrong.store(true, std::memory_order_relaxed);  // the automaton may find fewer, or it says so
    if (!write_block(m, size, before.inside, text, place, ends ? ends + before.fields : nullptr))
      wrong.store(true, std::memory_order_relaxed);
  });
  if (wrong) return std::nullopt;
  return now;
}

}  // namespace detail::lex_impl

}  // namespace upsweep
