// Every textbook variant on the emulated machine: its result, the counts that it declares, and the counts in the
// literature.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "lens/mutate.hpp"
#include "lens/run.hpp"
#include "upsweep/error.hpp"
#include "upsweep/scan/scan_problem.hpp"
#include "upsweep/summed_area_table/summed_area_table_problem.hpp"
#include "upsweep/vector_add/vector_add_problem.hpp"

namespace upsweep::lens {
namespace {

std::string why(const report& r) {
  std::string text = r.wrong;
  for (const finding& f : r.findings) text += "\n  " + f.text;
  for (const declared& d : r.against)
    if (d.binding && !d.agrees)
      text += std::string("\n  ") + d.what + ": declared " + std::to_string(d.value) + ", counted " +
              std::to_string(d.counted);
  return text;
}

job for_variant(const textbook_variant& r, std::uint64_t n, int which) {
  job j;
  j.variant = r.name, j.n = n;
  j.inclusive = which % 2 == 1;
  j.in_place = which / 2 % 2 == 1 && r.what == detail::scan_impl::primitive::scan;
  if (r.what == detail::vector_add_impl::primitive::vector_add) {
    j.type = folding_dtypes[static_cast<std::size_t>(which) % folding_dtypes.size()];
  } else if (r.keeps_order && which % 4 != 3) {
    j.op = op_kind::compose_affine, j.type = dtype::u64;
  } else {
    constexpr op_kind ops[]{op_kind::plus, op_kind::minimum, op_kind::multiplies, op_kind::maximum};
    j.op = ops[which % 4];
    j.type = folding_dtypes[(static_cast<std::size_t>(which) + n) % folding_dtypes.size()];
  }
  return j;
}

class every_variant : public testing::TestWithParam<std::size_t> {
 protected:
  const textbook_variant& the_variant() const { return textbook_variants()[GetParam()]; }
};

// Sizes around warps, blocks, sections and tiles; primes; seeds of their own for schedule and input; races looked for.
TEST_P(every_variant, is_right_at_awkward_sizes_on_many_schedules) {
  const textbook_variant& r = the_variant();
  const bool squared = r.name == "scan/thread-per-output";
  std::uint64_t seed = 1;
  for (const std::uint64_t n : {1,   2,   3,    31,   32,   33,   63,   64,   65,   127,  255,  256,  257,  511,  512,
                                513, 767, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 2303, 2304, 2305, 4097, 10007}) {
    if (squared && n > 520) continue;
    for (int which = 0; which < 4; ++which) {
      job j = for_variant(r, n, which);
      j.seed = ++seed;
      j.resident = 1 + static_cast<unsigned>(seed % 6);
      const report got = run(j);
      ASSERT_TRUE(got.raced);
      ASSERT_TRUE(got.ok()) << r.name << " n = " << n << " seed " << j.seed << " " << name_of(j.op) << " "
                            << name_of(j.type) << ": " << why(got);
    }
  }
}

TEST_P(every_variant, is_right_at_every_block_size) {
  const textbook_variant& r = the_variant();
  std::uint64_t seed = 1000;
  for (const variant_at& size : r.sizes)
    for (const std::uint64_t n : {1, 33, 65, 300, 577, 3 * 1031}) {
      if (r.name == "scan/thread-per-output" && n > 300) continue;
      for (int which = 0; which < 4; which += 1 + static_cast<int>(seed % 2)) {
        job j = for_variant(r, n, which);
        j.block = size.block, j.seed = ++seed;
        const report got = run(j);
        ASSERT_TRUE(got.ok()) << r.name << " n = " << n << " block " << size.block << ": " << why(got);
      }
    }
}

// Every barrier of every variant is needed: the lens reports a fault if one is left out.
TEST_P(every_variant, loses_no_barrier_unseen) {
  job j;
  j.variant = the_variant().name;
  j.n = the_variant().name == "scan/thread-per-output" ? 1000 : 4097;
  for (const mutant& m : mutate(j))
    EXPECT_TRUE(m.caught()) << j.variant << " without the barrier of " << m.barrier.text();
}

// Those of sort, select and histogram come after them, and have tests of their own.
std::size_t folding_variants() {
  return static_cast<std::size_t>(std::count_if(textbook_variants().begin(), textbook_variants().end(),
                                                [](const textbook_variant& r) { return r.folds(); }));
}

INSTANTIATE_TEST_SUITE_P(lens, every_variant, testing::Range<std::size_t>(0, folding_variants()),
                         [](const auto& which) {
                           std::string name(textbook_variants()[which.param].name);
                           for (char& c : name)
                             if (c == '/' || c == '-') c = '_';
                           return name;
                         });

// Each variant is one file, and this test runs all of them.
TEST(lens_variants, are_all_files_of_the_textbook) {
  std::set<std::string> written, compiled;
  for (const auto& file : std::filesystem::recursive_directory_iterator(UPSWEEP_SOURCE_DIR "/upsweep")) {
    if (file.path().extension() != ".cuh" || file.path().parent_path().filename() != "textbook") continue;
    std::ifstream in(file.path());
    for (std::string line; std::getline(in, line);)
      if (const std::size_t at = line.find("std::string_view name = \""); at != std::string::npos)
        written.insert(line.substr(at + 25, line.rfind('"') - at - 25));
  }
  for (const textbook_variant& r : textbook_variants()) compiled.insert(std::string(r.name));
  EXPECT_EQ(written, compiled);
  EXPECT_GE(written.size(), 27u);
}

// ---- known counts

counts counted(std::string variant, std::uint64_t n, unsigned block = 0) {
  job j;
  j.variant = std::move(variant), j.n = n, j.block = block;
  const report r = run(j);
  EXPECT_TRUE(r.ok()) << j.variant << ": " << why(r);
  return r.total;
}

TEST(lens_counts, hillis_steele_adds_n_log_n) {
  for (const std::uint64_t k : {1, 3, 6, 10, 12}) {
    const std::uint64_t n = std::uint64_t{1} << k;
    const counts c = counted("scan/hillis-steele", n);
    EXPECT_EQ(c.work(), n * k - (n - 1));
    EXPECT_EQ(c.span, k);
    EXPECT_EQ(c.steps, k);
    EXPECT_EQ(c.launches, k + 1);
  }
}

TEST(lens_counts, blelloch_adds_twice_and_swaps_once) {
  for (const std::uint64_t k : {1, 4, 10, 12}) {
    const std::uint64_t n = std::uint64_t{1} << k;
    const counts c = counted("scan/blelloch", n);
    EXPECT_EQ(c.work(), 2 * (n - 1));
    EXPECT_EQ(c.span, 2 * k - 1);
    // A swap of the way down reads two cells and writes two: the line that hands `before` to the left child.
    std::uint64_t swaps = 0;
    for (const line_tally& l : c.lines)
      if (l.what == event::global_store && l.where.function.find("sweep_down") != std::string::npos)
        swaps += l.cost.lanes;
    EXPECT_EQ(swaps, 2 * (n - 1));
  }
}

TEST(lens_counts, brent_kung_takes_a_step_more_than_its_chain) {
  const counts c = counted("scan/brent-kung", 512);
  EXPECT_EQ(c.work(), 2u * 512 - 2 - 9);
  EXPECT_EQ(c.steps, 2u * 9 - 1);
  EXPECT_LE(c.span, 2u * 9 - 2);
  EXPECT_EQ(c.cost, 256u * 17);
}

TEST(lens_counts, reductions_of_full_sections_add_n_minus_1) {
  for (const char* name :
       {"reduce/sequential", "reduce/global-interleaved", "reduce/global-sequential", "reduce/interleaved-divergent",
        "reduce/interleaved-strided", "reduce/sequential-addressing"})
    EXPECT_EQ(counted(name, 256 * 256).work(), 256u * 256 - 1) << name;
  EXPECT_EQ(counted("reduce/first-add-on-load", 512 * 512).work(), 512u * 512 - 1);
}

// In each step the worst request of the load of cells[cell]: at stride s the lanes are 2s words apart.
TEST(lens_counts, strided_reduction_conflicts_by_step) {
  job j;
  j.variant = "reduce/interleaved-strided", j.n = 256, j.record = true;
  const report strided = run(j);
  std::map<std::uint32_t, count> worst;  // by phase
  for (const recorded& s : strided.steps)
    if (s.what == event::shared_load) worst[s.phase] = std::max(worst[s.phase], s.wavefronts);
  std::vector<count> degrees;
  for (const auto& [phase, degree] : worst) degrees.push_back(degree);
  // Eight steps of 128, 64, 32, 16, 8, 4, 2, 1 lanes; then thread 0 reads the result.
  EXPECT_EQ(degrees, (std::vector<count>{2, 4, 8, 8, 8, 4, 2, 1, 1}));
  for (const char* free : {"reduce/sequential-addressing", "reduce/first-add-on-load"}) {
    const tally t = counted(free, 4096).shared();
    EXPECT_EQ(t.wavefronts, t.ideal_wavefronts) << free;
  }
  EXPECT_EQ(counted("reduce/interleaved-strided", 4096, 1024).shared().worst_degree, 32u);
}

TEST(lens_counts, each_reduction_mends_the_one_before) {
  const counts divergent = counted("reduce/interleaved-divergent", 65536),
               strided = counted("reduce/interleaved-strided", 65536),
               sequential = counted("reduce/sequential-addressing", 65536);
  EXPECT_GT(divergent.of(event::apply).instructions, 3 * strided.of(event::apply).instructions);
  EXPECT_EQ(strided.of(event::apply).instructions, sequential.of(event::apply).instructions);
  EXPECT_GT(strided.shared().wavefronts, 2 * sequential.shared().wavefronts);
  EXPECT_EQ(sequential.shared().wavefronts, sequential.shared().ideal_wavefronts);
}

TEST(lens_counts, padding_takes_conflicts_away) {
  const tally plain = counted("scan/blelloch-block", 8192).shared(),
              padded = counted("scan/blelloch-padded", 8192).shared(),
              doubly = counted("scan/blelloch-doubly-padded", 8192).shared();
  EXPECT_EQ(plain.worst_degree, 32u);
  EXPECT_EQ(padded.worst_degree, 2u);
  EXPECT_EQ(doubly.worst_degree, 1u);
  EXPECT_GT(plain.wavefronts, 2 * padded.wavefronts);
  EXPECT_GT(padded.wavefronts, doubly.wavefronts);
  EXPECT_EQ(doubly.wavefronts, doubly.ideal_wavefronts);
}

// A column of a tile of 32 by 32 words is in one bank. With one padding word after each row its words are in all banks.
TEST(lens_counts, a_free_cell_takes_the_conflicts_of_a_transposition_away) {
  const auto columns = [](const char* name) {
    job j;
    j.variant = name, j.n = 4096, j.type = dtype::u8;
    for (const problem& form : conformance_test_of(detail::summed_area_table_impl::primitive::summed_area_table)
                                   .timed(dtype::u8, op_kind::plus, false))
      if (const auto& p = form.as<detail::summed_area_table_impl::problem>();
          p.out_type == dtype::u32 && p.channels == 1)
        j.form = form;
    const report r = run(j);
    EXPECT_TRUE(r.ok()) << name << why(r);
    tally loads;
    for (const line_tally& l : r.total.lines)
      if (l.what == event::shared_load && l.where.function.find("transpose_tile") != std::string::npos) loads += l.cost;
    return loads;
  };
  const tally plain = columns("integral/transpose"), padded = columns("integral/transpose-padded");
  // 64 by 64, there and back: four tiles of 32 columns each time.
  EXPECT_EQ(plain.instructions, 2u * 4 * 32);
  EXPECT_EQ(padded.instructions, plain.instructions);
  EXPECT_EQ(plain.ideal_wavefronts, plain.instructions);
  EXPECT_EQ(plain.worst_degree, 32u);
  EXPECT_EQ(plain.wavefronts, 32 * plain.ideal_wavefronts);
  EXPECT_EQ(padded.worst_degree, 1u);
  EXPECT_EQ(padded.wavefronts, padded.ideal_wavefronts);
}

TEST(lens_counts, coalesced_loads_take_four_sectors_a_request) {
  const counts add = counted("vector-add/one-thread-per-element", 4096);
  EXPECT_EQ(add.of(event::global_load).instructions, 2u * 4096 / 32);
  EXPECT_EQ(add.of(event::global_load).sectors, 4 * add.of(event::global_load).instructions);
  EXPECT_EQ(add.of(event::global_store).sectors, 4 * add.of(event::global_store).instructions);
  EXPECT_EQ(add.global().bytes, 3u * 4096 * 4);
  // Neighbours at stride s: the further up the tree, the fewer of a sector's bytes are used.
  const tally far = counted("reduce/global-interleaved", 4096).global(),
              near = counted("reduce/global-sequential", 4096).global();
  EXPECT_GT(far.sectors, 2 * near.sectors);
  EXPECT_EQ(near.sectors, near.ideal_sectors);
}

TEST(lens_counts, are_the_same_on_every_schedule) {
  for (const char* name : {"scan/blelloch-padded", "reduce/unrolled-last-warp", "scan/scan-then-propagate"}) {
    job j;
    j.variant = name, j.n = 10007;
    const counts first = run(j).total;
    for (const std::uint64_t seed : {2u, 3u, 4u}) {
      j.seed = seed, j.resident = static_cast<unsigned>(seed) * 3;
      const counts other = run(j).total;
      EXPECT_EQ(first.work(), other.work());
      EXPECT_EQ(first.instructions(), other.instructions());
      EXPECT_EQ(first.shared().wavefronts, other.shared().wavefronts);
      EXPECT_EQ(first.global().sectors, other.global().sectors);
    }
  }
}

// ---- bad input

TEST(lens_variants, refuse_in_one_sentence) {
  const auto refusal = [](auto change) {
    job j;
    j.variant = "scan/blelloch-padded";
    change(j);
    try {
      run(j);
    } catch (const error& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  const auto has = [](const std::string& text, const char* piece) { return text.find(piece) != std::string::npos; };
  EXPECT_TRUE(has(refusal([](job& j) { j.variant = "scan/blelloc"; }), "scan/blelloch-block"));
  EXPECT_TRUE(has(refusal([](job& j) { j.variant = "scan/one-pass"; }), "lens"));
  EXPECT_TRUE(has(refusal([](job& j) { j.block = 2048; }), "at most 1024"));
  EXPECT_TRUE(has(refusal([](job& j) { j.block = 100; }), "multiple of 32"));
  EXPECT_TRUE(has(refusal([](job& j) { j.block = 96; }), "32, 64, 128, 256, 512 or 1024"));
  EXPECT_TRUE(has(refusal([](job& j) { j.variant = "reduce/fully-unrolled", j.block = 64; }), "fixes its block sizes"));
  EXPECT_TRUE(has(refusal([](job& j) { j.n = 0; }), "at least one element"));
  EXPECT_TRUE(has(refusal([](job& j) { j.n = std::uint64_t{1} << 31; }), "memory") ||
              has(refusal([](job& j) { j.n = std::uint64_t{1} << 31; }), "hours"));
  EXPECT_TRUE(has(refusal([](job& j) { j.variant = "scan/thread-per-output", j.n = 1 << 21; }), "at most 1048576"));
  EXPECT_TRUE(has(refusal([](job& j) { j.op = op_kind::bit_xor; }), "does not take bit_xor on u32"));
  EXPECT_TRUE(has(refusal([](job& j) {
                    j.variant = "reduce/sequential-addressing", j.op = op_kind::compose_affine, j.type = dtype::u64;
                  }),
                  "commute"));
}

}  // namespace
}  // namespace upsweep::lens
