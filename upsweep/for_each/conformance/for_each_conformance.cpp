// The conformance test of for_each_index, with two functions. Integers are compared exactly. For floats, the product
// and the sum may be rounded separately, or once if they are fused.
#include <cmath>

#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/conformance/sequential_folds.hpp"
#include "upsweep/for_each/for_each_problem.hpp"

namespace upsweep::detail::for_each_impl {

namespace {

using conformance_test = conformance_test_for<problem>;
using array = array_of<problem>;

problem form(dtype type) {
  problem p;
  p.type = type, p.factor = -1.7f;
  return p;
}

std::vector<problem> forms(bool) { return {form(dtype::f32), form(dtype::u32)}; }

void complete(problem&, std::uint64_t, std::uint64_t) {}

// Floats in (-1, 1); one in 64 is a NaN, an infinity, or large.
float element(std::uint64_t bits) {
  constexpr float others[]{NAN, INFINITY, -INFINITY, 1e30f};
  return bits % 64 == 0 ? others[bits >> 8 & 3] : static_cast<float>(signed_unit(bits));
}

std::vector<array> arrays(const problem& p, std::uint64_t seed, input_kind) {
  const auto input = [&](memory problem::* slot, std::uint64_t apart) {
    return array{slot, p.n, 4,
                 [type = p.type, seed, apart](void* to, std::uint64_t first, std::uint64_t count) {
                   for (std::uint64_t i = 0; i < count; ++i) {
                     const std::uint64_t bits = mixed(seed * 3 + 2 * (first + i) + apart);
                     if (type == dtype::f32)
                       static_cast<float*>(to)[i] = element(bits);
                     else
                       static_cast<std::uint32_t*>(to)[i] = static_cast<std::uint32_t>(bits);
                   }
                 },
                 false};
  };
  std::vector<array> all{input(&problem::in, 0)};
  if (p.type == dtype::f32) all.push_back(input(&problem::in2, 1));
  all.push_back({&problem::out, p.n, 4, {}, true});
  return all;
}

std::string wrong(const problem& p, double) {
  for (std::uint64_t i = 0; i < p.n; ++i) {
    const auto place = [&] { return "element " + std::to_string(i) + " of " + std::to_string(p.n) + ": "; };
    if (p.type == dtype::u32) {
      // The hash anew, word by word.
      std::uint64_t h = i;
      h ^= h >> 31, h *= 11400714819323198485u, h ^= h >> 29, h *= 13787848793156543929u;
      const std::uint32_t want = p.in.as<const std::uint32_t>()[i] ^ static_cast<std::uint32_t>(h >> 32),
                          got = p.out.as<const std::uint32_t>()[i];
      if (got != want) return place() + std::to_string(got) + " is not " + std::to_string(want);
      continue;
    }
    const double product = double(p.factor) * p.in.as<const float>()[i], y = p.in2.as<const float>()[i],
                 want = product + y, got = p.out.as<const float>()[i];
    if (std::isnan(want) ? std::isnan(got) : got == want) continue;
    const double allowed = 0x1p-24 * (std::abs(product) + std::abs(want)) * 1.01;
    if (!(std::abs(got - want) <= allowed)) return place() + number(got) + " is not " + number(want);
  }
  return {};
}

std::string words(const problem& p) { return p.type == dtype::f32 ? "f32 a x + y" : "u32 hash of the index"; }

std::vector<problem> timed(dtype type, op_kind, bool inclusive) {
  if (inclusive || not_of_the_types(form(type))) return {};
  return {form(type)};
}

traffic moves(const problem& p, input_kind) {
  const double bytes = 4.0 * static_cast<double>(p.n);
  return {p.type == dtype::f32 ? 2 * bytes : bytes, bytes};
}

}  // namespace

std::vector<upsweep::conformance_test> conformance_tests() {
  conformance_test e;
  e.what = primitive::for_each_index;
  e.forms = forms, e.complete = complete, e.arrays = arrays, e.wrong = wrong, e.words = words;
  e.timed = timed, e.moves = moves;
  e.in_place = {{&problem::out, &problem::in}};
  e.huge = [] { return std::vector<problem>{form(dtype::u32)}; };
  return {e};
}

}  // namespace upsweep::detail::for_each_impl
