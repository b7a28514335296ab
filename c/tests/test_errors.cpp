// What is wrong is refused in a sentence; threads share a context; options make another.
#include <chrono>
#include <thread>

#include "device.hpp"

namespace {

using u64 = std::uint64_t;

class Errors : public testing::Test {
 protected:
  const context held = open_device("cpu");
  const upsweep_context* const c = held.get();
  std::vector<float> x = std::vector<float>(10, 1.f), y = std::vector<float>(10);
  u64 count = 0;
};

// A million bodies, all pairs: minutes, and over at the first poll.
TEST_F(Errors, EndWhatIsCancelled) {
  const std::size_t n = 1'000'000;
  std::vector<float> at(3 * n), mass(n, 1.f), a(3 * n);
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = static_cast<float>(i * 7919 % 1'000'003);
  upsweep_nbody_parameters parameters = upsweep_nbody_default_parameters();
  parameters.softening = 1;
  int asked = 0;
  const auto yes = [](void* times) { return ++*static_cast<int*>(times); };
  ASSERT_EQ(upsweep_set_cancel_callback(yes, &asked), UPSWEEP_OK);
  const auto began = std::chrono::steady_clock::now();
  REFUSED(upsweep_accelerations(c, UPSWEEP_F32, &parameters, n, at.data(), at.data() + n, at.data() + 2 * n,
                                mass.data(), a.data(), a.data() + n, a.data() + 2 * n, nullptr),
          UPSWEEP_CANCELLED, "cancelled");
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(30));
  EXPECT_EQ(asked, 1);
  ASSERT_EQ(upsweep_set_cancel_callback(nullptr, nullptr), UPSWEEP_OK);
  EXPECT_EQ(upsweep_reduce(c, UPSWEEP_F32, mass.data(), n, UPSWEEP_PLUS, UPSWEEP_IDENTITY, nullptr, y.data()),
            UPSWEEP_OK);
  EXPECT_EQ(y[0], n);
}

