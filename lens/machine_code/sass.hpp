// Machine code of an NVIDIA GPU, as nvdisasm writes it, run on the host: the compiled textbook variants, one
// instruction at a time, with the memory requests of each. It supports the instructions that these variants have on
// sm_90, and reports any other instruction.
#pragma once

#include <array>
#include <cstdint>
#include <istream>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::lens::machine_code {

enum class kind : std::uint8_t {
  reg,
  uniform,
  predicate,
  uniform_predicate,
  number,
  constant,
  address,
  barrier,
  special
};

struct operand {
  kind is = kind::number;
  bool minus = false, inverted = false, absolute = false;
  unsigned index = 255;         // reg 255: RZ; uniform 63: URZ; predicate 7: PT; an address's base
  unsigned added_uniform = 63;  // an address's second base; a constant's uniform index
  bool wide = false;            // an address of 64 bits
  unsigned bank = 0;            // constant
  std::int64_t value = 0;       // number, offset, target
  double real = 0;              // the same, where it is written as a floating-point number
  std::string name;             // special
};

struct instruction;
struct lane_of;
using meaning = void (*)(lane_of&, const instruction&);

struct instruction {
  std::string text;                // without address and semicolon
  std::string name;                // "LDS"
  std::vector<std::string> forms;  // "E", "64"
  operand guard;
  std::vector<operand> with;
  meaning each_lane = nullptr;  // the effect on a lane; instructions of a whole warp are recognised by name
  bool has(std::string_view form) const;
};

// Index: address / 16.
struct kernel {
  std::string name;
  std::vector<instruction> code;
};

// "Function : NAME" begins a kernel; lines of nvdisasm follow.
std::map<std::string, kernel> read(std::istream&);

// The requests of one instruction in one launch.
struct cost {
  std::uint64_t issued = 0, for_none = 0, lanes = 0, requests = 0;
  std::uint64_t sectors = 0, ideal_sectors = 0, wavefronts = 0, ideal_wavefronts = 0;
};

struct memory_range {
  std::uint64_t first, last;
};

struct launch {
  const kernel* what = nullptr;
  std::uint64_t blocks = 1;
  unsigned threads = 1;
  std::vector<unsigned char> parameters;     // as stored from c[0x0][0x210] on
  std::span<const unsigned char> constants;  // c[0x3]
  std::span<const memory_range> memory;      // what may be touched
};

// By instruction. Throws std::runtime_error with the instruction's text.
std::vector<cost> run(const launch&);

}  // namespace upsweep::lens::machine_code
