#include "upsweep/sets.hpp"

#include "tests/header_examples/example.hpp"

HEADER_EXAMPLE(sets, everywhere) {
  using upsweep::tests::by_length;
  using u32s = std::vector<std::uint32_t>;
  const upsweep::buffer<std::uint32_t> a(gpu, u32s{1, 4}), a_rows(gpu, u32s{10, 11}), b(gpu, u32s{1, 3}),
      b_rows(gpu, u32s{20, 21});
  upsweep::buffer<std::uint32_t> merged(gpu, 4), rows(gpu, 4);
  const std::vector<int> yesterday{1, 2, 2, 5}, today{2, 2, 3, 5};
  std::vector<int> common(4);
  const std::vector<std::string> names{"Bo", "Ada"}, more_names{"Al", "Cy", "Alan"};
  std::vector<std::string> out(5);
  const upsweep::buffer<float> x(gpu, std::vector<float>{1, 2, 3}), y(gpu, std::vector<float>{2});
  upsweep::buffer<float> rest(gpu, 3);
  upsweep::buffer<std::uint64_t> count(gpu, 1);
  const std::vector<int> keys{9, 5}, values{90, 50}, keys2{7, 5}, values2{71, 51};
  std::vector<int> keys_out(4), values_out(4);
#include "sets.example"
  EXPECT_EQ(rows.download(), (u32s{10, 20, 21, 11}));
  EXPECT_EQ(both, 3u);
  EXPECT_EQ(common[2], 5);
  EXPECT_EQ(all, 4u);
  EXPECT_EQ(out[3], "Alan");
  EXPECT_EQ(count.download()[0], 2u);
  EXPECT_EQ(rest.download()[1], 3);
  EXPECT_EQ((std::vector<int>(values_out.begin(), values_out.begin() + 3)), (std::vector<int>{90, 71, 50}));
}
