// Select on the CPU for the built-in types, with one pass over memory. Threads take blocks in order. Each computes
// the bits of its block, which loads the block into the second-level cache. It takes the position of its first
// element from the block before, passes on the position after its last, and moves elements by those bits. A stable
// partition needs the first class's size before it can place the second, so it keeps all bits and reads the elements
// again.
#include "upsweep/select/cpu/select_cpu.hpp"
#include "upsweep/select/cpu/select_cpu_batched_copy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "upsweep/select/cpu/select_bit_mask.hpp"
#include "upsweep/select/cpu/select_move_by_width.hpp"
#include "upsweep/select/select_problem.hpp"

namespace upsweep::detail::select_impl {

namespace {

using cpu::stop_flag;

inline constexpr std::uint64_t most_in_block = std::uint64_t{cpu_tuned.block_bytes};  // elements of one byte
using block_bits = std::uint64_t[cpu::bit_words(most_in_block)];

// Processes one block after the other on this thread if waking others costs more than it saves.
template <class Body>
void for_blocks(device& d, std::uint64_t bytes, std::uint64_t blocks, const Body& body) {
  if (bytes < cpu_tuned.parallel_bytes)
    for (std::uint64_t b = 0; b < blocks; ++b) body(b, stop_flag{});
  else
    cpu::for_each_block(d, blocks, body);
}

// The steps of a selection on a run of elements.
class selector {
 public:
  explicit selector(const problem& p)
      : p_(p),
        size_(size_of(p.type)),
        block_(cpu_tuned.block_bytes / size_),
        blocks_(cpu::block_count(p.n, block_)),
        bits_(cpu::find_bit_kernels(p.type)),
        compress_(cpu::find_compress(size_)),
        compress_values_(cpu::find_compress(p.value_bytes)),
        streams_(p.n * (size_ + p.value_bytes) >= cpu_tuned.stream_bytes) {
    const auto bits_of = [&](const scalar& s) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, s.bytes, size_);
      return bits;
    };
    range_ = cpu::range_of(p.type, p.test, bits_of(p.threshold));
    range2_ = cpu::range_of(p.type, p.test2, bits_of(p.threshold2));
  }

  std::uint64_t block() const { return block_; }
  std::uint64_t blocks() const { return blocks_; }
  std::uint64_t bytes() const { return p_.n * (size_ + p_.value_bytes); }
  std::uint64_t first(std::uint64_t b) const { return b * block_; }
  std::uint64_t count(std::uint64_t b) const { return b + 1 < blocks_ ? block_ : p_.n - b * block_; }

  std::uint64_t write_bits(std::uint64_t b, std::uint64_t* bits) const {
    switch (p_.how) {
      case selection::flagged: return cpu::flag_bits(p_.in3.as<const std::uint8_t>() + first(b), count(b), bits);
      case selection::unique: return bits_.heads(in(b), count(b), b == 0, bits);
      default: return bits_.in_range(in(b), count(b), range_, bits);
    }
  }
  std::uint64_t write_heads(std::uint64_t b, std::uint64_t* bits) const {
    return bits_.heads(in(b), count(b), b == 0, bits);
  }
  std::uint64_t write_second(std::uint64_t b, std::uint64_t* bits) const {
    return bits_.in_range(in(b), count(b), range2_, bits);
  }

  // Moves the elements of block b whose bit is set, or, inverted, is not, to `place` and after.
  void move(std::uint64_t b, const std::uint64_t* bits, bool inverted, std::uint64_t place) const {
    cpu::line_writer writer;
    writer.begin(p_.out.as<char>() + place * size_, streams_);
    compress_(in(b), count(b), bits, inverted, writer);
    writer.end();
    if (p_.value_bytes == 0) return;
    if (!std::has_single_bit(p_.value_bytes) || p_.value_bytes > 8) return move_wide_values(b, bits, inverted, place);
    writer.begin(p_.out2.as<char>() + place * p_.value_bytes, streams_);
    compress_values_(p_.in2.as<const char>() + first(b) * p_.value_bytes, count(b), bits, inverted, writer);
    writer.end();
  }

