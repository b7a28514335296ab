// upsweep sort: every type, order and format; rows of CSV files; runs in memory, on devices and on disk; and error
// messages.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <numeric>

#include "command.hpp"
#include "random_elements.hpp"
#include "upsweep/core/catalog.hpp"

namespace {

using upsweep::half;

// The order as the contract has it: NaNs last and equal, both zeros equal.
template <class T>
bool compare_less(T a, T b) {
  const bool a_nan = !(a == a), b_nan = !(b == b);
  if (a_nan || b_nan) return !a_nan && b_nan;
  return a < b;
}

template <class T>
std::vector<std::int64_t> sorted_places(const std::vector<T>& x, bool descending) {
  std::vector<std::int64_t> places(x.size());
  std::iota(places.begin(), places.end(), 0);
  std::ranges::stable_sort(places, [&](std::int64_t a, std::int64_t b) {
    const T l = x[static_cast<std::size_t>(a)], r = x[static_cast<std::size_t>(b)];
    return descending ? compare_less(r, l) : compare_less(l, r);
  });
  return places;
}

template <class T>
std::vector<T> taken(const std::vector<T>& x, const std::vector<std::int64_t>& places) {
  std::vector<T> y;
  for (std::int64_t p : places) y.push_back(x[static_cast<std::size_t>(p)]);
  return y;
}

class sorts : public command_test {
 protected:
  ran good(std::vector<std::string> arguments, std::string_view in = {}) const {
    arguments.insert(arguments.begin(), "sort");
    const ran r = run(arguments, in);
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.err, "");
    return r;
  }
};

template <class T>
class sorts_of : public command_test {};
using every_type = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, half, std::int32_t,
                                  std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(sorts_of, every_type);

TYPED_TEST(sorts_of, npy_in_memory_and_on_disk) {
  using T = TypeParam;
  for (std::size_t n : {0, 1, 2, 1000, 30011}) {
    const auto x = random_elements<T>(n, static_cast<unsigned>(n + sizeof(T)));
    this->write_npy("x.npy", x);
    for (const bool descending : {false, true}) {
      const auto places = sorted_places(x, descending);
      for (const std::string memory : {"", "64K"}) {
        if (!memory.empty() && n < 30000) continue;
        std::vector<std::string> options{"--device", "cpu"};
        if (descending) options.push_back("--descending");
        if (!memory.empty()) options.insert(options.end(), {"--memory", memory});
        const auto with = [&](std::vector<std::string> arguments) {
          arguments.insert(arguments.end(), options.begin(), options.end());
          const ran r = this->run(arguments);
          EXPECT_EQ(r.status, 0) << r.err;
        };
        with({"sort", "x.npy", "-o", "y.npy"});
        EXPECT_EQ(this->read("y.npy").substr(128), this->bytes_of(taken(x, places)))
            << n << " elements, descending " << descending << ", memory " << memory;
        with({"sort", "x.npy", "-o", "i.npy", "--argsort"});
        EXPECT_EQ(this->template read_npy<std::int64_t>("i.npy"), places);
        with({"sort", "x.npy", "-o", "t.npy", "--top", "17"});
        EXPECT_EQ(this->read("t.npy").substr(128),
                  this->bytes_of(
                      taken(x, {places.begin(), places.begin() + static_cast<long>(std::min<std::size_t>(n, 17))})));
        with({"sort", "x.npy", "-o", "t.npy", "--top", "17", "--argsort"});
        EXPECT_EQ(this->template read_npy<std::int64_t>("t.npy"),
                  std::vector<std::int64_t>(places.begin(),
                                            places.begin() + static_cast<long>(std::min<std::size_t>(n, 17))));
      }
    }
  }
  const auto left = this->files();
  EXPECT_EQ(left, (std::vector<std::string>{"i.npy", "t.npy", "x.npy", "y.npy"}));
}

