// 64 bytes at a time, what they are to a table of fields: a bit a byte.
#pragma once

#include <cstdint>

namespace upsweep::lex_room {

struct byte_masks {
  std::uint64_t quotes, separators, line_feeds, returns;
};

// `words` times 64 bytes.
void find_masks(const unsigned char* text, std::uint64_t words, unsigned char separator, byte_masks* out);

}  // namespace upsweep::lex_room
