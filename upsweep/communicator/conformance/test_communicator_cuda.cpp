// Communicators with CUDA GPUs in one process, compared with one device: one GPU as several ranks, together with CPUs,
// and with a second GPU if the machine has one.
#include <gtest/gtest.h>

#include "upsweep/communicator.hpp"
#include "upsweep/communicator/conformance/communicator_cases.hpp"

namespace upsweep {
namespace {

// Nothing where a device is not there.
std::optional<communicator> group_if_there(const char* devices) {
  try {
    return communicator::named(devices);
  } catch (const error& e) {
    if (e.why() != fault::no_device) throw;
    return std::nullopt;
  }
}

class group_of_cuda : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    g_ = group_if_there(GetParam());
    if (!g_) GTEST_SKIP() << "no " << GetParam();
  }
  std::optional<communicator> g_;
};

TEST_P(group_of_cuda, gives_what_one_device_gives) {
  const auto j = communicator_conformance::walk(*g_, 20'000, false, g_->size() > 2 ? 4 : 2);
  EXPECT_GT(j.asked(), 100u);
  for (const std::string& wrong : j.found()) ADD_FAILURE() << wrong;
}

template <class K>
void sorts(const communicator& g, communicator_conformance::keys kind, std::uint64_t n) {
  SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)) + ", " + std::to_string(n));
  const auto one = context::cpu();
  auto want = communicator_conformance::made<K>(kind, n, 7);
  std::vector<std::uint32_t> places(n);
  std::iota(places.begin(), places.end(), 0u);
  auto keys = distributed<K>::of(g, want);
  auto values = distributed<std::uint32_t>::of(g, places);
  auto keys_alone = distributed<K>::of(g, want);
  sort(g, keys_alone), sort_by_key(g, keys, values), sort_by_key(one, want, places);
  const auto same = [](const auto& a, const auto& b) {  // bit for bit
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0;
  };
  EXPECT_TRUE(same(keys_alone.gather(), want)) << "sort";
  EXPECT_TRUE(same(keys.gather(), want)) << "sort_by_key's keys";
  EXPECT_TRUE(same(values.gather(), places)) << "sort_by_key's values";
}

// In several stages, and with cuts that take rounds to find.
TEST_P(group_of_cuda, sorts_many) {
  sorts<std::uint32_t>(*g_, communicator_conformance::keys::random, (1 << 26) + 5);
  sorts<std::uint64_t>(*g_, communicator_conformance::keys::random, (1 << 25) + 3);
  for (const auto kind : communicator_conformance::every_kind) {
    sorts<float>(*g_, kind, 6'000'011);
    sorts<std::int64_t>(*g_, kind, 1'000'003);
    sorts<std::uint16_t>(*g_, kind, 1'000'003);
  }
}

TEST_P(group_of_cuda, sorts_from_parts_to_other_parts) {
  const std::uint64_t n = 9'000'001;
  const auto p = static_cast<std::size_t>(g_->size());
  auto want = communicator_conformance::made<std::uint32_t>(communicator_conformance::keys::few, n, 3);
  std::vector<std::uint64_t> sizes(p, 0), even_but_one(p, n / p);
  sizes[0] = n, even_but_one[p - 1] += n % p;
  std::vector<std::span<const std::uint32_t>> parts(p);
  parts[0] = want;
  const auto x = distributed<std::uint32_t>::from_blocks(*g_, parts);
  auto out = distributed<std::uint32_t>::of_sizes(*g_, even_but_one);
  auto back = distributed<std::uint32_t>::of_sizes(*g_, sizes);
  sort(*g_, x, out, {.descending = true});
  sort(*g_, out, back, {.descending = true});
  sort(context::cpu(), want, {.descending = true});
  EXPECT_EQ(out.gather(), want);
  EXPECT_EQ(back.gather(), want);
}

