// Conformance tests of primitives that move elements: every element is compared bit by bit with the expected one. Where
// a seed chooses the places, this file computes them separately, by rows and columns with divisions.
#include <atomic>
#include <bit>

#include "upsweep/conformance/first_difference.hpp"
#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/rearrange/rearrange_problem.hpp"

namespace upsweep::detail::rearrange_impl {

namespace {

using conformance_test = conformance_test_for<problem>;
using array = array_of<problem>;

constexpr dtype word_types[]{dtype::u8, dtype::u16, dtype::u32, dtype::u64};

std::uint64_t element_bytes(const problem& p) { return p.words * size_of(p.type); }

// --- expected results ---

// The source place of each element, computed as rearrange_permutation.hpp describes it.
class places {
 public:
  places(std::uint64_t n, std::uint64_t seed) : n_(n) {
    std::uint64_t drawn = 0;
    const auto random = [&] {  // splitmix64
      std::uint64_t z = seed + 0x9e3779b97f4a7c15u * ++drawn;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
      return z ^ (z >> 31);
    };
    if (n <= seeded_permutation::most_listed) {
      listed_.resize(n);
      for (std::uint64_t i = 0; i < n; ++i) {
        constexpr std::uint64_t all = ~std::uint64_t{0};
        std::uint64_t x = random();
        while (x >= all - all % (i + 1)) x = random();
        listed_[i] = i, std::swap(listed_[i], listed_[x % (i + 1)]);
      }
      return;
    }
    while (columns_ * columns_ * 2 <= n) columns_ *= 2;  // 2^(half of n's bits)
    rows_ = (n + columns_ - 1) / columns_;
    for (int r = 0; r < 8; ++r) a_[r] = random() | 1, b_[r] = random();
    exchanged_ = random() >= std::uint64_t{1} << 63;
  }
  std::uint64_t operator()(std::uint64_t i) const {
    if (!listed_.empty()) return listed_[i];
    const auto part = [](std::uint64_t bits, std::uint64_t of) {
      return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits) * of) >> 64);
    };
    std::uint64_t at = i;
    do {
      std::uint64_t row = at / columns_, column = at % columns_;
      for (int r = 0; r < 8; r += 2) {
        const std::uint64_t high = (column * a_[r] + b_[r]) & ~std::uint64_t{0xffffffff};
        row = (row + part(high, rows_)) % rows_;
        column ^= part(row * a_[r + 1] + b_[r + 1], columns_);
      }
      at = row * columns_ + column;
      if (exchanged_ && at < 2) at = 1 - at;
    } while (at >= n_);
    return at;
  }

 private:
  std::uint64_t n_, columns_ = 1, rows_ = 0, a_[8]{}, b_[8]{};
  bool exchanged_ = false;
  std::vector<std::uint64_t> listed_;
};

std::string not_the_one(const problem& p, std::uint64_t i, std::uint64_t from) {
  return "element " + std::to_string(i) + " of " + std::to_string(p.n) + " is not element " + std::to_string(from) +
         " of the input";
}

// The first of out that is not in[from(i)].
template <class From>
std::string first_wrong(const problem& p, memory out, memory in, const From& from) {
  const std::uint64_t bytes = element_bytes(p);
  const std::uint64_t i = first_bad(0, p.n, [&](std::uint64_t k) {
    return std::memcmp(out.as<char>() + k * bytes, in.as<char>() + from(k) * bytes, bytes) != 0;
  });
  return i == p.n ? std::string() : not_the_one(p, i, from(i));
}

std::string wrong_move(const problem& p, double) {
  switch (p.what) {
    case primitive::reverse: return first_wrong(p, p.out, p.in, [&](std::uint64_t i) { return p.n - 1 - i; });
    case primitive::rotate: return first_wrong(p, p.out, p.in, [&](std::uint64_t i) { return (i + p.shift) % p.n; });
    case primitive::swap_ranges: {
      const auto same = [](std::uint64_t i) { return i; };
      const std::string wrong = first_wrong(p, p.out, p.in2, same);
      return wrong.empty() ? first_wrong(p, p.out2, p.in, same) : wrong;
    }
    default: break;
  }
  return first_wrong(p, p.out, p.in, places(p.n, p.seed));
}

