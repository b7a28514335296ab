// The weighted sum of lines. A block of four rows by some vectors of results stays in registers while the kernel reads
// the lines: each loaded vector is used for every row of results whose window contains its line, so that there are
// fewer loads than multiplications.
#include "upsweep/cpu/simd_targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "upsweep/convolve/cpu/convolve_cpu_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <type_traits>
#include <utility>

#include "upsweep/convolve/convolve_geometry.hpp"
#include "upsweep/convolve/cpu/convolve_cpu_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace upsweep::cpu::HWY_NAMESPACE {
namespace convolve {

namespace hn = hwy::HWY_NAMESPACE;

template <class S>
using vec_of = hn::Vec<hn::ScalableTag<S>>;

// Vectors of results a row: as many as fit in registers for four rows, with some left for loaded vectors.
#if HWY_TARGET <= HWY_AVX3 || HWY_TARGET == HWY_NEON
inline constexpr int wide = 4;
#else
inline constexpr int wide = 2;
#endif

template <class S>
HWY_INLINE vec_of<S> multiply_add(vec_of<S> a, vec_of<S> b, vec_of<S> sum) {
  if constexpr (std::is_floating_point_v<S>) {
    return hn::MulAdd(a, b, sum);
  } else {
    return hn::Add(sum, hn::Mul(a, b));
  }
}

// Adds W vectors of a line, times one weight, to one row of results.
template <class S, int W, int... w>
HWY_INLINE void add_row(vec_of<S> (&sum)[W], const vec_of<S> (&x)[W], S weight, std::integer_sequence<int, w...>) {
  const vec_of<S> m = hn::Set(hn::ScalableTag<S>(), weight);
  ((sum[w] = multiply_add<S>(x[w], m, sum[w])), ...);
}

template <class S, int W, int... w>
HWY_INLINE void load_row(vec_of<S> (&x)[W], const S* from, std::integer_sequence<int, w...>) {
  constexpr std::uint64_t lanes = hn::MaxLanes(hn::ScalableTag<S>());
  ((x[w] = hn::LoadU(hn::ScalableTag<S>(), from + w * lanes)), ...);
}

// Adds a line that is in the windows of rows low to low + sizeof...(r) - 1 of results: row low + r takes its weights
// from `weights` minus r rows of them.
template <class S, int R, int W, int low, int... r>
HWY_INLINE void add_line(vec_of<S> (&sum)[R][W], const S* line, const S* weights, std::uint64_t width,
                         std::uint64_t step, std::integer_sequence<int, r...>) {
  constexpr std::make_integer_sequence<int, W> all{};
  for (std::uint64_t i = 0; i < width; ++i) {
    vec_of<S> x[W];
    load_row<S, W>(x, line + i * step, all);
    (add_row<S, W>(sum[low + r], x, *(weights + i - static_cast<std::uint64_t>(r) * width), all), ...);
  }
}

template <class S, int R, int W, int low, int high>
HWY_INLINE void add_under(vec_of<S> (&sum)[R][W], const S* line, const S* weights, std::uint64_t width,
                          std::uint64_t step) {
  if constexpr (high < R && low <= high)
    add_line<S, R, W, low>(sum, line, weights, width, step, std::make_integer_sequence<int, high - low + 1>());
}

// As detail::convolve_impl::stored: rounds half to even, saturates, NaN becomes 0.
template <class D>
HWY_INLINE void store_bytes(D d, hn::Vec<D> sum, std::uint8_t* to) {
  const auto some = hn::IfThenElseZero(hn::Gt(sum, hn::Zero(d)), sum);
  // Adding 2^23 to a float below 2^23 rounds it to an integer, as no bits are left for a fraction.
  const auto whole = hn::Add(hn::Min(some, hn::Set(d, 255.0f)), hn::Set(d, 0x1p23f));
  const hn::RebindToUnsigned<D> words;
  const hn::Rebind<std::uint8_t, D> narrow;
  hn::StoreU(hn::TruncateTo(narrow, hn::BitCast(words, whole)), narrow, to);
}

// One row of results. (The compiler would keep an array of vectors in memory if a loop indexed it.)
template <class S, int W, int... w>
HWY_INLINE void store_row(const vec_of<S> (&sum)[W], void* to, std::uint64_t x, bool bytes,
                          std::integer_sequence<int, w...>) {
  const hn::ScalableTag<S> d;
  constexpr std::uint64_t lanes = hn::MaxLanes(hn::ScalableTag<S>());
  if constexpr (std::is_same_v<S, float>)
    if (bytes) {
      (store_bytes(d, sum[w], static_cast<std::uint8_t*>(to) + x + w * lanes), ...);
      return;
    }
  (hn::StoreU(sum[w], d, static_cast<S*>(to) + x + w * lanes), ...);
}
template <class S, int R, int W, int... r>
HWY_INLINE void store_rows(const vec_of<S> (&sum)[R][W], const weighted& work, std::uint64_t x,
                           std::integer_sequence<int, r...>) {
  (store_row<S, W>(sum[r], work.out[r], x, work.bytes, std::make_integer_sequence<int, W>()), ...);
}

// Results [x, x + W vectors) of R rows.
template <class S, int R, int W>
HWY_INLINE void block(const weighted& work, std::uint64_t x) {
  const hn::ScalableTag<S> d;
  constexpr std::uint64_t lanes = hn::MaxLanes(hn::ScalableTag<S>());
  const auto* weights = static_cast<const S*>(work.weights);
  vec_of<S> sum[R][W];
  for (int r = 0; r < R; ++r)
    for (int w = 0; w < W; ++w)
      sum[r][w] = work.add
                      ? hn::LoadU(d, static_cast<const S*>(work.out[r]) + x + static_cast<std::uint64_t>(w) * lanes)
                      : hn::Zero(d);
  const auto height = static_cast<int>(work.height);
  for (int l = 0; l < height + R - 1; ++l) {
    const auto* line = static_cast<const S*>(work.lines[l]) + x;
    // Row l - r of the mask multiplies line l for row r of results.
    const int low = l - height + 1 > 0 ? l - height + 1 : 0, high = l < R - 1 ? l : R - 1;
    const S* first = weights + static_cast<std::uint64_t>(l - low) * work.width;
    switch (low * 4 + high) {
      case 0: add_under<S, R, W, 0, 0>(sum, line, first, work.width, work.step); break;
      case 1: add_under<S, R, W, 0, 1>(sum, line, first, work.width, work.step); break;
      case 2: add_under<S, R, W, 0, 2>(sum, line, first, work.width, work.step); break;
      case 3: add_under<S, R, W, 0, 3>(sum, line, first, work.width, work.step); break;
      case 5: add_under<S, R, W, 1, 1>(sum, line, first, work.width, work.step); break;
      case 6: add_under<S, R, W, 1, 2>(sum, line, first, work.width, work.step); break;
      case 7: add_under<S, R, W, 1, 3>(sum, line, first, work.width, work.step); break;
      case 10: add_under<S, R, W, 2, 2>(sum, line, first, work.width, work.step); break;
      case 11: add_under<S, R, W, 2, 3>(sum, line, first, work.width, work.step); break;
      case 15: add_under<S, R, W, 3, 3>(sum, line, first, work.width, work.step); break;
    }
  }
  store_rows<S, R, W>(sum, work, x, std::make_integer_sequence<int, R>());
}

template <class S, int R>
void rows_of(const weighted& work) {
  constexpr std::uint64_t lanes = hn::MaxLanes(hn::ScalableTag<S>());
  // A single row shares no loads with a neighbour, but has as many sums to keep the multipliers busy.
  constexpr int W = R == 1 ? 2 * wide : wide;
  std::uint64_t x = 0;
  for (; x + W * lanes <= work.count; x += W * lanes) block<S, R, W>(work, x);
  for (; x < work.count; x += lanes) block<S, R, 1>(work, x);
}

template <class S>
void rows(const weighted& work) {
  switch (work.rows) {
    case 1: return rows_of<S, 1>(work);
    case 2: return rows_of<S, 2>(work);
    case 3: return rows_of<S, 3>(work);
    default: return rows_of<S, 4>(work);
  }
}

// ---- bytes in fixed point

using words_tag = hn::ScalableTag<std::uint16_t>;
using words = hn::Vec<words_tag>;

// A 16-bit word holds two neighbouring bytes: each is extracted times 256. `pair` takes the mean of both elements of a
// product, which loses no bit.
HWY_INLINE words even_of(words two) { return hn::ShiftLeft<8>(two); }
HWY_INLINE words odd_of(words two) { return hn::And(two, hn::Set(words_tag(), 0xff00)); }
HWY_INLINE words word_at(const void* at, std::uint64_t byte) {
  return hn::LoadU(words_tag(), reinterpret_cast<const std::uint16_t*>(static_cast<const char*>(at) + byte));
}
// On average a product truncates half of its last bit, which is added here.
HWY_INLINE words left_off(std::uint64_t products, std::uint64_t more) {
  return hn::Set(words_tag(), static_cast<std::uint16_t>(products / 2 + more));
}

// R: the reach, if known at compile time.
template <int R>
void fold_row_by(const folded& work) {
  const std::uint64_t reach = R ? R : work.reach, block = 2 * hn::Lanes(words_tag());
  const words all_off = left_off(reach + 1, 0), middle = hn::Set(words_tag(), work.weights[0]);
  const auto* line = static_cast<const char*>(work.lines[0]);
  for (std::uint64_t x = 0; x < work.count; x += block) {
    const char* const at = line + x;
    const words two = word_at(at, reach * work.step);
    words even = hn::Add(all_off, hn::MulHigh(even_of(two), middle)),
          odd = hn::Add(all_off, hn::MulHigh(odd_of(two), middle));
    for (std::uint64_t i = 1; i <= reach; ++i) {
      const words a = word_at(at, (reach - i) * work.step), b = word_at(at, (reach + i) * work.step),
                  weight = hn::Set(words_tag(), work.weights[i]);
      even = hn::Add(even, hn::MulHigh(hn::AverageRound(even_of(a), even_of(b)), weight));
      odd = hn::Add(odd, hn::MulHigh(hn::AverageRound(odd_of(a), odd_of(b)), weight));
    }
    auto* const to = static_cast<std::uint16_t*>(work.out) + x;
    hn::StoreU(even, words_tag(), to);
    hn::StoreU(odd, words_tag(), to + block / 2);
  }
}

template <int R>
void fold_column_by(const folded& work) {
  const std::uint64_t reach = R ? R : work.reach, block = 2 * hn::Lanes(words_tag());
  const words all_off = left_off(reach + 1, 128), middle = hn::Set(words_tag(), work.weights[0]);
  for (std::uint64_t x = 0; x < work.count; x += block) {
    const auto even_at = [&](std::uint64_t line) { return word_at(work.lines[line], 2 * x); };
    const auto odd_at = [&](std::uint64_t line) { return word_at(work.lines[line], 2 * x + block); };
    words even = hn::Add(all_off, hn::MulHigh(even_at(reach), middle)),
          odd = hn::Add(all_off, hn::MulHigh(odd_at(reach), middle));
    for (std::uint64_t i = 1; i <= reach; ++i) {
      const words weight = hn::Set(words_tag(), work.weights[i]);
      even = hn::Add(even, hn::MulHigh(hn::AverageRound(even_at(reach - i), even_at(reach + i)), weight));
      odd = hn::Add(odd, hn::MulHigh(hn::AverageRound(odd_at(reach - i), odd_at(reach + i)), weight));
    }
    hn::StoreU(hn::Or(odd_of(odd), hn::ShiftRight<8>(even)), words_tag(),
               reinterpret_cast<std::uint16_t*>(static_cast<char*>(work.out) + x));
  }
}

void folded_row(const folded& work) {
  switch (work.reach) {
    case 1: return fold_row_by<1>(work);
    case 2: return fold_row_by<2>(work);
    case 3: return fold_row_by<3>(work);
    case 4: return fold_row_by<4>(work);
    case 7: return fold_row_by<7>(work);
    default: return fold_row_by<0>(work);
  }
}
void folded_column(const folded& work) {
  switch (work.reach) {
    case 1: return fold_column_by<1>(work);
    case 2: return fold_column_by<2>(work);
    case 3: return fold_column_by<3>(work);
    case 4: return fold_column_by<4>(work);
    case 7: return fold_column_by<7>(work);
    default: return fold_column_by<0>(work);
  }
}

// ---- elements to sums, and back

template <class From, class To>
void to_accumulator(const void* from, void* to, std::uint64_t count) {
  const auto* x = static_cast<const From*>(from);
  auto* y = static_cast<To*>(to);
  for (std::uint64_t i = 0; i < count; ++i) y[i] = detail::convolve_impl::to_accumulator<To>(x[i]);
}

template <class From, class To>
void store(const void* from, void* to, std::uint64_t count) {
  const auto* x = static_cast<const From*>(from);
  auto* y = static_cast<To*>(to);
  for (std::uint64_t i = 0; i < count; ++i) y[i] = detail::convolve_impl::stored<To>(x[i]);
}

void bytes_to_accumulator(const void* from, void* to, std::uint64_t count) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<std::int32_t, decltype(d)> whole;
  const hn::Rebind<std::uint8_t, decltype(d)> narrow;
  const auto* x = static_cast<const std::uint8_t*>(from);
  auto* y = static_cast<float*>(to);
  const std::uint64_t lanes = hn::Lanes(d);
  std::uint64_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    const auto a = hn::PromoteTo(whole, hn::LoadU(narrow, x + i)),
               b = hn::PromoteTo(whole, hn::LoadU(narrow, x + i + lanes));
    hn::StoreU(hn::ConvertTo(d, a), d, y + i);
    hn::StoreU(hn::ConvertTo(d, b), d, y + i + lanes);
  }
  for (; i < count; ++i) y[i] = x[i];
}