TYPED_TEST(sorts_of, raw_csv_and_pipes) {
  using T = TypeParam;
  const auto x = random_elements<T>(5003, 5);
  const auto wanted = taken(x, sorted_places(x, false));
  const std::string type(upsweep::name_of(upsweep::dtype_of<T>));
  const ran raw = this->run({"sort", "-", "--dtype", type}, this->bytes_of(x));
  ASSERT_EQ(raw.status, 0) << raw.err;
  EXPECT_EQ(raw.out, this->bytes_of(wanted));
  this->write("x.raw", this->bytes_of(x));
  ASSERT_EQ(this->run({"sort", "x.raw", "--dtype", type, "-o", "y.csv"}).status, 0);
  // The decimals read back as the same values, NaNs aside.
  ASSERT_EQ(this->run({"sort", "y.csv", "--dtype", type, "-o", "z.npy"}).status, 0);
  const auto again = this->template read_npy<T>("z.npy");
  ASSERT_EQ(again.size(), wanted.size());
  for (std::size_t i = 0; i < again.size(); ++i)
    ASSERT_TRUE(again[i] == wanted[i] || (!(again[i] == again[i]) && !(wanted[i] == wanted[i]))) << i;
}

// Memory for the data of a pipe is allocated as the data arrives.
TEST_F(sorts, a_pipe_of_millions) {
  for (const std::size_t n : {std::size_t{1} << 20, (std::size_t{1} << 20) + 1, (std::size_t{1} << 22) + 7}) {
    auto x = random_elements<std::uint8_t>(n, 3);
    const ran r = run({"sort", "-", "--dtype", "u8"}, bytes_of(x));
    ASSERT_EQ(r.status, 0) << r.err;
    std::ranges::sort(x);
    EXPECT_TRUE(r.out == bytes_of(x)) << n;
  }
}

TEST_F(sorts, bool_stays_bool) {
  std::string header = npy_header_text(upsweep::dtype::u8, 5);
  header.replace(header.find("'|u1'"), 5, "'|b1'");
  write("b.npy", header + std::string("\1\0\1\0\0", 5));
  good({"b.npy", "-o", "y.npy"});
  EXPECT_NE(read("y.npy").find("'|b1'"), std::string::npos);
  EXPECT_EQ(read("y.npy").substr(128), std::string("\0\0\0\1\1", 5));
}

TEST_F(sorts, every_device_sorts_in_pieces) {
  const auto x = random_elements<float>(5000, 9);
  write_npy("x.npy", x);
  const auto places = sorted_places(x, false);
  for (const upsweep::device_listing& d : upsweep::list_devices()) {
    const auto sorts_there = [&](const upsweep::variant& v) { return v.where == d.kind && name_of(v.what) == "sort"; };
    if (!d.usable || std::ranges::none_of(upsweep::catalog(), sorts_there)) continue;
    for (const std::string limit : {"1G", "20000"}) {
      good({"x.npy", "-o", "y.npy", "--device", d.name, "--device-memory", limit});
      EXPECT_EQ(read("y.npy").substr(128), bytes_of(taken(x, places))) << d.name;
      good({"x.npy", "-o", "i.npy", "--argsort", "--device", d.name, "--device-memory", limit});
      EXPECT_EQ(read_npy<std::int64_t>("i.npy"), places) << d.name;
    }
  }
}

// So little memory that the runs are merged in several passes.
TEST_F(sorts, many_runs_on_disk_are_merged_in_passes) {
  const auto x = random_elements<std::int32_t>(300000, 3);
  write_npy("x.npy", x);
  const auto places = sorted_places(x, false);
  good({"x.npy", "-o", "y.npy", "--memory", "64K"});
  EXPECT_EQ(read_npy<std::int32_t>("y.npy"), taken(x, places));
  good({"-", "-o", "i.npy", "--argsort", "--memory", "64K"}, read("x.npy"));
  EXPECT_EQ(read_npy<std::int64_t>("i.npy"), places);
  EXPECT_EQ(files(), (std::vector<std::string>{"i.npy", "x.npy", "y.npy"}));
}

