// A call of each kind that the C interface has, over a context's memory, for tests that let something fail in it.
#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "device.hpp"

namespace asked_calls {

using u64 = std::uint64_t;

// Inputs in a context's memory, and memory for the results.
struct material {
  const u64 n;  // 13,000 at least
  const std::string words_of_text = "neither too long nor too short for what a string holds in itself";
  std::vector<float> floats_here;
  device_array<std::int32_t> x, keys, sorted;
  device_array<float> f, g, h, masses;
  device_array<u64> offsets;
  device_array<char> text, out, out2, out3;
  device_array<u64> count, half;
  device_array<float> carry;
  std::vector<char> host = std::vector<char>(4096);  // what is answered in the host's memory
  upsweep_image_layout picture;

  material(const upsweep_context* c, u64 its_n)
      : n(its_n),
        floats_here(drawn_floats(n, 1)),
        x(c, drawn(n)),
        keys(c, in_runs(n)),
        sorted(c, in_order(drawn(n))),
        f(c, floats_here),
        g(c, drawn_floats(n, 2)),
        h(c, drawn_floats(n, 3)),
        masses(c, drawn_floats(n, 4)),
        offsets(c, std::vector<u64>{0, 10, 10, n / 2, n}),
        text(c, std::vector<char>(words_of_text.begin(), words_of_text.end())),
        out(c, n * 16),
        out2(c, n * 16),
        out3(c, n * 16),
        count(c, 1),
        half(c, std::vector<u64>{n / 2}),
        carry(c, 1),
        picture{n / 125, 125, 1, 1, 0, 0, 0} {}

  // Whole arrays are not memory of pictures and tokens to C++; to the library they are bytes.
  u64* words() const { return reinterpret_cast<u64*>(static_cast<char*>(out)); }
  u64* words2() const { return reinterpret_cast<u64*>(static_cast<char*>(out2)); }
  float* floats() const { return reinterpret_cast<float*>(static_cast<char*>(out)); }
  upsweep_token* tokens() const { return reinterpret_cast<upsweep_token*>(static_cast<char*>(out)); }

  void poison() {
    for (const auto* each : {&out, &out2, &out3}) each->set(std::vector<char>(n * 16, 0x55));
    count.set({0});
    carry.set({0});
    std::ranges::fill(host, 0x55);
  }
  // Everything that a call may have written.
  std::string result() const {
    std::string all(host.begin(), host.end());
    for (const auto* each : {&out, &out2, &out3}) {
      const auto bytes = each->here();
      all.append(bytes.begin(), bytes.end());
    }
    return all + std::to_string(count.one()) + std::to_string(carry.one());
  }

