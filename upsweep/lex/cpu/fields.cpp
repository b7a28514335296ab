// Fields of a table, 64 bytes at a time.
//
// A byte is within quotes when an odd number of quotes stands before it: an exclusive-or scan of the quotes' bits,
// within a word by doubling shifts, from block to block by one bit. Doubled quotes leave and enter again. That holds
// where every quote opens a field, closes one or is doubled, which is looked at on the way; where it does not hold, the
// automaton of automaton.hpp's kind takes over.
#include "upsweep/lex/fields.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstring>

#include "upsweep/cpu/blocks.hpp"
#include "upsweep/lex/where.hpp"

namespace upsweep {

namespace lex_room {

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

// Writes the ends, where they are wanted, and says whether every quote is where this way of finding them allows it.
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

// Nothing where a quote stands where it may not.
std::optional<table_carry> by_words(const context& where, std::string_view text, char separator, std::uint64_t* ends,
                                    std::uint64_t room) {
  if (where.kind() == backend::cuda) return fields_on_cuda(where.dev(), text, separator, ends, room);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
  const std::uint64_t blocks = cpu::block_count(text.size(), block_bytes);
  table_carry now;
  cpu::relay turns;
  std::atomic<bool> wrong{false};
  cpu::for_each_block(where.dev(), blocks, [&](std::uint64_t b, const cpu::stop_flag& stop) {
    const std::uint64_t place = b * block_bytes, size = std::min(block_bytes, text.size() - place), whole = size / 64;
    // One word more in front, for what stands before the block.
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
    if (ends && before.fields + counted.fields[before.inside] > room)
      return wrong.store(true, std::memory_order_relaxed);  // the automaton may find fewer, or it says so
    if (!write_block(m, size, before.inside, text, place, ends ? ends + before.fields : nullptr))
      wrong.store(true, std::memory_order_relaxed);
  });
  if (wrong) return std::nullopt;
  return now;
}

enum : std::uint32_t { dead, begins, plain, quoted, closing, blank, csv_states };

automaton csv_automaton(char separator) {
  automaton a;
  a.accepts.assign(csv_states, 0);
  a.next.assign(csv_states * 256, 0);
  const auto set = [&](std::uint32_t from, unsigned byte, std::uint32_t to) { a.next[from * 256 + byte] = to * 256; };
  for (unsigned byte = 0; byte < 256; ++byte) {
    set(begins, byte, plain), set(plain, byte, plain), set(quoted, byte, quoted);
    for (const std::uint32_t from : {begins, plain, closing, blank}) {
      std::uint32_t& entry = a.next[from * 256 + byte];
      if (byte == static_cast<unsigned char>(separator)) entry = automaton::ended | begins * 256;
      if (byte == '\n') entry = automaton::ended | 1u << automaton::kind_shift | begins * 256;
    }
  }
  set(begins, '"', quoted), set(quoted, '"', closing), set(closing, '"', quoted);
  for (const char c : {' ', '\t', '\r'})
    if (c != separator)
      for (const std::uint32_t from : {closing, blank}) set(from, static_cast<unsigned char>(c), blank);
  return a;
}

// Text and ends where the context computes.
field_counts fields(const context& where, std::string_view text, std::uint64_t* ends, std::uint64_t room,
                    char separator) {
  if (separator == '"' || separator == '\n' || separator == '\r')
    throw error(fault::bad_argument, "csv", "quotes and line ends cannot separate fields", "give another separator");
  field_counts all;
  if (text.empty()) return all;
  const char last = last_byte(where, text);
  bool open;  // a field, at the text's end
  if (const auto found = by_words(where, text, separator, ends, room)) {
    all.fields = found->fields, all.records = found->lines;
    if (found->inside) all.stopped = text.size();
    open = last != '\n' || found->inside;
    if (ends && all.fields > room) too_small("find_fields");
  } else {
    const cut_end e = cut_where(where, csv_automaton(separator), {}, text, {nullptr, ends, room});
    all.fields = e.kept, all.records = e.counts[1];
    all.stopped = e.died;
    if (!all.stopped && e.state == quoted * 256) all.stopped = text.size();
    open = last != '\n' || e.state != begins * 256;
  }
  if (!all.stopped && open) {
    if (ends) store_where(where, {nullptr, ends, room}, 0, text.size(), 0, all.fields);
    ++all.fields, ++all.records;
  }
  return all;
}

}  // namespace

}  // namespace lex_room

using namespace lex_room;

field_counts count_fields(const context& where, std::string_view text, char separator) {
  const text_where there(where, text);
  return fields(where, there.view(), nullptr, 0, separator);
}

field_counts count_fields(const context& where, device_span<const char> text, char separator) {
  require_no_opencl(where);
  return fields(where, {text.data(), text.size()}, nullptr, 0, separator);
}

field_counts find_fields(const context& where, std::string_view text, std::span<std::uint64_t> ends, char separator) {
  const text_where there(where, text);
  output_where<std::uint64_t> to(where, ends, text.size() + 1);
  const field_counts all = fields(where, there.view(), to.data(), to.size(), separator);
  to.bring_back(where, all.fields);
  return all;
}

field_counts find_fields(const context& where, device_span<const char> text, device_span<std::uint64_t> ends,
                         char separator) {
  require_no_opencl(where);
  std::uint64_t nothing;
  return fields(where, {text.data(), text.size()}, ends.size() ? ends.data() : &nothing, ends.size(), separator);
}

}  // namespace upsweep
