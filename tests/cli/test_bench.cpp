// bench and report: sizes, statistics, the checking of what is timed, the JSON, and the page.
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "cli/bench/data.hpp"
#include "cli/bench/run.hpp"
#include "cli/bench/sizes.hpp"
#include "cli/bench/text.hpp"
#include "cli/bench/timing.hpp"
#include "cli/report/html.hpp"
#include "cli/report/plot.hpp"
#include "cli/report/report.hpp"
#include "command.hpp"
#include "upsweep/conformance/reference_fold.hpp"
#include "upsweep/histogram/histogram_problem.hpp"
#include "upsweep/upsweep.hpp"

namespace {

using nlohmann::json;
using sizes = std::vector<std::uint64_t>;

TEST(bench_sizes, what_may_be_written) {
  EXPECT_EQ(parse_sizes("1000"), sizes{1000});
  EXPECT_EQ(parse_sizes("2^10..2^13"), (sizes{1024, 2048, 4096, 8192}));
  EXPECT_EQ(parse_sizes("2^10..2^15:2"), (sizes{1024, 4096, 16384}));
  EXPECT_EQ(parse_sizes("10^3..10^5"), (sizes{1000, 10000, 100000}));
  EXPECT_EQ(parse_sizes("2^20,7,2^3..2^4,7"), (sizes{7, 8, 16, 1 << 20}));
  EXPECT_EQ(parse_sizes("2^63").front(), std::uint64_t{1} << 63);
  EXPECT_EQ(parse_sizes("2^10-5,2^12"), (sizes{1019, 4096}));
  EXPECT_EQ(parse_sizes("2^10..2^14:2-5"), (sizes{1019, 4091, 16379}));
}

TEST(bench_sizes, what_may_not) {
  for (const char* text : {"",         "x",          "0",          "-1",         "2^",
                           "^3",       "2^64",       "2^10..",     "..2^10",     "2^10..2^9",
                           "2^3..3^4", "1..10",      "2^3..2^9:0", "5,,6",       "1e6",
                           "8-8",      "2^10-",      "2^3-x",      "2^3..2^9-9", "18446744073709551616",
                           "1^5",      "2^3..2^9:x", "2^1..2^64"})
    EXPECT_THROW(parse_sizes(text), upsweep::error) << text;
}

TEST(bench_sizes, text_reads_back) {
  for (std::uint64_t n : {1ull, 1000ull, 1019ull, 1024ull, 1025ull, 1ull << 40, (1ull << 40) - 5})
    EXPECT_EQ(parse_sizes(size_text(n)), sizes{n});
  EXPECT_EQ(size_text(1 << 20), "2^20");
  EXPECT_EQ(size_text((1 << 20) - 5), "2^20-5");
}

TEST(bench_statistics, percentiles_lie_between_samples) {
  const statistics s = summarize({5, 1, 4, 2, 3});
  EXPECT_DOUBLE_EQ(s.median, 3);
  EXPECT_DOUBLE_EQ(s.p10, 1.4);
  EXPECT_DOUBLE_EQ(s.p90, 4.6);
  EXPECT_DOUBLE_EQ(s.fastest, 1);
  EXPECT_EQ(s.samples, 5);
  EXPECT_DOUBLE_EQ(summarize({2, 1}).median, 1.5);
  EXPECT_DOUBLE_EQ(summarize({7}).p90, 7);
  EXPECT_EQ(summarize({}).samples, 0);
}

TEST(bench_statistics, sides_take_turns) {
  std::string order;
  std::vector<timed> all{{[&] { return order += 'a', 1.0; }, {}}, {[&] { return order += 'b', 2.0; }, {}}};
  sample_in_turn(all, {0, 3, 3});
  EXPECT_EQ(order, "ababab");
  EXPECT_EQ(all[1].seconds, (std::vector<double>{2, 2, 2}));
}

TEST(bench_statistics, what_takes_far_too_long_is_sampled_once) {
  const auto wait = [] {
    for (const auto start = std::chrono::steady_clock::now();
         std::chrono::steady_clock::now() - start < std::chrono::milliseconds(30);) {
    }
    return 1.0;
  };
  std::vector<timed> all{{wait, {}}, {[] { return 2.0; }, {}}};
  sample_in_turn(all, {0.001, 3, 9});
  EXPECT_EQ(all[0].seconds.size(), 1u);
  EXPECT_EQ(all[1].seconds.size(), 9u);
}

TEST(bench_statistics, ratio_above_one_means_we_are_faster) {
  const statistics ours = summarize({1}), slower = summarize({2});
  EXPECT_DOUBLE_EQ(bench::ratio(slower, ours), 2);
  EXPECT_DOUBLE_EQ(bench::ratio({}, ours), 0);
}

// The fastest setting of a peer is reported, separately for each way of timing. If it is faster than the library, the
// page says so.
TEST(bench_statistics, a_peer_stands_at_its_best_and_losses_are_told) {
  upsweep::detail::sort_impl::problem p;
  p.n = 1000;
  const auto row = [&](const char* who, const char* setting, bool peer, double cold, double hot) {
    bench::measurement m;
    m.who = who, m.setting = setting, m.peer = peer, m.chosen = !peer, m.device = "cpu", m.shape = p;
    m.cold = summarize({cold}), m.hot = summarize({hot});
    return m;
  };
  bench::results r;
  r.rows = {row("ours", "", false, 3, 3), row("theirs", "narrow", true, 5, 2), row("theirs", "wide", true, 2, 4),
            row("others", "", true, 6, 6)};
  const std::vector<bench::measurement> all = r.rows;
  EXPECT_EQ(stands(all[1], all, &bench::measurement::cold), false);
  EXPECT_EQ(stands(all[2], all, &bench::measurement::cold), true);
  EXPECT_EQ(stands(all[1], all, &bench::measurement::hot), true);
  EXPECT_EQ(stands(all[3], all, &bench::measurement::cold), true);
  p.n = 2000;
  r.rows.push_back(row("ours", "", false, 1, 1));
  r.rows.push_back(row("theirs", "wide", true, 2, 2));
  const std::vector<bench::loss> lost = losses(r);
  ASSERT_EQ(lost.size(), 2u);
  EXPECT_EQ(lost[0].peer->setting, "wide");
  EXPECT_DOUBLE_EQ(lost[0].ratio, 2.0 / 3);
  EXPECT_EQ(lost[1].peer->setting, "narrow");
  EXPECT_STREQ(lost[1].timed, "hot");
  r.rows[2].inaccurate = true;
  EXPECT_EQ(losses(r).size(), 1u);
}

// Results are checked before they are timed, so an error anywhere must be detected.
class checked_data : public testing::TestWithParam<upsweep::dtype> {
 protected:
  upsweep::problem scan(std::uint64_t n) const {
    upsweep::detail::scan_impl::problem p;
    p.type = GetParam();
    p.n = n;
    return p;
  }
  static upsweep::memory out_of(const upsweep::problem& p) { return p.as<upsweep::detail::scan_impl::problem>().out; }
  upsweep::context cpu = upsweep::context::cpu();
};

TEST_P(checked_data, the_right_answer_passes) {
  bench_data data(cpu.device(), scan(70001), 3);
  EXPECT_TRUE(data.check([](const upsweep::problem& p) { upsweep::reference(p); }, 0).right());
}

TEST_P(checked_data, one_wrong_element_anywhere_fails) {
  bench_data data(cpu.device(), scan(70001), 3);
  for (std::uint64_t at : {0, 1, 65535, 65536, 70000}) {
    const verdict v = data.check(
        [&](const upsweep::problem& p) {
          upsweep::reference(p);
          upsweep::with_type(p->type, [&](auto tag) {
            auto* out = out_of(p).as<typename decltype(tag)::type>();
            if (at == 0)
              out[at] += out[at] > 0 ? -1 : 1;
            else
              out[at] -= out[at] / 2;
          });
        },
        1e-3);
    EXPECT_NE(v.wrong.find("element " + std::to_string(at) + " "), std::string::npos) << v.wrong;
  }
}

TEST_P(checked_data, nothing_written_fails) {
  bench_data data(cpu.device(), scan(1000), 3);
  EXPECT_FALSE(data.check([](const upsweep::problem&) {}, 1e-3).right());
}

TEST_P(checked_data, not_a_number_fails) {
  bench_data data(cpu.device(), scan(1000), 3);
  const auto run = [](const upsweep::problem& p) {
    upsweep::reference(p);
    if (p->type == upsweep::dtype::f32) out_of(p).as<float>()[500] = std::numeric_limits<float>::quiet_NaN();
    if (p->type == upsweep::dtype::f64) out_of(p).as<double>()[500] = std::numeric_limits<double>::quiet_NaN();
  };
  EXPECT_EQ(data.check(run, 1).right(), !is_floating(GetParam()));
}

TEST_P(checked_data, shifted_operands_begin_an_element_later) {
  bench_data data(cpu.device(), scan(1000), 3, upsweep::input_kind::uniform, true);
  const auto p = data.next().as<upsweep::detail::scan_impl::problem>();
  for (const upsweep::memory m : {p.in, p.out})
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(m.address()) % 16, size_of(GetParam()));
  EXPECT_TRUE(data.check([](const upsweep::problem& q) { upsweep::reference(q); }, 0).right());
}

