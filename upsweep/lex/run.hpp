// A text run over where it lies: what the backends have in common, and what each brings.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "upsweep/lex/automaton.hpp"
#include "upsweep/lex/problem.hpp"

namespace upsweep::lex_room {

inline constexpr std::size_t most_kinds = 128;
using kinds_skipped = std::array<bool, most_kinds>;

// Where what is kept goes: tokens, or the places of their ends, or nowhere.
struct cut_output {
  token* tokens = nullptr;
  std::uint64_t* ends = nullptr;
  std::uint64_t room = 0;
};

struct cut_end {
  std::array<std::uint64_t, most_kinds> counts{};
  std::uint64_t kept = 0, boundary = 0;  // where the last token ended
  std::uint32_t state = automaton::start;
  std::optional<std::uint64_t> died;  // the byte that could not follow
};

// How many fields and records ended, and whether the text ends within quotes.
struct table_carry {
  std::uint64_t fields = 0, lines = 0;
  bool inside = false;
};

// A backend's ways. Texts and outputs are in the device's memory.
//   cut     an automaton: every token that ended within the text; what is open at its end is the caller's
//   fields  the fields of a table by their quotes' parity; nothing where a quote stands where it may not. Null: the
//           automaton finds all
struct ways {
  cut_end (*cut)(device&, const automaton&, const kinds_skipped&, std::string_view text, const cut_output&) = nullptr;
  std::optional<table_carry> (*fields)(device&, std::string_view text, char separator, std::uint64_t* ends,
                                       std::uint64_t room) = nullptr;
};

void run_tokens(device&, const problem&, const ways&);
void run_fields(device&, const problem&, const ways&);

inline const char* without_rules(const problem& p) {
  return p.what == primitive::tokens && !p.rules ? "tokens without rules" : nullptr;
}

// One more, where there is room for it; host memory.
void store(const cut_output&, std::uint64_t first, std::uint64_t end, std::uint32_t kind, std::uint64_t at);

[[noreturn]] void too_small(const char* call);
[[noreturn]] void too_long(std::uint64_t first);

}  // namespace upsweep::lex_room
