// The conformance tests of select accept a plain implementation, and detect the typical errors of selections.
#include "tests/conformance_tests.hpp"
#include "upsweep/conformance/conformance.hpp"
#include "upsweep/select/select_problem.hpp"

namespace upsweep::detail::select_impl {
namespace {

using tests::expect_caught;
using tests::expect_passes;

template <class T>
void plain_select(const problem& p) {
  const T* x = p.in.as<T>();
  const compared<T> first{p.test, p.threshold.as<T>()}, second{p.test2, p.threshold2.as<T>()};
  const auto class_of = [&](std::uint64_t i) {
    switch (p.how) {
      case selection::flagged: return p.in3.as<std::uint8_t>()[i] != 0 ? 0 : 1;
      case selection::unique: return i == 0 || !(x[i] == x[i - 1]) ? 0 : 1;
      case selection::three_way_partition: return first(x[i]) ? 0 : second(x[i]) ? 1 : 2;
      default: return first(x[i]) ? 0 : 1;
    }
  };
  const int classes = p.how == selection::three_way_partition ? 3 : p.how == selection::partition ? 2 : 1;
  std::uint64_t to = 0;
  for (int c = 0; c < classes; ++c) {
    const std::uint64_t before = to;
    for (std::uint64_t i = 0; i < p.n; ++i)
      if (class_of(i) == c) {
        p.out.as<T>()[to] = x[i];
        if (p.value_bytes)
          std::memcpy(p.out2.as<char>() + to * p.value_bytes, p.in2.as<char>() + i * p.value_bytes, p.value_bytes);
        ++to;
      }
    if (c < classes - 1 || c == 0) p.count.as<std::uint64_t>()[c] = to - before;
  }
}
void plain_select(device&, const problem& p) {
  with_any_type(p.type, [&](auto tag) { plain_select<typename decltype(tag)::type>(p); });
}

void plain_run_lengths(device&, const problem& p) {
  with_any_type(p.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::uint64_t runs = 0;
    for (std::uint64_t i = 0; i < p.n; ++i) {
      if (i == 0 || !(p.in.as<T>()[i] == p.in.as<T>()[i - 1])) {
        p.out.as<T>()[runs] = p.in.as<T>()[i];
        p.out2.as<std::uint64_t>()[runs++] = 0;
      }
      ++p.out2.as<std::uint64_t>()[runs - 1];
    }
    *p.count.as<std::uint64_t>() = runs;
  });
}

void plain_expansion(device&, const problem& p) {
  const std::uint64_t size = size_of(p.type);
  std::uint64_t to = 0;
  for (std::uint64_t i = 0; i < p.n; ++i)
    for (std::uint64_t k = 0; k < p.in2.as<std::uint64_t>()[i]; ++k, ++to)
      std::memcpy(p.out.as<char>() + to * size, p.in.as<char>() + i * size, size);
}

std::uint64_t index_of(const problem& p, std::uint64_t i) {
  return p.index_bytes == 4 ? p.in2.as<std::uint32_t>()[i] : p.in2.as<std::uint64_t>()[i];
}
bool is_flagged(const problem& p, std::uint64_t i) { return p.in3.base == nullptr || p.in3.as<std::uint8_t>()[i] != 0; }

void plain_gather(device&, const problem& p) {
  const std::uint64_t size = size_of(p.type);
  for (std::uint64_t i = 0; i < p.n; ++i)
    if (p.what == primitive::gather || is_flagged(p, i))
      std::memcpy(p.out.as<char>() + i * size, p.in.as<char>() + index_of(p, i) * size, size);
}

void plain_scatter(device&, const problem& p) {
  const std::uint64_t size = size_of(p.type);
  for (std::uint64_t i = 0; i < p.n; ++i)
    if (is_flagged(p, i)) std::memcpy(p.out.as<char>() + index_of(p, i) * size, p.in.as<char>() + i * size, size);
}

void plain_pieces(device&, const problem& p) {
  const std::uint64_t size = size_of(p.type);
  std::uint64_t behind = 0;
  for (std::uint64_t i = 0; i < p.n; ++i) {
    const std::uint64_t from = p.in2.as<std::uint64_t>()[i], length = p.in3.as<std::uint64_t>()[i];
    const std::uint64_t to = p.in4.base ? p.in4.as<std::uint64_t>()[i] : behind;
    std::memcpy(p.out.as<char>() + to * size, p.in.as<char>() + from * size, length * size);
    behind += length;
  }
}

TEST(SelectConformance, PassesWhatIsRight) {
  expect_passes<problem>(primitive::select, plain_select);
  expect_passes<problem>(primitive::run_lengths, plain_run_lengths);
  expect_passes<problem>(primitive::expand_runs, plain_expansion);
  expect_passes<problem>(primitive::gather, plain_gather);
  expect_passes<problem>(primitive::gather_if, plain_gather);
  expect_passes<problem>(primitive::scatter_if, plain_scatter);
  expect_passes<problem>(primitive::batched_copy, plain_pieces);
}

TEST(SelectConformance, CatchesAWrongCount) {
  expect_caught<problem>(
      primitive::select, [](device& d, const problem& p) { plain_select(d, p), ++*p.count.as<std::uint64_t>(); },
      "the count is");
  expect_caught<problem>(
      primitive::run_lengths,
      [](device& d, const problem& p) { plain_run_lengths(d, p), ++*p.count.as<std::uint64_t>(); }, "the count is");
  expect_caught<problem>(
      primitive::select,
      [](device& d, const problem& p) {
        plain_select(d, p);
        if (p.how == selection::three_way_partition) ++p.count.as<std::uint64_t>()[1];
      },
      "the second class's count is");
}

TEST(SelectConformance, CatchesALostOrder) {
  expect_caught<problem>(
      primitive::select,
      [](device& d, const problem& p) {
        plain_select(d, p);
        const std::uint64_t kept = *p.count.as<std::uint64_t>(), size = size_of(p.type);
        if (kept > 1) std::swap_ranges(p.out.as<char>(), p.out.as<char>() + size, p.out.as<char>() + (kept - 1) * size);
      },
      "of the input");
  // The rest of a partition, back to front as some libraries leave it.
  expect_caught<problem>(
      primitive::select,
      [](device& d, const problem& p) {
        plain_select(d, p);
        if (p.how != selection::partition || p.value_bytes != 4) return;
        auto *rest = p.out2.as<std::uint32_t>() + *p.count.as<std::uint64_t>(), *end = p.out2.as<std::uint32_t>() + p.n;
        std::reverse(rest, end);
      },
      "it is not value");
}

TEST(SelectConformance, CatchesWritingBeyondWhatIsKept) {
  expect_caught<problem>(
      primitive::select,
      [](device& d, const problem& p) {
        plain_select(d, p);
        const std::uint64_t kept = *p.count.as<std::uint64_t>();
        if (p.how == selection::where && kept < p.n) p.out.as<char>()[kept * size_of(p.type)] = 0;
      },
      "was written");
  expect_caught<problem>(
      primitive::scatter_if,
      [](device& d, const problem& p) {
        plain_scatter(d, p);
        if (p.m > p.n) {  // there is a place that nothing goes to; find one
          for (std::uint64_t i = 0; i < p.m * size_of(p.type); ++i) p.out.as<unsigned char>()[i] &= 0xfe;
        }
      },
      " is not ");
}

// NaN is not equal to itself, the zeros are to each other; neither is so when bits are compared.
TEST(SelectConformance, CatchesFloatsComparedAsBits) {
  expect_caught<problem>(
      primitive::select,
      [](device& d, const problem& p) {
        problem q = p;
        if (p.how == selection::unique && p.type == dtype::f32) q.type = dtype::u32;
        plain_select(d, q);
      },
      "the count is");
}

TEST(SelectConformance, CatchesWrongLengths) {
  expect_caught<problem>(
      primitive::run_lengths,
      [](device& d, const problem& p) {
        plain_run_lengths(d, p);
        if (p.n > 256) --p.out2.as<std::uint64_t>()[*p.count.as<std::uint64_t>() - 1];
      },
      "its length is");
  expect_caught<problem>(
      primitive::expand_runs,
      [](device& d, const problem& p) {
        plain_expansion(d, p);
        if (p.m > 100) std::memset(p.out.as<char>() + (p.m - 1) * size_of(p.type), poison, size_of(p.type));
      },
      "of the input");
  expect_caught<problem>(
      primitive::gather,
      [](device& d, const problem& p) {
        problem q = p;
        if (q.n > 1000) --q.n;
        plain_gather(d, q);
      },
      "of the input");
}

TEST(SelectConformance, CatchesWhatWasNotToBeMoved) {
  expect_caught<problem>(
      primitive::gather_if,
      [](device& d, const problem& p) {
        plain_gather(d, p);
        for (std::uint64_t i = 0; i < p.n; ++i)
          if (!is_flagged(p, i)) std::memset(p.out.as<char>() + i * size_of(p.type), 0, size_of(p.type));
      },
      "it has no flag and was written");
  expect_caught<problem>(
      primitive::batched_copy,
      [](device& d, const problem& p) {
        problem q = p;
        if (q.n > 100) --q.n;
        plain_pieces(d, q);
      },
      "it is not what was to be copied");
}

}  // namespace
}  // namespace upsweep::detail::select_impl
