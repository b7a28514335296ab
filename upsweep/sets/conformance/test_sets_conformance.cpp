// The conformance tests of sets accept a plain implementation, and detect the typical errors of sets.
#include "tests/conformance_tests.hpp"
#include "upsweep/conformance/conformance.hpp"
#include "upsweep/sets/sets_problem.hpp"
#include "upsweep/sort/sort_order.hpp"

namespace upsweep::detail::sets_impl {
namespace {

using tests::expect_caught;
using tests::expect_passes;

// One step after the other.
template <class T>
void plain(const problem& p) {
  using U = order_image<T>;
  const order_window<U> window(p.first_bit, p.last_bit, p.descending);
  const auto image = [&](memory x, std::uint64_t i) { return window(order_bits_of<order_for<T>>(x.as<const U>()[i])); };
  std::uint64_t to = 0, i = 0, j = 0;
  const auto keep = [&](bool second, std::uint64_t at) {
    p.out.as<U>()[to] = (second ? p.in2 : p.in).as<const U>()[at];
    if (p.value_bytes != 0)
      std::memcpy(p.out2.as<char>() + to * p.value_bytes, (second ? p.in4 : p.in3).as<char>() + at * p.value_bytes,
                  p.value_bytes);
    ++to;
  };
  const bool merges = p.what == primitive::merge_by_key, both = keeps_of_second(p.what),
             pairs = p.what == primitive::set_union || p.what == primitive::set_intersection;
  while (i < p.n || j < p.m) {
    const bool first = j == p.m || (i < p.n && image(p.in, i) < image(p.in2, j)),
               second = i == p.n || (j < p.m && image(p.in2, j) < image(p.in, i));
    if (first || (merges && !second)) {
      if (p.what != primitive::set_intersection) keep(false, i);
      ++i;
    } else if (second) {
      if (both) keep(true, j);
      ++j;
    } else {
      if (pairs) keep(false, i);
      ++i, ++j;
    }
  }
  *p.count.as<std::uint64_t>() = to;
}
void plain(device&, const problem& p) {
  with_any_type(p.type, [&]<class T>(type_tag<T>) { plain<T>(p); });
}

TEST(SetsConformance, PassesWhatIsRight) {
  for (primitive what : {primitive::merge_by_key, primitive::set_union, primitive::set_intersection,
                         primitive::set_difference, primitive::set_symmetric_difference})
    expect_passes<problem>(what, plain);
}

TEST(SetsConformance, CatchesAWrongCount) {
  expect_caught<problem>(
      primitive::set_union, [](device& d, const problem& p) { plain(d, p), ++*p.count.as<std::uint64_t>(); },
      "the count is");
}

// A union of what two pieces make where a run of equal keys was cut between them without regard to pairs.
TEST(SetsConformance, CatchesARunCutWrongly) {
  expect_caught<problem>(
      primitive::set_symmetric_difference,
      [](device& d, const problem& p) {
        problem first = p, second = p;
        first.n = p.n / 2, first.m = p.m / 2;
        const std::uint64_t size = size_of(p.type);
        plain(d, first);
        const std::uint64_t kept = *p.count.as<std::uint64_t>();
        second.n = p.n - first.n, second.m = p.m - first.m;
        second.in = p.in.plus_bytes(first.n * size), second.in2 = p.in2.plus_bytes(first.m * size);
        second.in3 = p.in3.plus_bytes(first.n * p.value_bytes), second.in4 = p.in4.plus_bytes(first.m * p.value_bytes);
        second.out = p.out.plus_bytes(kept * size), second.out2 = p.out2.plus_bytes(kept * p.value_bytes);
        plain(d, second);
        *p.count.as<std::uint64_t>() += kept;
      },
      "");
}

// The last copies in place of the first.
TEST(SetsConformance, CatchesTheOtherSequencesCopies) {
  expect_caught<problem>(
      primitive::set_intersection,
      [](device& d, const problem& p) {
        problem other = p;
        if (p.n == p.m) std::swap(other.in, other.in2);
        plain(d, other);
      },
      "key ");
}

TEST(SetsConformance, CatchesLostValuesAndWhatIsWrittenBehind) {
  expect_caught<problem>(
      primitive::merge_by_key,
      [](device& d, const problem& p) {
        plain(d, p);
        if (p.n + p.m > 1) std::memcpy(p.out2.as<char>(), p.out2.as<char>() + p.value_bytes, p.value_bytes);
      },
      "value 0");
  expect_caught<problem>(
      primitive::set_difference,
      [](device& d, const problem& p) {
        plain(d, p);
        const std::uint64_t kept = *p.count.as<std::uint64_t>();
        if (kept < p.n) p.out.as<char>()[kept * size_of(p.type)] = 1;
      },
      "was written");
}

}  // namespace
}  // namespace upsweep::detail::sets_impl
