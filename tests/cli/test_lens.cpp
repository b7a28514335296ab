// The command `lens`, end to end.
#include <nlohmann/json.hpp>

#include "command.hpp"

namespace {

class lens_command : public command_test {
 protected:
  static bool has(const std::string& text, std::string_view piece) { return text.find(piece) != std::string::npos; }
};

TEST_F(lens_command, prints_counts_and_the_declared_counts) {
  const ran r = run({"lens", "scan/blelloch-padded", "--n", "5000", "--lines"});
  EXPECT_EQ(r.status, 0) << r.err;
  for (const char* piece : {"Result: correct", "declared", "blelloch_padded.cuh:39", "no data race", "3 × 1024"})
    EXPECT_TRUE(has(r.out, piece)) << piece << "\n" << r.out;
  EXPECT_TRUE(has(run({"lens", "--list"}).out, "scan/decoupled-lookback"));
}

TEST_F(lens_command, json_has_every_launch_and_line) {
  const ran r = run({"lens", "reduce/interleaved-strided", "--n", "2^16", "--type", "f32", "--json"});
  ASSERT_EQ(r.status, 0) << r.err;
  const auto all = nlohmann::json::parse(r.out), result = all["result"];
  EXPECT_EQ(all["kind"], "lens");
  EXPECT_TRUE(all["provenance"].contains("commit"));
  EXPECT_EQ(result["launches"].size(), 2u);
  EXPECT_EQ(result["total"]["work"], 65535);
  EXPECT_EQ(result["total"]["events"]["shared load"]["worst_degree"], 8);
  EXPECT_EQ(result["launches"][0]["events"]["global load"]["sectors"], 65536 / 8);
  EXPECT_FALSE(result["launches"][1]["lines"].empty());
  const ran filed = run({"lens", "reduce/interleaved-strided", "--json", "counts.json"});
  EXPECT_EQ(filed.status, 0);
  EXPECT_EQ(nlohmann::json::parse(read("counts.json"))["result"]["n"], 4096);
}

TEST_F(lens_command, takes_the_input_of_a_file) {
  // Sorted input: the last step of the network exchanges no pair. Random keys cause many exchanges there.
  std::string keys;
  for (std::uint32_t i = 0; i < 64; ++i) keys.append({static_cast<char>(i), 0, 0, 0});
  write("keys.raw", keys);
  const auto stores = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"lens", "sort/bitonic", "--n", "64", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const ran r = run(words);
    EXPECT_EQ(r.status, 0) << r.err;
    return nlohmann::json::parse(r.out)["result"]["total"]["events"]["shared store"]["lanes"].get<int>();
  };
  EXPECT_LT(stores({"--in", "keys.raw"}), stores({}));
  const ran short_of = run({"lens", "sort/bitonic", "--n", "65", "--in", "keys.raw"});
  EXPECT_NE(short_of.status, 0);
  EXPECT_TRUE(has(short_of.err, "it takes 65 elements of 4 bytes, and there are 256 bytes")) << short_of.err;
  const ran drawn = run({"lens", "reduce/sequential", "--n", "64", "--in", "keys.raw"});
  EXPECT_NE(drawn.status, 0);
  EXPECT_TRUE(has(drawn.err, "its input is drawn")) << drawn.err;
}

