// Tokens, in one pass over the text.
//
// Threads take groups of pieces in order. For each piece the automaton runs from every state at once until few states
// are left: most states die on a byte that they cannot accept, and others merge. From there on each remaining state
// runs separately, four at a time because each waits for its own look-ups, and the tokens that it would find are
// recorded. Then the previous group passes on the state that the first piece really begins in. That state selects among
// the records, and only the bytes before them are looked up once more.
#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include "upsweep/cpu/block_partition.hpp"
#include "upsweep/lex/cpu/lex_cpu.hpp"

namespace upsweep {

namespace detail::lex_impl {

namespace {

constexpr std::uint64_t piece_bytes = 16 << 10, pieces_of_group = 4, group_bytes = piece_bytes * pieces_of_group;
constexpr std::size_t most_runs = 4;       // states of one piece that are followed to its end
constexpr std::uint64_t first_bytes = 48;  // within which more than one of them may still meet
constexpr std::uint64_t most_first_bytes = 2048;

// The end of a token: where in the piece, and its kind in automaton::kind_mask's bits.
using note = std::uint32_t;

struct run_of_piece {
  std::uint32_t begins, state;  // at `from`, and now
  std::vector<note> notes;
  std::size_t count = 0;
  std::uint64_t kept = 0;  // of them
};

struct piece_work {
  const unsigned char* text = nullptr;
  std::uint64_t size = 0, from = 0;  // the runs begin at `from`
  std::size_t runs = 0;              // 0: too many are left
  std::array<run_of_piece, most_runs> run;
  std::vector<note> first_notes;  // of the bytes before `from`, once it is known how they begin
  std::size_t first_count = 0, chosen = 0;
};

// Looks up [begin, end) from a state; notes has room for a note a byte.
std::uint32_t follow(const std::uint32_t* next, const unsigned char* text, std::uint64_t begin, std::uint64_t end,
                     std::uint32_t state, note* notes, std::size_t& count) {
  std::size_t n = count;
  for (std::uint64_t i = begin; i < end; ++i) {
    const std::uint32_t entry = next[state + text[i]];
    notes[n] = (entry & automaton::kind_mask) | static_cast<std::uint32_t>(i);
    n += entry >> 31;
    state = entry & automaton::row_mask;
  }
  count = n;
  return state;
}

void narrow(const automaton& a, piece_work& p) {
  std::array<std::uint32_t, 256> live;
  std::size_t count = 0;
  for (std::size_t s = 1; s < a.states(); ++s) live[count++] = static_cast<std::uint32_t>(s * 256);
  std::array<std::uint64_t, 256> seen{};
  std::uint64_t i = 0;
  while (i < p.size && count > 1 && (i < first_bytes || (count > most_runs && i < most_first_bytes))) {
    std::size_t left = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t state = a.next[live[k] + p.text[i]] & automaton::row_mask;
      if (state == automaton::dead || seen[state >> 8] == i + 1) continue;
      seen[state >> 8] = i + 1;
      live[left++] = state;
    }
    count = left;
    ++i;
  }
  p.from = i;
  p.runs = count <= most_runs ? count : 0;
  if (p.runs == 0 && count > 0) p.from = p.size;
  for (std::size_t k = 0; k < p.runs; ++k) {
    p.run[k].begins = p.run[k].state = live[k];
    p.run[k].count = 0;
    p.run[k].notes.resize(piece_bytes + 1);
  }
}

struct chain {
  piece_work* piece;
  run_of_piece* run;
};

// Four chains concurrently up to the end of the shortest, then each to its end.
void follow_four(const std::uint32_t* next, const chain* c) {
  std::uint64_t length = piece_bytes;
  for (int k = 0; k < 4; ++k) length = std::min(length, c[k].piece->size - c[k].piece->from);
  const unsigned char* text[4];
  note* notes[4];
  std::uint32_t state[4], from[4];
  for (int k = 0; k < 4; ++k) {
    from[k] = static_cast<std::uint32_t>(c[k].piece->from);
    text[k] = c[k].piece->text + from[k];
    notes[k] = c[k].run->notes.data();
    state[k] = c[k].run->state;
  }
  for (std::uint32_t i = 0; i < length; ++i) {
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      const std::uint32_t entry = next[state[k] + text[k][i]];
      *notes[k] = (entry & automaton::kind_mask) | (from[k] + i);
      notes[k] += entry >> 31;
      state[k] = entry & automaton::row_mask;
    }
  }
  for (int k = 0; k < 4; ++k) {
    run_of_piece& r = *c[k].run;
    r.count = static_cast<std::size_t>(notes[k] - r.notes.data());
    r.state = follow(next, c[k].piece->text, from[k] + length, c[k].piece->size, state[k], r.notes.data(), r.count);
  }
}

struct carry {
  std::uint32_t state = automaton::start;
  std::uint64_t kept = 0;      // tokens before
  std::uint64_t boundary = 0;  // where the last token ended
  std::optional<std::uint64_t> died;
};

struct worker {
  std::array<std::uint64_t, most_kinds> counts{};
  std::array<piece_work, pieces_of_group> pieces;
};

std::uint64_t kept_among(const note* notes, std::size_t n, const kinds_skipped& skip) {
  std::uint64_t kept = 0;
  for (std::size_t i = 0; i < n; ++i) kept += !skip[(notes[i] & automaton::kind_mask) >> automaton::kind_shift];
  return kept;
}

// In order, from a known state: chooses the runs, and leaves in `now` how the group ends.
void resolve(const automaton& a, worker& w, std::size_t count, std::uint64_t place, const kinds_skipped& skip,
             carry& now) {
  for (std::size_t k = 0; k < count; ++k) {
    piece_work& p = w.pieces[k];
    const std::uint64_t at = place + k * piece_bytes;
    p.first_notes.resize(std::max<std::size_t>(p.first_notes.size(), p.from + 1));
    p.first_count = 0;
    p.chosen = most_runs;
    if (now.state == automaton::dead) continue;
    const std::uint32_t before = now.state;
    now.state = follow(a.next.data(), p.text, 0, p.from, now.state, p.first_notes.data(), p.first_count);
    if (p.first_count > 0) now.boundary = at + (p.first_notes[p.first_count - 1] & automaton::row_mask);
    now.kept += kept_among(p.first_notes.data(), p.first_count, skip);
    if (now.state != automaton::dead && p.from < p.size) {
      for (std::size_t r = 0; r < p.runs; ++r)
        if (p.run[r].begins == now.state) p.chosen = r;
      const run_of_piece& r = p.run[p.chosen];
      now.state = r.state;
      now.kept += r.kept;
      if (r.count > 0) now.boundary = at + (r.notes[r.count - 1] & automaton::row_mask);
    }
    if (now.state == automaton::dead) {  // once more, to see where
      std::uint64_t i = 0;
      for (std::uint32_t s = before; (s = a.next[s + p.text[i]] & automaton::row_mask) != automaton::dead;) ++i;
      now.died = at + i;
    }
  }
}

template <class Each>
void for_each_note(const worker& w, std::size_t count, std::uint64_t place, const Each& each) {
  for (std::size_t k = 0; k < count; ++k) {
    const piece_work& p = w.pieces[k];
    const std::uint64_t at = place + k * piece_bytes;
    const auto tell = [&](const note* notes, std::size_t n) {
      for (std::size_t i = 0; i < n; ++i)
        each(at + (notes[i] & automaton::row_mask), (notes[i] & automaton::kind_mask) >> automaton::kind_shift);
    };
    tell(p.first_notes.data(), p.first_count);
    if (p.chosen < most_runs) tell(p.run[p.chosen].notes.data(), p.run[p.chosen].count);
  }
}

}  // namespace

