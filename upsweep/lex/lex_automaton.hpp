// A table of rules as one automaton that runs on from token to token.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "upsweep/lex.hpp"

namespace upsweep::detail::lex_impl {

struct run_ups;  // lex_start_states.hpp
std::shared_ptr<run_ups> no_run_ups_yet();

// States are numbered by where their rows begin: 256 entries each. Row 0 is where no token can go on, and stays there;
// row 256 is where the text begins.
struct automaton {
  static constexpr std::uint32_t row_mask = 0xffff, kind_shift = 16, kind_mask = 0xff0000, ended = 0x80000000u;
  static constexpr std::uint32_t dead = 0, start = 256;

  std::vector<std::uint32_t>
      next;                  // [row + byte]: the next row; with `ended` a token of the kind ended before this byte
  std::vector<int> accepts;  // by state: the kind of token that may end here, or -1
  std::shared_ptr<run_ups> run_up = no_run_ups_yet();
  std::size_t states() const { return accepts.size(); }
};

automaton compile(std::span<const token_rule>);

}  // namespace upsweep::detail::lex_impl