TEST_P(checked_data, operands_take_turns) {
  bench_data data(cpu.device(), scan(1000), 3);
  std::set<void*> seen;
  for (int i = 0; i < 6; ++i) seen.insert(data.next().as<upsweep::detail::scan_impl::problem>().in.base);
  EXPECT_EQ(static_cast<int>(seen.size()), data.copies());
  EXPECT_GE(data.copies(), 2);
}

INSTANTIATE_TEST_SUITE_P(types, checked_data, testing::ValuesIn(upsweep::folding_dtypes),
                         [](const auto& info) { return std::string(name_of(info.param)); });

// An infinity among the weights would end the work before it began.
TEST(bench_data_of_histograms, weights_are_finite_at_every_seed) {
  const upsweep::context cpu = upsweep::context::cpu();
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    upsweep::detail::histogram_impl::problem p;
    p.type = upsweep::dtype::f32, p.n = 1000, p.weighted = true;
    bench_data data(cpu.device(), p, seed);
    const auto made = data.next().as<upsweep::detail::histogram_impl::problem>();
    for (const float w : std::span(made.in2.as<const float>(), made.n)) ASSERT_TRUE(std::isfinite(w)) << seed;
  }
}

TEST(bench_run, names_that_are_none_are_refused) {
  EXPECT_THROW(bench::require_names({"scan/blelloch-paded"}, {upsweep::backend::cpu}), upsweep::error);
  EXPECT_THROW(bench::require_names({"scan/sequential"}, {upsweep::backend::opencl}), upsweep::error);
  EXPECT_NO_THROW(bench::require_names({"scan", "reduce", "scan/se", "reduce/sequential"}, {upsweep::backend::cpu}));
}

