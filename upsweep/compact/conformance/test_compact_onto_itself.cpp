// Selections onto their own input, into outputs that hold just what is kept, and where the order does not matter.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/devices.hpp"
#include "upsweep/compact.hpp"

namespace upsweep {
namespace {

using tests::expect_error;
using tests::first_of;
using words = std::vector<std::uint32_t>;

struct OntoItselfOn : tests::on_each_device {};
INSTANTIATE_TEST_SUITE_P(, OntoItselfOn, testing::ValuesIn(tests::device_names()), tests::device_label);

constexpr std::uint64_t sizes[]{0, 1, 33, 4097, 50021};

words random_words(std::uint64_t n, std::uint32_t below) {
  std::mt19937_64 random(n + below);
  words all(n);
  for (std::uint32_t& x : all) x = static_cast<std::uint32_t>(random() >> 11) % below;
  return all;
}

struct wanted {
  words small, parted, firsts, flagged;
  explicit wanted(const words& x, const std::vector<std::uint8_t>& flags) : parted(x), firsts(x) {
    std::copy_if(x.begin(), x.end(), std::back_inserter(small), [](auto v) { return v < 3; });
    std::stable_partition(parted.begin(), parted.end(), [](auto v) { return v < 3; });
    firsts.erase(std::unique(firsts.begin(), firsts.end()), firsts.end());
    for (std::uint64_t i = 0; i < x.size(); ++i)
      if (flags[i] != 0) flagged.push_back(x[i]);
  }
};

TEST_P(OntoItselfOn, TheOutputIsTheInput) {
  for (const std::uint64_t n : sizes) {
    const words x = random_words(n, 7);
    std::vector<std::uint8_t> flags(n);
    for (std::uint64_t i = 0; i < n; ++i) flags[i] = x[i] * 5 % 7 < 2;
    const wanted want(x, flags);
    const auto test = less_than(3u);
    words here = x;
    EXPECT_EQ(first_of(here, copy_if(where(), here, here, test)), want.small) << n;
    here = x;
    EXPECT_EQ(first_of(here, copy_if(where(), here, test)), want.small) << n;
    here = x;
    EXPECT_EQ(first_of(here, select_flagged(where(), here, flags, here)), want.flagged) << n;
    here = x;
    EXPECT_EQ(first_of(here, unique(where(), here, here)), want.firsts) << n;
    here = x;
    EXPECT_EQ(partition(where(), here, here, test), want.small.size()) << n;
    EXPECT_EQ(here, want.parted) << n;
    const buffer<std::uint8_t> kinds(where(), flags);
    buffer<std::uint32_t> there(where(), x), beside(where(), x);
    buffer<std::uint64_t> count(where(), 1);
    const auto expect = [&](std::uint64_t kept, const words& wanted) {
      EXPECT_EQ(first_of(there.download(), kept), wanted) << n;
      there.upload(x);
    };
    expect(copy_if(where(), there, there, test), want.small);
    expect(copy_if(where(), there, test), want.small);
    copy_if(where(), there, there, count.span(), test);
    expect(count.download()[0], want.small);
    expect(select_flagged(where(), there, kinds, there), want.flagged);
    expect(unique(where(), there, there), want.firsts);
    expect((partition(where(), there, there, test), n), want.parted);
    expect(unique_by_key(where(), there, beside, there, beside), want.firsts);
    EXPECT_EQ(first_of(beside.download(), want.firsts.size()), want.firsts) << n;
  }
}

TEST_P(OntoItselfOn, TheOutputHoldsJustWhatIsKept) {
  for (const std::uint64_t n : sizes) {
    const words x = random_words(n, 7);
    std::vector<std::uint8_t> flags(n);
    for (std::uint64_t i = 0; i < n; ++i) flags[i] = x[i] * 5 % 7 < 2;
    const wanted want(x, flags);
    const auto test = less_than(3u);
    const buffer<std::uint32_t> there(where(), x);
    const buffer<std::uint8_t> kinds(where(), flags);
    // `call` writes to an output of just that size, and refuses one that is one smaller and touches nothing behind it.
    const auto expect = [&](const words& wanted, auto call, auto call_there) {
      const std::uint64_t kept = wanted.size();
      words out(kept);
      EXPECT_EQ(call(std::span(out)), kept) << n;
      EXPECT_EQ(out, wanted) << n;
      buffer<std::uint32_t> to(where(), kept);
      EXPECT_EQ(call_there(to.span()), kept) << n;
      EXPECT_EQ(to.download(), wanted) << n;
      if (kept == 0) return;
      words behind(kept, 77);
      to.upload(behind);
      expect_error(fault::bad_argument, {std::to_string(kept - 1)}, [&] { call(std::span(behind).first(kept - 1)); });
      expect_error(fault::bad_argument, {"the output has " + std::to_string(kept - 1)},
                   [&] { call_there(to.span().subspan(0, kept - 1)); });
      EXPECT_EQ(behind.back(), 77u) << n;
      EXPECT_EQ(to.download().back(), 77u) << n;
    };
    expect(
        want.small, [&](auto out) { return copy_if(where(), x, out, test); },
        [&](auto out) { return copy_if(where(), there, out, test); });
    expect(
        want.flagged, [&](auto out) { return select_flagged(where(), x, flags, out); },
        [&](auto out) { return select_flagged(where(), there, kinds, out); });
    expect(
        want.firsts, [&](auto out) { return unique(where(), x, out); },
        [&](auto out) { return unique(where(), there, out); });
  }
}

TEST_P(OntoItselfOn, WhereTheOrderDoesNotMatter) {
  const words x = random_words(5003, 7);
  const buffer<std::uint32_t> there(where(), x);
  buffer<std::uint32_t> out(where(), x.size());
  const wanted want(x, std::vector<std::uint8_t>(x.size()));
  const auto sorted = [](words all) {
    std::sort(all.begin(), all.end());
    return all;
  };
  const auto test = less_than(3u);
  EXPECT_EQ(sorted(first_of((unstable_copy_if(where(), there, out, test), out.download()), want.small.size())),
            sorted(want.small));
  EXPECT_EQ(unstable_partition(where(), there, out, test), want.small.size());
  words all = out.download();
  EXPECT_TRUE(std::is_partitioned(all.begin(), all.end(), [](auto v) { return v < 3; }));
  EXPECT_EQ(sorted(all), sorted(x));
  EXPECT_EQ(stable_partition(where(), there, out, test), want.small.size());
  EXPECT_EQ(out.download(), want.parted);
  words here = x;
  EXPECT_EQ(unstable_remove_if(where(), here, test), x.size() - want.small.size());
  here = x;
  EXPECT_EQ(unstable_partition(where(), here, test), want.small.size());
  EXPECT_EQ(sorted(here), sorted(x));
}

TEST(OntoItself, TypesOfTheCpu) {
  const context c = context::cpu(2);
  const std::vector<std::string> x{"ann", "bob", "al", "cy", "al", "al"};
  const auto with_a = [](const std::string& s) { return s[0] == 'a'; };
  std::vector<std::string> all = x, four(4), three(3, "-");
  EXPECT_EQ(copy_if(c, all, all, with_a), 4u);
  EXPECT_EQ(all[3], "al");
  EXPECT_EQ(copy_if(c, x, four, with_a), 4u);
  EXPECT_EQ(four, (std::vector<std::string>{"ann", "al", "al", "al"}));
  expect_error(fault::bad_argument, {"copy_if", "3", "4"}, [&] { copy_if(c, x, three, with_a); });
  all = x;
  EXPECT_EQ(unique(c, all, all), 5u);
  all = x;
  EXPECT_EQ(partition(c, all, all, with_a), 4u);
  EXPECT_EQ(all, (std::vector<std::string>{"ann", "al", "al", "al", "bob", "cy"}));
}

}  // namespace
}  // namespace upsweep
