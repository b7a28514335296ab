// Fields of a table by masks: what 64 bytes are to it, a bit a byte.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "upsweep/context.hpp"

namespace upsweep::lex_room {

struct byte_masks {
  std::uint64_t quotes, separators, line_feeds, returns;
};

// `words` times 64 bytes.
void find_masks(const unsigned char* text, std::uint64_t words, unsigned char separator, byte_masks* out);

// How many fields and records ended, and whether the text ends within quotes.
struct table_carry {
  std::uint64_t fields = 0, lines = 0;
  bool inside = false;
};

// fields_cuda.cu: text and ends in a CUDA device's memory. Nothing where a quote stands where it may not; no more ends
// are written than there is room.
std::optional<table_carry> fields_on_cuda(device&, std::string_view text, char separator, std::uint64_t* ends,
                                          std::uint64_t room);

}  // namespace upsweep::lex_room
