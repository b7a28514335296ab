// The conformance test of convolution. Integers are compared exactly, in wrapping arithmetic. Floats are compared with
// sums in double, within a bound that depends on the products: (t + 8) · eps · Σ|mask·in| for t products. For variants
// that combine a whole neighbourhood, such as the FFT, the bound is the variant's span times eps · Σ|mask| · max|in|.
// For a large picture with a large mask, the reference computes only some of the elements.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>

#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/conformance/sequential_folds.hpp"
#include "upsweep/convolve/convolve_bytes.hpp"
#include "upsweep/convolve/convolve_geometry.hpp"
#include "upsweep/convolve/convolve_problem.hpp"
#include "upsweep/cpu/block_partition.hpp"

namespace upsweep::detail::convolve_impl {

namespace {

using conformance_test = conformance_test_for<problem>;
using array = array_of<problem>;

constexpr double most_products = 0x1p24;  // that the reference computes for one problem

// ---- masks

// What the weights of a mask are follows from its size: those whose sides are multiples of seven are one number, other
// odd squares of rank 1 in floats are Gaussians, as pictures meet them, and the rest is anything.
bool is_constant(const problem& p) {
  return p.rank <= 1 && p.mask.z == 1 && p.mask.x % 7 == 0 && (p.mask.y == 1 || p.mask.y % 7 == 0);
}
bool is_gaussian(const problem& p) {
  return p.rank == 1 && p.mask_type == dtype::f32 && p.mask.z == 1 && p.mask.x == p.mask.y && p.mask.x % 2 == 1 &&
         p.mask.x > 1 && !is_constant(p);
}

// ---- forms

problem form_of(type_triple types, extent mask, border edge, std::uint32_t channels, bool flipped, std::uint32_t rank) {
  problem p;
  p.what = primitive::convolve;
  p.type = types.in, p.mask_type = types.mask, p.out_type = types.out;
  p.mask = mask, p.edge = edge, p.channels = channels, p.flipped = flipped, p.rank = rank;
  p.anchor = {mask.x / 2, mask.y / 2, mask.z / 2};
  p.constant = is_constant(p);
  p.size = {0, 0, 0};  // still to be set
  return p;
}

std::vector<problem> forms(bool sample) {
  struct shape {
    extent mask;
    std::uint32_t rank;
  };
  // Odd and even, one row, one column, larger than small pictures; textbook variants have tiles of 32 by 8 and of 256.
  constexpr shape masks[]{{{3, 1, 1}, 0},   {{4, 1, 1}, 0},  {{33, 1, 1}, 0}, {{3, 3, 1}, 0},   {{5, 4, 1}, 0},
                          {{1, 6, 1}, 0},   {{9, 9, 1}, 1},  {{8, 7, 1}, 2},  {{17, 15, 1}, 1}, {{3, 3, 3}, 0},
                          {{4, 3, 5}, 1},   {{1, 1, 1}, 0},  {{2, 1, 3}, 0},  {{5, 5, 1}, 0},   {{129, 1, 1}, 0},
                          {{31, 31, 1}, 1}, {{7, 7, 1}, 1},  {{14, 7, 1}, 1}, {{49, 1, 1}, 0},  {{7, 21, 1}, 0},
                          {{15, 15, 1}, 0}, {{13, 13, 1}, 1}};
  std::vector<problem> all;
  std::size_t turn = 0;
  for (const type_triple& types : all_types)
    for (const shape& s : masks) {
      const bool main_type = types == all_types[0] || types == all_types[2];
      // Each type meets each mask; the others take turns.
      for (std::size_t k = 0; k < (main_type && !sample ? all_borders.size() : 1); ++k, ++turn) {
        if (sample && turn % 3 != 0 && !(types == all_types[0])) continue;
        const border edge = all_borders[(turn + k) % all_borders.size()];
        all.push_back(form_of(types, s.mask, edge, static_cast<std::uint32_t>(1 + (turn / 2 + turn / 9) % 4),
                              turn % 3 == 1, s.rank));
      }
      if (main_type && !sample) all.push_back(form_of(types, s.mask, border::zero, 1, false, s.rank));
    }
  return all;
}

// From n, the number of elements wanted, to a picture of about as many.
void complete(problem& p, std::uint64_t, std::uint64_t turn) {
  if (p.size.y != 0) return;
  const bool plain = turn == 1;  // as a bench wants it
  const std::uint64_t pixels = (p.n + p.channels - 1) / p.channels;
  const auto at_least_one = [](double x) { return std::max<std::uint64_t>(static_cast<std::uint64_t>(x), 1); };
  if (p.mask.y == 1 && p.mask.z == 1) {
    constexpr std::uint64_t rows[]{1, 1, 3, 16};
    p.size = {1, plain ? 1 : std::min(rows[turn % 4], std::max<std::uint64_t>(pixels, 1)), 1};
  } else if (p.mask.z == 1) {
    const double side = std::sqrt(static_cast<double>(pixels));
    constexpr double shares[]{1, 1, 0.1, 7};
    const std::uint64_t height = at_least_one(side * (plain ? 1 : shares[turn % 4]));
    p.size = {1, !plain && turn % 9 == 4 ? 1 : !plain && turn % 9 == 7 ? pixels : height, 1};
  } else {
    const double side = std::cbrt(static_cast<double>(pixels));
    constexpr double shares[]{1, 0.4, 2};
    p.size.z = at_least_one(side * (plain ? 1 : shares[turn % 3]));
    p.size.y = at_least_one(std::sqrt(static_cast<double>(pixels) / static_cast<double>(p.size.z)));
  }
  if (pixels == 0) p.size = {0, 1, 1};
  p.size.y = std::min(p.size.y, std::max<std::uint64_t>(pixels, 1));
  if (pixels) p.size.x = std::max<std::uint64_t>(pixels / (p.size.y * p.size.z), 1);
  p.n = p.size.count() * p.channels;
  if (plain) return;
  p.anchor = {mixed(turn) % p.mask.x, mixed(turn + 1) % p.mask.y, mixed(turn + 2) % p.mask.z};
  if (turn % 5 == 1) p.anchor = {p.mask.x / 2, p.mask.y / 2, p.mask.z / 2};
  if (turn % 2) p.pitch = p.size.x * p.channels + turn % 7;
  if (turn % 3 == 1) p.out_pitch = out_size(p).x * p.channels + turn % 5;
}

// ---- operands

// In (-1, 1), or integers: small ones where a sum is to fit, all of them where it may wrap.
template <class T>
T element(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, half>) {
    return half(static_cast<float>(signed_unit(bits)));
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(signed_unit(bits));
  } else {
    return static_cast<T>(bits >> 17);
  }
}

// Of masks for u8: some products must saturate, and most must not.
template <class T>
T weight(std::uint64_t bits, const problem& p) {
  const double w = 2 * unit(bits) - (p.type == dtype::u8 ? 0.75 : 1);
  if constexpr (std::is_integral_v<T>) return static_cast<T>(p.type == dtype::u8 ? 4 * w : 1000 * w);
  return static_cast<T>(p.type == dtype::u8 ? w / std::sqrt(static_cast<double>(p.mask.count())) : w);
}

// The i-th factor's element. Of f32 and f64 powers of two times small integers, so that their products and the mask
// made of them are exact.
template <class T>
T factor(std::uint64_t i, const problem& p, std::uint64_t seed) {
  if (is_constant(p))
    return i < p.mask.x ? static_cast<T>(p.type == dtype::u8 && !std::is_integral_v<T> ? 0.0625 : 3) : T(1);
  if (is_gaussian(p)) {
    // Of twelve bits, so that products are exact; three sigmas and a half to either side; their sum is one.
    const auto middle = static_cast<double>(p.mask.x / 2), sigma = static_cast<double>(p.mask.x) / 7;
    const auto at = [&](double place) { return std::exp(-(place - middle) * (place - middle) / (2 * sigma * sigma)); };
    if (i >= 2 * p.mask.x) return T(1);
    double all = 0, rest = 4096;
    for (std::uint64_t k = 0; k < p.mask.x; ++k) all += at(static_cast<double>(k));
    const auto rounded = [&](std::uint64_t k) { return std::rint(4096 * at(static_cast<double>(k)) / all); };
    for (std::uint64_t k = 0; k < p.mask.x; ++k) rest -= rounded(k);
    const std::uint64_t place = i % p.mask.x;
    return static_cast<T>((rounded(place) + (place == p.mask.x / 2 ? rest : 0)) / 4096);
  }
  const std::uint64_t bits = mixed(seed + 977 * (i + 1));
  const auto whole = static_cast<double>(static_cast<std::int64_t>(bits % 9) - 4);
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(p.type == dtype::u8 ? std::clamp(whole, -1.0, 1.0) : whole);
  return static_cast<T>(whole / (p.type == dtype::u8 ? 16 : 4));
}

template <class T>
T mask_element(const problem& p, std::uint64_t i, std::uint64_t seed) {
  if (is_constant(p)) return factor<T>(0, p, seed);
  if (p.rank == 0) return weight<T>(mixed(seed + 31 * i + 5), p);
  const std::uint64_t x = i % p.mask.x, y = i / p.mask.x % p.mask.y, z = i / (p.mask.x * p.mask.y);
  T sum = 0;
  for (std::uint64_t r = 0; r < p.rank; ++r) {
    const std::uint64_t at = r * factor_elements(p.mask);
    sum += factor<T>(at + x, p, seed) * factor<T>(at + p.mask.x + y, p, seed) *
           factor<T>(at + p.mask.x + p.mask.y + z, p, seed);
  }
  return sum;
}

template <class F>
void with_mask_type(dtype type, F f) {
  if (type == dtype::i32) return f(type_tag<std::int32_t>{});
  if (type == dtype::f32) return f(type_tag<float>{});
  f(type_tag<double>{});
}

std::vector<array> arrays(const problem& p, std::uint64_t seed, input_kind) {
  const geometry g = geometry_of(p);
  std::vector<array> all;
  all.push_back({&problem::in, span_of(g.in, g.channels, g.in_pitch), size_of(p.type),
                 [type = p.type, row = g.in.x * g.channels, pitch = g.in_pitch, seed](void* to, std::uint64_t first,
                                                                                      std::uint64_t count) {
                   with_any_type(type, [&]<class T>(type_tag<T>) {
                     T* x = static_cast<T*>(to);
                     for (std::uint64_t i = 0; i < count; ++i) x[i] = element<T>(mixed(seed + first + i));
                     // Whoever reads a gap meets a NaN.
                     for (std::uint64_t i = 0; i < count; ++i)
                       if ((first + i) % pitch >= row) std::memset(static_cast<void*>(x + i), 0xff, sizeof(T));
                   });
                 }});
  all.push_back({&problem::in2, p.mask.count(), size_of(p.mask_type),
                 [p, seed](void* to, std::uint64_t first, std::uint64_t count) {
                   with_mask_type(p.mask_type, [&]<class T>(type_tag<T>) {
                     for (std::uint64_t i = 0; i < count; ++i)
                       static_cast<T*>(to)[i] = mask_element<T>(p, first + i, seed);
                   });
                 }});
  if (p.rank)
    all.push_back({&problem::in3, p.rank * factor_elements(p.mask), size_of(p.mask_type),
                   [p, seed](void* to, std::uint64_t first, std::uint64_t count) {
                     with_mask_type(p.mask_type, [&]<class T>(type_tag<T>) {
                       for (std::uint64_t i = 0; i < count; ++i) static_cast<T*>(to)[i] = factor<T>(first + i, p, seed);
                     });
                   }});
  all.push_back({&problem::out, span_of(g.out, g.channels, g.out_pitch), size_of(p.out_type), {}, true});
  return all;
}

// ---- the judge

template <class Mask>
using wide = std::conditional_t<std::is_same_v<Mask, std::int32_t>, std::uint32_t, double>;

template <class In, class Mask, class Out>
class reference_results {
 public:
  reference_results(const problem& p, double span) : p_(p), g_(geometry_of(p)) {
    const Mask* m = p.in2.as<const Mask>();
    mask_.assign(m, m + p.mask.count());
    if (p.flipped) std::reverse(mask_.begin(), mask_.end());
    if constexpr (!std::is_integral_v<Mask>) {
      double total = 0, most = 0;
      for (const Mask w : mask_) total += std::abs(static_cast<double>(w));
      for (std::uint64_t row = 0; row < g_.in.y * g_.in.z; ++row)
        for (std::uint64_t i = 0; i < g_.in.x * g_.channels; ++i)
          most = std::max(most, std::abs(static_cast<double>(p.in.as<const In>()[row * g_.in_pitch + i])));
      mixed_in_ = span * total * most;
      if (folded(p)) folding_ = folding_error(p);
    }
  }