// Each as it should be, and each place once.
std::string wrong_places(const problem& p, double) {
  const places place(p.n, p.seed);
  const auto got = [&](std::uint64_t i) {
    return p.type == dtype::u32 ? p.out.as<std::uint32_t>()[i] : p.out.as<std::uint64_t>()[i];
  };
  std::vector<std::atomic<std::uint64_t>> told(p.n / 64 + 1);
  const std::uint64_t i = first_bad(0, p.n, [&](std::uint64_t k) {
    const std::uint64_t at = got(k), bit = std::uint64_t{1} << at % 64;
    return at >= p.n || at != place(k) || (told[at / 64].fetch_or(bit, std::memory_order_relaxed) & bit) != 0;
  });
  if (i == p.n) return {};
  const std::string which =
      "place " + std::to_string(i) + " of " + std::to_string(p.n) + " is " + std::to_string(got(i));
  if (got(i) >= p.n) return which + ", past the end";
  return which + (got(i) == place(i) ? ", which another is, too" : ", not " + std::to_string(place(i)));
}

// --- forms and operands ---

template <primitive What>
std::vector<problem> forms(bool) {
  std::vector<problem> all;
  for (const dtype type : word_types)
    for (const std::uint64_t words : {1u, 2u, 3u}) {
      if (What == primitive::random_permutation && (words > 1 || size_of(type) < 4)) continue;
      problem p;
      p.what = What, p.type = type, p.words = words;
      all.push_back(p);
    }
  return all;
}

void complete(problem& p, std::uint64_t seed, std::uint64_t turn) {
  const std::uint64_t bits = mixed(seed + turn);
  p.seed = bits;
  if (p.what == primitive::rotate) p.shift = turn % 7 == 0 ? p.n : turn % 11 == 0 ? 0 : bits % (p.n + 1);
}

// Any bytes.
std::vector<array> arrays(const problem& p, std::uint64_t seed, input_kind) {
  const std::uint64_t n = p.n, size = element_bytes(p);
  const auto random = [&](memory problem::* slot, std::uint64_t its_seed) {
    return array{slot, n, size,
                 [its_seed, size](void* to, std::uint64_t first, std::uint64_t count) {
                   fill_bytes(its_seed, to, first * size, count * size);
                 },
                 false};
  };
  std::vector<array> all;
  if (p.what != primitive::random_permutation) all.push_back(random(&problem::in, seed));
  if (p.what == primitive::swap_ranges) all.push_back(random(&problem::in2, seed + 1));
  all.push_back({&problem::out, n, size, {}, true});
  if (p.what == primitive::swap_ranges) all.push_back({&problem::out2, n, size, {}, true});
  return all;
}

std::string words(const problem& p) {
  return (p.words == 1 ? "" : std::to_string(p.words) + " words of ") + std::string(name_of(p.type));
}

// --- for the bench ---

// The forms for elements of this size.
template <primitive What>
std::vector<problem> timed(dtype type, op_kind, bool inclusive) {
  if (inclusive || (What == primitive::random_permutation && size_of(type) < 4)) return {};
  problem p;
  p.what = What, p.type = word_types[std::bit_width(size_of(type)) - 1], p.seed = 1;
  return {p};
}

traffic moves(const problem& p, input_kind) {
  const double bytes = static_cast<double>(p.n * element_bytes(p));
  if (p.what == primitive::swap_ranges) return {2 * bytes, 2 * bytes};
  return {p.what == primitive::random_permutation ? 0 : bytes, bytes};
}

template <primitive What>
conformance_test conformance_test_of() {
  conformance_test e;
  e.what = What, e.forms = forms<What>, e.complete = complete, e.arrays = arrays, e.words = words;
  e.wrong = What == primitive::random_permutation ? wrong_places : wrong_move;
  e.timed = timed<What>, e.moves = moves;
  if (What != primitive::random_permutation) e.in_place = {{&problem::out, &problem::in}};
  if (What == primitive::swap_ranges) e.in_place.push_back({&problem::out2, &problem::in2});
  e.huge = [] {
    problem p;
    p.what = What, p.type = What == primitive::random_permutation ? dtype::u64 : dtype::u8;
    return std::vector{p};
  };
  return e;
}

}  // namespace

std::vector<upsweep::conformance_test> conformance_tests() {
  return {conformance_test_of<primitive::reverse>(), conformance_test_of<primitive::rotate>(),
          conformance_test_of<primitive::swap_ranges>(), conformance_test_of<primitive::shuffle>(),
          conformance_test_of<primitive::random_permutation>()};
}

}  // namespace upsweep::detail::rearrange_impl
