// An automaton over a text on CUDA, in one pass on the scan's ring of tiles.
//
// Each thread has a run of bytes. A run-up over the bytes before the run leaves the few states that the run may begin
// in. The thread follows each of these states through its run and records the state that it leads to, how many tokens
// end on the way and where the last one ends. These records are the scanned values: two adjacent ones join where the
// end state of the first is a start state of the second. The scan thereby gives each thread the one state before its
// run, and the thread goes through its run again to write the tokens.
#pragma once

#include "upsweep/lex/cuda/lex_cuda_tuning.hpp"
#include "upsweep/lex/lex_implementation.hpp"
#include "upsweep/lex/lex_start_states.hpp"
#include "upsweep/scan/cuda/scan_ring.cuh"

namespace upsweep::cuda {

// A stretch of text. For each state that the automaton may have before it (a byte each, 0 for none): the state that it
// leads to, the number of kept tokens that end in the stretch, and the place after the byte before which the last token
// ends (0: no token ends).
struct followed {
  std::uint32_t from, to;
  std::uint32_t kept[detail::lex_impl::most_followed], last[detail::lex_impl::most_followed];
};

struct join_followed {
  static constexpr std::uint32_t nowhere = ~0u;  // in `from`: of no text at all
  UPSWEEP_HD static followed identity() { return {nowhere, nowhere, {}, {}}; }
  __device__ followed operator()(const followed& f, const followed& g) const {
    if (f.from == nowhere) return g;
    if (g.from == nowhere) return f;
    followed r = f;
    r.to = 0;
#pragma unroll
    for (int j = 0; j < detail::lex_impl::most_followed; ++j) {
      const std::uint32_t middle = f.to >> 8 * j & 0xff;
#pragma unroll
      for (int i = 0; i < detail::lex_impl::most_followed; ++i)
        if (middle != 0 && (g.from >> 8 * i & 0xff) == middle) {
          r.to |= (g.to >> 8 * i & 0xff) << 8 * j;
          r.kept[j] = f.kept[j] + g.kept[i];
          r.last[j] = g.last[i] ? g.last[i] : f.last[j];
        }
    }
    return r;
  }
};

// Results of one launch, read by the host.
struct cut_result {
  std::uint64_t kept, boundary, died, too_long;  // died, too_long: the first place, or all ones
  std::uint32_t state, lost;                     // lost: too many states stayed possible somewhere
  std::uint64_t counts[detail::lex_impl::most_kinds];
};

template <class Tuning, std::uint32_t RunUp = 96>
struct token_work {
  using tables = detail::lex_impl::run_up_tables;
  using value = followed;
  using op = join_followed;
  using shape = typename Tuning::shape;
  static constexpr int threads = shape::threads, items = shape::items, depth = 1;
  static constexpr bool drains = false;
  static constexpr std::uint32_t tile_size = shape::tile, halo = 128, run_up = RunUp, rows_held = Tuning::rows_held;
  static_assert(items % 16 == 0 && run_up % 16 == 0 && run_up <= halo);
  struct tile {
    alignas(128) unsigned char byte[halo + tile_size];  // some of the tile before comes first
  };
  struct held {
    std::uint32_t next[rows_held];
    std::uint32_t counts[detail::lex_impl::most_kinds];
    std::uint8_t class_of[256];
  };
  struct own {};

  const unsigned char* text;
  std::uint32_t n;                     // at most 2^31
  std::uint64_t base, kept, boundary;  // of the text before
  std::uint32_t state;
  const std::uint32_t *next, *left;
  const std::uint16_t* sets;
  const std::uint8_t* class_of;
  std::uint32_t entries, classes;
  token* tokens;
  std::uint64_t* ends;
  std::uint64_t capacity;
  cut_result* result;
  bool bulk;
  join_followed combine{};
  tagged_words aggregates{};
  launch_control* control = nullptr;
  std::uint64_t tiles = 0;

  __device__ value first() const { return {state, state, {}, {}}; }
  __device__ void begin(held& h) const {
    if (entries <= rows_held)
      for (std::uint32_t i = threadIdx.x; i < entries; i += blockDim.x) h.next[i] = next[i];
    for (std::uint32_t i = threadIdx.x; i < 256; i += blockDim.x) h.class_of[i] = class_of[i];
    for (std::uint32_t i = threadIdx.x; i < detail::lex_impl::most_kinds; i += blockDim.x) h.counts[i] = 0;
  }
  __device__ bool in_bulk(std::uint64_t t) const { return has_async_load() && bulk && (t + 1) * tile_size <= n; }
  __device__ bool load(tile& to, std::uint64_t t, copy_barrier* loaded) const {
    if (!in_bulk(t)) return false;
    const std::uint32_t before = t == 0 ? 0 : halo;
    bulk_load(to.byte + halo - before, text + t * tile_size - before, tile_size + before, loaded);
    return true;
  }

  __device__ const std::uint32_t* rows(const held& h) const { return entries <= rows_held ? h.next : next; }