TEST_F(lens_command, a_comparison_says_what_each_variant_gains) {
  const ran r = run({"lens", "--compare", "reduce/interleaved-divergent", "reduce/interleaved-strided",
                     "reduce/sequential-addressing"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(has(r.out, "degree 8")) << r.out;
  EXPECT_TRUE(has(r.out, "fewer diverged instructions")) << r.out;
  EXPECT_TRUE(has(r.out, "0 wavefronts lost to bank conflicts (")) << r.out;
}

TEST_F(lens_command, draws_steps) {
  const ran r = run({"lens", "--steps", "reduce/sequential-addressing", "--n", "8", "--seed", "3"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(has(r.out, "cells of block 0")) << r.out;
  EXPECT_TRUE(has(r.out, "step 6: 1 application\n")) << r.out;
  EXPECT_TRUE(has(r.out, "#...............................")) << r.out;
}

TEST_F(lens_command, writes_a_page_that_needs_nothing_else) {
  const ran r = run({"lens", "reduce/interleaved-strided", "--html", "page.html", "--n", "300"});
  ASSERT_EQ(r.status, 0) << r.err;
  const std::string page = read("page.html");
  for (const char* piece :
       {"<!doctype html>", "reduce/interleaved-strided", "prefers-color-scheme", "\"frames\"", "</html>"})
    EXPECT_TRUE(has(page, piece)) << piece;
  for (const char* foreign : {"http://", "https://", "src=", "@import"}) EXPECT_FALSE(has(page, foreign)) << foreign;
  EXPECT_EQ(files(), (std::vector<std::string>{"page.html"}));
}

// The command contains the sources, so it may run on a machine without them.
TEST_F(lens_command, a_page_shows_the_lines_of_every_file_that_its_steps_are_in) {
  for (const char* const name :
       {"scan/sequential", "scan/reduce-then-scan", "histogram/lane-private", "nbody/split-j"}) {
    const ran r = run({"lens", name, "--html", "page.html", "--n", "40"});
    ASSERT_EQ(r.status, 0) << r.err;
    const std::string page = read("page.html"), before = "\"file\":\"";
    int named = 0;
    for (std::size_t at = page.find(before); at != std::string::npos; at = page.find(before, at), ++named) {
      at += before.size();
      const std::string file = page.substr(at, page.find('"', at) - at);
      ASSERT_TRUE(has(page, "\"" + file + "\":[\"//")) << name << ": " << file;
    }
    EXPECT_GT(named, 0) << name;
  }
}

TEST_F(lens_command, draws_the_smallest_block_that_takes_all) {
  const ran r = run({"lens", "scan/blelloch-block", "--html", "page.html", "--n", "64"});
  ASSERT_EQ(r.status, 0) << r.err;
  const std::string page = read("page.html");
  EXPECT_TRUE(has(page, "\"launches\":[{\"blocks\":1,\"threads\":32}]"));
  EXPECT_FALSE(has(page, "\"threads\":1024"));
}

TEST_F(lens_command, finds_each_barrier_missing) {
  const ran r = run({"lens", "--mutate", "reduce/unrolled-last-warp"});
  EXPECT_EQ(r.status, 0) << r.err;
  EXPECT_TRUE(has(r.out, "finds 4 of 4 removed barriers")) << r.out;
}

TEST_F(lens_command, fails_where_the_run_does) {
  const ran r =
      run({"lens", "scan/decoupled-lookback", "--block", "32", "--n", "3000", "--withhold", "1", "--seed", "2"});
  EXPECT_EQ(r.status, 1);
  EXPECT_TRUE(has(r.err, "deadlock") && has(r.err, "block 1 has started and is withheld")) << r.err;
  EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1);
}

// README's example, at the default size.
TEST_F(lens_command, shows_what_a_withheld_block_does) {
  const ran r = run({"lens", "scan/decoupled-lookback", "--withhold", "0"});
  EXPECT_EQ(r.status, 1);
  EXPECT_TRUE(has(r.err, "deadlock") && has(r.err, "block 0 has started and is withheld")) << r.err;
  const ran none = run({"lens", "scan/decoupled-lookback", "--withhold", "9"});
  EXPECT_EQ(none.status, 1);
  EXPECT_TRUE(has(none.err, "block 9 cannot be withheld: no launch has more than 2")) << none.err;
}

TEST_F(lens_command, refuses_in_one_sentence) {
  expect_refusal({"lens"}, {"no variant was given"});
  expect_refusal({"lens", "scan/blelloc"}, {"scan/blelloch-block"});
  expect_refusal({"lens", "scan/cpu"}, {"lens"});
  expect_refusal({"lens", "scan/blelloch", "--block", "2048"}, {"at most 1024"});
  expect_refusal({"lens", "scan/blelloch", "--block", "100"}, {"multiple of 32"});
  expect_refusal({"lens", "scan/blelloch", "--n", "0"}, {"at least one element"});
  expect_refusal({"lens", "scan/blelloch", "--n", "many"}, {"not a number of elements"});
  expect_refusal({"lens", "scan/blelloch", "--n", "2^35"}, {"hours"});
  expect_refusal({"lens", "scan/thread-per-output", "--n", "2^21"}, {"at most 1048576"});
  expect_refusal({"lens", "scan/blelloch", "--op", "bit_xor"}, {"does not take"});
  expect_refusal({"lens", "scan/blelloch", "--type", "i8"}, {"i8"});
  expect_refusal({"lens", "--steps", "scan/blelloch", "--n", "1000"}, {"too many"});
  expect_refusal({"lens", "--compare", "scan/blelloch"}, {"two or more"});
}

}  // namespace