  void move_keys(std::uint64_t b, const std::uint64_t* bits, std::uint64_t place) const {
    cpu::line_writer writer;
    writer.begin(p_.out.as<char>() + place * size_, streams_);
    compress_(in(b), count(b), bits, false, writer);
    writer.end();
  }

 private:
  void move_wide_values(std::uint64_t b, const std::uint64_t* bits, bool inverted, std::uint64_t place) const {
    const std::uint64_t bytes = p_.value_bytes, n = count(b);
    const char* from = p_.in2.as<const char>() + first(b) * bytes;
    char* to = p_.out2.as<char>() + place * bytes;
    for (std::uint64_t i = 0; i < n; i += 64) {
      std::uint64_t word = inverted ? ~bits[i / 64] : bits[i / 64];
      if (n - i < 64) word &= (std::uint64_t{1} << (n - i)) - 1;
      for (; word != 0; word &= word - 1, to += bytes)
        std::memcpy(to, from + (i + static_cast<std::uint64_t>(std::countr_zero(word))) * bytes, bytes);
    }
  }

  const char* in(std::uint64_t b) const { return p_.in.as<const char>() + first(b) * size_; }

  const problem& p_;
  std::uint64_t size_, block_, blocks_;
  const cpu::bit_kernels& bits_;
  cpu::compress_kernel compress_, compress_values_;
  cpu::image_range range_, range2_;
  bool streams_;
};

void keep(device& d, const problem& p) {
  const selector s(p);
  std::uint64_t kept = 0;
  cpu::relay turns;
  for_blocks(d, s.bytes(), s.blocks(), [&](std::uint64_t b, const stop_flag& stop) {
    block_bits bits;
    const std::uint64_t mine = s.write_bits(b, bits);
    turns.await(b, stop);
    const std::uint64_t place = kept;
    kept += mine;
    turns.pass(b);
    if (mine != 0) s.move(b, bits, false, place);
  });
  *p.count.as<std::uint64_t>() = kept;
}

void partition(device& d, const problem& p) {
  const selector s(p);
  const bool three = p.how == selection::three_way_partition;
  const std::uint64_t words = cpu::bit_words(s.block());
  struct sizes {
    std::uint64_t first, second;
  };
  cpu::block_values<sizes> sizes_of(d, "select/sizes", s.blocks(), {});
  auto* all_bits = d.scratch("select/bits", s.blocks() * words * 2 * sizeof(std::uint64_t)).as<std::uint64_t>();
  for_blocks(d, s.bytes(), s.blocks(), [&](std::uint64_t b, const stop_flag&) {
    std::uint64_t *bits = all_bits + b * words * 2, *second = bits + words;
    sizes_of[b] = {s.write_bits(b, bits), 0};
    if (!three) return;
    s.write_second(b, second);
    for (std::uint64_t w = 0; w * 64 < s.count(b); ++w) {
      second[w] &= ~bits[w];
      sizes_of[b].second += static_cast<std::uint64_t>(std::popcount(second[w]));
    }
  });
  sizes sum{};
  for (std::uint64_t b = 0; b < s.blocks(); ++b) {
    const sizes mine = sizes_of[b];
    sizes_of[b] = sum;
    sum.first += mine.first, sum.second += mine.second;
  }
  for_blocks(d, s.bytes(), s.blocks(), [&](std::uint64_t b, const stop_flag&) {
    std::uint64_t *bits = all_bits + b * words * 2, *second = bits + words;
    const sizes before = sizes_of[b];
    s.move(b, bits, false, before.first);
    if (three) {
      s.move(b, second, false, sum.first + before.second);
      for (std::uint64_t w = 0; w * 64 < s.count(b); ++w) bits[w] |= second[w];
    }
    s.move(b, bits, true, sum.first + sum.second + s.first(b) - before.first - before.second);
  });
  auto* counts = p.count.as<std::uint64_t>();
  counts[0] = sum.first;
  if (three) counts[1] = sum.second;
}

void select(device& d, const problem& p) {
  p.how == selection::partition || p.how == selection::three_way_partition ? partition(d, p) : keep(d, p);
}

