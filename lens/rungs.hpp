// The textbook's CUDA rungs, compiled for the emulated machine: each from its own file, for elements of 4 and of 8
// bytes and for several block sizes.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "lens/cuda.hpp"
#include "upsweep/core/catalog.hpp"

namespace upsweep::lens {

// Where a rung's run() finds its operands. `in2` is a vector sum's second.
template <unsigned bytes>
struct operands {
  pointer<const cell<bytes>> in, in2;
  pointer<cell<bytes>> out;
  std::uint64_t n = 0;
  bool inclusive = false;
  application<bytes> op;
};

// The operands of a problem that folds nothing, as its exam lays them out.
struct operand_blocks {
  memory_block *in = nullptr, *in2 = nullptr, *in3 = nullptr, *out = nullptr, *out2 = nullptr, *count = nullptr;
};
template <class T>
pointer<T> at(memory_block* m) {
  return {m, 0};
}

// One rung at one block size.
struct rung_at {
  unsigned block = 0;  // 0: the rung sets it itself
  formula work, span, launches, traffic;
  std::uint64_t max_n = 0;
  void (*run4)(grid&, const operands<4>&) = nullptr;
  void (*run8)(grid&, const operands<8>&) = nullptr;
  void (*run_problem)(grid&, const problem&, const operand_blocks&) = nullptr;  // of what folds nothing
  // What it declares of one problem, where n alone does not say it (a mask does): work, span, launches, traffic.
  std::array<double, 4> (*counts_of)(const problem&) = nullptr;
};

struct rung {
  std::string_view name;
  primitive what{};
  std::string_view teaches, limits;
  bool keeps_order = true;
  unsigned standard = 0;  // block size
  std::vector<rung_at> sizes;
  const char* (*cannot)(const problem&) = nullptr;  // see variant
  bool by_digits = false;  // the formulas hold for keys of 4 bytes; longer ones have more digits
  bool folds() const { return sizes.front().run_problem == nullptr; }
  const rung_at* at(unsigned block) const {
    for (const rung_at& r : sizes)
      if (r.block == block) return &r;
    return nullptr;
  }
};

// In teaching order.
std::span<const rung> rungs();
// Throws fault::bad_argument with what the lens has, or why that variant is none of its.
const rung& require_rung(std::string_view name);

std::vector<rung> reduce_rungs();
std::vector<rung> scan_rungs();
std::vector<rung> scan_tile_rungs();
std::vector<rung> vector_add_rungs();
std::vector<rung> sort_rungs();
std::vector<rung> select_rungs();
std::vector<rung> histogram_rungs();
std::vector<rung> integral_rungs();
std::vector<rung> convolve_rungs();
std::vector<rung> nbody_rungs();

}  // namespace upsweep::lens
