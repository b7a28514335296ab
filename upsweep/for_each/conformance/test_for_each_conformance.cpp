// The conformance test of for_each_index accepts the plain loop, and detects missing, repeated and wrong indices.
#include "tests/conformance_tests.hpp"
#include "upsweep/for_each/for_each_problem.hpp"

namespace upsweep::detail::for_each_impl {
namespace {

using tests::expect_caught;
using tests::expect_passes;

TEST(ForEachConformance, PassesWhatIsRight) {
  expect_passes<problem>(primitive::for_each_index, [](device&, const problem& p) {
    with_function(p, [&](const auto& f) {
      for (std::uint64_t i = p.n; i-- > 0;) f(i);
    });
  });
}

TEST(ForEachConformance, CatchesAnIndexLeftOut) {
  expect_caught<problem>(
      primitive::for_each_index,
      [](device&, const problem& p) {
        with_function(p, [&](const auto& f) {
          for (std::uint64_t i = 0; i < p.n / 32 * 32; ++i) f(i);
        });
      },
      "element 32 of 33");
}

// Which shows only in place.
TEST(ForEachConformance, CatchesAnIndexCalledTwice) {
  expect_caught<problem>(
      primitive::for_each_index,
      [](device&, const problem& p) {
        with_function(p, [&](const auto& f) {
          for (std::uint64_t i = 0; i < p.n; ++i) f(i);
          if (p.n > 256) f(256);
        });
      },
      "element 256");
}

TEST(ForEachConformance, CatchesAnIndexCutToTenBits) {
  expect_caught<problem>(
      primitive::for_each_index,
      [](device&, const problem& p) {
        with_function(p, [&](const auto& f) {
          for (std::uint64_t i = 0; i < p.n; ++i) f(i % 1024);
        });
      },
      " is not ");
}

}  // namespace
}  // namespace upsweep::detail::for_each_impl