TEST_F(sorts, key_bits) {
  const std::vector<std::uint16_t> x{0x1203, 0x0102, 0x3403, 0x0001, 0xff02};
  write_npy("x.npy", x);
  good({"x.npy", "-o", "y.npy", "--key-bits", "0..8"});
  EXPECT_EQ(read_npy<std::uint16_t>("y.npy"), (std::vector<std::uint16_t>{0x0001, 0x0102, 0xff02, 0x1203, 0x3403}));
  good({"x.npy", "-o", "y.npy", "--key-bits", "12..16", "--descending"});
  EXPECT_EQ(read_npy<std::uint16_t>("y.npy"), (std::vector<std::uint16_t>{0xff02, 0x3403, 0x1203, 0x0102, 0x0001}));
  std::vector<std::uint32_t> many(20000);
  for (std::uint32_t i = 0; i < many.size(); ++i) many[i] = i * 2654435761u;
  write_npy("m.npy", many);
  good({"m.npy", "-o", "n.npy", "--key-bits", "4..11", "--memory", "64K"});
  std::ranges::stable_sort(many, {}, [](std::uint32_t k) { return k >> 4 & 127; });
  EXPECT_EQ(read_npy<std::uint32_t>("n.npy"), many);
}

TEST_F(sorts, a_column_and_whole_rows) {
  write("t.csv",
        "date,\"last, adjusted\",n\r\nd1,3.5,\"x\r\ny\"\r\nd2,-1,2\r\nd3,,3\r\nd4,3.5,\"say "
        "\"\"hi\"\"\"\r\n\r\nd5,1e2,5");
  EXPECT_EQ(good({"t.csv", "--by", "last, adjusted"}).out,
            "date,\"last, adjusted\",n\r\nd2,-1,2\r\nd1,3.5,\"x\r\ny\"\r\nd4,3.5,\"say "
            "\"\"hi\"\"\"\r\nd5,1e2,5\r\nd3,,3\r\n");
  EXPECT_EQ(good({"t.csv", "--by", "2", "--descending", "--top", "3"}).out,
            "date,\"last, adjusted\",n\r\nd5,1e2,5\r\nd1,3.5,\"x\r\ny\"\r\nd4,3.5,\"say \"\"hi\"\"\"\r\n");
  write("p.csv", "a,b\n3,x\n1,y\n2,z\n");
  EXPECT_EQ(good({"p.csv", "--column", "a"}).out, "a\n1\n2\n3\n");
  EXPECT_EQ(good({"-", "--by", "a", "--format", "csv", "--dtype", "i32"}, read("p.csv")).out, "a,b\n1,y\n2,z\n3,x\n");
  good({"p.csv", "--by", "a", "-o", "p.csv"});
  EXPECT_EQ(read("p.csv"), "a,b\n1,y\n2,z\n3,x\n");
  write("n.csv", "2;b\n1;a\n");
  EXPECT_EQ(good({"n.csv", "--by", "1", "--separator", ";"}).out, "1;a\n2;b\n");
  EXPECT_EQ(good({"-", "--by", "a", "--format", "csv", "--header"}, "a,b\n").out, "a,b\n");
  EXPECT_EQ(good({"-", "--by", "1", "--format", "csv"}, "").out, "");
}

