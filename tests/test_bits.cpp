// "Uniform" input of the conformance tests is random in every bit of every type. A bit that is always 0 would save a
// radix sort a pass, and benchmark times on such input would be too good.
#include <gtest/gtest.h>

#include <set>

#include "upsweep/conformance/conformance.hpp"
#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/conformance/reference_fold.hpp"
#include "upsweep/sort/sort_keys.hpp"

namespace upsweep {
namespace {

// How often each bit of the elements is 1.
std::vector<double> ones(const void* elements, std::uint64_t count, std::uint64_t size) {
  std::vector<double> all(8 * size);
  const auto* bytes = static_cast<const unsigned char*>(elements);
  for (std::uint64_t i = 0; i < count * size; ++i)
    for (unsigned b = 0; b < 8; ++b) all[8 * (i % size) + b] += bytes[i] >> b & 1;
  for (double& share : all) share /= static_cast<double>(count);
  return all;
}

unsigned mantissa_bits(dtype t) { return t == dtype::f16 ? 10 : t == dtype::f32 ? 23 : t == dtype::f64 ? 52 : 0; }

// Integers: each bit is random. Floats: each bit of the mantissa, and the sign if both signs occur. Other tests cover
// the exponent.
void expect_random(const void* elements, std::uint64_t count, dtype type, const std::string& what, bool sign = true,
                   bool first = true, bool few = false) {
  const std::vector<double> share = ones(elements, count, size_of(type));
  const unsigned width = static_cast<unsigned>(share.size());
  for (unsigned b = first ? 0 : 1; b < width; ++b) {
    const double least = few ? 0.2 : 0.4;
    const bool exponent = is_floating(type) && b >= mantissa_bits(type) && b + 1 < width;
    if (exponent || (is_floating(type) && b + 1 == width && !sign)) continue;
    EXPECT_GT(share[b], least) << what << ", bit " << b;
    EXPECT_LT(share[b], 0.6) << what << ", bit " << b;
  }
}

constexpr std::uint64_t many = 1 << 14;

// The operand `in` that a benchmark times, for every algorithm whose elements have the problem's type.
TEST(uniform_input, is_random_in_every_bit_of_every_type) {
  // Sorted input has no random high bits. Bodies, texts and ranges have their own distributions.
  const std::set<std::string_view> others{"merge",          "is-sorted",
                                          "merge-by-key",   "bounds",
                                          "range-counts",   "nbody",
                                          "tokens",         "fields",
                                          "thin-edges",     "includes",
                                          "set-union",      "set-intersection",
                                          "set-difference", "set-symmetric-difference"};
  const std::set<std::string_view> of_filters{"median", "bilateral", "resize", "linked-edges", "recursive-gaussian"};
  std::set<std::string> seen;
  for (const primitive what : all_primitives()) {
    const std::string_view name = name_of(what);
    if (others.contains(name)) continue;
    const conformance_test& e = conformance_test_of(what);
    for (const dtype type : all_dtypes)
      for (const bool inclusive : {false, true})
        for (problem form : e.timed(type, op_kind::plus, inclusive)) {
          form->n = many;
          e.complete(form, 5, 1);
          for (const array& a : e.arrays(form, 5, input_kind::uniform)) {
            if (!a.fill || a.slot.name() != "in" || a.size != size_of(type) || a.count < many / 2) continue;
            std::vector<std::byte> bytes(a.bytes());
            a.fill(bytes.data(), 0, a.count);
            // The factors of the recurrence are odd; otherwise earlier elements would soon have no effect. The input of
            // the filters is in (0, 1), and a third of it is a few repeated values, for the medians.
            const bool odd = name == "recurrence", picture = of_filters.contains(name);
            expect_random(bytes.data(), a.count, type, std::string(name) + ", " + e.words(form), !picture, !odd,
                          picture);
            seen.insert(std::string(name) + " " + std::string(name_of(type)));
            break;
          }
        }
  }
  for (const char* algorithm :
       {"reduce", "scan", "sort", "segmented-sort", "top-k", "select", "histogram", "segmented-reduce"})
    for (const char* type : {"u32", "u64", "f32", "f64"})
      EXPECT_TRUE(seen.contains(std::string(algorithm) + " " + type)) << algorithm << ", " << type;
}

TEST(uniform_input, of_keys_and_samples_is_random_in_every_bit) {
  for (const dtype type : all_dtypes)
    with_any_type(type, [&]<class T>(type_tag<T>) {
      detail::sort_impl::key_maker<T> keys;
      std::vector<order_image<T>> x(many);
      for (const bool numbers : {false, true}) {
        keys.numbers_only = numbers;
        for (std::uint64_t i = 0; i < many; ++i) x[i] = keys.key(input_kind::uniform, i, many, false);
        expect_random(x.data(), many, type, "keys of " + std::string(name_of(type)));
      }
      samples(type, input_kind::uniform, many, 3).fill(x.data(), 0, many);
      expect_random(x.data(), many, type, "samples of " + std::string(name_of(type)));
    });
}

// Sorted keys differ in their low bits as well: the low bits of evenly spaced keys would all be 0 at 2^k keys.
TEST(uniform_input, of_keys_in_order_has_low_bits) {
  for (const dtype type : {dtype::u32, dtype::u64, dtype::i64, dtype::f32, dtype::f64})
    with_any_type(type, [&]<class T>(type_tag<T>) {
      detail::sort_impl::key_maker<T> keys;
      keys.numbers_only = true;
      std::vector<order_image<T>> x(many);
      for (const bool one_a_rank : {false, true}) {
        for (std::uint64_t i = 0; i < many; ++i)
          x[i] = keys.ranked(i, many, detail::sort_impl::mixed(7, i), one_a_rank);
        const std::vector<double> share = ones(x.data(), many, sizeof(T));
        for (unsigned b = 0; b < 12; ++b) EXPECT_NEAR(share[b], 0.5, 0.1) << name_of(type) << ", bit " << b;
      }
    });
}

// For multiplied integers and for extreme values: the bits that the operator leaves free.
TEST(uniform_input, of_folds_is_random_in_every_bit) {
  for (const dtype type : folding_dtypes)
    for (const op_kind op : {op_kind::plus, op_kind::multiplies}) {
      if (!accepts(op, type)) continue;
      std::vector<std::byte> bytes(many * size_of(type));
      random_input(type, op, many, 9).fill(bytes.data(), 0, many);
      const bool factor = op == op_kind::multiplies;  // odd ones; floats close to 1
      if (factor && is_floating(type)) continue;
      expect_random(bytes.data(), many, type, std::string(name_of(op)) + " of " + std::string(name_of(type)), true,
                    !factor);
    }
}

}  // namespace
}  // namespace upsweep