void store_all_bytes(const void* from, void* to, std::uint64_t count) {
  const hn::ScalableTag<float> d;
  const auto* x = static_cast<const float*>(from);
  auto* y = static_cast<std::uint8_t*>(to);
  const std::uint64_t lanes = hn::Lanes(d);
  std::uint64_t i = 0;
  for (; i + lanes <= count; i += lanes) store_bytes(d, hn::LoadU(d, x + i), y + i);
  for (; i < count; ++i) y[i] = detail::convolve_impl::stored<std::uint8_t>(x[i]);
}

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
// These instruction sets have f16 conversions, which round as `half` does.
void halves_to_accumulator(const void* from, void* to, std::uint64_t count) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> dh;
  const auto* x = static_cast<const half*>(from);
  auto* y = static_cast<float*>(to);
  const std::uint64_t lanes = hn::Lanes(d);
  std::uint64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(dh, reinterpret_cast<const hwy::float16_t*>(x + i))), d, y + i);
  for (; i < count; ++i) y[i] = static_cast<float>(x[i]);
}
void store_halves(const void* from, void* to, std::uint64_t count) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> dh;
  const auto* x = static_cast<const float*>(from);
  auto* y = static_cast<half*>(to);
  const std::uint64_t lanes = hn::Lanes(d);
  std::uint64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::DemoteTo(dh, hn::LoadU(d, x + i)), dh, reinterpret_cast<hwy::float16_t*>(y + i));
  for (; i < count; ++i) y[i] = half(x[i]);
}
#else
constexpr line_kernel halves_to_accumulator = to_accumulator<half, float>, store_halves = store<float, half>;
#endif