  // Of one element; empty when it is right.
  std::string wrong(std::uint64_t c, std::uint64_t x, std::uint64_t y, std::uint64_t z) const {
    wide<Mask> sum = 0;
    double size = 0;
    const In* in = p_.in.as<const In>() + c;
    std::uint64_t at = 0;
    for (std::uint64_t k = 0; k < g_.mask.z; ++k) {
      const std::int64_t sz = place(z + k, g_.before.z, g_.in.z);
      for (std::uint64_t j = 0; j < g_.mask.y; ++j) {
        const std::int64_t sy = place(y + j, g_.before.y, g_.in.y);
        for (std::uint64_t i = 0; i < g_.mask.x; ++i, ++at) {
          const std::int64_t sx = place(x + i, g_.before.x, g_.in.x);
          if (sx < 0 || sy < 0 || sz < 0) continue;
          const auto row = static_cast<std::uint64_t>(sz) * g_.in.y + static_cast<std::uint64_t>(sy);
          const auto product =
              static_cast<wide<Mask>>(mask_[at]) *
              static_cast<wide<Mask>>(in[row * g_.in_pitch + static_cast<std::uint64_t>(sx) * g_.channels]);
          sum += product;
          if constexpr (!std::is_integral_v<Mask>) size += std::abs(product);
        }
      }
    }
    const Out got = p_.out.as<const Out>()[(z * g_.out.y + y) * g_.out_pitch + x * g_.channels + c];
    if constexpr (std::is_integral_v<Mask>) {
      const Out want = stored<Out>(sum);
      return got == want ? std::string() : std::to_string(got) + " is not " + std::to_string(want);
    } else {
      constexpr double eps = std::is_same_v<Mask, double> ? 0x1p-53 : 0x1p-24;
      const double bound = eps * ((static_cast<double>(mask_.size()) + 8) * size + mixed_in_) + folding_;
      if constexpr (std::is_same_v<Out, std::uint8_t>) {
        const std::uint8_t low = stored<Out>(static_cast<float>(sum - bound)),
                           high = stored<Out>(static_cast<float>(sum + bound));
        if (got >= low && got <= high) return {};
        return std::to_string(got) + " is not " + number(sum) + ", rounded";
      } else {
        const double rounding = std::is_same_v<Out, half> ? std::abs(sum) * 0x1p-11 + 0x1p-25 : 0;
        const double error = std::abs(static_cast<double>(got) - sum);
        if (error <= bound + rounding) return {};
        return number(static_cast<double>(got)) + " is not " + number(sum) + ", off by " + number(error) + " where " +
               number(bound + rounding) + " is allowed";
      }
    }
  }

