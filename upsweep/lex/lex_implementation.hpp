// Tokens and fields of a text in the device's memory: the code that all backends share, and the functions that each
// backend provides.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "upsweep/lex/lex_automaton.hpp"
#include "upsweep/lex/lex_problem.hpp"

namespace upsweep::detail::lex_impl {

inline constexpr std::size_t most_kinds = 128;
using kinds_skipped = std::array<bool, most_kinds>;

// The output: tokens, or the ends of fields, or none.
struct cut_output {
  token* tokens = nullptr;
  std::uint64_t* ends = nullptr;
  std::uint64_t capacity = 0;
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

// The functions of a backend. Texts and outputs are in the device's memory.
//   cut     runs an automaton: every token that ends within the text. The caller handles a token that is open at the
//           end
//   fields  the fields of a table by the parity of their quotes; returns nothing if a quote is where none is allowed.
//           Null: the automaton finds all fields
struct ways {
  cut_end (*cut)(device&, const automaton&, const kinds_skipped&, std::string_view text, const cut_output&) = nullptr;
  std::optional<table_carry> (*fields)(device&, std::string_view text, char separator, std::uint64_t* ends,
                                       std::uint64_t capacity) = nullptr;
};

void run_tokens(device&, const problem&, const ways&);
void run_fields(device&, const problem&, const ways&);

inline const char* without_rules(const problem& p) {
  return p.what == primitive::tokens && !p.rules ? "tokens without rules" : nullptr;
}

// Stores one more result in host memory. Throws if the output has no place left.
void store(const cut_output&, std::uint64_t first, std::uint64_t end, std::uint32_t kind, std::uint64_t at);

[[noreturn]] void too_small(const char* call);
[[noreturn]] void too_long(std::uint64_t first);

}  // namespace upsweep::detail::lex_impl