TEST(report_html, text_is_made_safe) {
  EXPECT_EQ(report::html_escape("<a href=\"x\">'&'</a>"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  EXPECT_NE(report::html_table({"h"}, {{{"<script>"}}}).find("&lt;script&gt;"), std::string::npos);
}

TEST(report_plot, a_curve_has_a_mark_and_a_title_for_each_point) {
  report::line_plot p;
  p.title = "a < b";
  p.roof = 100;
  p.roof_label = "copy limit";
  p.curves = {{"first", "ours k0", 0, {{1024, 1, 0.9, 1.1, "one"}, {4096, 10, 9, 11, "two"}}},
              {"second", "k1", 1, {{1024, 2, 2, 2, "three"}}}};
  const std::string s = svg(p);
  for (const char* part :
       {"<svg", "</svg>", "a &lt; b", "copy limit", ">one<", ">two<", ">three<", ">first<", ">second<"})
    EXPECT_NE(s.find(part), std::string::npos) << part;
  EXPECT_EQ(s.find("nan"), std::string::npos);
  EXPECT_EQ(svg(report::line_plot{}), "");
}

TEST(bench_text, figures) {
  EXPECT_EQ(bench::time_text(8.31e-6), "8.31 µs");
  EXPECT_EQ(bench::time_text(1.234), "1.23 s");
  EXPECT_EQ(bench::time_text(0), "-");
  EXPECT_EQ(bench::ratio_text(1.266), "1.27×");
  EXPECT_EQ(bench::columns_of("µ×"), 2u);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif
constexpr const char* overflow =
    "Boost's spreadsort and the standard's minus<int> overflow, as the peers that they are";

class bench_command : public command_test {};

TEST_F(bench_command, a_group_is_timed_beside_one_and_beside_its_exchange) {
  const ran r = run({"bench", "--group", "cpu:1,cpu:1,cpu:1", "--sizes", "4096", "--repeats", "3", "--seed", "1",
                     "--json", "g.json"});
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.out.find("speed-up"), std::string::npos) << r.out;
  const json all = json::parse(read("g.json"));
  EXPECT_EQ(all["kind"], "group-bench");
  EXPECT_TRUE(all["provenance"].contains("commit"));
  EXPECT_EQ(all["members"].size(), 3u);
  EXPECT_GT(all["note"]["median_s"].get<double>(), 0);
  std::set<std::string> calls;
  for (const json& row : all["rows"]) {
    calls.insert(row["primitive"]);
    EXPECT_EQ(row["checked"], true);
    for (const char* side : {"group", "alone", "exchange"}) {
      EXPECT_EQ(row[side]["samples"], 3) << row;
      EXPECT_GT(row[side]["median_s"].get<double>(), 0) << row;
    }
    const double sent = row["bytes_sent_by_each"];
    EXPECT_GT(sent, 0) << row;
    EXPECT_NEAR(row["bus_bytes_per_s"].get<double>(), sent / row["group"]["median_s"].get<double>(), sent);
    EXPECT_NEAR(row["speedup"].get<double>(),
                row["alone"]["median_s"].get<double>() / row["group"]["median_s"].get<double>(), 1e-6);
  }
  EXPECT_EQ(calls, (std::set<std::string>{"reduce", "scan", "sort", "select", "histogram", "all pairs", "tree",
                                          "tree by domains"}));
}

TEST_F(bench_command, a_group_takes_no_words_of_the_other_bench) {
  for (const std::vector<std::string>& word :
       {std::vector<std::string>{"scan"}, {"--type", "f32"}, {"--peers"}, {"--device", "cpu"}}) {
    std::vector<std::string> words{"bench", "--group", "cpu:1,cpu:1"};
    words.insert(words.end(), word.begin(), word.end());
    const ran r = run(words);
    EXPECT_NE(r.status, 0);
    EXPECT_NE(r.err.find("--group does not use this option"), std::string::npos) << r.err;
  }
  EXPECT_NE(run({"bench", "--group", "cpu:1,nothing"}).status, 0);
}

TEST_F(bench_command, rows_are_whole_and_checked) {
  if (sanitized) GTEST_SKIP() << overflow;
  const ran r = run({"bench", "--device", "cpu", "--sizes", "1000,2^12-5", "--type", "u32,f64", "--operands",
                     "aligned,shifted", "--repeats", "3", "--peers", "--quick", "--json", "b.json"});
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(r.err.empty()) << r.err;  // no progress output without a terminal
  const json all = json::parse(read("b.json"));
  EXPECT_EQ(all["kind"], "bench");
  EXPECT_TRUE(all["provenance"].contains("commit"));
  EXPECT_TRUE(all["failures"].empty()) << all["failures"];
  EXPECT_GE(all["devices"][0]["ceilings"].size(), 3u);
  std::set<std::string> who, forms, calls, operands, words;
  std::map<std::string, int> standing;
  for (const json& row : all["rows"]) {
    who.insert(row["who"]);
    forms.insert(row["cache"]);
    EXPECT_GT(row["median_s"].get<double>(), 0);
    EXPECT_LE(row["p10_s"].get<double>(), row["median_s"].get<double>());
    EXPECT_LE(row["median_s"].get<double>(), row["p90_s"].get<double>());
    EXPECT_EQ(row["checked"], true);
    if (row["mode"] == "call") {  // on four elements, in batches of its own
      calls.insert(row["primitive"]);
      EXPECT_EQ(row["n"], 4);
      continue;
    }
    EXPECT_EQ(row["samples"], 3);
    operands.insert(row["operands"]);
    words.insert(row["form"]);
    // Of each peer one setting, in each row of a table.
    if (row["peer"] == true)
      standing[row["who"].get<std::string>() + row["form"].get<std::string>() + row["input"].get<std::string>() +
               row["operands"].get<std::string>() + row["cache"].get<std::string>() + row["n"].dump()] +=
          row["stands"] == true;
    const double size = row["type"] == "u32" ? 4 : 8, n = row["n"];
    if (row["primitive"] == "reduce") {
      EXPECT_EQ(row["bytes"].get<double>(), size * n);
    }
    if (row["primitive"] == "scan") {
      EXPECT_EQ(row["bytes"].get<double>(), 2 * size * n);
    }
    if (row["primitive"] == "sort") {
      EXPECT_GE(row["bytes"].get<double>(), 2 * size * n);
    }
    EXPECT_GT(row["bytes"].get<double>(), 0);
    if (row["peer"] == true) {
      for (const json& other : all["rows"])
        if (other["who"] == row["ours"] && other["n"] == row["n"] && other["type"] == row["type"] &&
            other["cache"] == row["cache"] && other["form"] == row["form"] && other["input"] == row["input"] &&
            other["operands"] == row["operands"]) {
          EXPECT_NEAR(row["ratio"].get<double>(), row["median_s"].get<double>() / other["median_s"].get<double>(),
                      1e-9);
        }
    }
  }
  EXPECT_EQ(forms, (std::set<std::string>{"cold", "hot"}));
  EXPECT_EQ(operands, (std::set<std::string>{"aligned", "shifted"}));
  for (const auto& [peer, times] : standing) EXPECT_EQ(times, 1) << peer;
  for (const char* form :
       {"sort, records of 12 bytes by a user-defined comparison", "select, u32 by a user-defined predicate, half",
        "sort, f64 keys", "sort, f64 keys, values of 4 bytes", "segmented-sort, u32 keys, segments of about 100",
        "segmented-reduce, u32 plus, segments of lengths by Zipf's law",
        "segmented-scan, f64 plus, exclusive, one segment"})
    EXPECT_TRUE(words.contains(form)) << form;
  // The list at the end agrees with the rows.
  for (const json& l : all["losses"]) {
    EXPECT_LT(l["ratio"].get<double>(), 1);
    EXPECT_NE(r.out.find(l["what"].get<std::string>()), std::string::npos);
  }
  EXPECT_NE(r.out.find(all["losses"].empty() ? "No peer is faster" : "Slower than the best peer ("), std::string::npos);
  EXPECT_EQ(calls, (std::set<std::string>{"reduce", "scan", "sort", "select", "histogram"}));
  for (const char* name : {"std", "std-unseq", "std-par-unseq", "tbb"}) EXPECT_TRUE(who.count(name)) << name;
}

TEST_F(bench_command, every_peer_is_right_on_every_type) {
  if (sanitized) GTEST_SKIP() << overflow;
  const ran r =
      run({"bench", "--device", "cpu", "--sizes", "1,2,1000,65537", "--type", "all", "--op", "plus,minimum,maximum",
           "--repeats", "1", "--modes", "cold", "--operands", "aligned", "--peers", "--quick", "--json", "b.json"});
  ASSERT_EQ(r.status, 0) << r.err;
  // libstdc++ 12's parallel exclusive scan of floats starts minimum and maximum from zero; the bench finds that, and
  // nothing else.
  const json found = json::parse(read("b.json"));
  for (const json& f : found["failures"]) {
    EXPECT_EQ(f["who"], "std-par-unseq") << f;
    EXPECT_EQ(f["what"].get<std::string>().find("exclusive scan, f"), 0u) << f;
  }
  const ran inclusive =
      run({"bench", "scan", "--inclusive", "--device", "cpu", "--sizes", "1,2,1000,65537", "--type", "all", "--op",
           "plus,minimum,maximum", "--repeats", "1", "--modes", "cold", "--peers", "--quick", "--json", "i.json"});
  ASSERT_EQ(inclusive.status, 0) << inclusive.err;
  const json all = json::parse(read("i.json"));
  EXPECT_TRUE(all["failures"].empty()) << inclusive.out;
  EXPECT_EQ(all["rows"][0]["inclusive"], true);
}

TEST_F(bench_command, names_choose_variants) {
  ASSERT_EQ(run({"bench", "scan/sequential", "--device", "cpu", "--sizes", "1000", "--repeats", "1", "--type", "u32",
                 "--quick", "--json", "b.json"})
                .status,
            0);
  const json all = json::parse(read("b.json"));
  for (const json& row : all["rows"]) EXPECT_EQ(row["who"], "scan/sequential");
}

TEST_F(bench_command, own_work_is_asked_for_by_name) {
  ASSERT_EQ(run({"bench", "own", "--device", "cpu", "--sizes", "1000", "--repeats", "1", "--operands", "aligned",
                 "--peers", "--quick", "--json", "b.json"})
                .status,
            0);
  const json all = json::parse(read("b.json"));
  EXPECT_TRUE(all["failures"].empty()) << all["failures"];
  std::set<std::string> settings;
  for (const json& row : all["rows"]) {
    if (row["mode"] == "call") continue;
    EXPECT_NE(row["form"].get<std::string>().find("user-defined"), std::string::npos);
    EXPECT_EQ(row["operands"], "aligned");
    if (row["who"] == "std") settings.insert(row["setting"]);
  }
  EXPECT_EQ(settings, (std::set<std::string>{"", "sort", "stable_sort"}));
}

TEST_F(bench_command, refusals) {
  expect_refusal({"bench", "scan/sequentail", "--device", "cpu", "--json", "b.json"},
                 {"scan/sequentail", "scan/sequential"});
  expect_refusal({"bench", "reduce", "scan", "--op", "bit_and", "--type", "f32", "--device", "cpu", "--quick"},
                 {"no chosen variant supports", "upsweep list"});
  expect_refusal({"bench", "--sizes", "1..5", "--device", "cpu"}, {"--sizes", "range"});
  expect_refusal({"bench", "--type", "f17", "--device", "cpu"}, {"f17", "f32"});
  expect_refusal({"bench", "reduce", "--type", "f16", "--device", "cpu"},
                 {"no chosen variant supports", "upsweep list"});
  expect_refusal({"bench", "--device", "cuda:99"}, {"cuda"});
  expect_refusal({"bench", "--table", "knuth", "--device", "cpu"}, {"knuth", "kaust-reduction"});
  expect_refusal({"bench", "reduce", "--device", "cpu", "--sizes", "1000", "--json", "no/such/folder/b.json"},
                 {"no/such/folder/b.json"});
}

TEST_F(bench_command, a_published_table_stands_beside_ours) {
  const ran r = run({"bench", "--table", "utcs-scan", "--device", "cpu", "--quick", "--json", "t.json"});
  ASSERT_EQ(r.status, 0) << r.err;
  const json all = json::parse(read("t.json"));
  ASSERT_EQ(all["rows"].size(), 4u);
  EXPECT_DOUBLE_EQ(all["rows"][3]["cells"]["published gpu"].get<double>(), 474.12e-6);
  EXPECT_GT(all["rows"][3]["cells"]["cpu"].get<double>(), 0);
  EXPECT_NE(r.out.find("2329.2"), std::string::npos) << r.out;
}

TEST_F(bench_command, the_report_s_convolution_stands_beside_ours) {
  const ran r = run({"bench", "--table", "utcs-convolution", "--device", "cpu", "--quick", "--json", "t.json"});
  ASSERT_EQ(r.status, 0) << r.err;
  const json all = json::parse(read("t.json"));
  ASSERT_EQ(all["rows"].size(), 2u);
  const json &naive = all["rows"][0], &tiled = all["rows"][1];
  EXPECT_EQ(naive["variant"], "convolve/naive");
  EXPECT_EQ(tiled["variant"], "convolve/shared-tile");
  EXPECT_DOUBLE_EQ(naive["cells"]["published cpu"].get<double>(), 2950.6e-6);
  EXPECT_DOUBLE_EQ(tiled["cells"]["published gpu"].get<double>(), 41.8e-6);
  for (const json& row : all["rows"]) {
    EXPECT_EQ(row["n"], 1000000);
    EXPECT_GT(row["cells"]["cpu"].get<double>(), 0);
    EXPECT_GT(row["cells"]["cpu fastest"].get<double>(), 0);
  }
  EXPECT_NE(r.out.find("41.8"), std::string::npos) << r.out;
}

TEST_F(bench_command, cases_drawn_at_random_are_told_and_repeated) {
  const ran r = run({"check", "--cases", "60", "--seed", "9", "--device", "cpu", "--max-n", "4096", "--threads", "2",
                     "--json", "d.json"});
  ASSERT_EQ(r.status, 0) << r.err;
  EXPECT_NE(r.out.find(" cases passed, in "), std::string::npos) << r.out;
  const auto told = nlohmann::json::parse(read("d.json"));
  EXPECT_EQ(told["kind"], "check-drawn");
  EXPECT_EQ(told["seed"], 9);
  EXPECT_GT(told["cases"], 50);
  EXPECT_EQ(run({"check", "--seed", "9", "--case", "7", "--device", "cpu"}).status, 0);
  EXPECT_NE(run({"check", "--seed", "9", "--case", "7", "--cases", "3", "--device", "cpu"}).out.find("3 of 3 cases"),
            std::string::npos);
  EXPECT_EQ(run({"check", "scan", "--hours", "0.00003", "--device", "cpu"}).status, 0);
  EXPECT_EQ(told["threads"], 2);
  EXPECT_EQ(told["crowded"], false);
  // The CPU has no other kernels, and no check runs next to a listed check.
  for (const std::vector<std::string>& crowded : std::vector<std::vector<std::string>>{{"--cases", "5"}, {}}) {
    std::vector<std::string> words{"check", "--device", "cpu", "--crowded"};
    words.insert(words.end(), crowded.begin(), crowded.end());
    const ran refused = run(words);
    EXPECT_EQ(refused.status, 1);
    EXPECT_NE(refused.err.find(crowded.empty() ? "--cases or --hours" : "on a CUDA GPU alone"), std::string::npos)
        << refused.err;
    EXPECT_EQ(std::ranges::count(refused.err, '\n'), 1) << refused.err;
  }
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--case", "7"},
                                             {"--hours", "0"},
                                             {"--hours", "nan"},
                                             {"--cases", "5", "--quick"},
                                             {"--cases", "5", "--threads", "0"}}) {
    std::vector<std::string> words{"check", "--device", "cpu"};
    words.insert(words.end(), wrong.begin(), wrong.end());
    const ran refused = run(words);
    EXPECT_EQ(refused.status, 2) << wrong[0];
    EXPECT_EQ(std::ranges::count(refused.err, '\n'), 1) << refused.err;
  }
}

