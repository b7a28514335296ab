// lex: the typed descriptor of a computation, and the variants that a call chooses from.
#pragma once

#include "upsweep/core/dispatch.hpp"

namespace upsweep {
class lexer;
}

namespace upsweep::detail::lex_impl {

enum class primitive : std::uint8_t { tokens, fields };

constexpr std::string_view name_of(primitive p) {
  constexpr std::string_view names[]{"tokens", "fields"};
  return names[static_cast<int>(p)];
}

inline constexpr std::uint64_t nowhere = ~std::uint64_t{0};

// `in` is a text of n bytes.
//   tokens  cut by `rules`. out (token): the tokens that are kept. count (u64): the number of kept tokens, the place
//           of the first error in the text (`nowhere`: none), and the number of tokens of each kind, skipped ones
//           included.
//   fields  of a table, between separators. out (u64): the end of each field. count (u64): the number of fields, the
//           place of the first error in the text, and the number of records.
// `out` has `capacity` places; places after the last field may be written, too. run throws if there are too few places.
// counted: results are only counted, and there is no `out`. All results are complete when run returns.
struct problem : problem_head {
  problem() { type = dtype::u8; }
  primitive what = primitive::tokens;
  memory in, out, count;
  std::uint64_t capacity = 0;
  const lexer* rules = nullptr;
  char separator = ',';
  bool counted = false;
};

std::uint64_t counts_of(const problem&);  // elements of `count`

using variant = variant_of<problem>;
using variant_lists = lists_of<problem>;

// The algorithm's variants, a list for each backend, and how a call chooses and runs one.
variant_lists variants();
const variant& choose(const target&, const problem&);
bool can_run(const target&, const problem&);
void run(const target&, const problem&);

std::span<const variant> cpu();
std::span<const variant> cuda();

}  // namespace upsweep::detail::lex_impl