  // each(entry, i) for the bytes [0, count) from a row; returns the row after them. `from` is a multiple of 16.
  template <class Each>
  __device__ static std::uint32_t follow(const std::uint32_t* rows, const std::uint8_t* class_of,
                                         const unsigned char* from, int count, std::uint32_t row, const Each& each) {
    const auto look_up = [&](std::uint32_t byte, int i) {
      const std::uint32_t entry = rows[row + class_of[byte]];
      each(entry, i);
      row = entry & tables::row_mask;
    };
    int i = 0;
    for (; i + 16 <= count; i += 16) {
      const uint4 piece = *reinterpret_cast<const uint4*>(from + i);
      const std::uint32_t word[4] = {piece.x, piece.y, piece.z, piece.w};
#pragma unroll
      for (int k = 0; k < 16; ++k) look_up(word[k / 4] >> k % 4 * 8 & 0xff, i + k);
    }
    for (; i < count; ++i) look_up(from[i], i);
    return row;
  }

  // The possible states before byte `at`, packed; byte 0 of its tile is at x.byte[halo].
  __device__ std::uint32_t possible(const tile& x, const held& h, std::uint32_t at, std::uint32_t in_tile) const {
    const auto nothing = [](std::uint32_t, int) {};
    if (at <= run_up) {  // as good as the text's beginning, and then in its first tile
      return follow(rows(h), h.class_of, x.byte + halo, static_cast<int>(at), state * classes, nothing) / classes;
    }
    std::uint32_t set = 0;
    const unsigned char* from = x.byte + halo + in_tile - run_up;
    for (std::uint32_t i = 0; i < run_up; i += 16) {
      const uint4 piece = *reinterpret_cast<const uint4*>(from + i);
      const std::uint32_t word[4] = {piece.x, piece.y, piece.z, piece.w};
#pragma unroll
      for (int k = 0; k < 16; ++k) set = sets[set * classes + h.class_of[word[k / 4] >> k % 4 * 8 & 0xff]];
    }
    std::uint32_t states = left[set];
    for (std::uint32_t longer = 1024; states == detail::lex_impl::more_states; longer *= 8) {
      if (at <= longer) {
        std::uint32_t row = state * classes;
        for (std::uint32_t i = 0; i < at; ++i) row = rows(h)[row + h.class_of[text[i]]] & tables::row_mask;
        return row / classes;
      }
      if (longer > 1 << 16) {
        result->lost = 1;
        return 0;
      }
      set = 0;
      for (std::uint32_t i = at - longer; i < at; ++i) set = sets[set * classes + h.class_of[text[i]]];
      states = left[set];
    }
    return states;
  }

  __device__ value fold(tile& x, const held& h, std::uint64_t t) const {
    const std::uint32_t begin = static_cast<std::uint32_t>(t * tile_size), in_tile = threadIdx.x * items,
                        at = begin + in_tile;
    if (!in_bulk(t)) {
      const std::uint32_t before = t == 0 ? 0 : halo, size = n - begin < tile_size ? n - begin : tile_size;
      for (std::uint32_t i = threadIdx.x; i < before + size; i += threads)
        x.byte[halo - before + i] = text[begin - before + i];
      sync_first_threads<threads>();  // all threads wrote the tile that each then reads
    }
    if (at >= n) return combine.identity();
    const int count = n - at < items ? static_cast<int>(n - at) : items;
    followed f{possible(x, h, at, in_tile), 0, {}, {}};
#pragma unroll
    for (int j = 0; j < detail::lex_impl::most_followed; ++j) {
      const std::uint32_t from = f.from >> 8 * j & 0xff;
      if (from == 0) continue;
      std::uint32_t kept_here = 0, last = 0;
      const std::uint32_t row =
          follow(rows(h), h.class_of, x.byte + halo + in_tile, count, from * classes, [&](std::uint32_t entry, int i) {
            kept_here += entry >> 30 & 1;
            if (entry & tables::ended) last = at + i + 1;
          });
      f.to |= row / classes << 8 * j;
      f.kept[j] = kept_here;
      f.last[j] = last;
    }
    return f;
  }

  __device__ void finish(tile& x, held& h, own&, std::uint64_t t, const value& before) const {
    const std::uint32_t in_tile = threadIdx.x * items, at = static_cast<std::uint32_t>(t * tile_size) + in_tile;
    if (at >= n) return;
    const int count = n - at < items ? static_cast<int>(n - at) : items;
    std::uint64_t place = kept + before.kept[0], first = before.last[0] ? base + before.last[0] - 1 : boundary;
    std::uint32_t row = (before.to & 0xff) * classes;
    if (row != 0) {
      row = follow(rows(h), h.class_of, x.byte + halo + in_tile, count, row, [&](std::uint32_t entry, int i) {
        if (entry & tables::ended) {
          const std::uint64_t end = base + at + i;
          const std::uint32_t kind = (entry & tables::kind_mask) >> tables::kind_shift;
          atomicAdd(&h.counts[kind], 1u);
          if (entry & tables::kept) {
            if (tokens && place < capacity) {
              tokens[place] = {first, static_cast<std::uint32_t>(end - first), kind};
              if (end - first > 0xffffffffu) atomicMin(word(&result->too_long), static_cast<unsigned long long>(first));
            }
            if (ends && place < capacity) ends[place] = end;
            ++place;
          }
          first = end;
        }
        if ((entry & tables::row_mask) == 0)
          atomicMin(word(&result->died), static_cast<unsigned long long>(base + at + i));
      });
    }
    if (n - at <= items) {  // the text's last byte is this thread's
      result->kept = place;
      result->boundary = first;
      result->state = row / classes;
    }
  }
  __device__ static unsigned long long* word(std::uint64_t* x) { return reinterpret_cast<unsigned long long*>(x); }