cut_end cut(device& d, const automaton& a, const kinds_skipped& skip, std::string_view text, const cut_output& out) {
  const std::uint64_t groups = cpu::block_count(text.size(), group_bytes);
  const bool wanted = out.tokens || out.ends;
  // A worker's memory serves one group at a time; there are more of them than threads.
  const std::size_t memories = groups == 0 ? 0 : static_cast<std::size_t>(cpu::threads_of(d)) + 1;
  std::vector<std::unique_ptr<worker>> workers(memories);
  std::vector<std::atomic<bool>> busy(memories);
  carry now;
  cpu::relay turns;

  cpu::for_each_block(d, groups, [&](std::uint64_t g, const cpu::stop_flag& stop) {
    std::size_t mine = 0;
    while (busy[mine].exchange(true, std::memory_order_acquire)) mine = (mine + 1) % memories;
    if (!workers[mine]) workers[mine] = std::make_unique<worker>();
    worker& w = *workers[mine];

    const std::uint64_t place = g * group_bytes, size = std::min(group_bytes, text.size() - place);
    const std::size_t count = static_cast<std::size_t>(cpu::block_count(size, piece_bytes));
    std::array<chain, pieces_of_group * most_runs> chains;
    std::size_t n = 0;
    for (std::size_t k = 0; k < count; ++k) {
      piece_work& p = w.pieces[k];
      p.text = reinterpret_cast<const unsigned char*>(text.data()) + place + k * piece_bytes;
      p.size = std::min(piece_bytes, size - k * piece_bytes);
      narrow(a, p);
      for (std::size_t r = 0; r < p.runs; ++r) chains[n++] = {&p, &p.run[r]};
    }
    std::size_t c = 0;
    for (; c + 4 <= n; c += 4) follow_four(a.next.data(), &chains[c]);
    for (; c < n; ++c) {
      piece_work& p = *chains[c].piece;
      run_of_piece& r = *chains[c].run;
      r.state = follow(a.next.data(), p.text, p.from, p.size, r.state, r.notes.data(), r.count);
    }
    for (c = 0; c < n; ++c) chains[c].run->kept = kept_among(chains[c].run->notes.data(), chains[c].run->count, skip);

    turns.await(g, stop);
    const carry before = now;
    resolve(a, w, count, place, skip, now);
    turns.pass(g);

    std::uint64_t at = before.kept, first = before.boundary;
    for_each_note(w, count, place, [&](std::uint64_t end, std::uint32_t kind) {
      ++w.counts[kind];
      if (wanted && !skip[kind]) store(out, first, end, kind, at++);
      first = end;
    });
    busy[mine].store(false, std::memory_order_release);
  });

  cut_end all{{}, now.kept, now.boundary, now.state, now.died};
  for (std::size_t k = 0; k < memories; ++k)
    if (busy[k].exchange(true, std::memory_order_acquire) == false && workers[k])
      for (std::size_t kind = 0; kind < most_kinds; ++kind) all.counts[kind] += workers[k]->counts[kind];
  return all;
}

}  // namespace detail::lex_impl

}  // namespace upsweep
