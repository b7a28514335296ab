// The CPU's ways over a text.
#pragma once

#include "upsweep/lex/lex_implementation.hpp"

namespace upsweep::detail::lex_impl {

cut_end cut(device&, const automaton&, const kinds_skipped&, std::string_view text, const cut_output&);

// Returns nothing if the text has a quote where none is allowed. Writes at most `capacity` ends.
std::optional<table_carry> fields_by_parity(device&, std::string_view text, char separator, std::uint64_t* ends,
                                            std::uint64_t capacity);

struct byte_masks {
  std::uint64_t quotes, separators, line_feeds, returns;
};

// `words` times 64 bytes.
void find_masks(const unsigned char* text, std::uint64_t words, unsigned char separator, byte_masks* out);

}  // namespace upsweep::detail::lex_impl