 private:
  static std::vector<float> drawn_floats(u64 n, unsigned seed) {
    std::vector<float> x(n);
    for (float& v : x) v = static_cast<float>(next(seed) >> 8) / (1 << 24);
    return x;
  }
  static std::vector<std::int32_t> drawn(u64 n) {
    std::vector<std::int32_t> x(n);
    unsigned seed = 1;
    for (auto& v : x) v = static_cast<std::int32_t>(next(seed) >> 8) - (1 << 23);
    return x;
  }
  static std::vector<std::int32_t> in_runs(u64 n) {
    std::vector<std::int32_t> x(n);
    for (u64 i = 0; i < n; ++i) x[i] = static_cast<std::int32_t>(i / 37);
    return x;
  }
  static std::vector<std::int32_t> in_order(std::vector<std::int32_t> x) {
    std::ranges::sort(x);
    return x;
  }
  static unsigned next(unsigned& state) { return state = state * 1664525 + 1013904223; }
};

struct asked {
  const char* name;
  std::function<upsweep_status(const upsweep_context*, material&)> call;
};

inline std::vector<asked> calls() {
  constexpr int i32 = UPSWEEP_I32;
  return {
      {"reduce", [](auto c, auto& m) { return upsweep_reduce(c, i32, m.x, m.n, 0, 0, nullptr, m.out); }},
      {"scan", [](auto c, auto& m) { return upsweep_scan(c, i32, m.x, m.n, 1, 0, 0, nullptr, m.out); }},
      {"wide_sum", [](auto c, auto& m) { return upsweep_wide_sum(c, i32, m.x, m.n, m.out); }},
      {"wide_running_sums", [](auto c, auto& m) { return upsweep_wide_running_sums(c, i32, m.x, m.n, m.out); }},
      {"scan_along",
       [](auto c, auto& m) {
         const u64 shape[]{125, m.n / 125};
         return upsweep_scan_along(c, i32, m.x, shape, 2, 0, 1, 0, 0, nullptr, m.out);
       }},
      {"sort", [](auto c, auto& m) { return upsweep_sort(c, i32, m.x, m.n, 0, m.out); }},
      {"sort_by_key", [](auto c, auto& m) { return upsweep_sort_by_key(c, i32, m.x, m.f, 4, m.n, 0, m.out, m.out2); }},
      {"argsort", [](auto c, auto& m) { return upsweep_argsort(c, i32, m.x, m.n, 0, 8, m.out); }},
      {"sort_along",
       [](auto c, auto& m) {
         const u64 shape[]{125, m.n / 125};
         return upsweep_sort_along(c, i32, m.x, shape, 2, 0, 0, m.out);
       }},
      {"segmented_sort",
       [](auto c, auto& m) {
         return upsweep_segmented_sort(c, i32, m.x, nullptr, 0, m.n, m.offsets, 4, 0, m.out, nullptr);
       }},
      {"top_k", [](auto c, auto& m) { return upsweep_top_k(c, i32, m.x, m.n, 100, 1, m.out, m.words2()); }},
      {"nth_element", [](auto c, auto& m) { return upsweep_nth_element(c, i32, m.x, m.n, 777, 0, m.host.data()); }},
      {"merge", [](auto c, auto& m) { return upsweep_merge(c, i32, m.sorted, m.n, m.sorted, 999, 0, m.out); }},
      {"copy_if",
       [](auto c, auto& m) {
         const std::int32_t zero = 0;
         return upsweep_copy_if(c, i32, m.x, m.n, UPSWEEP_GREATER, &zero, m.out, m.count);
       }},
      {"partition",
       [](auto c, auto& m) {
         const std::int32_t zero = 0;
         return upsweep_partition(c, i32, m.x, m.n, UPSWEEP_GREATER, &zero, m.out, m.count);
       }},
      {"unique", [](auto c, auto& m) { return upsweep_unique(c, i32, m.keys, m.n, m.out, m.count); }},
      {"run_length_encode",
       [](auto c, auto& m) { return upsweep_run_length_encode(c, i32, m.keys, m.n, m.out, m.words2(), m.count); }},
      {"reduce_by_key",
       [](auto c, auto& m) {
         return upsweep_reduce_by_key(c, i32, m.keys, i32, m.x, m.n, 0, 0, m.out, m.out2, m.count);
       }},
      {"scan_by_key",
       [](auto c, auto& m) { return upsweep_scan_by_key(c, i32, m.keys, i32, m.x, m.n, 1, 0, 0, nullptr, m.out); }},
      {"segmented_reduce",
       [](auto c, auto& m) { return upsweep_segmented_reduce(c, i32, m.x, m.n, m.offsets, 4, 0, 0, nullptr, m.out); }},
      {"set_union",
       [](auto c, auto& m) {
         return upsweep_set_operation(c, UPSWEEP_UNION, i32, m.sorted, nullptr, m.n, m.keys, nullptr, 999, 0, 0, m.out,
                                      nullptr, m.count);
       }},
      {"scan_by",
       [](auto c, auto& m) {
         upsweep_expression* by = nullptr;
         const std::int32_t zero = 0;
         if (const auto failed = upsweep_expression_make("b % 3 != 0 ? b : a", &by)) return failed;
         const auto status = upsweep_scan_by(c, by, i32, m.x, m.n, 1, &zero, m.out);
         upsweep_expression_free(by);
         return status;
       }},
      {"sort_by",
       [](auto c, auto& m) {
         upsweep_expression* by = nullptr;
         if (const auto failed = upsweep_expression_make("a % 1000 < b % 1000", &by)) return failed;
         const auto status = upsweep_sort_by(c, by, i32, m.x, m.n, m.out);
         upsweep_expression_free(by);
         return status;
       }},
      {"argmin", [](auto c, auto& m) { return upsweep_argmin(c, i32, m.x, m.n, m.count); }},
      {"lower_bound", [](auto c, auto& m) { return upsweep_lower_bound(c, i32, m.sorted, m.n, m.x, m.n, m.words()); }},
      {"histogram",
       [](auto c, auto& m) {
         const float low = 0, high = 1;
         return upsweep_histogram(c, UPSWEEP_F32, m.f, m.n, &low, &high, 1000, 1, m.words());
       }},
      {"summed_area_table",
       [](auto c, auto& m) {
         return upsweep_summed_area_table(c, UPSWEEP_F32, m.f, &m.picture, 0, UPSWEEP_F64, m.out);
       }},
      {"box_filter",
       [](auto c, auto& m) {
         return upsweep_box_filter(c, UPSWEEP_F32, m.f, &m.picture, UPSWEEP_BOX_VARIANCE, 3, 3, 0, UPSWEEP_F32, m.out);
       }},
      {"convolve",
       [](auto c, auto& m) {
         static const std::vector<float> weights(81, 0.1f);
         const upsweep_mask mask{UPSWEEP_F32, 9, 9, 1, weights.data(), 0, 0, 0, 0};
         return upsweep_convolve(c, UPSWEEP_F32, m.f, &m.picture, &mask, 1, UPSWEEP_BORDER_WRAP, UPSWEEP_F32, m.out);
       }},
      {"convolve_by_fft",
       [](auto c, auto& m) {
         static const std::vector<float> weights = [] {
           std::vector<float> w(61 * 61);
           for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i * i % 7) / 100;
           return w;
         }();
         const upsweep_mask mask{UPSWEEP_F32, 61, 61, 1, weights.data(), 0, 0, 0, 0};
         return upsweep_convolve(c, UPSWEEP_F32, m.f, &m.picture, &mask, 1, UPSWEEP_BORDER_WRAP, UPSWEEP_F32, m.out);
       }},
      {"median",
       [](auto c, auto& m) { return upsweep_median(c, m.f, &m.picture, 5, UPSWEEP_BORDER_CLAMP, m.floats()); }},
      {"gaussian",
       [](auto c, auto& m) { return upsweep_gaussian(c, m.f, &m.picture, 4, UPSWEEP_BORDER_CLAMP, m.floats()); }},
      {"resize",
       [](auto c, auto& m) { return upsweep_resize(c, m.f, &m.picture, 140, 125, UPSWEEP_LANCZOS, m.floats()); }},
      {"moving_average",
       [](auto c, auto& m) { return upsweep_moving_average(c, UPSWEEP_F32, m.f, m.n, 0.1, m.out, m.carry); }},
      {"shuffle", [](auto c, auto& m) { return upsweep_shuffle(c, m.x, 4, m.n, 3, m.out); }},
      {"tokenize",
       [](auto c, auto& m) {
         upsweep_lexer* lexer = nullptr;
         static const upsweep_rule rules[]{{"word", "[a-z]+", 0}, {"blank", " ", 1}};
         if (const auto failed = upsweep_lexer_make(rules, 2, &lexer)) return failed;
         upsweep_token_counts found{};
         const auto status =
             upsweep_tokenize(c, lexer, m.text, m.words_of_text.size(), m.tokens(), 1000, &found, nullptr);
         upsweep_lexer_free(lexer);
         return status;
       }},
      {"device_counted_sort_by_key",
       [](auto c, auto& m) {
         return upsweep_device_counted_sort_by_key(c, i32, m.x, m.f, 4, m.n, m.half, 1, m.out, m.out2);
       }},
      {"device_counted_copy_if",
       [](auto c, auto& m) {
         const std::int32_t zero = 0;
         return upsweep_device_counted_copy_if(c, i32, m.x, m.n, m.half, UPSWEEP_LESS_EQUAL, &zero, m.out, m.count);
       }},
      {"device_counted_reduce_by_key",
       [](auto c, auto& m) {
         return upsweep_device_counted_reduce_by_key(c, i32, m.keys, i32, m.x, m.n, m.half, UPSWEEP_PLUS, m.out, m.out2,
                                                     m.count);
       }},
      {"device_counted_scan",
       [](auto c, auto& m) {
         return upsweep_device_counted_scan(c, i32, m.x, m.n, m.half, 1, UPSWEEP_MAXIMUM, nullptr, m.out);
       }},
      {"accelerations",
       [](auto c, auto& m) {
         upsweep_nbody_parameters rules = upsweep_nbody_default_parameters();
         rules.softening = 0.1, rules.method = 2;
         return upsweep_accelerations(c, UPSWEEP_F32, &rules, 3000, m.f, m.g, m.h, m.masses, m.out, m.out2, m.out3,
                                      nullptr);
       }},
      {"simulation",
       [](auto c, auto& m) {
         upsweep_nbody_parameters rules = upsweep_nbody_default_parameters();
         rules.softening = 0.1;
         const float* const f = m.floats_here.data();
         const void* const start[]{f, f + 300, f + 600, f + 900, f + 1200, f + 1500, f + 1800};
         upsweep_simulation* s = nullptr;
         if (const auto failed = upsweep_simulation_make(c, UPSWEEP_F32, &rules, 1, 1e-3, 0, 300, start, &s))
           return failed;
         auto status = upsweep_simulation_step(s, 2);
         void* const now[]{m.host.data(), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
         if (status == UPSWEEP_OK) status = upsweep_simulation_state(s, now);
         upsweep_simulation_free(s);
         return status;
       }},
  };
}

}  // namespace asked_calls
