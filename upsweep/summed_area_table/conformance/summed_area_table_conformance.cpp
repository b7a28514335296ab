// Conformance tests of tables, boxes and rectangles. Integers are compared exactly, modulo 2^bits. The error bound of a
// float sum is (s + 4) · eps · Σ|x| over the elements that it sums, where s is the smaller of the variant's longest
// chain of additions and width + height: at most one rounding a column and one a row. So the bound of a box's sum
// depends on the elements in the box alone, and not on the rest of the picture.
#include <cmath>

#include "upsweep/conformance/first_difference.hpp"
#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/conformance/sequential_folds.hpp"
#include "upsweep/summed_area_table/summed_area_table_problem.hpp"
#include "upsweep/summed_area_table/summed_area_table_types.hpp"

namespace upsweep::detail::summed_area_table_impl {

namespace {

using conformance_test = conformance_test_for<problem>;
using array = array_of<problem>;

// ---- shapes

// A bench's forms have no size yet; theirs is as square as n allows.
constexpr extent to_be_square{0, 0, 0};

std::uint64_t root(std::uint64_t n) { return static_cast<std::uint64_t>(std::sqrt(static_cast<double>(n))); }

std::uint64_t prime_up_to(std::uint64_t n) {
  for (; n > 2; --n) {
    bool prime = n % 2 != 0;
    for (std::uint64_t d = 3; prime && d * d <= n; d += 2) prime = n % d != 0;
    if (prime) break;
  }
  return std::max<std::uint64_t>(n, 1);
}

// Chooses a shape of at most n elements and more than n / 2, and sets n to its number of elements.
void take_shape(problem& p, std::uint64_t turn) {
  const std::uint64_t pixels = p.n / p.channels;
  if (p.size == to_be_square) {
    const std::uint64_t x = std::uint64_t{1} << (std::bit_width(std::max<std::uint64_t>(pixels, 1)) / 2);
    p.size = {std::min(x, pixels), pixels ? pixels / std::min(x, pixels) : 0, 1};
  } else if (pixels == 0) {
    p.size = turn % 2 ? extent{0, 7, 1} : extent{5, 0, 1};
  } else {
    std::uint64_t x = 1, z = 1;
    switch (turn % 8) {
      case 0: x = pixels; break;
      case 1: x = root(pixels); break;
      case 2: x = prime_up_to(root(pixels) + root(pixels) / 2); break;
      case 3: x = pixels / 3; break;  // wide
      case 4: break;                  // one column
      case 5: x = 3; break;           // tall
      case 6: x = 129; break;
      default: x = root(pixels / 2), z = pixels >= 8 ? 2 : 1; break;
    }
    x = std::clamp<std::uint64_t>(x, 1, pixels / z);
    p.size = {x, pixels / z / x, z};
  }
  p.n = p.size.count() * p.channels;
}

// Rows with gaps at some turns, of the input, of the output, or of both.
void take_pitches(problem& p, std::uint64_t turn) {
  const std::uint64_t gap = turn / 8 % 4;
  if (gap == 1 || gap == 3) p.pitch = row_of(p) + 1 + turn % 37;
  if (gap == 2 || gap == 3) p.out_pitch = row_of(p) + 5 + turn % 11;
}

std::uint64_t rows_of(const problem& p) { return p.size.y * p.size.z; }

// ---- operands

template <class T>
T element(std::uint64_t i, std::uint64_t n, std::uint64_t seed, input_kind kind) {
  const std::uint64_t bits = mixed(seed + i);
  const double share = static_cast<double>(i) / static_cast<double>(n);
  if constexpr (std::is_floating_point_v<T>) {
    const double x = signed_unit(bits);
    switch (kind) {
      case input_kind::sorted: return static_cast<T>(1000 + share + x / 1024);  // far from zero, and little variance
      case input_kind::reversed: return static_cast<T>(std::ldexp(x, static_cast<int>(bits % 40) - 20));
      case input_kind::few: return static_cast<T>(bits % 4 ? 0.0 : 1e6);
      case input_kind::constant: return static_cast<T>(1.0 / 3);
      default: return static_cast<T>(x);
    }
  } else {
    constexpr T most = std::numeric_limits<T>::max();
    switch (kind) {
      case input_kind::sorted: return static_cast<T>(share * static_cast<double>(most));
      case input_kind::reversed: return static_cast<T>(most - static_cast<T>(share * static_cast<double>(most)));
      case input_kind::few: return bits % 4 ? std::numeric_limits<T>::min() : most;
      case input_kind::zipf: return static_cast<T>(bits % 7 == 0);
      case input_kind::constant: return most;
      default: return static_cast<T>(bits);
    }
  }
}

// Gaps between rows are filled with ones, which are NaN in floats.
array picture_in(const problem& p, std::uint64_t seed, input_kind kind) {
  const std::uint64_t row = row_of(p), pitch = pitch_of(p), n = p.n;
  return {&problem::in, spanned(rows_of(p), row, pitch), size_of(p.type),
          [=, type = p.type](void* to, std::uint64_t first, std::uint64_t count) {
            with_any_type(type, [&]<class T>(type_tag<T>) {
              if constexpr (std::is_arithmetic_v<T>)
                for (std::uint64_t k = 0; k < count; ++k) {
                  const std::uint64_t i = first + k, y = i / pitch, x = i % pitch;
                  T& at = static_cast<T*>(to)[k];
                  if (x < row)
                    at = element<T>(y * row + x, n, seed, kind);
                  else
                    std::memset(&at, 0xff, sizeof at);
                }
            });
          }};
}

array picture_out(const problem& p) {
  return {&problem::out, spanned(rows_of(p), row_of(p), out_pitch_of(p)), size_of(p.out_type), {}, true};
}

std::string describe_index(const problem& p, std::uint64_t element_x, std::uint64_t y) {
  std::string s = "(" + std::to_string(element_x / p.channels) + ", " + std::to_string(y % p.size.y);
  if (p.size.z > 1) s += ", " + std::to_string(y / p.size.y);
  s += ") of " + std::to_string(p.size.x) + " by " + std::to_string(p.size.y);
  if (p.channels > 1) s += ", channel " + std::to_string(element_x % p.channels);
  return s + ": ";
}

// Empty when nothing was written between the rows.
std::string gap_written(const problem& p) {
  const std::uint64_t row = row_of(p), pitch = out_pitch_of(p), size = size_of(p.out_type);
  const auto* out = p.out.as<const unsigned char>();
  for (std::uint64_t y = 0; row && y + 1 < rows_of(p); ++y)
    for (std::uint64_t b = row * size; b < pitch * size; ++b)
      if (out[y * pitch * size + b] != poison) return "the gap behind row " + std::to_string(y) + " was written";
  return {};
}

// ---- sums

// Modulo 2^64, whatever the sign.
struct whole {
  std::uint64_t sum = 0;
  template <class T>
  void take(T x) {
    sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
  }
  void take(const whole& o) { sum += o.sum; }
  template <class T>
  std::string wrong(T got, double) const {
    return got == static_cast<T>(sum) ? std::string() : number(got) + " is not " + number(static_cast<T>(sum));
  }
};

// Twice double's precision (Knuth's TwoSum), and also the sum of the absolute values.
struct twofold {
  double hi = 0, lo = 0, absolute = 0;
  void take_one(double x) {
    const double sum = hi + x, back = sum - hi;
    lo += (hi - (sum - back)) + (x - back);
    hi = sum;
  }
  template <class T>
  void take(T x) {
    take_one(static_cast<double>(x));
    absolute += std::abs(static_cast<double>(x));
  }
  void take(const twofold& o) {
    take_one(o.hi);
    lo += o.lo;
    absolute += o.absolute;
  }
  template <class T>
  std::string wrong(T got, double roundings) const {
    const double tolerance = (roundings + 4) * std::numeric_limits<T>::epsilon() * absolute +
                             static_cast<double>(std::numeric_limits<T>::denorm_min());
    const double off = std::abs((static_cast<double>(got) - hi) - lo);
    return off <= tolerance ? std::string()
                            : number(got) + " is not " + number(hi) + ", and off by " + number(off / tolerance) +
                                  " times what rounding explains";
  }
};

template <class T>
using sum_in = std::conditional_t<std::is_floating_point_v<T>, twofold, whole>;

// ---- integral

std::vector<problem> forms_of(primitive what, std::span<const type_pair> types, box_result box, bool sample) {
  std::vector<problem> all;
  for (type_pair t : types)
    for (std::uint32_t channels = 1; channels <= most_channels; ++channels) {
      if (sample && channels != 1 && (static_cast<int>(t.in) + static_cast<int>(t.out) + channels) % 3 != 0) continue;
      problem p;
      p.what = what, p.type = t.in, p.out_type = t.out, p.channels = channels, p.box = box;
      all.push_back(p);
    }
  return all;
}

std::vector<problem> integral_forms(bool sample) {
  return forms_of(primitive::summed_area_table, sum_types, box_result::sum, sample);
}

void complete_integral(problem& p, std::uint64_t, std::uint64_t turn) {
  const bool bench = p.size == to_be_square;
  take_shape(p, turn);
  if (!bench) take_pitches(p, turn);
}

std::vector<array> picture_arrays(const problem& p, std::uint64_t seed, input_kind kind) {
  return {picture_in(p, seed, kind), picture_out(p)};
}

template <class In, class Out>
std::string wrong_table(const problem& p, double span) {
  const std::uint64_t row = row_of(p), c = p.channels;
  const double roundings = std::min(span, static_cast<double>(p.size.x + p.size.y));
  std::vector<sum_in<In>> above(row);
  for (std::uint64_t y = 0; y < rows_of(p); ++y) {
    if (y % p.size.y == 0) std::fill(above.begin(), above.end(), sum_in<In>());
    const In* in = p.in.as<const In>() + y * pitch_of(p);
    const Out* out = p.out.as<const Out>() + y * out_pitch_of(p);
    sum_in<In> left[most_channels];
    for (std::uint64_t x = 0; x < row; ++x) {
      left[x % c].take(in[x]);
      above[x].take(left[x % c]);
      if (std::string wrong = above[x].wrong(out[x], roundings); !wrong.empty()) return describe_index(p, x, y) + wrong;
    }
  }
  return gap_written(p);
}

std::string wrong_integral(const problem& p, double span) {
  std::string wrong;
  with_pair(p.type, p.out_type,
            [&]<class In, class Out>(type_tag<In>, type_tag<Out>) { wrong = wrong_table<In, Out>(p, span); });
  return wrong;
}

std::string words_of_types(const problem& p) {
  std::string s = std::string(name_of(p.type)) + " to " + std::string(name_of(p.out_type));
  if (p.channels > 1) s += ", " + std::to_string(p.channels) + " channels";
  return s;
}

std::vector<problem> timed_integrals(dtype type, op_kind, bool inclusive) {
  std::vector<problem> all;
  for (type_pair t : sum_types) {
    if (inclusive || t.in != type) continue;
    problem p;
    p.what = primitive::summed_area_table, p.type = t.in, p.out_type = t.out, p.size = to_be_square;
    all.push_back(p);
  }
  if (!inclusive && type == dtype::u8) {
    all.push_back(all.front());
    all.back().channels = 3;
  }
  return all;
}

traffic moves_of_picture(const problem& p, input_kind) {
  const auto n = static_cast<double>(p.n);
  return {n * static_cast<double>(size_of(p.type)), n * static_cast<double>(size_of(p.out_type))};
}

// 2^16 columns, and a few rows more than 2^16.
constexpr std::uint64_t huge_picture = (std::uint64_t{1} << 32) + (std::uint64_t{1} << 20);

std::vector<problem> huge_integral() {
  problem p;
  p.what = primitive::summed_area_table, p.type = dtype::u8, p.out_type = dtype::u64, p.size = to_be_square;
  p.n = huge_picture;
  return {p};
}

std::vector<problem> huge_box() {
  problem p;
  p.what = primitive::box_filter, p.type = p.out_type = dtype::u8, p.box = box_result::mean, p.size = to_be_square;
  p.radius = {1, 1, 0}, p.n = huge_picture;
  return {p};
}

std::vector<problem> huge_rectangles() {
  problem p;
  p.what = primitive::rectangle_sums, p.type = p.out_type = dtype::u32, p.size = to_be_square;
  p.m = 10'000'019, p.n = huge_picture;
  return {p};
}

// ---- box_filter

std::vector<problem> box_forms(bool sample) {
  std::vector<problem> all;
  for (box_result box : {box_result::sum, box_result::mean, box_result::variance})
    for (const problem& p : forms_of(primitive::box_filter, types_of(box), box, sample)) all.push_back(p);
  return all;
}

void complete_box(problem& p, std::uint64_t, std::uint64_t turn) {
  const bool bench = p.size == to_be_square;
  take_shape(p, turn);
  if (bench) return;
  take_pitches(p, turn / 2);
  constexpr extent small[]{{1, 1, 0}, {0, 3, 0}, {2, 0, 0}, {3, 2, 0}, {0, 0, 0}},
      large[]{{1, 1, 0}, {7, 5, 0}, {0, 40, 0}, {15, 15, 0}, {33, 0, 0}, {64, 9, 0}},
      larger_than_all[]{{5000, 5000, 0}, {4, 4999, 0}, {~std::uint64_t{0}, 3, 0}, {2, ~std::uint64_t{0}, 0}};
  p.radius = turn % 5 == 4 && p.n <= 4200 ? larger_than_all[turn / 5 % std::size(larger_than_all)]
             : p.n <= 300000              ? large[turn % std::size(large)]
                                          : small[turn % std::size(small)];
}

// The box around (x, y), clipped.
struct window {
  std::uint64_t x0, x1, y0, y1;
  double count() const { return static_cast<double>((x1 - x0) * (y1 - y0)); }
  window(const problem& p, std::uint64_t x, std::uint64_t y) {
    const std::uint64_t rx = useful_radius(p.radius.x, p.size.x), ry = useful_radius(p.radius.y, p.size.y);
    x0 = x - std::min(x, rx), x1 = x0 + window_at(x, rx, p.size.x);
    y0 = y - std::min(y, ry), y1 = y0 + window_at(y, ry, p.size.y);
  }
};

// Rounded half to even for integers.
template <class Out>
std::string wrong_mean(const whole& s, Out got, std::uint64_t count, double, bool is_signed) {
  if constexpr (std::is_integral_v<Out>) {
    const std::uint64_t down = s.sum / count, twice = 2 * (s.sum % count);
    const std::uint64_t want = down + (twice > count || (twice == count && down % 2));
    return static_cast<std::uint64_t>(got) == want ? std::string() : number(got) + " is not " + std::to_string(want);
  } else {
    const long double sum =
        is_signed ? static_cast<long double>(static_cast<std::int64_t>(s.sum)) : static_cast<long double>(s.sum);
    const long double want = sum / static_cast<long double>(count),
                      off = std::abs(static_cast<long double>(got) - want);
    return off <= 2 * std::numeric_limits<Out>::epsilon() * std::abs(want)
               ? std::string()
               : number(got) + " is not " + number(static_cast<Out>(want));
  }
}
template <class Out>
std::string wrong_mean(twofold s, Out got, std::uint64_t count, double roundings, bool) {
  const auto n = static_cast<double>(count);
  s.hi /= n, s.lo /= n, s.absolute /= n;
  return s.wrong(got, roundings + 1);
}

// Sums from scratch, first of the columns, then of those sums.
template <class In, class Out>
std::string wrong_sums(const problem& p, double span) {
  const std::uint64_t row = row_of(p), c = p.channels;
  const auto wrong_row = [&](std::uint64_t y, std::vector<sum_in<In>>& columns) -> std::string {
    const std::uint64_t first_row = y / p.size.y * p.size.y;
    const window rows(p, 0, y - first_row);
    std::fill(columns.begin(), columns.end(), sum_in<In>());
    for (std::uint64_t j = first_row + rows.y0; j < first_row + rows.y1; ++j)
      for (std::uint64_t x = 0; x < row; ++x) columns[x].take(p.in.as<const In>()[j * pitch_of(p) + x]);
    for (std::uint64_t x = 0; x < row; ++x) {
      const window w(p, x / c, y - first_row);
      sum_in<In> sum;
      for (std::uint64_t i = w.x0; i < w.x1; ++i) sum.take(columns[i * c + x % c]);
      const Out got = p.out.as<const Out>()[y * out_pitch_of(p) + x];
      const double roundings = std::min(span, static_cast<double>(w.x1 - w.x0 + w.y1 - w.y0));
      const std::string wrong = [&] {
        if (p.box == box_result::mean)
          return wrong_mean(sum, got, (w.x1 - w.x0) * (w.y1 - w.y0), roundings, std::is_signed_v<In>);
        if constexpr (has(sum_types, {dtype_of<In>, dtype_of<Out>})) return sum.wrong(got, roundings);
        return std::string();
      }();
      if (!wrong.empty()) return describe_index(p, x, y) + wrong;
    }
    return {};
  };
  const std::uint64_t y =
      first_found(0, rows_of(p), 16, [&](std::uint64_t begin, std::uint64_t end, std::uint64_t found) {
        std::vector<sum_in<In>> columns(row);
        for (std::uint64_t k = begin; k < end && k < found; ++k)
          if (!wrong_row(k, columns).empty()) return k;
        return found;
      });
  std::vector<sum_in<In>> columns(row);
  return y == rows_of(p) ? gap_written(p) : wrong_row(y, columns);
}

// By the definition, in long double, at as many places as time allows. The error bound allows for the rounding of the
// result and, in the differences from the mean, for roundings in double of numbers as large as the largest in the box.
template <class In, class Out>
std::string wrong_variances(const problem& p, double span) {
  const std::uint64_t row = row_of(p), c = p.channels, rx = useful_radius(p.radius.x, p.size.x),
                      ry = useful_radius(p.radius.y, p.size.y);
  const std::uint64_t area = std::min(2 * rx + 1, p.size.x) * std::min(2 * ry + 1, p.size.y);
  const std::uint64_t step = std::max<std::uint64_t>(1, p.n * area >> 24);
  for (std::uint64_t k = 0; k < p.n; k += step) {
    const std::uint64_t i = std::min(p.n - 1, k + mixed(k) % step), y = i / row, x = i % row;
    const std::uint64_t first_row = y / p.size.y * p.size.y;
    const window w(p, x / c, y - first_row);
    const auto each = [&](auto visit) {
      for (std::uint64_t j = first_row + w.y0; j < first_row + w.y1; ++j)
        for (std::uint64_t u = w.x0; u < w.x1; ++u)
          visit(static_cast<long double>(p.in.as<const In>()[j * pitch_of(p) + u * c + x % c]));
    };
    long double sum = 0, squares = 0, largest = 0;
    each([&](long double v) { sum += v, largest = std::max(largest, std::abs(v)); });
    const long double mean = sum / w.count();
    each([&](long double v) { squares += (v - mean) * (v - mean); });
    const long double want = squares / w.count();
    const long double roundings = 8 + std::min<long double>(span, w.x1 - w.x0 + w.y1 - w.y0);
    const long double slip = roundings * std::numeric_limits<double>::epsilon() * largest;
    const long double tolerance = 2 * std::numeric_limits<Out>::epsilon() * want + 4 * slip * std::sqrt(want) +
                                  slip * slip + roundings * std::numeric_limits<double>::epsilon() * want;
    const Out got = p.out.as<const Out>()[y * out_pitch_of(p) + x];
    if (!(std::abs(static_cast<long double>(got) - want) <= tolerance))
      return describe_index(p, x, y) + number(got) + " is not " + number(static_cast<Out>(want));
  }
  return gap_written(p);
}

std::string wrong_box(const problem& p, double span) {
  std::string wrong;
  const auto of = [&]<box_result box>() {
    with_pair<box>(p.type, p.out_type, [&]<class In, class Out>(type_tag<In>, type_tag<Out>) {
      if constexpr (box == box_result::variance)
        wrong = wrong_variances<In, Out>(p, span);
      else
        wrong = wrong_sums<In, Out>(p, span);
    });
  };
  switch (p.box) {
    case box_result::sum: of.template operator()<box_result::sum>(); break;
    case box_result::mean: of.template operator()<box_result::mean>(); break;
    case box_result::variance: of.template operator()<box_result::variance>(); break;
  }
  return wrong;
}

std::string words_of_box(const problem& p) {
  constexpr const char* names[]{"sum", "mean", "variance"};
  return std::string(names[static_cast<int>(p.box)]) + " of " + words_of_types(p) + ", radius " +
         std::to_string(p.radius.x) + " by " + std::to_string(p.radius.y);
}

std::vector<problem> timed_boxes(dtype type, op_kind, bool inclusive) {
  std::vector<problem> all;
  if (inclusive) return all;
  const auto add = [&](box_result box, type_pair t, std::uint64_t radius) {
    if (t.in != type) return;
    problem p;
    p.what = primitive::box_filter, p.type = t.in, p.out_type = t.out, p.box = box, p.size = to_be_square;
    p.radius = {radius, radius, 0};
    all.push_back(p);
  };
  for (std::uint64_t radius : {1, 7, 31}) {
    add(box_result::mean, {dtype::u8, dtype::u8}, radius);
    add(box_result::mean, {dtype::f32, dtype::f32}, radius);
  }
  add(box_result::sum, {dtype::u8, dtype::u32}, 7);
  add(box_result::variance, {dtype::u8, dtype::f32}, 7);
  add(box_result::variance, {dtype::f32, dtype::f32}, 7);
  return all;
}

// ---- rectangle_sums

std::vector<problem> rectangle_forms(bool) {
  std::vector<problem> all;
  for (dtype type : table_types)
    for (std::uint32_t channels = 1; channels <= most_channels; ++channels) {
      problem p;
      p.what = primitive::rectangle_sums, p.type = p.out_type = type, p.channels = channels;
      all.push_back(p);
    }
  return all;
}

void complete_rectangles(problem& p, std::uint64_t, std::uint64_t turn) {
  const bool bench = p.size == to_be_square;
  take_shape(p, bench || turn % 8 != 7 ? turn : turn + 2);  // a table has one slice
  if (p.m == 0)
    p.m = bench ? std::max<std::uint64_t>(p.n / 16, 1)
                : std::array<std::uint64_t, 6>{1, 1000, 7, 257, 64, 4099}[turn % 6];
  if (!bench && turn / 8 % 2) p.pitch = row_of(p) + 1 + turn % 37;
}

// Coordinate `which` (x0, y0, x1, y1) of rectangle k: some empty, whole, of one pixel, along an edge; the others
// anywhere.
std::uint64_t coordinate(std::uint64_t k, unsigned which, extent size, std::uint64_t seed) {
  if (size.count() == 0) return 0;
  const bool across = which % 2 == 0, end = which >= 2;
  const std::uint64_t n = across ? size.x : size.y;
  const std::uint64_t a = mixed(seed + 4 * k + which % 2) % n, more = mixed(seed + 4 * k + 2 + which % 2) % (n - a) + 1;
  switch (k % 9) {
    case 0: return end ? n : 0;                          // all
    case 1: return across ? a : end ? a + more : a;      // no width
    case 2: return end ? a + 1 : a;                      // one pixel
    case 3: return across ? end : end ? a + more : a;    // in the first column
    case 4: return across ? (end ? a + more : a) : end;  // in the first row
    case 5: return end ? n : n - 1;                      // the last pixel
    case 6: return n;                                    // nothing, beyond the last pixel
    default: return end ? a + more : a;
  }
}

std::vector<array> rectangle_arrays(const problem& p, std::uint64_t seed, input_kind kind) {
  return {picture_in(p, seed, kind),
          {&problem::in2, 4 * p.m, 8,
           [seed, size = p.size](void* to, std::uint64_t first, std::uint64_t count) {
             for (std::uint64_t i = first; i < first + count; ++i)
               static_cast<std::uint64_t*>(to)[i - first] = coordinate(i / 4, i % 4, size, seed);
           }},
          {&problem::out, p.m * p.channels, size_of(p.type), {}, true}};
}

template <class T>
T negative(T x) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(std::uint64_t{0} - static_cast<std::uint64_t>(x));
  else
    return -x;
}

// The table holds arbitrary numbers in this test: a look-up reads four of them, or fewer.
template <class T>
std::string wrong_look_ups(const problem& p) {
  const std::uint64_t c = p.channels;
  for (std::uint64_t i = 0; i < p.m * c; ++i) {
    const std::uint64_t* r = p.in2.as<const std::uint64_t>() + 4 * (i / c);
    sum_in<T> sum;
    if (r[0] < r[2] && r[1] < r[3]) {
      const auto at = [&](std::uint64_t x, std::uint64_t y) {
        return x && y ? p.in.as<const T>()[(y - 1) * pitch_of(p) + (x - 1) * c + i % c] : T{};
      };
      sum.take(at(r[2], r[3]));
      sum.take(negative(at(r[0], r[3])));
      sum.take(negative(at(r[2], r[1])));
      sum.take(at(r[0], r[1]));
    }
    if (std::string wrong = sum.wrong(p.out.as<const T>()[i], 3); !wrong.empty())
      return "rectangle " + std::to_string(i / c) + " of " + std::to_string(p.m) + ", [" + std::to_string(r[0]) + ", " +
             std::to_string(r[2]) + ") by [" + std::to_string(r[1]) + ", " + std::to_string(r[3]) + "): " + wrong;
  }
  return {};
}

std::string wrong_rectangles(const problem& p, double) {
  std::string wrong;
  with_type(p.type, [&]<class T>(type_tag<T>) { wrong = wrong_look_ups<T>(p); });
  return wrong;
}

std::vector<problem> timed_rectangles(dtype type, op_kind, bool inclusive) {
  if (inclusive || (type != dtype::u32 && type != dtype::f32)) return {};
  problem p;
  p.what = primitive::rectangle_sums, p.type = p.out_type = type, p.size = to_be_square;
  return {p};
}

traffic moves_of_rectangles(const problem& p, input_kind) {
  const auto m = static_cast<double>(p.m),
             each = static_cast<double>(p.channels) * static_cast<double>(size_of(p.type));
  return {m * (32 + 4 * each), m * each};
}

}  // namespace

