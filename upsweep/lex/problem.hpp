// lex: what is computed, typed, and what a call chooses from.
#pragma once

#include "upsweep/core/dispatch.hpp"

namespace upsweep {
class lexer;
}

namespace upsweep::lex_room {

enum class primitive : std::uint8_t { tokens, fields };

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"tokens", "fields"};
  return names[static_cast<int>(p)];
}

inline constexpr std::uint64_t nowhere = ~std::uint64_t{0};

// `in` is a text of n bytes.
//   tokens  cut by `rules`. out (token): those that are kept. count (u64): how many are kept, where the text stopped to
//           be right (`nowhere`: it did not), and how many there are of each kind, skipped ones too.
//   fields  of a table, between separators. out (u64): their ends. count (u64): how many there are, where the text
//           stopped to be right, and how many records.
// `out` has `room` places, of which those beyond the last field's may be written, too; where they are too few, run
// throws. counted: they are only counted, and there is no `out`.
// Done when run returns.
struct problem : problem_head {
  problem() { type = dtype::u8; }
  primitive what = primitive::tokens;
  memory in, out, count;
  std::uint64_t room = 0;
  const lexer* rules = nullptr;
  char separator = ',';
  bool counted = false;
};

std::uint64_t counts_of(const problem&);  // elements of `count`

using variant = variant_of<problem>;
using variant_lists = lists_of<problem>;

// The room's own, backend by backend, and all that a call does with them.
variant_lists variants();
const variant& choose(const target&, const problem&);
bool can_run(const target&, const problem&);
void run(const target&, const problem&);

std::span<const variant> cpu();
std::span<const variant> cuda();

}  // namespace upsweep::lex_room
