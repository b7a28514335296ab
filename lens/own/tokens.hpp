// The tokens of a .cu file, as far as the lens must read them: comments are removed, strings are whole, and a
// preprocessor line is one token.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace upsweep::lens::own {

enum class token_kind : unsigned char { word, number, text, sign, directive };

struct token {
  token_kind kind{};
  std::string_view text;
  std::size_t at = 0;  // in the file
  unsigned line = 0;
  std::size_t end() const { return at + text.size(); }
  bool is(std::string_view t) const { return text == t; }
};

// The tokens of `text`, which must outlive them; `line` is the line of its first character.
std::vector<token> tokens_of(std::string_view text, unsigned line = 1);

}  // namespace upsweep::lens::own