void run_lengths(device& d, const problem& p) {
  const selector s(p);
  auto* lengths = p.out2.as<std::uint64_t>();
  struct state {
    std::uint64_t runs, head;  // begun so far, and where the last of them began
  } before_next{0, 0};
  cpu::relay turns;
  for_blocks(d, s.bytes(), s.blocks(), [&](std::uint64_t b, const stop_flag& stop) {
    block_bits bits;
    const std::uint64_t first = s.first(b), count = s.count(b), words = (count + 63) / 64,
                        mine = s.write_heads(b, bits);
    std::uint64_t last = 0;
    for (std::uint64_t w = words; w-- > 0;)
      if (bits[w] != 0) {
        last = first + w * 64 + 63 - static_cast<std::uint64_t>(std::countl_zero(bits[w]));
        break;
      }
    turns.await(b, stop);
    const state before = before_next;
    if (mine != 0) before_next = {before.runs + mine, last};
    turns.pass(b);
    if (mine != 0) s.move_keys(b, bits, before.runs);
    // A run ends where the next begins.
    std::uint64_t head = before.head, *length = lengths + before.runs;
    for (std::uint64_t w = 0; w < words; ++w)
      for (std::uint64_t word = bits[w]; word != 0; word &= word - 1) {
        const std::uint64_t at = first + w * 64 + static_cast<std::uint64_t>(std::countr_zero(word));
        if (at != 0) length[-1] = at - head;
        head = at;
        ++length;
      }
    if (b + 1 == s.blocks()) length[-1] = p.n - head;
  });
  *p.count.as<std::uint64_t>() = before_next.runs;
}

void expand_runs(device& d, const problem& p) {
  const auto* lengths = p.in2.as<const std::uint64_t>();
  auto* ends = d.scratch("select/ends", p.n * sizeof(std::uint64_t)).as<std::uint64_t>();  // of run i in the output
  constexpr std::uint64_t block = cpu_tuned.block_bytes / sizeof(std::uint64_t);
  const std::uint64_t blocks = cpu::block_count(p.n, block);
  std::uint64_t sum = 0;
  cpu::relay turns;
  for_blocks(d, p.n * sizeof(std::uint64_t), blocks, [&](std::uint64_t b, const stop_flag& stop) {
    const std::uint64_t first = b * block, end = b + 1 < blocks ? first + block : p.n;
    std::uint64_t mine = 0;
    for (std::uint64_t i = first; i < end; ++i) mine += lengths[i];
    turns.await(b, stop);
    std::uint64_t running = sum;
    sum += mine;
    turns.pass(b);
    for (std::uint64_t i = first; i < end; ++i) ends[i] = running += lengths[i];
  });
  if (sum != p.m)
    throw error(
        fault::bad_argument, "expand_runs",
        "the lengths add up to " + std::to_string(sum) + " and the output has " + std::to_string(p.m) + " elements",
        "give the output as many elements as the lengths add up to");
  with_width(size_of(p.type), [&]<class U>(type_tag<U>) {
    const U* in = p.in.as<const U>();
    U* out = p.out.as<U>();
    constexpr std::uint64_t piece = cpu_tuned.block_bytes / sizeof(U);
    const std::uint64_t pieces = cpu::block_count(p.m, piece);
    for_blocks(d, p.m * sizeof(U), pieces, [&](std::uint64_t b, const stop_flag&) {
      std::uint64_t at = b * piece;
      const std::uint64_t end = b + 1 < pieces ? at + piece : p.m;
      for (auto run = static_cast<std::uint64_t>(std::upper_bound(ends, ends + p.n, at) - ends); at < end; ++run) {
        const std::uint64_t stop = std::min(ends[run], end);
        for (; at < stop; ++at) out[at] = in[run];
      }
    });
  });
}

error bad_index(const char* where, std::uint64_t index, std::uint64_t m) {
  return {fault::bad_argument, where, "an index is " + std::to_string(index) + " of " + std::to_string(m),
          "give indices below the number of elements"};
}

// Calls body(element as a word, index) for elements and indices of their widths.
template <class Body>
void with_widths(const problem& p, const Body& body) {
  with_width(size_of(p.type), [&]<class U>(type_tag<U> element) {
    if (p.index_bytes == 4)
      body(element, p.in2.as<const std::uint32_t>());
    else
      body(element, p.in2.as<const std::uint64_t>());
  });
}

