// Memory that runs out, at each place where a call asks for some: the call says so, nothing leaks, and the next call is
// right. Through the C interface, because every primitive is there by one kind of call.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "tests/faults/faulty.h"
#include "upsweep.h"

namespace {

using u64 = std::uint64_t;

// Inputs, and room for what comes of them.
struct material {
  static constexpr u64 n = 70'001;
  std::vector<std::int32_t> x = std::vector<std::int32_t>(n), keys = std::vector<std::int32_t>(n), sorted;
  std::vector<float> f = std::vector<float>(n);
  std::vector<u64> offsets{0, 10, 10, 40'000, n};
  std::vector<char> out = std::vector<char>(n * 16), out2 = std::vector<char>(n * 16);
  u64 count = 0;
  upsweep_raster signal{n, 1, 1, 1, 0, 0}, picture{280, 250, 1, 1, 0, 0};

  material() {
    unsigned state = 1;
    for (u64 i = 0; i < n; ++i) {
      state = state * 1664525 + 1013904223;
      x[i] = static_cast<std::int32_t>(state >> 8) - (1 << 23), keys[i] = static_cast<std::int32_t>(i / 37);
      f[i] = static_cast<float>(state >> 8) / (1 << 24);
    }
    sorted = x;
    std::sort(sorted.begin(), sorted.end());
  }
  void poison() { std::ranges::fill(out, 0x55), std::ranges::fill(out2, 0x55), count = 0; }
  std::string result() const {
    return std::string(out.begin(), out.end()) + std::string(out2.begin(), out2.end()) + std::to_string(count);
  }
};

struct asked {
  const char* name;
  std::function<upsweep_status(const upsweep_context*, material&)> call;
};

std::vector<asked> calls() {
  const auto i32 = UPSWEEP_I32;
  return {
      {"reduce", [=](auto c, auto& m) { return upsweep_reduce(c, i32, m.x.data(), m.n, 0, 0, nullptr, m.out.data()); }},
      {"scan", [=](auto c, auto& m) { return upsweep_scan(c, i32, m.x.data(), m.n, 1, 0, 0, nullptr, m.out.data()); }},
      {"wide_sum", [=](auto c, auto& m) { return upsweep_wide_sum(c, i32, m.x.data(), m.n, m.out.data()); }},
      {"wide_running_sums",
       [=](auto c, auto& m) { return upsweep_wide_running_sums(c, i32, m.x.data(), m.n, m.out.data()); }},
      {"scan_along",
       [=](auto c, auto& m) {
         const u64 shape[]{250, 280};
         return upsweep_scan_along(c, i32, m.x.data(), shape, 2, 0, 1, 0, 0, nullptr, m.out.data());
       }},
      {"sort", [=](auto c, auto& m) { return upsweep_sort(c, i32, m.x.data(), m.n, 0, m.out.data()); }},
      {"sort_by_key",
       [=](auto c, auto& m) {
         return upsweep_sort_by_key(c, i32, m.x.data(), m.f.data(), 4, m.n, 0, m.out.data(), m.out2.data());
       }},
      {"argsort", [=](auto c, auto& m) { return upsweep_argsort(c, i32, m.x.data(), m.n, 0, 8, m.out.data()); }},
      {"sort_along",
       [=](auto c, auto& m) {
         const u64 shape[]{250, 280};
         return upsweep_sort_along(c, i32, m.x.data(), shape, 2, 0, 0, m.out.data());
       }},
      {"segmented_sort",
       [=](auto c, auto& m) {
         return upsweep_segmented_sort(c, i32, m.x.data(), nullptr, 0, m.n, m.offsets.data(), 4, 0, m.out.data(),
                                       nullptr);
       }},
      {"top_k",
       [=](auto c, auto& m) {
         return upsweep_top_k(c, i32, m.x.data(), m.n, 100, 1, m.out.data(), reinterpret_cast<u64*>(m.out2.data()));
       }},
      {"nth_element",
       [=](auto c, auto& m) { return upsweep_nth_element(c, i32, m.x.data(), m.n, 777, 0, m.out.data()); }},
      {"merge",
       [=](auto c, auto& m) {
         return upsweep_merge(c, i32, m.sorted.data(), m.n, m.sorted.data(), 999, 0, m.out.data());
       }},
      {"copy_if",
       [=](auto c, auto& m) {
         const std::int32_t zero = 0;
         return upsweep_copy_if(c, i32, m.x.data(), m.n, UPSWEEP_GREATER, &zero, m.out.data(), &m.count);
       }},
      {"partition",
       [=](auto c, auto& m) {
         const std::int32_t zero = 0;
         return upsweep_partition(c, i32, m.x.data(), m.n, UPSWEEP_GREATER, &zero, m.out.data(), &m.count);
       }},
      {"unique", [=](auto c, auto& m) { return upsweep_unique(c, i32, m.keys.data(), m.n, m.out.data(), &m.count); }},
      {"run_length_encode",
       [=](auto c, auto& m) {
         return upsweep_run_length_encode(c, i32, m.keys.data(), m.n, m.out.data(),
                                          reinterpret_cast<u64*>(m.out2.data()), &m.count);
       }},
      {"reduce_by_key",
       [=](auto c, auto& m) {
         return upsweep_reduce_by_key(c, i32, m.keys.data(), i32, m.x.data(), m.n, 0, 0, m.out.data(), m.out2.data(),
                                      &m.count);
       }},
      {"scan_by_key",
       [=](auto c, auto& m) {
         return upsweep_scan_by_key(c, i32, m.keys.data(), i32, m.x.data(), m.n, 1, 0, 0, nullptr, m.out.data());
       }},
      {"segmented_reduce",
       [=](auto c, auto& m) {
         return upsweep_segmented_reduce(c, i32, m.x.data(), m.n, m.offsets.data(), 4, 0, 0, nullptr, m.out.data());
       }},
      {"set_union",
       [=](auto c, auto& m) {
         return upsweep_set_operation(c, UPSWEEP_UNION, i32, m.sorted.data(), nullptr, m.n, m.sorted.data() + 5,
                                      nullptr, 999, 0, 0, m.out.data(), nullptr, &m.count);
       }},
      {"argmin", [=](auto c, auto& m) { return upsweep_argmin(c, i32, m.x.data(), m.n, &m.count); }},
      {"lower_bound",
       [=](auto c, auto& m) {
         return upsweep_lower_bound(c, i32, m.sorted.data(), m.n, m.x.data(), m.n,
                                    reinterpret_cast<u64*>(m.out.data()));
       }},
      {"histogram",
       [=](auto c, auto& m) {
         const float low = 0, high = 1;
         return upsweep_histogram(c, UPSWEEP_F32, m.f.data(), m.n, &low, &high, 1000, 1,
                                  reinterpret_cast<u64*>(m.out.data()));
       }},
      {"integral",
       [=](auto c, auto& m) {
         return upsweep_integral(c, UPSWEEP_F32, m.f.data(), &m.picture, 0, UPSWEEP_F64, m.out.data());
       }},
      {"box_filter",
       [=](auto c, auto& m) {
         return upsweep_box_filter(c, UPSWEEP_F32, m.f.data(), &m.picture, UPSWEEP_BOX_VARIANCE, 3, 3, 0, UPSWEEP_F32,
                                   m.out.data());
       }},
      {"convolve",
       [=](auto c, auto& m) {
         static const std::vector<float> weights(81, 0.1f);
         const upsweep_mask mask{UPSWEEP_F32, 9, 9, 1, weights.data(), 0, 0, 0, 0};
         return upsweep_convolve(c, UPSWEEP_F32, m.f.data(), &m.picture, &mask, 1, UPSWEEP_BORDER_WRAP, UPSWEEP_F32,
                                 m.out.data());
       }},
      {"median",
       [=](auto c, auto& m) {
         return upsweep_median(c, m.f.data(), &m.picture, 5, UPSWEEP_BORDER_CLAMP,
                               reinterpret_cast<float*>(m.out.data()));
       }},
      {"gaussian",
       [=](auto c, auto& m) {
         return upsweep_gaussian(c, m.f.data(), &m.picture, 4, UPSWEEP_BORDER_CLAMP,
                                 reinterpret_cast<float*>(m.out.data()));
       }},
      {"resize",
       [=](auto c, auto& m) {
         return upsweep_resize(c, m.f.data(), &m.picture, 140, 125, UPSWEEP_LANCZOS,
                               reinterpret_cast<float*>(m.out.data()));
       }},
      {"moving_average",
       [=](auto c, auto& m) {
         float carry = 0;
         return upsweep_moving_average(c, UPSWEEP_F32, m.f.data(), m.n, 0.1, m.out.data(), &carry);
       }},
      {"shuffle", [=](auto c, auto& m) { return upsweep_shuffle(c, m.x.data(), 4, m.n, 3, m.out.data()); }},
      {"tokenize",
       [=](auto c, auto& m) {
         upsweep_lexer* lexer = nullptr;
         static const upsweep_rule rules[]{{"word", "[a-z]+", 0}, {"blank", " ", 1}};
         static const std::string text = "neither too long nor too short for what a string holds in itself";
         if (const auto failed = upsweep_lexer_make(rules, 2, &lexer)) return failed;
         upsweep_token_counts found{};
         const auto status = upsweep_tokenize(c, lexer, text.data(), text.size(),
                                              reinterpret_cast<upsweep_token*>(m.out.data()), 1000, &found, nullptr);
         upsweep_lexer_free(lexer);
         return status;
       }},
      {"accelerations",
       [=](auto c, auto& m) {
         upsweep_physics rules = upsweep_default_physics();
         rules.softening = 0.1, rules.method = 2;
         const float* const f = m.f.data();
         char* const out = m.out.data();
         return upsweep_accelerations(c, UPSWEEP_F32, &rules, 3000, f, f + 3000, f + 6000, f + 9000, out, out + 12'000,
                                      out + 24'000, out + 36'000);
       }},
      {"simulation",
       [=](auto c, auto& m) {
         upsweep_physics rules = upsweep_default_physics();
         rules.softening = 0.1;
         const float* const f = m.f.data();
         const void* const start[]{f, f + 300, f + 600, f + 900, f + 1200, f + 1500, f + 1800};
         upsweep_simulation* s = nullptr;
         if (const auto failed = upsweep_simulation_make(c, UPSWEEP_F32, &rules, 1, 1e-3, 0, 300, start, &s))
           return failed;
         auto status = upsweep_simulation_step(s, 2);
         void* const now[]{m.out.data(), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
         if (status == UPSWEEP_OK) status = upsweep_simulation_state(s, now);
         upsweep_simulation_free(s);
         return status;
       }},
      {"open",
       [=](auto, auto& m) {
         upsweep_context* another = nullptr;
         const auto status = upsweep_open("cpu:2", &another);
         m.count = status == UPSWEEP_OK;
         upsweep_close(another);
         return status;
       }},
  };
}

class MemoryRunsOut : public testing::TestWithParam<asked> {};

TEST_P(MemoryRunsOut, AtEachPlace) {
  material m;
  upsweep_context* c = nullptr;
  ASSERT_EQ(upsweep_open("cpu:1", &c), UPSWEEP_OK);
  const auto& call = GetParam().call;
  m.poison();
  ASSERT_EQ(call(c, m), UPSWEEP_OK) << upsweep_last_message();
  const std::string right = m.result();

  int refused = 0;
  for (long at = 1;; at += 1 + at / 16) {  // the first ones, and some of very many
    // In a context of its own, so that its scratch is asked for again.
    const auto once = [&](upsweep_status& status) {
      upsweep_context* fresh = nullptr;
      ASSERT_EQ(upsweep_open("cpu:1", &fresh), UPSWEEP_OK);
      m.poison();
      faulty_arm(0, at);
      status = call(fresh, m);
      const long asked_for = faulty_disarm();
      if (status == UPSWEEP_OK) {
        EXPECT_EQ(m.result(), right) << "at " << at << " of " << asked_for;
      } else {
        EXPECT_EQ(status, UPSWEEP_OUT_OF_MEMORY) << "at " << at << ": " << upsweep_last_message();
        EXPECT_GT(std::strlen(upsweep_last_message()), 10u);
        m.poison();
        EXPECT_EQ(call(fresh, m), UPSWEEP_OK) << "after " << at << ": " << upsweep_last_message();
        EXPECT_EQ(m.result(), right) << "after " << at;
      }
      upsweep_close(fresh);
    };
    upsweep_status status = UPSWEEP_OK;
    once(status), once(status);  // what is made once and kept is there now
    const long living = faulty_living();
    once(status);
    EXPECT_EQ(faulty_living(), living) << "at " << at << ": something was not given back";
    if (HasFailure()) break;
    refused += status != UPSWEEP_OK;
    faulty_arm(0, 0);
    upsweep_context* fresh = nullptr;
    upsweep_open("cpu:1", &fresh);
    faulty_arm(0, 0);
    m.poison();
    call(fresh, m);
    const long all = faulty_disarm();
    upsweep_close(fresh);
    if (at >= all || at >= 400) break;
  }
  std::printf("%s: refused at %d places\n", GetParam().name, refused);
  upsweep_close(c);
}

INSTANTIATE_TEST_SUITE_P(, MemoryRunsOut, testing::ValuesIn(calls()),
                         [](const auto& which) { return which.param.name; });

}  // namespace
