// The conformance tests of segmented accept a plain implementation, and detect the typical errors of segmented folds.
#include "tests/conformance_tests.hpp"
#include "upsweep/segmented/segmented_problem.hpp"

namespace upsweep::detail::segmented_impl {
namespace {

using tests::expect_caught;
using tests::expect_passes;

constexpr bool by_key(primitive what) { return what == primitive::reduce_by_key || what == primitive::scan_by_key; }

// Where each run or segment begins and ends.
std::vector<std::pair<std::uint64_t, std::uint64_t>> pieces_of(const problem& p) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all;
  if (!by_key(p.what)) {
    for (std::uint64_t s = 0; s < p.m; ++s)
      all.emplace_back(p.in2.as<std::uint64_t>()[s], p.in2.as<std::uint64_t>()[s + 1]);
    return all;
  }
  with_any_type(p.key_type, [&](auto tag) {
    using K = typename decltype(tag)::type;
    for (std::uint64_t i = 0; i < p.n; ++i) {
      if (i == 0 || !(p.in2.as<K>()[i] == p.in2.as<K>()[i - 1])) all.emplace_back(i, i);
      ++all.back().second;
    }
  });
  return all;
}

template <class T, class Op>
void plain(const problem& p, Op op) {
  const any_transform f{p.transform};
  const bool whole = p.what == primitive::reduce_by_key || p.what == primitive::segmented_reduce;
  std::uint64_t s = 0;
  for (const auto& [begin, end] : pieces_of(p)) {
    T value = p.init.as<T>();
    for (std::uint64_t i = begin; i < end; ++i) {
      const T before = value;
      value = op(value, to_accumulator(op, T(f(p.in.as<T>()[i]))));
      if (!whole) p.out.as<T>()[i] = p.inclusive ? value : before;
    }
    if (whole) p.out.as<T>()[s] = value;
    if (p.what == primitive::reduce_by_key) {
      const std::uint64_t size = size_of(p.key_type);
      std::memcpy(p.out2.as<char>() + s * size, p.in2.as<char>() + begin * size, size);
    }
    ++s;
  }
  if (p.what == primitive::reduce_by_key) *p.count.as<std::uint64_t>() = s;
}

void plain(device&, const problem& p) {
  with_type(p.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    with_op(p.op, [&](auto op) {
      if constexpr (accepts(decltype(op)::kind, dtype_of<T>)) plain<T>(p, op);
    });
  });
}

constexpr primitive all[]{primitive::reduce_by_key, primitive::scan_by_key, primitive::segmented_reduce,
                          primitive::segmented_scan};

TEST(SegmentedConformance, PassesWhatIsRight) {
  for (primitive what : all) expect_passes<problem>(what, plain);
}

// The fold goes on where it should begin anew.
TEST(SegmentedConformance, CatchesASeamOverlooked) {
  const auto run = [](device& d, const problem& p) {
    problem q = p;
    std::vector<std::byte> keys;
    if (by_key(p.what) && p.n > 1) {
      keys.assign(p.in2.as<std::byte>(), p.in2.as<std::byte>() + p.n * size_of(p.key_type));
      const std::uint64_t size = size_of(p.key_type);
      std::memcpy(keys.data() + (p.n - 1) * size, keys.data() + (p.n - 2) * size, size);
      q.in2 = {keys.data(), 0};
    }
    std::vector<std::uint64_t> offsets;
    if (!by_key(p.what)) {
      offsets.assign(p.in2.as<std::uint64_t>(), p.in2.as<std::uint64_t>() + p.m + 1);
      if (p.m > 1) offsets[1] = offsets[0];
      q.in2 = {offsets.data(), 0};
    }
    plain(d, q);
  };
  expect_caught<problem>(primitive::reduce_by_key, run, "");
  for (primitive what : {primitive::scan_by_key, primitive::segmented_reduce, primitive::segmented_scan})
    expect_caught<problem>(what, run, " is not ");
}

TEST(SegmentedConformance, CatchesAnInitialValueLeftOut) {
  const auto run = [](device& d, const problem& p) {
    problem q = p;
    q.init = identity_scalar(p.op, p.type);
    plain(d, q);
  };
  for (primitive what : {primitive::scan_by_key, primitive::segmented_reduce, primitive::segmented_scan})
    expect_caught<problem>(what, run, " is not ");
}

// A sum of floats as the difference of two prefix sums is wrong if a small segment is next to large elements.
TEST(SegmentedConformance, CatchesSumsByDifference) {
  const auto run = [](device& d, const problem& p) {
    if (p.type != dtype::f32 || p.op != op_kind::plus || p.transform != transform_kind::identity) return plain(d, p);
    float sum = 0;
    std::vector<float> prefix(p.n + 1);
    for (std::uint64_t i = 0; i < p.n; ++i) prefix[i + 1] = sum += p.in.as<float>()[i];
    std::uint64_t s = 0;
    for (const auto& [begin, end] : pieces_of(p))
      p.out.as<float>()[s++] = p.init.as<float>() + (prefix[end] - prefix[begin]);
  };
  expect_caught<problem>(primitive::segmented_reduce, run, "off by");
}

TEST(SegmentedConformance, CatchesWhatIsWrittenOutsideTheSegments) {
  expect_caught<problem>(
      primitive::segmented_scan,
      [](device& d, const problem& p) {
        plain(d, p);
        if (p.m && p.in2.as<std::uint64_t>()[0] > 0) p.out.as<char>()[0] ^= 1;
      },
      "it lies in no segment");
  expect_caught<problem>(
      primitive::reduce_by_key,
      [](device& d, const problem& p) {
        plain(d, p);
        if (*p.count.as<std::uint64_t>() < p.n) p.out.as<char>()[*p.count.as<std::uint64_t>() * size_of(p.type)] ^= 1;
      },
      "was written");
}

TEST(SegmentedConformance, CatchesAWrongKeyAndCount) {
  expect_caught<problem>(
      primitive::reduce_by_key, [](device& d, const problem& p) { plain(d, p), ++*p.count.as<std::uint64_t>(); },
      "the count is");
  expect_caught<problem>(
      primitive::reduce_by_key,
      [](device& d, const problem& p) {
        plain(d, p);
        if (p.n) p.out2.as<char>()[0] ^= 2;
      },
      "the key of run 0");
}

}  // namespace
}  // namespace upsweep::detail::segmented_impl
