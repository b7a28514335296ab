// The conformance tests of compact accept a plain implementation, and detect the typical errors of compactions.
#include <cstring>

#include "tests/conformance_tests.hpp"
#include "upsweep/compact/compact_problem.hpp"
#include "upsweep/conformance/conformance.hpp"
#include "upsweep/operators/runtime_operators.hpp"

namespace upsweep::detail::compact_impl {
namespace {

using tests::expect_caught;
using tests::expect_passes;

// One step after the other; others follow from the last to the first where `backwards`.
void plain(const problem& p, bool backwards = false) {
  with_any_type(p.type, [&]<class T>(type_tag<T>) {
    std::uint64_t kept = 0, behind = 0;
    if (p.what == primitive::run_offsets) {
      const T* x = p.in.as<const T>();
      for (std::uint64_t i = 0; i < p.n; ++i)
        if (i == 0 || !(x[i - 1] == x[i])) p.out.as<std::uint64_t>()[kept++] = i;
      p.out.as<std::uint64_t>()[kept] = p.n;
    } else {
      const std::uint64_t size = p.element_bytes;
      const compared<T> test{p.test, p.threshold.as<T>()};
      const auto passes = [&](std::uint64_t i) { return test(p.in2.as<const T>()[i]) != p.negated; };
      const auto move = [&](memory out, std::uint64_t to, std::uint64_t i) {
        std::memcpy(out.as<char>() + to * size, p.in.as<const char>() + i * size, size);
      };
      for (std::uint64_t i = 0; i < p.n; ++i)
        if (passes(i)) move(p.out, kept++, i);
      for (std::uint64_t k = 0; k < p.n && p.what == primitive::stencil_partition; ++k)
        if (const std::uint64_t i = backwards ? p.n - 1 - k : k; !passes(i))
          move(p.two_outputs ? p.out2 : p.out, (p.two_outputs ? 0 : kept) + behind++, i);
    }
    *p.count.as<std::uint64_t>() = kept;
  });
}
void run_plain(device&, const problem& p) { plain(p); }

TEST(CompactConformance, PassesWhatIsRight) {
  for (primitive what : {primitive::stencil_select, primitive::stencil_partition, primitive::run_offsets})
    expect_passes<problem>(what, run_plain);
}

TEST(CompactConformance, CatchesAWrongCount) {
  for (primitive what : {primitive::stencil_select, primitive::stencil_partition, primitive::run_offsets})
    expect_caught<problem>(
        what, [](device&, const problem& p) { plain(p), ++*p.count.as<std::uint64_t>(); }, "the count is");
}

TEST(CompactConformance, CatchesATestThatForgetsToBeNegated) {
  expect_caught<problem>(
      primitive::stencil_select,
      [](device&, const problem& p) {
        problem straight = p;
        straight.negated = false;
        plain(straight);
      },
      "");
}

TEST(CompactConformance, CatchesAnUnstablePartitionAndWhatIsWrittenBehind) {
  expect_caught<problem>(primitive::stencil_partition, [](device&, const problem& p) { plain(p, true); }, "element ");
  expect_caught<problem>(
      primitive::stencil_select,
      [](device&, const problem& p) {
        plain(p);
        const std::uint64_t kept = *p.count.as<std::uint64_t>();
        if (kept < p.n) p.out.as<char>()[kept * p.element_bytes] = 1;
      },
      "was written");
}

TEST(CompactConformance, CatchesAMissingEnd) {
  expect_caught<problem>(
      primitive::run_offsets,
      [](device&, const problem& p) {
        plain(p);
        p.out.as<std::uint64_t>()[*p.count.as<std::uint64_t>()] = p.n + 1;
      },
      "offset ");
}

}  // namespace
}  // namespace upsweep::detail::compact_impl