TEST_F(Errors, SayWhatIsWrong) {
  const auto sum = [&](const upsweep_context* where, int type, const void* in, u64 n, int op) {
    return upsweep_reduce(where, type, in, n, op, UPSWEEP_IDENTITY, nullptr, y.data());
  };
  REFUSED(sum(nullptr, UPSWEEP_F32, x.data(), 10, UPSWEEP_PLUS), UPSWEEP_BAD_ARGUMENT, "the context is null");
  REFUSED(sum(c, UPSWEEP_F32, nullptr, 10, UPSWEEP_PLUS), UPSWEEP_BAD_ARGUMENT,
          "the input is null and has 10 elements");
  REFUSED(sum(c, 11, x.data(), 10, UPSWEEP_PLUS), UPSWEEP_BAD_ARGUMENT, "the type is 11");
  REFUSED(sum(c, -1, x.data(), 10, UPSWEEP_PLUS), UPSWEEP_BAD_ARGUMENT, "the type is -1");
  REFUSED(sum(c, UPSWEEP_F32, x.data(), 10, 99), UPSWEEP_BAD_ARGUMENT, "the operator is 99");
  REFUSED(sum(c, UPSWEEP_F32, x.data(), 10, UPSWEEP_BIT_AND), UPSWEEP_UNSUPPORTED, "bit_and");
  REFUSED(sum(c, UPSWEEP_U8, x.data(), 10, UPSWEEP_PLUS), UPSWEEP_UNSUPPORTED, "u8");
  REFUSED(sum(c, UPSWEEP_F32, x.data(), ~u64{0} / 2, UPSWEEP_PLUS), UPSWEEP_BAD_ARGUMENT, "more than memory can hold");
  REFUSED(upsweep_scan(c, UPSWEEP_F32, x.data(), 9, 1, UPSWEEP_PLUS, UPSWEEP_IDENTITY, nullptr, x.data() + 1),
          UPSWEEP_BAD_ARGUMENT, "overlap");
  REFUSED(upsweep_copy_if(c, UPSWEEP_F32, x.data(), 10, UPSWEEP_LESS, nullptr, y.data(), &count), UPSWEEP_BAD_ARGUMENT,
          "the threshold is null");
  REFUSED(upsweep_copy_if(c, UPSWEEP_F32, x.data(), 10, 6, x.data(), y.data(), &count), UPSWEEP_BAD_ARGUMENT,
          "the comparison is 6");
  REFUSED(upsweep_top_k(c, UPSWEEP_F32, x.data(), 2, 3, 1, y.data(), &count), UPSWEEP_BAD_ARGUMENT, "3 keys");
  float key;
  REFUSED(upsweep_nth_element(c, UPSWEEP_F32, x.data(), 10, 10, 0, &key), UPSWEEP_BAD_ARGUMENT, "10");
  const u64 shape[]{5, 2}, cuts[]{0, 11}, large[]{~u64{0}, 2};
  REFUSED(
      upsweep_reduce_along(c, UPSWEEP_F32, x.data(), shape, 2, 2, UPSWEEP_PLUS, UPSWEEP_IDENTITY, nullptr, y.data()),
      UPSWEEP_BAD_ARGUMENT, "axis");
  REFUSED(
      upsweep_reduce_along(c, UPSWEEP_F32, x.data(), large, 2, 0, UPSWEEP_PLUS, UPSWEEP_IDENTITY, nullptr, y.data()),
      UPSWEEP_BAD_ARGUMENT, "64 bits");
  REFUSED(
      upsweep_reduce_along(c, UPSWEEP_F32, x.data(), shape, 9, 0, UPSWEEP_PLUS, UPSWEEP_IDENTITY, nullptr, y.data()),
      UPSWEEP_BAD_ARGUMENT, "9 axes");
  REFUSED(upsweep_segmented_reduce(c, UPSWEEP_F32, x.data(), 10, cuts, 1, UPSWEEP_PLUS, UPSWEEP_IDENTITY, nullptr,
                                   y.data()),
          UPSWEEP_BAD_ARGUMENT, "past the end of 10 elements");
  REFUSED(upsweep_gather(c, x.data(), 4, 10, cuts, 8, nullptr, 2, y.data()), UPSWEEP_BAD_ARGUMENT, "index 1 is 11");
  REFUSED(upsweep_gather(c, x.data(), 3, 10, cuts, 8, nullptr, 2, y.data()), UPSWEEP_UNSUPPORTED, "3 bytes");
  REFUSED(upsweep_argsort(c, UPSWEEP_F32, x.data(), 10, 0, 2, y.data()), UPSWEEP_BAD_ARGUMENT, "2 bytes");
  REFUSED(upsweep_segmented_reduce(c, UPSWEEP_F32, x.data(), 10, cuts, ~u64{0}, UPSWEEP_PLUS, UPSWEEP_IDENTITY, nullptr,
                                   y.data()),
          UPSWEEP_BAD_ARGUMENT, "more than memory can hold");
  REFUSED(upsweep_merge(c, UPSWEEP_U8, x.data(), ~u64{0}, x.data(), 1, 0, y.data()), UPSWEEP_BAD_ARGUMENT, "64 bits");
  const float from = 0, to = 1;
  REFUSED(upsweep_histogram(c, UPSWEEP_F32, x.data(), 10, &from, &to, u64{1} << 63, 2, &count), UPSWEEP_BAD_ARGUMENT,
          "bins");
  REFUSED(upsweep_histogram(c, UPSWEEP_F32, x.data(), 10, &from, &to, 1, 0, &count), UPSWEEP_BAD_ARGUMENT, "channels");
  const float low = 1, high = 1;
  REFUSED(upsweep_histogram(c, UPSWEEP_F32, x.data(), 10, &low, &high, 1, 1, &count), UPSWEEP_BAD_ARGUMENT,
          "hold nothing");
  const upsweep_image_layout picture{5, 2, 1, 1, 4, 0, 0}, whole{5, 2, 1, 1, 0, 0, 0};
  REFUSED(upsweep_summed_area_table(c, UPSWEEP_F32, x.data(), &picture, 0, UPSWEEP_F32, y.data()), UPSWEEP_BAD_ARGUMENT,
          "pitch");
  REFUSED(upsweep_summed_area_table(c, UPSWEEP_F32, x.data(), &whole, 0, UPSWEEP_U8, y.data()), UPSWEEP_UNSUPPORTED,
          "f32 and results of u8 are not supported together");
  const upsweep_mask mask{UPSWEEP_F64, 1, 1, 1, x.data(), 0, 0, 0, 0};
  REFUSED(upsweep_convolve(c, UPSWEEP_F32, x.data(), &whole, &mask, 0, UPSWEEP_BORDER_ZERO, UPSWEEP_F32, y.data()),
          UPSWEEP_UNSUPPORTED, "are not supported together");
  REFUSED(upsweep_rotate(c, x.data(), 4, 10, 11, y.data()), UPSWEEP_BAD_ARGUMENT, "past the end of 10");
  double start = 0;
  REFUSED(upsweep_moving_average(c, UPSWEEP_F64, nullptr, 0, 2, nullptr, &start), UPSWEEP_BAD_ARGUMENT, "alpha");
  upsweep_context* none = nullptr;
  REFUSED(upsweep_open("tpu:0", &none), UPSWEEP_NO_DEVICE, "tpu");
  EXPECT_EQ(none, nullptr);
  EXPECT_NE(upsweep_open("cuda:99", &none), UPSWEEP_OK);
}