line_kernel to_accumulator_for(dtype element, dtype sum) {
  if (element == dtype::f16) return halves_to_accumulator;
  if (sum == dtype::u8) return to_accumulator<std::uint8_t, std::uint8_t>;
  if (element == dtype::u8)
    return sum == dtype::f32 ? bytes_to_accumulator : to_accumulator<std::uint8_t, std::uint32_t>;
  return size_of(element) == 8 ? to_accumulator<double, double> : to_accumulator<std::uint32_t, std::uint32_t>;
}
line_kernel store_for(dtype sum, dtype result) {
  if (result == dtype::f16) return store_halves;
  if (result == dtype::u8) return sum == dtype::f32 ? store_all_bytes : store<std::uint32_t, std::uint8_t>;
  return size_of(result) == 8 ? store<double, double> : store<std::uint32_t, std::uint32_t>;
}

template <class S>
void multiply(const void* a, const void* b, void* to, std::uint64_t count) {
  const S *x = static_cast<const S*>(a), *y = static_cast<const S*>(b);
  S* z = static_cast<S*>(to);
  std::uint64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  // Real and imaginary parts alternate: multiplies by y's real parts, and, with the parts swapped, by its imaginary
  // parts.
  const hn::ScalableTag<S> d;
  const std::uint64_t lanes = hn::Lanes(d);
  for (; i + lanes <= 2 * count; i += lanes) {
    const auto u = hn::LoadU(d, x + i), v = hn::LoadU(d, y + i);
    const auto crossed = hn::Mul(hn::Reverse2(d, u), hn::DupOdd(v));
    hn::StoreU(hn::MulAdd(u, hn::DupEven(v), hn::OddEven(crossed, hn::Neg(crossed))), d, z + i);
  }
#endif
  for (; i < 2 * count; i += 2) {
    const S real = x[i] * y[i] - x[i + 1] * y[i + 1], imaginary = x[i] * y[i + 1] + x[i + 1] * y[i];
    z[i] = real, z[i + 1] = imaginary;
  }
}

