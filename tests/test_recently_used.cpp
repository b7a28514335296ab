// The bounded map of run-time compiled programs and of tables on devices.
#include <gtest/gtest.h>

#include <memory>

#include "upsweep/core/recently_used.hpp"

namespace {

using upsweep::core::recently_used;

TEST(RecentlyUsed, KeepsWhatWasUsedLast) {
  recently_used<int> all;
  for (int i = 0; i < 3; ++i) all.add(std::to_string(i), i, 1);
  ASSERT_TRUE(all.find("0"));  // 1 is the least recently used one now
  all.add("3", 3, 1);
  EXPECT_EQ(all.shrink(3, 1000), std::vector<int>{1});
  EXPECT_FALSE(all.find("1"));
  for (const int i : {0, 2, 3}) {
    const int* const found = all.find(std::to_string(i));
    ASSERT_TRUE(found) << i;
    EXPECT_EQ(*found, i);
  }
  EXPECT_TRUE(all.shrink(3, 1000).empty());
}

TEST(RecentlyUsed, IsBoundedByBytes) {
  recently_used<int> all;
  all.add("a", 1, 4), all.add("b", 2, 4);
  EXPECT_TRUE(all.shrink(100, 10).empty());
  all.add("c", 3, 4);
  EXPECT_EQ(all.bytes(), 12u);
  EXPECT_EQ(all.shrink(100, 10), std::vector<int>{1});
  EXPECT_EQ(all.bytes(), 8u);
  // An entry that is larger than the bound replaces all others and stays until the next one.
  all.add("d", 4, 50);
  EXPECT_EQ(all.shrink(100, 10), (std::vector<int>{2, 3}));
  EXPECT_TRUE(all.find("d"));
  all.add("e", 5, 1);
  EXPECT_EQ(all.shrink(100, 10), std::vector<int>{4});
  EXPECT_EQ(all.size(), 1u);
}

TEST(RecentlyUsed, DropsNothingThatIsInUse) {
  recently_used<std::shared_ptr<int>> all;
  for (int i = 0; i < 2; ++i) all.add(std::to_string(i), std::make_shared<int>(i), 1);
  const std::shared_ptr<int> used = *all.find("0");
  ASSERT_TRUE(all.find("1"));
  all.add("2", std::make_shared<int>(2), 1), all.add("3", std::make_shared<int>(3), 1);
  const auto unused = [](const std::shared_ptr<int>& p) { return p.use_count() == 1; };
  EXPECT_EQ(all.shrink(2, 1000, unused).size(), 2u);
  EXPECT_TRUE(all.find("0"));
  EXPECT_TRUE(all.find("3"));
  EXPECT_EQ(all.size(), 2u);
}

TEST(RecentlyUsed, ForgetsWhatIsRemoved) {
  recently_used<int> all;
  all.add("a", 1, 7), all.add("b", 2, 1);
  all.remove("a"), all.remove("nothing");
  EXPECT_FALSE(all.find("a"));
  EXPECT_EQ(all.bytes(), 1u);
  all.add("a", 3, 2);
  EXPECT_EQ(*all.find("a"), 3);
}

}  // namespace
