// The textbook variants of sort, select and histogram on the emulated machine: their conformance tests, the counts that
// they declare, and the counts in the literature.
#include <gtest/gtest.h>

#include <cmath>

#include "lens/counted.hpp"
#include "lens/mutate.hpp"
#include "lens/run.hpp"
#include "upsweep/conformance/random_samples.hpp"
#include "upsweep/error.hpp"
#include "upsweep/histogram/histogram_problem.hpp"
#include "upsweep/nbody/nbody_problem.hpp"
#include "upsweep/sort/textbook/quicksort.cuh"

namespace upsweep::lens {
namespace {

std::string why(const report& r) {
  std::string text = r.words + ", " + std::string(name_of(r.asked.input)) + " input: " + r.wrong;
  for (const finding& f : r.findings) text += "\n  " + f.text;
  for (const declared& d : r.against)
    if (d.binding && !d.agrees)
      text += std::string("\n  ") + d.what + ": declared " + std::to_string(d.value) + ", counted " +
              std::to_string(d.counted);
  return text;
}

std::vector<std::size_t> asked_variants() {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < textbook_variants().size(); ++i)
    if (!textbook_variants()[i].folds()) all.push_back(i);
  return all;
}

class every_asked_variant : public testing::TestWithParam<std::size_t> {
 protected:
  const textbook_variant& the_variant() const { return textbook_variants()[GetParam()]; }
  // A bit at a time, or as many bits, each with a scan: the others take a tenth of that.
  // All pairs of bodies are many.
  bool slow() const {
    return the_variant().name == "sort/radix-1bit" || the_variant().name == "sort/radix-4bit-block" ||
           the_variant().what == detail::nbody_impl::primitive::nbody;
  }