TEST_F(Errors, ACallAfterOneThatFailedIsRight) {
  float sum = 0;
  EXPECT_NE(upsweep_reduce(c, UPSWEEP_F32, nullptr, 1, UPSWEEP_PLUS, UPSWEEP_IDENTITY, nullptr, &sum), UPSWEEP_OK);
  OK(upsweep_reduce(c, UPSWEEP_F32, x.data(), 10, UPSWEEP_PLUS, UPSWEEP_IDENTITY, nullptr, &sum));
  EXPECT_EQ(sum, 10);
  EXPECT_NE(std::string(upsweep_last_message()), "") << "of the last call that failed";
}

TEST_F(Errors, OptionsMakeAnotherContext) {
  upsweep_options options{sizeof(upsweep_options), "reduce/nothing", 0, 0, 0, nullptr};
  upsweep_context* other = nullptr;
  EXPECT_EQ(upsweep_with(c, &options, &other), UPSWEEP_BAD_ARGUMENT);
  EXPECT_EQ(other, nullptr);
  options.bytes = 3;
  REFUSED(upsweep_with(c, &options, &other), UPSWEEP_BAD_ARGUMENT, "sizeof");

  float sum = 0;
  OK(upsweep_reduce(c, UPSWEEP_F32, x.data(), 10, UPSWEEP_PLUS, UPSWEEP_IDENTITY, nullptr, &sum));
  char usual[64], exact[64];
  OK(upsweep_last_algorithm(c, usual, sizeof usual));
  options = {sizeof(upsweep_options), nullptr, 1, 0, 0, nullptr};
  OK(upsweep_with(c, &options, &other));
  const context same_everywhere(other);
  const std::vector<float> hard{1e8f, 1.f, -1e8f, 1.f};
  OK(upsweep_reduce(other, UPSWEEP_F32, hard.data(), 4, UPSWEEP_PLUS, UPSWEEP_IDENTITY, nullptr, &sum));
  EXPECT_EQ(sum, 2.f) << "summed exactly, and rounded once";
  OK(upsweep_last_algorithm(other, exact, sizeof exact));
  EXPECT_NE(std::string(usual), exact);
  EXPECT_EQ(upsweep_scan(other, UPSWEEP_F32, x.data(), 10, 1, UPSWEEP_PLUS, UPSWEEP_IDENTITY, nullptr, y.data()),
            UPSWEEP_UNSUPPORTED);
}

TEST_F(Errors, MessagesAreOfTheThread) {
  EXPECT_NE(upsweep_sort(c, 77, x.data(), 10, 0, y.data()), UPSWEEP_OK);
  std::string elsewhere = "?";
  std::thread([&] { elsewhere = upsweep_last_message(); }).join();
  EXPECT_EQ(elsewhere, "");
  EXPECT_NE(std::string(upsweep_last_message()).find("77"), std::string::npos);
}

TEST_F(Errors, ThreadsShareAContext) {
  std::vector<std::thread> all;
  std::vector<int> wrong(4);
  for (int t = 0; t < 4; ++t)
    all.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        auto keys = some<std::uint32_t>(3000 + i, 0, 1000, t * 100 + i);
        auto expected = keys;
        std::sort(expected.begin(), expected.end());
        wrong[t] += upsweep_sort(c, UPSWEEP_U32, keys.data(), keys.size(), 0, keys.data()) != UPSWEEP_OK;
        wrong[t] += keys != expected;
      }
    });
  for (auto& t : all) t.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
}

TEST_F(Errors, TypesHaveNamesAndSizes) {
  EXPECT_STREQ(upsweep_type_name(UPSWEEP_F16), "f16");
  EXPECT_EQ(upsweep_type_bytes(UPSWEEP_F16), 2u);
  EXPECT_EQ(upsweep_type_name(11), nullptr);
  EXPECT_EQ(upsweep_type_bytes(-1), 0u);
  EXPECT_STREQ(upsweep_name(c), "cpu");
  EXPECT_STREQ(upsweep_version(), "0.1.0");
}

}  // namespace
