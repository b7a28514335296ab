// Run-ups: the states that are possible in the middle of a text, derived from the bytes just before.
//
// "Which of all states are left" is itself the state of an automaton on sets (the subset construction, begun with every
// state), so a run-up costs one look-up a byte. The automaton of JSON has 117 sets, and after three bytes mostly one
// state is left; that of a language like C has 1753 sets.
#pragma once

#include <optional>
#include <vector>

#include "upsweep/lex/lex_automaton.hpp"

namespace upsweep::detail::lex_impl {

inline constexpr std::uint32_t most_followed = 4;          // states of one place that are followed
inline constexpr std::uint32_t more_states = 0xffffffffu;  // in run_up_tables::left

// Bytes that no state tells apart are one class; rows have an entry a class.
struct run_up_tables {
  static constexpr std::uint32_t row_mask = 0xffff, kind_shift = 16, kind_mask = 0x7f0000, kept = 1u << 30,
                                 ended = automaton::ended;

  std::vector<std::uint8_t> class_of;  // 256
  std::uint32_t classes = 0;
  std::vector<std::uint32_t> next;  // [state·classes + class]: the next row, and as in automaton what ended before
  std::vector<std::uint16_t> sets;  // [set·classes + class]: the next set; set 0 is every state but the dead one
  std::vector<std::uint32_t> left;  // by set: its states, a byte each and 0 for none, or more_states
};

// Returns nothing if there are more than 2^14 sets. The tables are computed at the first call and stored with the
// automaton.
const std::optional<run_up_tables>& run_ups_of(const automaton&);

}  // namespace upsweep::detail::lex_impl