  __device__ void end(held& h, own&) const {
    sync_first_threads<threads>();  // every thread counted its last tokens
    for (int i = threadIdx.x; i < detail::lex_impl::most_kinds; i += threads)
      if (h.counts[i] > 0) atomicAdd(word(&result->counts[i]), static_cast<unsigned long long>(h.counts[i]));
  }
};

// The automaton's tables where the device reads them.
struct tables_there {
  const std::uint32_t *next, *left;
  const std::uint16_t* sets;
  const std::uint8_t* class_of;
};
inline tables_there bring_tables(device& d, const detail::lex_impl::run_up_tables& t,
                                 const detail::lex_impl::kinds_skipped& skip) {
  std::vector<std::uint32_t> words = t.next;
  for (std::uint32_t& e : words)
    if (e & detail::lex_impl::run_up_tables::ended &&
        !skip[(e & detail::lex_impl::run_up_tables::kind_mask) >> detail::lex_impl::run_up_tables::kind_shift])
      e |= detail::lex_impl::run_up_tables::kept;
  const std::size_t left_at = words.size(), sets_at = left_at + t.left.size();
  words.insert(words.end(), t.left.begin(), t.left.end());
  words.resize(sets_at + (t.sets.size() + 1) / 2 + 64);
  std::memcpy(words.data() + sets_at, t.sets.data(), t.sets.size() * sizeof(t.sets[0]));
  std::memcpy(words.data() + words.size() - 64, t.class_of.data(), 256);
  const memory there = d.scratch("lex/tables", words.size() * 4);
  d.upload(there, words.data(), words.size() * 4);
  const auto* at = there.as<const std::uint32_t>();
  return {at, at + left_at, reinterpret_cast<const std::uint16_t*>(at + sets_at),
          reinterpret_cast<const std::uint8_t*>(at + words.size() - 64)};
}

// Texts are cut 2^30 bytes a launch, so that a tile's numbers have 32 bits.
template <class Tuning>
std::optional<detail::lex_impl::cut_end> cut_in(device& d, const detail::lex_impl::automaton& a,
                                                const detail::lex_impl::kinds_skipped& skip, std::string_view text,
                                                const detail::lex_impl::cut_output& out) {
  constexpr std::uint64_t most = std::uint64_t{1} << 30;
  const auto& tables = detail::lex_impl::run_ups_of(a);
  if (!tables) return std::nullopt;
  detail::lex_impl::cut_end all;
  if (text.empty()) return all;
  d.make_current();
  const tables_there there = bring_tables(d, *tables, skip);
  const memory results = d.scratch("lex/result", sizeof(cut_result));
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  for (std::uint64_t base = 0; base < text.size() && all.state != detail::lex_impl::automaton::dead; base += most) {
    cut_result r{0, 0, ~std::uint64_t{0}, ~std::uint64_t{0}, 0, 0, {}};
    d.upload(results, &r, sizeof r);
    token_work<Tuning> work{bytes + base,
                            static_cast<std::uint32_t>(std::min(most, text.size() - base)),
                            base,
                            all.kept,
                            all.boundary,
                            all.state / 256,
                            there.next,
                            there.left,
                            there.sets,
                            there.class_of,
                            static_cast<std::uint32_t>(tables->next.size()),
                            tables->classes,
                            out.tokens,
                            out.ends,
                            out.capacity,
                            results.as<cut_result>(),
                            reinterpret_cast<std::uintptr_t>(bytes) % 16 == 0};
    run_tile_ring(d, work, (work.n + work.tile_size - 1) / work.tile_size, "lex");
    d.download(&r, results, sizeof r);
    if (r.lost) return std::nullopt;
    if (r.too_long != ~std::uint64_t{0}) detail::lex_impl::too_long(r.too_long);
    all.kept = r.kept, all.boundary = r.boundary, all.state = r.state * 256;
    for (std::size_t k = 0; k < detail::lex_impl::most_kinds; ++k) all.counts[k] += r.counts[k];
    if (r.died != ~std::uint64_t{0}) all.died = r.died;
  }
  if ((out.tokens || out.ends) && all.kept > out.capacity)
    detail::lex_impl::too_small(out.tokens ? "tokenize" : "find_fields");
  return all;
}

}  // namespace upsweep::cuda