// Calls move(i, index) where the flag is set, or everywhere; every such index is below m.
template <class Index, class Move>
void for_each_move(device& d, const char* call, const problem& p, const Index* index, const Move& move) {
  const auto* flags = p.in3.as<const std::uint8_t>();
  constexpr std::uint64_t block = 1 << 14;
  const std::uint64_t blocks = cpu::block_count(p.n, block);
  for_blocks(d, p.n * sizeof(std::uint64_t), blocks, [&](std::uint64_t b, const stop_flag&) {
    for (std::uint64_t i = b * block, end = std::min(p.n, i + block); i < end; ++i) {
      if (flags != nullptr && flags[i] == 0) continue;
      if (index[i] >= p.m) [[unlikely]]
        throw bad_index(call, index[i], p.m);
      move(i, index[i]);
    }
  });
}

void gather(device& d, const problem& p) {
  with_widths(p, [&]<class U>(type_tag<U>, const auto* index) {
    const U* in = p.in.as<const U>();
    U* out = p.out.as<U>();
    const char* const call = p.what == primitive::gather ? "gather" : "gather_if";
    for_each_move(d, call, p, index, [&](std::uint64_t i, std::uint64_t from) { out[i] = in[from]; });
  });
}

void scatter_if(device& d, const problem& p) {
  with_widths(p, [&]<class U>(type_tag<U>, const auto* index) {
    const U* in = p.in.as<const U>();
    U* out = p.out.as<U>();
    for_each_move(d, "scatter_if", p, index, [&](std::uint64_t i, std::uint64_t to) { out[to] = in[i]; });
  });
}

void batched_copy(device& d, const problem& p) {
  const auto *starts = p.in2.as<const std::uint64_t>(), *places = p.in4.as<const std::uint64_t>();
  with_width(size_of(p.type), [&]<class U>(type_tag<U>) {
    const U* in = p.in.as<const U>();
    U* out = p.out.as<U>();
    cpu::batched_copy(
        d, p.in3.as<const std::uint64_t>(), p.n, [&](std::uint64_t k, std::uint64_t) { return in + starts[k]; },
        [&](std::uint64_t k, std::uint64_t first) { return out + (places ? places[k] : first); });
  });
}

constexpr formula linear{"n", [](double n) { return n; }};
constexpr formula one{"1", [](double) { return 1.0; }};
constexpr formula two{"2", [](double) { return 2.0; }};
constexpr formula twice{"2n", [](double n) { return 2 * n; }};
constexpr formula thrice{"3n", [](double n) { return 3 * n; }};

variant own(std::string_view name, primitive what, std::string_view teaches, formula launches, formula traffic,
            void (*run)(device&, const problem&)) {
  variant v;
  v.name = name, v.what = what, v.kind = variant_kind::tuned, v.source = "upsweep", v.year = 2026, v.teaches = teaches;
  v.work = linear, v.span = one, v.launches = launches, v.traffic = traffic, v.run = run;
  return v;
}

}  // namespace

std::span<const variant> cpu() {
  static const std::array list{
      own("select/chained-bits", primitive::select,
          "Each core turns a block into bits, passes on how many it keeps, and compresses vectors of elements by those "
          "bits while the block is in its cache.",
          one, twice, select),
      own("run-lengths/chained-bits", primitive::run_lengths,
          "Each core turns a block into bits that say where runs begin, passes on how many and where the last began, "
          "and writes differences of places.",
          one, thrice, run_lengths),
      own("expand-runs/by-output", primitive::expand_runs,
          "Ends of runs by a scan; then each core fills a piece of the output, the first run of which it finds by "
          "bisection, so that no run is too long.",
          two, thrice, expand_runs),
      own("gather/blocked", primitive::gather, "Each core fetches for a block of indices, all of them checked.", one,
          thrice, gather),
      own("gather-if/blocked", primitive::gather_if, "Each core fetches where the flags of its block say so.", one,
          thrice, gather),
      own("scatter-if/blocked", primitive::scatter_if, "Each core sends a block of elements, all indices checked.", one,
          thrice, scatter_if),
      own("copy-pieces/by-element", primitive::batched_copy,
          "Ends of pieces by a scan; then cores share out the elements of all pieces, and find by bisection the first "
          "piece of theirs.",
          two, twice, batched_copy),
  };
  return list;
}

}  // namespace upsweep::detail::select_impl