 private:
  std::int64_t place(std::uint64_t at, std::uint64_t before, std::uint64_t size) const {
    return border_index(g_.edge, static_cast<std::int64_t>(at) - static_cast<std::int64_t>(before),
                        static_cast<std::int64_t>(size));
  }
  const problem& p_;
  geometry g_;
  std::vector<Mask> mask_;
  double mixed_in_ = 0, folding_ = 0;
};

std::string gap_written(const problem& p, const geometry& g) {
  const std::uint64_t row = g.out.x * g.channels, rows = g.out.y * g.out.z, size = size_of(p.out_type);
  const auto* bytes = p.out.as<const unsigned char>();
  for (std::uint64_t r = 0; r + 1 < rows; ++r)
    for (std::uint64_t b = (r * g.out_pitch + row) * size; b < (r + 1) * g.out_pitch * size; ++b)
      if (bytes[b] != poison) return "the gap after row " + std::to_string(r) + " was written";
  return {};
}

std::string wrong(const problem& p, double span) {
  const geometry g = geometry_of(p);
  if (g.out.count() == 0) return {};
  if (std::string gap = gap_written(p, g); !gap.empty()) return gap;
  return with_types(
      p, [&]<class In, class Mask, class Out>(type_tag<In>, type_tag<Mask>, type_tag<Out>) -> std::string {
        const reference_results<In, Mask, Out> all(p, span);
        const std::uint64_t elements = g.out.count() * g.channels;
        const double products = static_cast<double>(elements) * static_cast<double>(p.mask.count());
        // Each block of so many elements has one of them computed anew, and so are all near the corners of the whole.
        const auto block = static_cast<std::uint64_t>(std::max(1.0, std::ceil(products / most_products)));
        const std::uint64_t ends =
            block == 1 ? 0
                       : std::min<std::uint64_t>(
                             elements, static_cast<std::uint64_t>(0x1p22 / static_cast<double>(p.mask.count())) + 64);
        std::mutex guard;
        std::uint64_t first_wrong = elements;
        std::string what;
        const auto look_at = [&](std::uint64_t i) {
          const std::uint64_t c = i % g.channels, pixel = i / g.channels;
          const std::uint64_t x = pixel % g.out.x, y = pixel / g.out.x % g.out.y, z = pixel / g.out.x / g.out.y;
          std::string bad = all.wrong(c, x, y, z);
          if (bad.empty()) return;
          const std::scoped_lock lock(guard);
          if (i >= first_wrong) return;
          first_wrong = i;
          what = "(" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ")" +
                 (g.channels > 1 ? " channel " + std::to_string(c) : std::string()) + ": " + bad;
        };
        cpu::for_each_piece((elements + block - 1) / block, 256, [&](std::uint64_t first, std::uint64_t last) {
          for (std::uint64_t b = first; b < last; ++b)
            look_at(std::min(elements - 1, b * block + (block == 1 ? 0 : mixed(b) % block)));
        });
        cpu::for_each_piece(ends, 256, [&](std::uint64_t first, std::uint64_t last) {
          for (std::uint64_t i = first; i < last; ++i) look_at(i), look_at(elements - 1 - i);
        });
        return what;
      });
}

std::string text(const extent& e) {
  return std::to_string(e.x) + "x" + std::to_string(e.y) + (e.z > 1 ? "x" + std::to_string(e.z) : std::string());
}

std::string words(const problem& p) {
  std::string s(name_of(p.type));
  if (p.mask_type != p.type) s += ", mask " + std::string(name_of(p.mask_type));
  if (p.out_type != p.type) s += ", to " + std::string(name_of(p.out_type));
  if (p.constant) s += ", one number";
  s += p.mask.y == 1 && p.mask.z == 1 ? ", 1-D mask " + std::to_string(p.mask.x) : ", mask " + text(p.mask);
  if (p.rank) s += " of rank " + std::to_string(p.rank);
  if (p.flipped) s += " turned";
  s += ", border " + std::string(name_of(p.edge));
  if (p.channels > 1) s += ", " + std::to_string(p.channels) + " channels";
  if (p.size.y != 0) {
    if (p.anchor != extent{p.mask.x / 2, p.mask.y / 2, p.mask.z / 2})
      s += ", anchor (" + std::to_string(p.anchor.x) + ", " + std::to_string(p.anchor.y) + ", " +
           std::to_string(p.anchor.z) + ")";
    if (p.pitch || p.out_pitch) s += ", rows with gaps";
  }
  return s;
}

std::vector<problem> timed(dtype type, op_kind, bool inclusive) {
  if (inclusive || (type != dtype::f32 && type != dtype::u8)) return {};
  const type_triple types{type, dtype::f32, type};
  std::vector<problem> all;
  const auto add = [&](extent mask, std::uint32_t rank) {
    all.push_back(form_of(types, mask, border::clamp, 1, false, rank));
  };
  for (const std::uint64_t k : {3, 5, 7, 9, 15}) add({k, k, 1}, 0);
  if (type == dtype::f32) add({31, 31, 1}, 0);
  for (const std::uint64_t k : {17, 25}) add({k, k, 1}, 0);
  add({5, 8, 1}, 0), add({25, 25, 1}, 1);
  for (const std::uint64_t k : {3, 5, 9, 15, 31})
    if (type == dtype::u8 || k >= 15) add({k, k, 1}, 1);
  for (const std::uint64_t k : {7, 63}) add({k, k, 1}, 1);
  if (type == dtype::f32)
    for (const std::uint64_t k : {9, 127, 4097}) add({k, 1, 1}, 0);
  // Once more with zeros beyond the edges: the one border that cuDNN knows.
  if (type == dtype::f32)
    for (const extent mask : {extent{3, 3, 1}, extent{7, 7, 1}, extent{15, 15, 1}, extent{9, 1, 1}, extent{127, 1, 1}})
      all.push_back(form_of(types, mask, border::zero, 1, false, 0));
  return all;
}

traffic moves(const problem& p, input_kind) {
  // Before its size is set, as many results as elements.
  const double results = static_cast<double>(p.size.y == 0 ? p.n : out_size(p).count() * p.channels);
  return {static_cast<double>(p.n) * static_cast<double>(size_of(p.type)),
          results * static_cast<double>(size_of(p.out_type))};
}

}  // namespace

std::vector<upsweep::conformance_test> conformance_tests() {
  conformance_test e;
  e.what = primitive::convolve;
  e.forms = forms;
  e.complete = complete;
  e.arrays = arrays;
  e.wrong = wrong;
  e.words = words;
  e.timed = timed;
  e.moves = moves;
  e.huge = [] {  // rows, and pictures of a few rows more than 2^16; floats with zero borders for textbook variants
    const type_triple bytes{dtype::u8, dtype::f32, dtype::u8}, floats{dtype::f32, dtype::f32, dtype::f32};
    std::vector<problem> all{
        form_of(bytes, {9, 1, 1}, border::clamp, 1, false, 0), form_of(floats, {9, 1, 1}, border::zero, 1, false, 0),
        form_of(bytes, {3, 3, 1}, border::clamp, 1, false, 0), form_of(bytes, {9, 9, 1}, border::clamp, 1, false, 1),
        form_of(floats, {3, 3, 1}, border::zero, 1, false, 1)};
    for (std::size_t i = 2; i < all.size(); ++i) all[i].n = (std::uint64_t{1} << 32) + (std::uint64_t{1} << 20);
    return all;
  };
  return {e};
}

}  // namespace upsweep::detail::convolve_impl
