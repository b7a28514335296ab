// Bodies by communicators of one process: against one device, with one to five CPU contexts, two OpenCL devices and two
// contexts of one CUDA GPU; what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "upsweep/communicator.hpp"
#include "upsweep/communicator/communicator_domains.hpp"
#include "upsweep/communicator/conformance/communicator_cases.hpp"

namespace upsweep {
namespace {

void expect_nothing(const communicator_conformance::comparison& j, std::uint64_t asked = 100) {
  EXPECT_GT(j.asked(), asked);
  for (const std::string& wrong : j.found()) ADD_FAILURE() << wrong;
}

class bodies_of_cpus : public testing::TestWithParam<int> {};
TEST_P(bodies_of_cpus, have_the_bits_of_one_device) {
  std::vector<context> ranks;
  for (int i = 0; i < GetParam(); ++i) ranks.push_back(context::cpu(1 + i % 2));
  expect_nothing(communicator_conformance::walk_bodies(communicator::of(ranks), 5'000, true, true));
}
INSTANTIATE_TEST_SUITE_P(communicator, bodies_of_cpus, testing::Range(1, 6));

std::vector<context> several(int ranks, const char* device) {
  std::vector<context> all;
  for (int i = 0; i < ranks; ++i) all.push_back(context::named(device));
  return all;
}

TEST(bodies_of_opencl, have_the_bits_of_one_device) {
  std::vector<context> ranks;
  try {
    ranks = several(2, "opencl:0");
  } catch (const error& e) {
    GTEST_SKIP() << e.what();
  }
  expect_nothing(communicator_conformance::walk_bodies(communicator::of(ranks), 400,
                                                       ranks[0].device().supports(dtype::f64), true));
}

TEST(bodies_of_cuda, are_those_of_one_device) {
  std::vector<context> ranks;
  try {
    ranks = several(3, "cuda:0");
  } catch (const error& e) {
    GTEST_SKIP() << e.what();
  }
  expect_nothing(communicator_conformance::walk_bodies(communicator::of(ranks), 12'345, true, false));
  expect_nothing(communicator_conformance::walk_bodies(communicator::of(ranks), 60'001, false, false));
}

// The tree by domains. UPSWEEP_BODIES: of the largest scenes.
class domains_of_bodies : public testing::TestWithParam<std::pair<const char*, int>> {};
TEST_P(domains_of_bodies, have_the_bits_of_one_device) {
  const auto [device, ranks] = GetParam();
  std::vector<context> all;
  try {
    all = several(ranks, device);
  } catch (const error& e) {
    GTEST_SKIP() << e.what();
  }
  const char* const said = std::getenv("UPSWEEP_BODIES");
  const std::uint64_t most = said ? std::stoull(said) : all[0].kind() == backend::cuda ? 30'011 : 3'001;
  expect_nothing(
      communicator_conformance::walk_domains(communicator::of(all), most, all[0].device().supports(dtype::f64)), 30);
}
INSTANTIATE_TEST_SUITE_P(communicator, domains_of_bodies,
                         testing::Values(std::pair("cpu:1", 1), std::pair("cpu:1", 2), std::pair("cpu:2", 3),
                                         std::pair("cpu:1", 5), std::pair("cpu:1", 7), std::pair("opencl:0", 1),
                                         std::pair("opencl:0", 2), std::pair("opencl:0", 3), std::pair("opencl:0", 5),
                                         std::pair("opencl:0", 7), std::pair("cuda:0", 1), std::pair("cuda:0", 2),
                                         std::pair("cuda:0", 3), std::pair("cuda:0", 5), std::pair("cuda:0", 7)),
                         [](const auto& named) {
                           std::string name = named.param.first + std::string("_") + std::to_string(named.param.second);
                           std::ranges::replace(name, ':', '_');
                           return name;
                         });

struct cloud {
  std::vector<float> x, y, z, mass;
  explicit cloud(std::size_t n) : x(n), y(n), z(n), mass(n, 1.0f / static_cast<float>(n)) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto number = [&](std::size_t k) {
        return static_cast<float>(communicator_conformance::mixed(3 * i + k) >> 40) * 0x1p-23f - 1;
      };
      x[i] = number(0), y[i] = number(1), z[i] = number(2);
    }
  }
};

std::vector<float> pulled(const communicator& g, const cloud& c, const nbody::parameters& rules) {
  const auto spread = [&](const std::vector<float>& v) { return distributed<float>::of(g, v); };
  auto ax = spread(c.x), ay = spread(c.y), az = spread(c.z);
  nbody::accelerations(g, rules, spread(c.x), spread(c.y), spread(c.z), spread(c.mass), ax, ay, az);
  return ax.gather();
}

std::string said_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const error& e) {
    return e.what();
  }
  return "nothing";
}

std::uint64_t most_scratch_of(const nbody::parameters& rules, std::vector<context> ranks, const cloud& c) {
  const auto g = communicator::of(std::move(ranks));
  pulled(g, c, rules);
  std::uint64_t most = 0;
  for (int i = 0; i < g.local_size(); ++i) most = std::max(most, g.where(i).temporary_storage_bytes());
  return most;
}

// A rank's memory is for its own part, and not for all; it is asked for once.
TEST(bodies_of_opencl, take_less_memory_by_domains) {
  const cloud c(20'000);
  nbody::parameters rules{
      .softening = 0.01, .method = nbody::method::barnes_hut, .decomposition = nbody::domain_decomposition::whole};
  try {
    several(1, "opencl:0");
  } catch (const error& e) {
    GTEST_SKIP() << e.what();
  }
  const std::uint64_t whole = most_scratch_of(rules, several(6, "opencl:0"), c);
  rules.decomposition = nbody::domain_decomposition::domains;
  const std::uint64_t domains = most_scratch_of(rules, several(6, "opencl:0"), c);
  EXPECT_LT(3 * domains, 2 * whole) << domains << " bytes by domains, " << whole << " of the whole tree";
  const auto g = communicator::of(several(3, "opencl:0"));
  const auto first = pulled(g, c, rules);
  std::uint64_t before = 0, after = 0;
  for (int i = 0; i < 3; ++i) before += g.where(i).temporary_storage_allocations();
  EXPECT_EQ(pulled(g, c, rules), first);
  for (int i = 0; i < 3; ++i) after += g.where(i).temporary_storage_allocations();
  EXPECT_EQ(after, before);
}

TEST(bodies_of_a_group, go_by_domains_where_the_tree_does_not_fit) {
  const context one = context::cpu(1);
  const device& d = one.device();
  EXPECT_TRUE(core::holds_whole_tree(d, dtype::f32, 1'000));
  EXPECT_TRUE(core::holds_whole_tree(d, dtype::f64, d.total_memory() / 300));
  EXPECT_FALSE(core::holds_whole_tree(d, dtype::f64, d.total_memory() / 290));
  EXPECT_TRUE(core::holds_whole_tree(d, dtype::f32, d.total_memory() / 200));
  EXPECT_FALSE(core::holds_whole_tree(d, dtype::f32, d.total_memory() / 190));
}

TEST(bodies_of_a_group, go_by_all_pairs_where_members_differ) {
  std::vector<context> ranks{context::cpu(1)};
  try {
    ranks.push_back(context::opencl());
  } catch (const error& e) {
    GTEST_SKIP() << e.what();
  }
  const auto g = communicator::of(ranks);
  const cloud c(20'000);  // each alone would take the tree
  const auto got = pulled(g, c, {.softening = 0.01});
  std::vector<float> want(c.x.size()), other(want);
  auto more = other;
  nbody::accelerations(context::cpu(), {.softening = 0.01, .method = nbody::method::all_pairs}, c.x, c.y, c.z, c.mass,
                       want, other, more);
  double most = 0, error = 0;
  for (std::size_t i = 0; i < want.size(); ++i)
    most = std::max<double>(most, std::abs(want[i])), error = std::max<double>(error, std::abs(got[i] - want[i]));
  EXPECT_TRUE(error <= 1e-5 * most) << error << " of " << most;
  const auto said = said_of([&] { pulled(g, c, {.method = nbody::method::barnes_hut}); });
  EXPECT_NE(said.find("ranks of different kinds would build different trees"), std::string::npos) << said;
}

TEST(bodies_of_a_group, are_refused_in_one_sentence) {
  const auto g = communicator::named("cpu:1,cpu:1,cpu:1"), other = communicator::named("cpu:1,cpu:1");
  cloud c(100);
  c.mass[70] = -1;
  auto said = said_of([&] { pulled(g, c, {}); });
  EXPECT_NE(said.find("body 70 has a mass of -1"), std::string::npos) << said;
  c.mass[70] = 1, c.x[3] = c.x[99], c.y[3] = c.y[99], c.z[3] = c.z[99];
  said = said_of([&] { pulled(g, c, {}); });
  EXPECT_NE(said.find("bodies 3 and 99 have the same position"), std::string::npos) << said;
  said = said_of([&] { pulled(g, c, {.theta = -1}); });
  EXPECT_NE(said.find("theta"), std::string::npos) << said;
  const auto v = distributed<float>::of(g, c.x);
  auto out = distributed<float>::of(g, c.x), elsewhere = distributed<float>::of(other, c.x);
  const std::vector<std::uint64_t> uneven{50, 25, 25};
  auto cut = distributed<float>::of_sizes(g, uneven);
  EXPECT_THROW(nbody::accelerations(g, {.softening = 1}, v, v, v, v, out, out, elsewhere), error);
  EXPECT_THROW(nbody::accelerations(g, {.softening = 1}, v, v, v, v, out, out, cut), error);
  nbody::bodies<float> b;
  b.resize(2);
  b.x = {0, 1}, b.mass = {1, 1};
  const nbody::parameters tree{.method = nbody::method::barnes_hut};
  said = said_of([&] { nbody::distributed_simulation<float>(g, b, tree, nbody::integrator::hermite); });
  EXPECT_NE(said.find("hermite needs jerks"), std::string::npos) << said;
  EXPECT_THROW(nbody::distributed_simulation<float>(g, b, {}, nbody::integrator::euler, -1), error);
  std::vector<std::byte> bytes = nbody::distributed_simulation<float>(g, b, {}).checkpoint();
  bytes.back() ^= std::byte{1};
  EXPECT_THROW(nbody::distributed_simulation<float>::resume(g, bytes), error);
  EXPECT_THROW(nbody::distributed_simulation<double>::resume(g, bytes), error);
}

// A textbook variant writes all rows, whichever are requested.
TEST(bodies_of_a_group, are_not_for_textbook_variants) {
  const auto textbook_variant = context::cpu(1).with({.variant = "nbody/sequential"});
  const auto said = said_of([&] { pulled(communicator::of({textbook_variant, textbook_variant}), cloud(100), {}); });
  EXPECT_NE(said.find("a textbook variant does not compute a part"), std::string::npos) << said;
}

TEST(bodies_of_a_group, ask_for_scratch_once) {
  const auto g = communicator::named("cpu:1,cpu:1");
  const cloud c(5'000);
  const auto again = [&] {
    pulled(g, c, {.softening = 0.01});
    std::uint64_t allocations = 0;
    for (int i = 0; i < 2; ++i) allocations += g.where(i).temporary_storage_allocations();
    return allocations;
  };
  const auto first = again();
  EXPECT_GT(first, 0u);
  EXPECT_EQ(again(), first);
}

// Each is an equal part of the walk, and they come to what one rank alone walks.
TEST(bodies_of_a_group, are_as_close_as_by_one_device) {
  const cloud c(20'000);
  const nbody::parameters rules{.softening = 1e-3, .method = nbody::method::barnes_hut};
  EXPECT_EQ(pulled(communicator::named("cpu:1,cpu:1,cpu:1,cpu:1"), c, rules),
            pulled(communicator::named("cpu:1"), c, rules));
}

// From so many on by domains: no rank has all bodies, and what is sent grows less than they do.
TEST(bodies_of_a_group, have_domains_where_there_are_many) {
  const auto g = communicator::named("cpu:1,cpu:1,cpu:1,cpu:1");
  const nbody::parameters rules{.softening = 1e-3, .method = nbody::method::barnes_hut};
  const auto sent = [&] {
    std::uint64_t bytes = 0;
    g.for_each_rank("sent", [&](communicator_rank& m) {
      const auto all = m.all(m.route().bytes_sent());
      if (m.local_rank() == 0) bytes = *std::ranges::max_element(all);
    });
    return bytes;
  };
  const cloud few(core::domains_from + 5), many(4 * core::domains_from);
  std::uint64_t before = sent();
  EXPECT_EQ(pulled(g, few, rules), pulled(communicator::named("cpu:1"), few, rules));
  const std::uint64_t of_few = sent() - before;
  before = sent();
  pulled(g, many, rules);
  EXPECT_LT(sent() - before, 7 * of_few / 2);
  const std::uint64_t scratch = g.where(0).temporary_storage_bytes(), alone = 140 * many.x.size();
  EXPECT_LT(scratch, 3 * alone / 4);  // 91 bytes a body of all were measured
}

}  // namespace
}  // namespace upsweep
