// gzip, zstd and .npz, in and out: streams in pieces of any size, their ends looked at before the last byte is given.
#include <random>

#include "cli/io/packed.hpp"
#include "cli/io/zip.hpp"
#include "command.hpp"
#include "upsweep/error.hpp"

namespace {

struct way {
  packing kind;
  const char* ending;
};
constexpr way ways[]{{packing::gzip, ".gz"}, {packing::zstd, ".zst"}};

// Where a build or machine has no such library, its sentence is all that can be tried.
bool is_here(packing kind) {
  try {
    open_packer(kind, "x", [](const void*, std::uint64_t) {});
    return true;
  } catch (const upsweep::error&) {
    return false;
  }
}

std::string packed(packing kind, std::string_view text, std::uint64_t piece = 1 << 20) {
  std::string out;
  const auto to =
      open_packer(kind, "x", [&](const void* from, std::uint64_t n) { out.append(static_cast<const char*>(from), n); });
  for (std::uint64_t at = 0; at < text.size(); at += piece)
    to->write(text.data() + at, std::min<std::uint64_t>(piece, text.size() - at));
  to->finish();
  return out;
}

std::string unpacked(packing kind, std::string_view bytes, std::uint64_t asked, std::uint64_t given) {
  const auto from = open_unpacker(kind, "x", [&](void* to, std::uint64_t n) {
    n = std::min({n, given, static_cast<std::uint64_t>(bytes.size())});
    std::memcpy(to, bytes.data(), n);
    bytes.remove_prefix(n);
    return n;
  });
  std::string out, block(asked, '\0');
  for (std::uint64_t n; (n = from->read(block.data(), asked)) > 0;) out.append(block, 0, n);
  return out;
}

std::string some_text(std::size_t n) {
  std::mt19937 random(5);
  std::string text(n, '\0');
  for (char& c : text) c = static_cast<char>("abcdefgh\n"[random() % 9]);
  return text;
}

TEST(packed, what_goes_in_comes_out) {
  for (const way& w : ways) {
    if (!is_here(w.kind)) continue;
    for (const std::size_t n : {0, 1, 1000, (1 << 18) - 1, 1 << 18, (1 << 18) + 1, 1'000'000}) {
      const std::string text = some_text(n), bytes = packed(w.kind, text, 77'777);
      for (const std::uint64_t asked : {1'000'000, 4096, 999})
        EXPECT_EQ(unpacked(w.kind, bytes, asked, 100'000), text) << w.ending << " " << n;
      EXPECT_EQ(unpacked(w.kind, bytes, 65536, 13), text);
      EXPECT_EQ(unpacked(w.kind, bytes + bytes, 65536, 1 << 20), text + text) << "one behind the other";
    }
  }
}

TEST(packed, nothing_of_a_bad_end_is_given_out) {
  for (const way& w : ways) {
    if (!is_here(w.kind)) continue;
    const std::string text = some_text(1000), whole = packed(w.kind, text);
    // The checksum is the last thing of the stream: all of the text can be unpacked without it.
    for (std::size_t cut = 0; cut < whole.size(); ++cut)
      EXPECT_THROW(unpacked(w.kind, std::string_view(whole).substr(0, cut), text.size(), 1 << 20), upsweep::error)
          << w.ending << " " << cut;
    for (std::size_t at = w.kind == packing::gzip ? 10 : 0; at < whole.size(); ++at) {
      std::string bad = whole;
      bad[at] ^= 1;
      try {
        EXPECT_EQ(unpacked(w.kind, bad, text.size(), 1 << 20), text) << w.ending << " " << at;
      } catch (const upsweep::error&) {
      }
    }
  }
}

TEST(packed, names) {
  EXPECT_EQ(packing_of("x.csv.gz"), packing::gzip);
  EXPECT_EQ(packing_of("x.CSV.GZ"), packing::gzip);
  EXPECT_EQ(packing_of("x.npy.zst"), packing::zstd);
  EXPECT_EQ(packing_of("gz"), packing::none);
  EXPECT_EQ(packing_of(".gz"), packing::none);
  EXPECT_EQ(packing_of("x.gz.csv"), packing::none);
  EXPECT_EQ(without_packing("a.gz/x.csv.gz"), "a.gz/x.csv");
  EXPECT_EQ(parted_at_member("no.npz:a:b").member, "a:b");
  EXPECT_EQ(parted_at_member("no.npz").member, "");
  EXPECT_EQ(parted_at_member("a:b.csv").file, "a:b.csv");
}

class packed_files : public command_test {
 protected:
  void SetUp() override {
    if (!is_here(packing::gzip)) GTEST_SKIP() << "this build has no zlib";
  }
};

TEST_F(packed_files, by_name_in_and_out) {
  write("x.csv", "a,b\n3,x\n1,y\n2,z\n");
  for (const way& w : ways) {
    if (!is_here(w.kind)) continue;
    const std::string ending = w.ending;
    ASSERT_EQ(run({"sort", "x.csv", "--by", "a", "-o", "y.csv" + ending}).status, 0);
    EXPECT_EQ(run({"sort", "y.csv" + ending, "--by", "a", "-o", "-"}).out, "a,b\n1,y\n2,z\n3,x\n");
    EXPECT_EQ(run({"reduce", "y.csv" + ending, "--column", "a"}).out, "6\n");
    ASSERT_EQ(run({"scan", "x.csv", "--column", "a", "-o", "y.npy" + ending}).status, 0);
    EXPECT_EQ(run({"reduce", "y.npy" + ending}).out, "13\n");
    // In place as well.
    ASSERT_EQ(run({"scan", "y.npy" + ending, "-o", "y.npy" + ending}).status, 0);
    EXPECT_EQ(run({"reduce", "y.npy" + ending, "--op", "max"}).out, "13\n");
  }
  EXPECT_EQ(run({"cmp", "y.csv.gz", "y.csv.gz"}).status, 0);
}

TEST_F(packed_files, a_bad_stream_leaves_no_output) {
  write_npy("x.npy", std::vector<double>(300'000, 1.5));
  for (const way& w : ways) {
    if (!is_here(w.kind)) continue;
    const std::string ending = w.ending;
    ASSERT_EQ(run({"scan", "x.npy", "-o", "y.npy" + ending}).status, 0);
    const std::string whole = read("y.npy" + ending);
    write("cut.npy" + ending, whole.substr(0, whole.size() - 1));
    write("more.npy" + ending, whole + "more");
    for (const char* verb : {"scan", "sort"})
      for (const std::string& name : {"cut.npy" + ending, "more.npy" + ending}) {
        expect_refusal({verb, name, "-o", "z.npy"}, {name});
        expect_refusal({verb, name, "-o", "z.csv" + ending}, {name});
      }
  }
}

TEST_F(packed_files, npz) {
  write_npy("x.npy", std::vector<std::int32_t>{1, 2, 3});
  ASSERT_EQ(run({"scan", "x.npy", "-o", "x.npz"}).status, 0);
  EXPECT_EQ(run({"reduce", "x.npz"}).out, "10\n");
  EXPECT_EQ(run({"reduce", "x.npz:arr_0"}).out, "10\n");
  expect_refusal({"reduce", "x.npz:b"}, {"no array 'b'", "arr_0"});
  expect_refusal({"reduce", "-"}, {"zip"}, read("x.npz"));
  write("bad.npz", read("x.npz").substr(0, 150));
  expect_refusal({"reduce", "bad.npz"}, {"bad.npz"});
}

TEST_F(packed_files, what_is_not_read_is_named) {
  for (const auto& [start, word] : {std::pair<std::string, std::string>{"PAR1\x15", "Parquet"},
                                    {std::string("ARROW1\0\0", 8), "Arrow"},
                                    {"\x1f\x8b\x08", "gzip"},
                                    {"\x28\xb5\x2f\xfd", "zstd"},
                                    {"PK\x03\x04", "zip"}}) {
    write("x.csv", start + std::string(100, '\0'));
    expect_refusal({"reduce", "x.csv"}, {"x.csv", word});
    expect_refusal({"sort", "x.csv", "--by", "1"}, {"x.csv", word});
  }
}

}  // namespace
