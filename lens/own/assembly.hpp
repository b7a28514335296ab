// Inline assembly: the PTX that the lens understands. A statement is read once; each thread then carries it out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::lens::own {

// An operand of an instruction: a number, an operand of the statement (%0), a register of the statement, or a special
// register.
struct ptx_value {
  enum kind : unsigned char { number, operand, own, lane_mask, lane_id, of_cluster, nothing } what = nothing;
  // The number, which of them, which comparison of lanes (0: <, 1: <=, 2: >, 3: >=, 4: ==), or which of
  // upsweep_lens::cluster_number.
  std::uint64_t bits = 0;
};

struct ptx_argument {
  std::vector<ptx_value> values;  // several if they are in braces
  bool in_memory = false;         // [value + offset]
  std::int64_t offset = 0;
};

struct ptx_instruction {
  std::string code;                     // "ld"
  std::vector<std::string> qualifiers;  // "relaxed", "gpu", "global", "u32"
  std::vector<ptx_argument> arguments;
  int guard = -1;  // the register that says whether it is done
  bool unless = false;
  std::size_t target = 0;  // of bra

  bool has(std::string_view q) const;
  unsigned bits() const;     // of its type
  char type() const;         // u, s, b, f, p
  unsigned vector() const;   // 1, 2, 4
  std::string text() const;  // "ld.relaxed.gpu.global.u32"
};

struct ptx_statement {
  std::vector<ptx_instruction> all;
  std::size_t registers = 0;
  std::string wrong;  // the part that is not supported
};

ptx_statement read_ptx(std::string_view text);

// The first instruction of the statement that is not supported; empty if all are.
std::string not_understood(std::string_view text);

}  // namespace upsweep::lens::own