std::vector<upsweep::conformance_test> conformance_tests() {
  conformance_test tables;
  tables.what = primitive::summed_area_table;
  tables.forms = integral_forms;
  tables.complete = complete_integral;
  tables.arrays = picture_arrays;
  tables.wrong = wrong_integral;
  tables.words = words_of_types;
  tables.timed = timed_integrals;
  tables.moves = moves_of_picture;
  tables.huge = huge_integral;

  conformance_test boxes;
  boxes.what = primitive::box_filter;
  boxes.forms = box_forms;
  boxes.complete = complete_box;
  boxes.arrays = picture_arrays;
  boxes.wrong = wrong_box;
  boxes.words = words_of_box;
  boxes.timed = timed_boxes;
  boxes.moves = moves_of_picture;
  boxes.huge = huge_box;

  conformance_test rectangles;
  rectangles.what = primitive::rectangle_sums;
  rectangles.forms = rectangle_forms;
  rectangles.complete = complete_rectangles;
  rectangles.arrays = rectangle_arrays;
  rectangles.wrong = wrong_rectangles;
  rectangles.words = [](const problem& p) {
    return std::to_string(p.m) + " rectangles of " + std::string(name_of(p.type)) +
           (p.channels > 1 ? ", " + std::to_string(p.channels) + " channels" : std::string());
  };
  rectangles.timed = timed_rectangles;
  rectangles.moves = moves_of_rectangles;
  rectangles.huge = huge_rectangles;

  for (conformance_test* e : {&tables, &boxes, &rectangles}) e->varied = true;
  return {tables, boxes, rectangles};
}

}  // namespace upsweep::detail::summed_area_table_impl
