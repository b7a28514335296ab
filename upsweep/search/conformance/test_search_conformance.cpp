// The conformance tests of search accept a plain implementation, and detect the typical errors of searches.
#include <algorithm>

#include "tests/conformance_tests.hpp"
#include "upsweep/search/search_problem.hpp"

namespace upsweep::detail::search_impl {
namespace {

using tests::expect_caught;
using tests::expect_passes;

template <class F>
void with_elements(const problem& p, F f) {
  with_any_type(p.type, [&]<class T>(type_tag<T>) { f(p.in.as<const T>(), p.in2.as<const T>()); });
}
std::uint64_t& answer(const problem& p) { return *p.out.as<std::uint64_t>(); }

void plain_count(device&, const problem& p) {
  with_elements(p, [&]<class T>(const T* x, const T*) {
    answer(p) = static_cast<std::uint64_t>(std::count_if(x, x + p.n, compared<T>{p.test, p.threshold.as<T>()}));
  });
}

template <class T>
const T* found(const problem& p, const T* x, const T* y) {
  const T* const end = x + p.n;
  const compared<T> test{p.test, p.threshold.as<T>()};
  const auto ordered = [](const T& a, const T& b) { return !(a < b) && !(b < a); };
  switch (p.how) {
    case seek::passing: return p.negated ? std::find_if_not(x, end, test) : std::find_if(x, end, test);
    case seek::adjacent: return std::adjacent_find(x, end);
    case seek::one_of: return std::find_first_of(x, end, y, y + p.m);
    case seek::beginning: return std::search(x, end, y, y + p.m);
    case seek::unequal: return std::mismatch(x, end, y).first;
    case seek::apart: break;
  }
  return std::mismatch(x, end, y, ordered).first;
}
void plain_find(device&, const problem& p) {
  with_elements(p, [&](auto* x, auto* y) { answer(p) = static_cast<std::uint64_t>(found(p, x, y) - x); });
}

template <class T>
bool before(const T& a, const T& b) {
  return a < b || (a == a && !(b == b));
}
void plain_argmin(device&, const problem& p) {
  with_elements(p, [&]<class T>(const T* x, const T*) {
    const auto falling = [](const T& a, const T& b) { return b < a || (a == a && !(b == b)); };
    const T* const at =
        p.which == extreme::min ? std::min_element(x, x + p.n, before<T>) : std::min_element(x, x + p.n, falling);
    answer(p) = static_cast<std::uint64_t>(at - x);
  });
}

void plain_bounds(device&, const problem& p) {
  with_elements(p, [&]<class T>(const T* x, const T* queries) {
    for (std::uint64_t i = 0; i < p.n; ++i) {
      const T* const lower = std::lower_bound(x, x + p.m, queries[i], before<T>);
      const T* const upper = std::upper_bound(x, x + p.m, queries[i], before<T>);
      const auto place = static_cast<std::uint64_t>((p.side == bound::lower ? lower : upper) - x);
      if (p.side == bound::found)
        p.out.as<std::uint8_t>()[i] = lower != upper;
      else if (p.narrow)
        p.out.as<std::uint32_t>()[i] = static_cast<std::uint32_t>(place);
      else
        p.out.as<std::uint64_t>()[i] = place;
    }
  });
}

TEST(SearchConformance, PassesWhatIsRight) {
  expect_passes<problem>(primitive::count_if, plain_count);
  expect_passes<problem>(primitive::find_if, plain_find);
  expect_passes<problem>(primitive::mismatch, plain_find);
  expect_passes<problem>(primitive::argmin, plain_argmin);
  expect_passes<problem>(primitive::bounds, plain_bounds);
}

TEST(SearchConformance, CatchesCountsThatAreOff) {
  expect_caught<problem>(primitive::count_if, [](device&, const problem&) {}, "the answer for");
  expect_caught<problem>(
      primitive::count_if,
      [](device& d, const problem& p) {
        problem q = p;
        if (q.test == comparison::less_equal) q.test = comparison::less;
        plain_count(d, q);
      },
      "the answer for");
}

TEST(SearchConformance, CatchesALaterOne) {
  const auto last = [](device& d, const problem& p) {
    plain_find(d, p);
    if (p.how != seek::passing || p.n == 0) return;
    with_elements(p, [&]<class T>(const T* x, const T*) {
      const compared<T> test{p.test, p.threshold.as<T>()};
      for (std::uint64_t i = p.n; i-- > 0;)
        if (test(x[i]) != p.negated) return void(answer(p) = i);
    });
  };
  expect_caught<problem>(primitive::find_if, last, "the answer for");
  expect_caught<problem>(
      primitive::find_if,
      [](device& d, const problem& p) {
        plain_find(d, p);
        if (p.how == seek::beginning && p.m > 1 && answer(p) == p.n) answer(p) = p.n - p.m;
      },
      "the answer for");
  expect_caught<problem>(
      primitive::mismatch,
      [](device& d, const problem& p) {
        plain_find(d, p);
        if (answer(p) == p.n && p.n > 0) answer(p) = p.n - 1;
      },
      "the answer for");
}

// Equality where neither of two stands before the other: NaNs tell them apart.
TEST(SearchConformance, CatchesNaNsThatAreTakenForNumbers) {
  expect_caught<problem>(
      primitive::mismatch,
      [](device& d, problem const& p) {
        problem q = p;
        q.how = seek::unequal;
        plain_find(d, q);
      },
      "the answer for");
  expect_caught<problem>(
      primitive::argmin,
      [](device&, const problem& p) {
        with_elements(p, [&]<class T>(const T* x, const T*) {
          answer(p) = static_cast<std::uint64_t>(
              (p.which == extreme::min ? std::min_element(x, x + p.n) : std::max_element(x, x + p.n)) - x);
        });
      },
      "the answer for");
}

TEST(SearchConformance, CatchesTheLastOfEqualExtremes) {
  expect_caught<problem>(
      primitive::argmin,
      [](device& d, const problem& p) {
        plain_argmin(d, p);
        with_elements(p, [&]<class T>(const T* x, const T*) {
          const std::uint64_t first = answer(p);
          for (std::uint64_t i = first; i < p.n; ++i)
            if (x[i] == x[first]) answer(p) = i;
        });
      },
      "the answer for");
}

TEST(SearchConformance, CatchesTheOtherBound) {
  expect_caught<problem>(
      primitive::bounds,
      [](device& d, const problem& p) {
        problem q = p;
        if (q.side == bound::upper) q.side = bound::lower;
        plain_bounds(d, q);
      },
      "is not");
  expect_caught<problem>(
      primitive::bounds,
      [](device& d, const problem& p) {
        plain_bounds(d, p);
        if (p.side == bound::lower && !p.narrow && p.n > 1) p.out.as<std::uint64_t>()[p.n - 1] += 1;
      },
      "is not");
}

}  // namespace
}  // namespace upsweep::detail::search_impl