template <class S>
void interleave(const void* a, const void* b, void* to, std::uint64_t count) {
  const S *x = static_cast<const S*>(a), *y = static_cast<const S*>(b);
  S* z = static_cast<S*>(to);
  std::uint64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<S> d;
  for (const std::uint64_t lanes = hn::Lanes(d); i + lanes <= count; i += lanes)
    hn::StoreInterleaved2(hn::LoadU(d, x + i), hn::LoadU(d, y + i), d, z + 2 * i);
#endif
  for (; i < count; ++i) z[2 * i] = x[i], z[2 * i + 1] = y[i];
}

template <class S>
void deinterleave(const void* from, int part, void* to, std::uint64_t count) {
  const S* x = static_cast<const S*>(from);
  S* y = static_cast<S*>(to);
  std::uint64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<S> d;
  for (const std::uint64_t lanes = hn::Lanes(d); i + lanes <= count; i += lanes) {
    hn::Vec<decltype(d)> real, imaginary;
    hn::LoadInterleaved2(d, x + 2 * i, real, imaginary);
    hn::StoreU(part == 0 ? real : imaginary, d, y + i);
  }
#endif
  for (; i < count; ++i) y[i] = x[2 * i + static_cast<std::uint64_t>(part)];
}

}  // namespace convolve

