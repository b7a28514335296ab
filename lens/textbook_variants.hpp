// The textbook variants of CUDA, compiled for the emulated machine: each from its own file, for elements of 4 and of 8
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

// The operands of a variant's run(). `in2` is the second operand of a vector sum.
template <unsigned bytes>
struct operands {
  pointer<const cell<bytes>> in, in2;
  pointer<cell<bytes>> out;
  std::uint64_t n = 0;
  bool inclusive = false;
  application<bytes> op;
};

// The operands of a primitive without a fold, as its conformance test lists them.
struct operand_blocks {
  memory_block *in = nullptr, *in2 = nullptr, *in3 = nullptr, *out = nullptr, *out2 = nullptr, *count = nullptr;
};
template <class T>
pointer<T> at(memory_block* m) {
  return {m, 0};
}

// One textbook variant at one block size.
struct variant_at {
  unsigned block = 0;  // 0: the variant sets it itself
  formula work, span, launches, traffic;
  std::uint64_t max_n = 0;
  void (*run4)(grid&, const operands<4>&) = nullptr;
  void (*run8)(grid&, const operands<8>&) = nullptr;
  void (*run_problem)(grid&, const problem&, const operand_blocks&) = nullptr;  // of primitives without a fold
  // The declared counts of one descriptor, if n alone does not determine them (for example with a mask): work, span,
  // launches, traffic.
  std::array<double, 4> (*counts_of)(const problem&) = nullptr;
};

struct textbook_variant {
  std::string_view name;
  primitive what{};
  std::string_view teaches, limits;
  bool keeps_order = true;
  unsigned standard = 0;  // block size
  std::vector<variant_at> sizes;
  const char* (*cannot)(const problem&) = nullptr;  // see variant
  bool by_digits = false;  // the formulas hold for keys of 4 bytes; longer ones have more digits
  int year = 0;
  std::string_view source = {};
  bool folds() const { return sizes.front().run_problem == nullptr; }
  const variant_at* at(unsigned block) const {
    for (const variant_at& r : sizes)
      if (r.block == block) return &r;
    return nullptr;
  }
};

// In teaching order.
std::span<const textbook_variant> textbook_variants();
// Throws fault::bad_argument with the list of variants that the lens has, or the reason why it does not have this one.
const textbook_variant& require_textbook_variant(std::string_view name);

std::vector<textbook_variant> reduce_variants();
std::vector<textbook_variant> scan_variants();
std::vector<textbook_variant> scan_tile_variants();
std::vector<textbook_variant> vector_add_variants();
std::vector<textbook_variant> sort_variants();
std::vector<textbook_variant> select_variants();
std::vector<textbook_variant> histogram_variants();
std::vector<textbook_variant> summed_area_table_variants();
std::vector<textbook_variant> convolve_variants();
std::vector<textbook_variant> nbody_variants();

}  // namespace upsweep::lens
