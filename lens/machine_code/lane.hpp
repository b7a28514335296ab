// The operands of machine code: a warp's registers as one of its lanes sees them.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "lens/machine_code/sass.hpp"

namespace upsweep::lens::machine_code {

inline constexpr unsigned no_register = 255, no_uniform = 63, always = 7;
inline constexpr std::uint32_t parameters_at = 0x210, shared_bytes = 256 << 10;

struct warp {
  std::vector<std::array<std::uint32_t, 32>> r = std::vector<std::array<std::uint32_t, 32>>(256);
  std::array<std::uint32_t, 64> u{};
  std::array<std::uint32_t, 8> p{0, 0, 0, 0, 0, 0, 0, ~0u};
  std::array<bool, 8> up{false, false, false, false, false, false, false, true};
  // A convergence barrier as each lane knows it: the lanes that take part, and the place where they continue.
  std::array<std::array<std::uint32_t, 32>, 16> together{};
  std::array<std::uint32_t, 16> target{};
  std::uint32_t gone = 0;
  unsigned first_thread = 0;
};

struct block_of {
  const launch& of;
  std::uint64_t number = 0;
  std::vector<unsigned char> shared = std::vector<unsigned char>(shared_bytes);
};

[[noreturn]] inline void refuse(const instruction& i, const std::string& why) {
  throw std::runtime_error(i.text + ": " + why);
}

// The registers that one lane, or a warp's uniform datapath, accesses.
struct lane_of {
  warp& w;
  block_of& b;
  unsigned lane;
  std::uint32_t active;  // with it

  std::uint32_t constant_word(const operand& o, std::uint32_t more) const {
    std::uint32_t at = static_cast<std::uint32_t>(o.value) + more;
    if (o.index != no_register) at += w.r[o.index][lane];
    if (o.added_uniform != no_uniform) at += w.u[o.added_uniform];
    std::uint32_t word = 0;
    if (o.bank == 3) {
      if (at + 4 <= b.of.constants.size()) std::memcpy(&word, b.of.constants.data() + at, 4);
      return word;
    }
    if (o.bank != 0) throw std::runtime_error("constant bank " + std::to_string(o.bank));
    if (at >= parameters_at) {
      for (unsigned byte = 0; byte < 4; ++byte)
        if (at - parameters_at + byte < b.of.parameters.size())
          word |= std::uint32_t{b.of.parameters[at - parameters_at + byte]} << 8 * byte;
      return word;
    }
    switch (at) {
      case 0x0: return b.of.threads;
      case 0x4:
      case 0x8: return 1;
      case 0xc: return static_cast<std::uint32_t>(b.of.blocks);
      case 0x10:
      case 0x14: return 1;
      default: return 0;  // stack, descriptors: no textbook variant computes with them
    }
  }
  // The bits of an operand, or of its second word.
  std::uint32_t raw(const operand& o, unsigned part = 0) const {
    switch (o.is) {
      case kind::reg: return o.index == no_register ? 0 : w.r[o.index + part][lane];
      case kind::uniform: return o.index == no_uniform ? 0 : w.u[o.index + part];
      case kind::number: return static_cast<std::uint32_t>(part == 0 ? o.value : o.value >> 32);
      case kind::constant: return constant_word(o, 4 * part);
      default: throw std::runtime_error("an operand that is not a word");
    }
  }
  std::uint32_t word(const operand& o) const {
    std::uint32_t v = raw(o);
    if (o.inverted) v = ~v;
    return o.minus ? 0 - v : v;
  }
  // The operand as the adder receives it: for a subtraction the carry out is a carry, too.
  std::uint64_t addend(const operand& o) const {
    const std::uint32_t v = raw(o);
    if (o.minus) return std::uint64_t{~v} + 1;
    return o.inverted ? ~v : v;
  }
  std::uint64_t pair(const operand& o) const {
    std::uint64_t v = raw(o) | std::uint64_t{raw(o, 1)} << 32;
    if (o.inverted) v = ~v;
    return o.minus ? 0 - v : v;
  }
  float f32(const operand& o) const {
    float v = o.is == kind::number ? static_cast<float>(o.real) : std::bit_cast<float>(raw(o));
    if (o.absolute) v = std::fabs(v);
    return o.minus ? -v : v;
  }
  double f64(const operand& o) const {
    double v = o.is == kind::number ? o.real : std::bit_cast<double>(raw(o) | std::uint64_t{raw(o, 1)} << 32);
    if (o.absolute) v = std::fabs(v);
    return o.minus ? -v : v;
  }
  bool truth(const operand& o) const {
    const bool v = o.is == kind::predicate ? (w.p[o.index] >> lane & 1) != 0 : w.up[o.index];
    return v != o.inverted;
  }
  void set(const operand& o, std::uint32_t v, unsigned part = 0) {
    if (o.is == kind::reg && o.index != no_register) w.r[o.index + part][lane] = v;
    if (o.is == kind::uniform && o.index != no_uniform) w.u[o.index + part] = v;
  }
  void set_pair(const operand& o, std::uint64_t v) {
    set(o, static_cast<std::uint32_t>(v)), set(o, static_cast<std::uint32_t>(v >> 32), 1);
  }
  void set_truth(const operand& o, bool v) {
    if (o.index == always) return;
    if (o.is == kind::uniform_predicate) {
      w.up[o.index] = v;
    } else {
      w.p[o.index] = (w.p[o.index] & ~(1u << lane)) | std::uint32_t{v} << lane;
    }
  }
  std::uint64_t address(const operand& o) const {
    std::uint64_t at = static_cast<std::uint64_t>(o.value);
    if (o.wide) {
      if (o.index != no_register) at += w.r[o.index][lane] | std::uint64_t{w.r[o.index + 1][lane]} << 32;
      if (o.added_uniform != no_uniform) at += w.u[o.added_uniform] | std::uint64_t{w.u[o.added_uniform + 1]} << 32;
      return at;
    }
    if (o.index != no_register) at += w.r[o.index][lane];
    if (o.added_uniform != no_uniform) at += w.u[o.added_uniform];
    return static_cast<std::uint32_t>(at);
  }
};

inline bool is_truth(const operand& o) { return o.is == kind::predicate || o.is == kind::uniform_predicate; }

// The effect of an instruction of this name on a lane; none if the instruction does not work on single lanes.
meaning meaning_of(std::string_view name);
// Instructions of the uniform datapath have the same meaning, once for the warp.
bool is_once_a_warp(std::string_view name);

}  // namespace upsweep::lens::machine_code
