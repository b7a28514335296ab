#include "upsweep/lex/lex_start_states.hpp"

#include <array>
#include <map>
#include <mutex>
#include <string>

namespace upsweep::detail::lex_impl {

namespace {

constexpr std::size_t most_sets = 1 << 14;

std::optional<run_up_tables> tables_of(const automaton& a) {
  const std::uint32_t states = static_cast<std::uint32_t>(a.states());
  run_up_tables t;
  std::map<std::vector<std::uint32_t>, std::uint8_t> columns;
  std::vector<std::uint32_t> byte_of;  // one of each class
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::vector<std::uint32_t> column(states);
    for (std::uint32_t s = 0; s < states; ++s) column[s] = a.next[s * 256 + byte];
    const auto [at, fresh] = columns.try_emplace(std::move(column), static_cast<std::uint8_t>(columns.size()));
    if (fresh) byte_of.push_back(byte);
    t.class_of.push_back(at->second);
  }
  t.classes = static_cast<std::uint32_t>(byte_of.size());
  for (std::uint32_t s = 0; s < states; ++s)
    for (const std::uint32_t byte : byte_of) {
      const std::uint32_t e = a.next[s * 256 + byte];
      t.next.push_back((e & ~automaton::row_mask) | (e & automaton::row_mask) / 256 * t.classes);
    }

  using state_set =
      std::u8string;  // sorted; GCC 12 takes the comparison of two vectors of bytes for one past all memory
  std::map<state_set, std::uint16_t> numbers;
  std::vector<const state_set*> sets;
  const auto number = [&](state_set s) {
    const auto [at, fresh] = numbers.try_emplace(std::move(s), static_cast<std::uint16_t>(sets.size()));
    if (fresh) sets.push_back(&at->first);
    return at->second;
  };
  state_set all;
  for (std::uint32_t s = 1; s < states; ++s) all.push_back(static_cast<char8_t>(s));
  number(all);
  for (std::size_t k = 0; k < sets.size(); ++k) {
    if (k == most_sets) return std::nullopt;
    std::uint32_t left = sets[k]->size() > most_followed ? more_states : 0;
    for (std::size_t i = 0; left != more_states && i < sets[k]->size(); ++i)
      left |= static_cast<std::uint32_t>((*sets[k])[i]) << 8 * i;
    t.left.push_back(left);
    for (const std::uint32_t byte : byte_of) {
      std::array<bool, 256> reached{};
      for (const char8_t s : *sets[k]) reached[(a.next[s * 256u + byte] & automaton::row_mask) / 256] = true;
      state_set to;
      for (std::uint32_t s = 1; s < states; ++s)
        if (reached[s]) to.push_back(static_cast<char8_t>(s));
      t.sets.push_back(number(std::move(to)));
    }
  }
  return t;
}

}  // namespace

struct run_ups {
  std::mutex making;
  bool made = false;
  std::optional<run_up_tables> tables;
};

std::shared_ptr<run_ups> no_run_ups_yet() { return std::make_shared<run_ups>(); }

const std::optional<run_up_tables>& run_ups_of(const automaton& a) {
  run_ups& r = *a.run_up;
  // Not std::call_once: if an allocation throws through it, glibc ends the process.
  const std::lock_guard held(r.making);
  if (!r.made) r.tables = tables_of(a), r.made = true;
  return r.tables;
}

}  // namespace upsweep::detail::lex_impl