weighted_kernel convolve_rows(dtype sum) {
  if (sum == dtype::f32) return convolve::rows<float>;
  if (sum == dtype::f64) return convolve::rows<double>;
  return convolve::rows<std::uint32_t>;
}
folded_kernel convolve_fold_row() { return convolve::folded_row; }
folded_kernel convolve_fold_column() { return convolve::folded_column; }
line_kernel convolve_to_accumulator(dtype element, dtype sum) { return convolve::to_accumulator_for(element, sum); }
line_kernel convolve_store(dtype sum, dtype result) { return convolve::store_for(sum, result); }
spectrum_kernel convolve_multiply(dtype real) {
  return real == dtype::f32 ? convolve::multiply<float> : convolve::multiply<double>;
}

interleave_kernel convolve_interleave(dtype real) {
  return real == dtype::f32 ? convolve::interleave<float> : convolve::interleave<double>;
}
deinterleave_kernel convolve_deinterleave(dtype real) {
  return real == dtype::f32 ? convolve::deinterleave<float> : convolve::deinterleave<double>;
}

}  // namespace upsweep::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace upsweep::cpu {

UPSWEEP_EXPORT(convolve_rows);
UPSWEEP_EXPORT(convolve_fold_row);
UPSWEEP_EXPORT(convolve_fold_column);
UPSWEEP_EXPORT(convolve_to_accumulator);
UPSWEEP_EXPORT(convolve_store);
UPSWEEP_EXPORT(convolve_multiply);
UPSWEEP_EXPORT(convolve_interleave);
UPSWEEP_EXPORT(convolve_deinterleave);

weighted_kernel weighted_sums(dtype sum) { return UPSWEEP_DISPATCH(convolve_rows)(sum); }
folded_kernel fold_row() { return UPSWEEP_DISPATCH(convolve_fold_row)(); }
folded_kernel fold_column() { return UPSWEEP_DISPATCH(convolve_fold_column)(); }
line_kernel to_accumulator_line(dtype element, dtype sum) {
  return UPSWEEP_DISPATCH(convolve_to_accumulator)(element, sum);
}
line_kernel store_line(dtype sum, dtype result) { return UPSWEEP_DISPATCH(convolve_store)(sum, result); }
spectrum_kernel multiply_spectra(dtype real) { return UPSWEEP_DISPATCH(convolve_multiply)(real); }
interleave_kernel interleave_lines(dtype real) { return UPSWEEP_DISPATCH(convolve_interleave)(real); }
deinterleave_kernel deinterleave_line(dtype real) { return UPSWEEP_DISPATCH(convolve_deinterleave)(real); }

}  // namespace upsweep::cpu
#endif