TEST_F(sorts, rows_on_disk_come_back_whole_and_in_order) {
  std::vector<std::pair<int, std::string>> rows;
  std::mt19937 random(4);
  for (int i = 0; i < 20000; ++i) {
    const int key = static_cast<int>(random() % 500);
    rows.emplace_back(key, "\"row " + std::to_string(i) + "\n" + std::string(random() % 60, 'r') + "\"," +
                               std::to_string(key) + "," + std::string(random() % 200 == 0 ? 5000 : 1, '.'));
  }
  std::string text = "what,key,rest\n";
  for (const auto& [key, row] : rows) text += row + "\n";
  write("t.csv", text);
  for (const bool descending : {false, true}) {
    auto sorted = rows;
    if (descending)
      std::ranges::stable_sort(sorted, std::greater{}, [](const auto& r) { return r.first; });
    else
      std::ranges::stable_sort(sorted, {}, [](const auto& r) { return r.first; });
    std::string wanted = "what,key,rest\n";
    for (const auto& [key, row] : sorted) wanted += row + "\n";
    for (const char* memory : {"1G", "600K", "64K"}) {
      std::vector<std::string> arguments{"t.csv", "--by", "key", "-o", "y.csv", "--memory", memory};
      if (descending) arguments.push_back("--descending");
      good(arguments);
      ASSERT_TRUE(read("y.csv") == wanted) << memory;
    }
  }
  EXPECT_EQ(files(), (std::vector<std::string>{"t.csv", "y.csv"}));
}

TEST_F(sorts, the_temporary_file_has_no_name_and_goes_with_the_command) {
  const auto x = random_elements<double>(200000, 1);
  std::filesystem::create_directory(path("tmp"));
  for (const int number : {SIGINT, SIGTERM, SIGKILL}) {
    int in[2];
    ASSERT_EQ(pipe2(in, O_CLOEXEC), 0);
    const pid_t child = fork();
    if (child == 0) {
      std::signal(number, SIG_DFL);
      dup2(in[0], 0);
      setenv("TMPDIR", path("tmp").c_str(), 1);
      if (chdir(path(".").c_str()) == 0)
        execl(UPSWEEP_COMMAND, "upsweep", "sort", "-", "--dtype", "f64", "--memory", "128K", "-o", "y.raw", "--device",
              "cpu", nullptr);
      _exit(126);
    }
    // The pipe stays open: the runs are in the temporary file, and the command waits for more.
    ASSERT_EQ(::write(in[1], x.data(), x.size() * 8), static_cast<ssize_t>(x.size() * 8));
    const auto temporary = [&] {
      for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(child) + "/fd")) {
        std::error_code gone;
        if (std::filesystem::read_symlink(entry, gone).string().starts_with(path("tmp").string())) return true;
      }
      return false;
    };
    for (int tries = 0; tries < 500 && !temporary(); ++tries) usleep(10000);
    EXPECT_TRUE(temporary()) << "no temporary file was used";
    EXPECT_TRUE(std::filesystem::is_empty(path("tmp")));
    kill(child, number);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == number);
    EXPECT_TRUE(std::filesystem::is_empty(path("tmp")));
    EXPECT_FALSE(exists("y.raw"));
    EXPECT_EQ(files(), std::vector<std::string>{"tmp"});
    close(in[0]);
    close(in[1]);
  }
}

TEST_F(sorts, a_failure_on_the_way_leaves_nothing) {
  std::string csv = "a,b\n";
  for (int i = 0; i < 30000; ++i) csv += std::to_string(30000 - i) + ",x\n";
  write("t.csv", csv + "oops,y\n");
  expect_refusal({"sort", "t.csv", "--by", "a", "--memory", "64K", "-o", "y.csv"}, {"row 30002", "'oops'"});
  expect_refusal({"sort", "t.csv", "--column", "a", "--memory", "64K", "-o", "y.csv"}, {"row 30002", "'oops'"});
  const auto x = random_elements<double>(30000, 1);
  std::string npy = npy_header_text(upsweep::dtype::f64, x.size()) + bytes_of(x);
  expect_refusal({"sort", "-", "--memory", "64K", "-o", "y.npy"}, {"promises 30000 elements"},
                 npy.substr(0, npy.size() - 5));
  expect_refusal({"sort", "-", "--memory", "64K", "-o", "y.npy"}, {"more data follows"}, npy + "x");
  write_npy("x.npy", x);
  const ran r = shell("TMPDIR=/nowhere $upsweep sort x.npy --memory 64K -o y.npy");
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.err.find("/nowhere: cannot write a temporary file there"), std::string::npos) << r.err;
  EXPECT_EQ(files(), (std::vector<std::string>{"t.csv", "x.npy"}));
}