TEST_F(bench_command, the_page_stands_alone) {
  ASSERT_EQ(run({"bench", "--device", "cpu", "--sizes", "2^10..2^13", "--type", "u32", "--repeats", "2", "--peers",
                 "--all", "--operands", "aligned", "--quick", "--json", "b.json"})
                .status,
            0);
  ASSERT_EQ(run({"bench", "--table", "kaust-reduction", "--device", "cpu", "--quick", "--json", "t.json"}).status, 0);
  ASSERT_EQ(run({"check", "scan/sequential", "--device", "cpu", "--quick", "--json", "c.json"}).status, 0);
  const ran r = run({"report", "b.json", "t.json", "c.json", "-o", "page.html", "--title", "Us & <them>"});
  ASSERT_EQ(r.status, 0) << r.err;
  const std::string page = read("page.html");
  for (const char* part : {"Us &amp; &lt;them&gt;", "<svg", "prefers-color-scheme:dark", "std-unseq", "8.054",
                           "scan/sequential", "all right"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  for (const char* part : {"<script", "http:", "https:", "url(", "@import", "nan", "<them>"})
    EXPECT_EQ(page.find(part), std::string::npos) << part;
}

TEST_F(bench_command, report_refuses_what_it_cannot_read) {
  write("empty.json", "");
  write("cut.json", "{\"kind\": \"bench\", \"rows\": [");
  write("other.json", "{\"kind\": \"recipe\"}");
  write("list.json", "[1, 2]");
  write("bare.json", "{\"kind\": \"bench\"}");
  for (const char* file : {"empty.json", "cut.json", "other.json", "list.json", "bare.json", "missing.json"})
    expect_refusal({"report", file, "-o", "page.html"}, {file});
}

}  // namespace