  // Another form, input and schedule at every turn.
  job at_turn(std::uint64_t n, std::uint64_t turn) const {
    const conformance_test& e = conformance_test_of(the_variant().what);
    job j;
    j.variant = the_variant().name, j.n = n, j.seed = turn;
    j.input = all_inputs[turn % all_inputs.size()];
    j.in_place = turn % 3 == 0;
    j.resident = 1 + static_cast<unsigned>(turn % 6);
    std::vector<problem> forms = e.forms(false);
    std::erase_if(forms, [&](problem p) {
      p->n = n;
      e.complete(p, turn, turn);
      return the_variant().cannot(p) != nullptr;
    });
    if (forms.empty()) return j;  // too much is asked at this turn; the lens finds another
    j.form = forms[mixed(turn) % forms.size()];
    j.type = (*j.form)->type;
    return j;
  }
};

// Sizes around warps, blocks and tiles; primes; races looked for.
TEST_P(every_asked_variant, is_right_at_awkward_sizes_on_many_schedules) {
  std::uint64_t turn = 0;
  for (const std::uint64_t n : {1,   2,   3,    31,   32,   33,   64,   65,   127,  255,  256,  257,  511,
                                513, 769, 1000, 1023, 1025, 1793, 2047, 2049, 2305, 4097, 4099, 8193, 10007}) {
    if (slow() && n > 1025) continue;
    for (int which = 0; which < (n < 2000 ? 2 : 1); ++which) {
      const report got = run(at_turn(n, ++turn));
      ASSERT_TRUE(got.raced);
      ASSERT_TRUE(got.ok()) << the_variant().name << " n = " << n << " turn " << turn << " " << why(got);
    }
  }
}

TEST_P(every_asked_variant, is_right_at_every_block_size) {
  std::uint64_t turn = 1000;
  for (const variant_at& size : the_variant().sizes)
    for (const std::uint64_t n : {1, 33, 130, 577, 3 * 1031}) {
      if (slow() && n > 1000) continue;
      job j = at_turn(n, ++turn);
      j.block = size.block;
      const report got = run(j);
      ASSERT_TRUE(got.ok()) << the_variant().name << " n = " << n << " block " << size.block << ": " << why(got);
    }
}

TEST_P(every_asked_variant, is_right_on_every_kind_of_input) {
  for (const input_kind kind : all_inputs) {
    job j;
    j.variant = the_variant().name, j.n = slow() ? 700 : 3001, j.input = kind, j.seed = 7;
    const report got = run(j);
    ASSERT_TRUE(got.ok()) << the_variant().name << " " << why(got);
  }
}

// Every barrier of every variant is needed: the lens reports a fault if one is left out.
TEST_P(every_asked_variant, loses_no_barrier_unseen) {
  job j;
  j.variant = the_variant().name, j.n = the_variant().what == detail::nbody_impl::primitive::nbody ? 1100
                                        : slow()                                                   ? 2500
                                                                                                   : 4097;
  for (const mutant& m : mutate(j))
    EXPECT_TRUE(m.caught()) << j.variant << " without the barrier of " << m.barrier.text();
}

// As the catalog's test has it for what a build with CUDA lists.
TEST_P(every_asked_variant, declares_what_grows_with_n) {
  const variant_at& at = *the_variant().at(the_variant().standard);
  for (const formula& f : {at.work, at.span, at.launches, at.traffic})
    for (const double n : {1.0, 1000.0, 1e6, 1e9}) EXPECT_LE(f.value(n), f.value(2 * n)) << f.text << " at " << n;
  EXPECT_GE(at.launches.value(1e6), 1);
  EXPECT_GE(at.traffic.value(1e6), 1e6);
}

INSTANTIATE_TEST_SUITE_P(lens, every_asked_variant, testing::ValuesIn(asked_variants()), [](const auto& which) {
  std::string name(textbook_variants()[which.param].name);
  for (char& c : name)
    if (c == '/' || c == '-') c = '_';
  return name;
});

// ---- known counts

report counted_run(std::string variant, std::uint64_t n, input_kind input = input_kind::uniform, unsigned block = 0) {
  job j;
  j.variant = std::move(variant), j.n = n, j.block = block, j.input = input;
  report r = run(j);
  EXPECT_TRUE(r.ok()) << j.variant << ": " << why(r);
  return r;
}

// Batcher's networks for 2^k keys: n·k(k + 1)/4 comparators, and (k² - k + 4)·2^(k-2) - 1 of the odd-even one.
TEST(lens_known_counts, batchers_networks) {
  for (const std::uint64_t k : {2, 5, 8, 11}) {
    const std::uint64_t n = std::uint64_t{1} << k;
    const counts bitonic = counted_run("sort/bitonic", n).total, odd_even = counted_run("sort/odd-even-merge", n).total;
    EXPECT_EQ(bitonic.work(), n * k * (k + 1) / 4);
    EXPECT_EQ(odd_even.work(), (k * k - k + 4) * n / 4 - 1);
    EXPECT_EQ(bitonic.steps, k * (k + 1) / 2);
    EXPECT_EQ(odd_even.steps, k * (k + 1) / 2);
  }
}

// A comparison sort decides between n! orders: log2 n! comparisons are the least that any has to make.
TEST(lens_known_counts, comparisons_between_the_floor_and_n_log_n) {
  const double n = 4000, floor = std::lgamma(n + 1) / std::log(2.0);
  const double merge = static_cast<double>(counted_run("sort/merge-path", 4000).total.work());
  EXPECT_GT(merge, floor);
  EXPECT_LT(merge, 2 * n * std::log2(n));
  EXPECT_GT(static_cast<double>(counted_run("sort/bitonic", 4000).total.work()), 1.5 * merge);
}

TEST(lens_known_counts, each_radix_sort_moves_less_than_the_one_before) {
  count before = ~count{0};
  for (const char* name :
       {"sort/radix-1bit", "sort/radix-4bit-block", "sort/radix-reduce-then-scan", "sort/onesweep"}) {
    const count moved = counted_run(name, 12000).total.global().bytes;
    EXPECT_LT(moved, before) << name;
    before = moved;
  }
}

// Elements that are adjacent in the tile are stored to adjacent addresses: the sectors of the stores, compared with the
// largest possible number.
TEST(lens_known_counts, a_tile_in_order_scatters_in_stretches) {
  const auto stores = [](const char* name, const char* kernel) {
    tally t;
    for (const line_tally& l : counted_run(name, 20000).total.lines)
      if (l.what == event::global_store && l.where.function.find(kernel) != std::string::npos) t += l.cost;
    return static_cast<double>(t.sectors) / static_cast<double>(t.ideal_sectors);
  };
  EXPECT_GT(stores("sort/radix-reduce-then-scan", "scatter_by_digit"), 4);
  EXPECT_LT(stores("sort/radix-4bit-block", "scatter_stretches"), 2);
}

TEST(lens_known_counts, each_selection_does_and_moves_less_than_the_one_before) {
  const counts scatter = counted_run("select/scan-scatter", 10000).total,
               warps = counted_run("select/warp-aggregated", 10000).total,
               one_pass = counted_run("select/lookback", 10000).total;
  EXPECT_GT(scatter.work(), warps.work());
  EXPECT_GT(warps.work(), one_pass.work());
  EXPECT_GT(scatter.global().elements, 2 * warps.global().elements);
  EXPECT_GT(warps.global().elements, one_pass.global().elements);
  EXPECT_GE(one_pass.of(event::global_load).elements, 10000u);
  EXPECT_LT(one_pass.of(event::global_load).elements, 10100u);  // each once, and a few words a tile
}

// Constant input: all lanes of a warp want one counter, in shared memory one after the other; or each has its own.
TEST(lens_known_counts, lanes_with_columns_of_their_own_take_no_turns) {
  const auto counting = [](const char* name, input_kind input) {
    job j;
    j.variant = name, j.n = 8192, j.input = input;
    detail::histogram_impl::problem p;
    p.m = 64;
    p.lower = scalar::of(std::int64_t{0}), p.upper = scalar::of(std::int64_t{1} << 32);  // of all u32
    j.form = p;
    const report r = run(j);
    EXPECT_TRUE(r.ok()) << why(r);
    return r.total.of(event::shared_atomic);
  };
  const tally one_bin = counting("histogram/shared-privatized", input_kind::constant),
              own_columns = counting("histogram/lane-private", input_kind::constant);
  ASSERT_EQ(one_bin.instructions, 8192u / 32);
  ASSERT_EQ(own_columns.instructions, 8192u / 32);
  EXPECT_EQ(one_bin.turns, 8192u);
  EXPECT_EQ(own_columns.turns, own_columns.instructions);
  EXPECT_EQ(counting("histogram/lane-private", input_kind::uniform).turns, own_columns.turns);
  EXPECT_LT(counting("histogram/shared-privatized", input_kind::uniform).turns, 8192u / 4);
  EXPECT_EQ(counted_run("histogram/sort-based", 5000).total.of(event::global_atomic).lanes, 0u);
}

// ---- what a scheduler may do

TEST(lens_asked, look_back_needs_progress_and_the_others_do_not) {
  for (const auto& [name, stuck] : {std::pair{"sort/onesweep", true},
                                    {"select/lookback", true},
                                    {"sort/radix-reduce-then-scan", false},
                                    {"select/warp-aggregated", false}}) {
    job j;
    j.variant = name, j.n = 20000, j.withheld = 0;
    const report r = run(j);
    const bool deadlock = std::any_of(r.findings.begin(), r.findings.end(),
                                      [](const finding& f) { return f.what == fault_kind::deadlock; });
    EXPECT_EQ(deadlock, stuck) << name << ": " << why(r);
  }
}

// Rounds that do not suffice: what is left over is sorted all the same.
TEST(lens_asked, quicksort_sorts_what_outlasts_its_rounds) {
  using book = textbook::sort_variants::quicksort<64, 4, 1>;
  using order = textbook::sort_variants::keys_order<std::uint32_t>;
  for (const std::uint64_t n : {129, 1000, 5003}) {
    machine m(options{});
    memory_block &in = m.global_memory("in", n, 4, false), &out = m.global_memory("out", n, 4, false);
    std::vector<std::uint32_t> keys(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      keys[i] = static_cast<std::uint32_t>(mixed(i) % (n / 2));
      in.put(i, keys[i]);
    }
    grid g(m);
    book::run<std::uint32_t>(g, {&in, 0}, {&out, 0}, n, counted_order<order, std::uint32_t>{},
                             counted_plus<std::uint32_t>{});
    std::sort(keys.begin(), keys.end());
    for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(out.get<std::uint32_t>(i), keys[i]) << i << " of " << n;
    EXPECT_TRUE(m.findings().empty()) << m.findings().front().text;
    // They were left over: the last launch but one had comparisons to make.
    if (n == 5003) {
      EXPECT_GT(m.launches()[m.launches().size() - 2].cost.work(), 0u);
    }
  }
}

// ---- bad input

TEST(lens_asked, refuse_in_one_sentence) {
  const auto refusal = [](const char* variant, auto change) {
    job j;
    j.variant = variant;
    change(j);
    try {
      run(j);
    } catch (const error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  const auto has = [](const std::string& text, const char* piece) { return text.find(piece) != std::string::npos; };
  EXPECT_TRUE(has(refusal("sort/bitonic", [](job& j) { j.op = op_kind::maximum; }), "has no operator"));
  EXPECT_TRUE(has(refusal("sort/quicksort", [](job& j) { j.type = dtype::f32; }), "floats"));
  EXPECT_TRUE(has(refusal("sort/onesweep", [](job& j) { j.type = dtype::u8; }), "keys of 1 or 2 bytes"));
  EXPECT_TRUE(has(refusal("select/lookback", [](job& j) { j.type = dtype::i16; }), "other than u32, f32 and u64"));
  EXPECT_TRUE(
      has(refusal("histogram/lane-private", [](job& j) { j.type = dtype::f64; }), "other than u8, u32 and f32"));
  EXPECT_TRUE(has(refusal("histogram/lane-private",
                          [](job& j) {
                            detail::histogram_impl::problem p;
                            p.m = 257;
                            j.form = p;
                          }),
                  "more than 256 bins"));
}

}  // namespace
}  // namespace upsweep::lens