TEST_F(sorts, a_full_disk_is_told_and_nothing_is_left) {
  write_npy("x.npy", random_elements<double>(100000, 1));
  EXPECT_NE(run({"sort", "x.npy", "-o", "/dev/full"}).err.find("No space left on device"), std::string::npos);
  std::filesystem::create_directory(path("small"));
  if (mount("tmpfs", path("small").c_str(), "tmpfs", 0, "size=256k") != 0)
    GTEST_SKIP() << "a small file system can be mounted only by root";
  for (const std::string line :
       {"sort x.npy --memory 64K -o small/y.npy", "sort x.npy -o small/y.npy", "sort x.npy --memory 64K -o y.npy"}) {
    const ran r = shell("TMPDIR=small $upsweep " + line);
    EXPECT_EQ(r.status, 1) << line;
    EXPECT_NE(r.err.find("No space left on device"), std::string::npos) << line << r.err;
    EXPECT_TRUE(std::filesystem::is_empty(path("small"))) << line;
  }
  umount(path("small").c_str());
  EXPECT_EQ(files(), (std::vector<std::string>{"small", "x.npy"}));
}

TEST_F(sorts, refusals) {
  write_npy<std::int32_t>("x.npy", {3, 1, 2});
  write("t.csv", "a,b\n1,2\n");
  for (const char* bits : {"0..33", "8..8", "9..8", "40..50"})
    expect_refusal({"sort", "x.npy", "-o", "y.npy", "--key-bits", bits}, {"--key-bits", "0 <= A < B <= 32"});
  for (const char* bits : {"8", "a..b", "1..", "..3", "1...2", "1..2x", "-1..2"})
    expect_refusal({"sort", "x.npy", "-o", "y.npy", "--key-bits", bits}, {"--key-bits", "A..B"});
  expect_refusal({"sort", "x.npy", "--by", "a"}, {"--by", "CSV"});
  expect_refusal({"sort", "t.csv", "--by", "cost"}, {"no column 'cost'", "a, b"});
  expect_refusal({"sort", "t.csv", "--by", "a", "--column", "b"}, {"one of them"});
  expect_refusal({"sort", "t.csv", "--by", "a", "-o", "y.npy"}, {"y.npy", "CSV"});
  expect_refusal({"sort", "t.csv"}, {"2 columns", "--column"});
  expect_refusal({"sort", "t.csv", "--by", "a", "--argsort"}, {"--argsort"}, {}, 2);
  expect_refusal({"sort", "x.npy", "--memory", "lots"}, {"--memory 'lots'", "not a size"});
  expect_refusal({"sort", "x.npy", "--memory", "0"}, {"--memory '0'"});
  expect_refusal({"sort", "x.npy", "--variant", "scan/sequential"}, {"not a variant of sort"});
  std::string header = npy_header_text(upsweep::dtype::i32, 4);
  header.replace(header.find("(4,), }"), 9, "(2, 2), }");
  write("m.npy", header + bytes_of<std::int32_t>({1, 2, 3, 4}));
  expect_refusal({"sort", "m.npy", "-o", "y.npy"}, {"2 axes"});
  const ran r = shell("$upsweep sort x.npy -o - >> x.npy");
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.err.find("standard output is the input file"), std::string::npos) << r.err;
  const ran rows = shell("$upsweep sort t.csv --by a >> t.csv");
  EXPECT_NE(rows.err.find("standard output is the input file"), std::string::npos) << rows.err;
}

}  // namespace