TEST_P(group_of_cuda, asks_for_scratch_once) {
  const auto whole = communicator_conformance::made<std::uint32_t>(communicator_conformance::keys::random, 500'000, 2);
  const auto x = distributed<std::uint32_t>::of(*g_, whole);
  auto y = distributed<std::uint32_t>::even(*g_, x.size()), v = distributed<std::uint32_t>::even(*g_, x.size());
  const auto again = [&] {
    sort(*g_, x, y);
    sort_by_key(*g_, x, x, y, v);
    std::uint64_t allocations = 0;
    for (int i = 0; i < g_->local_size(); ++i) allocations += g_->where(i).temporary_storage_allocations();
    return allocations;
  };
  const auto first = again();
  EXPECT_GT(first, 0u);
  EXPECT_EQ(again(), first);
}

// Exchanges follow each other, and memory is written again as soon as it may be: what is enqueued keeps the order.
TEST_P(group_of_cuda, exchanges_in_order) {
  const std::uint64_t each = 300'000;
  std::atomic<int> wrong{0};
  g_->for_each_rank("rounds", [&](communicator_rank& m) {
    const auto p = static_cast<std::uint64_t>(m.size()), me = static_cast<std::uint64_t>(m.rank());
    const std::vector<std::uint64_t> counts(p, each);
    const auto from = m.scratch<std::uint32_t>("test/from", each * p),
               to = m.scratch<std::uint32_t>("test/to", each * p);
    for (std::uint32_t round = 0; round < 60; ++round) {
      for (std::uint64_t r = 0; r < p; ++r)
        fill(m.where(), from.subspan(r * each, each), static_cast<std::uint32_t>(round * 10'000 + me * 100 + r));
      m.all_to_all(device_span<const std::uint32_t>(from), counts, to, counts);
      for (std::uint64_t r = 0; r < p; ++r) {
        const auto sum =
            reduce(m.where(), device_span<const std::uint32_t>(to.subspan(r * each, each)), std::uint64_t{0});
        wrong += sum != each * (round * 10'000 + r * 100 + me);
      }
    }
  });
  EXPECT_EQ(wrong.load(), 0);
}

TEST_P(group_of_cuda, fails_on_every_member_and_goes_on) {
  for (int who = 0; who < g_->size(); ++who)
    for (const int step : {0, 1, 2}) {
      try {
        g_->for_each_rank("exchanges", [&](communicator_rank& m) {
          const std::vector<std::uint64_t> counts(static_cast<std::size_t>(m.size()), 1'000'000);
          const auto from = m.scratch<float>("test/from", counts.size() * counts[0]);
          const auto to = m.scratch<float>("test/to", counts.size() * counts[0]);
          for (int now = 0; now < 3; ++now) {
            if (now == step && m.rank() == who) throw std::runtime_error("it had no luck");
            m.all_to_all(device_span<const float>(from), counts, to, counts);
          }
        });
        ADD_FAILURE() << "nothing was thrown";
      } catch (const error& e) {
        EXPECT_NE(std::string(e.what()).find("rank " + std::to_string(who) + " of "), std::string::npos) << e.what();
      }
      sorts<std::uint32_t>(*g_, communicator_conformance::keys::random, 10'000);
    }
  if (g_->size() == 1) return;
  try {
    g_->for_each_rank("two steps", [&](communicator_rank& m) {
      const std::vector<std::uint64_t> counts(static_cast<std::size_t>(m.size()), 10);
      const auto x = m.scratch<float>("test/from", 10 * counts.size()), y = m.scratch<float>("test/to", x.size());
      if (m.rank() == 0) m.all(1);
      m.all_to_all(device_span<const float>(x), counts, y, counts);
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const error& e) {
    EXPECT_NE(std::string(e.what()).find("ranks are at different steps"), std::string::npos) << e.what();
  }
  sorts<std::uint32_t>(*g_, communicator_conformance::keys::random, 10'000);
}

INSTANTIATE_TEST_SUITE_P(communicator, group_of_cuda,
                         testing::Values("cuda:0", "cuda:0,cuda:0", "cuda:0,cpu:1", "cpu:1,cuda:0",
                                         "cuda:0,cuda:0,cuda:0", "cuda:0,cpu:1,cuda:0,cpu:1,cuda:0", "cuda:0,cuda:1",
                                         "cuda:1,cuda:0,cuda:1,cuda:0"));

}  // namespace
}  // namespace upsweep
