// Pipes, seams between chunks, and output files that appear whole or not at all.
#include <fcntl.h>
#include <pty.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>

#include "command.hpp"
#include "upsweep/context.hpp"

namespace {

class streams : public command_test {
 protected:
  static std::vector<double> elements(std::size_t n) {
    std::mt19937_64 random(n);
    std::vector<double> x(n);
    for (double& e : x) e = static_cast<double>(random() >> 11) / (std::uint64_t{1} << 53) - 0.5;
    return x;
  }
};

// On one device: without --device a short file is worked on by the CPU and a pipe by the best device, and a sum of
// floats is grouped in another way on each kind.
TEST_F(streams, npy_through_pipes) {
  const auto x = elements(100000);
  write_npy("x.npy", x);
  for (const upsweep::device_listing& d : upsweep::list_devices()) {
    if (!d.usable) continue;
    ASSERT_EQ(run({"scan", "x.npy", "-o", "y.npy", "--device", d.name}).status, 0) << d.name;
    const ran piped = run({"scan", "-", "-o", "-", "--device", d.name}, read("x.npy"));
    ASSERT_EQ(piped.status, 0) << d.name << piped.err;
    EXPECT_EQ(piped.err, "") << d.name;
    EXPECT_TRUE(piped.out == read("y.npy")) << d.name;
    const ran sum = run({"reduce", "x.npy", "--device", d.name});
    ASSERT_EQ(sum.status, 0) << d.name << sum.err;
    EXPECT_EQ(run({"reduce", "-", "--device", d.name}, read("x.npy")).out, sum.out) << d.name;
  }
}

// ... and without --device the result is the same but for roundings.
TEST_F(streams, npy_through_pipes_to_the_default_device) {
  const auto x = elements(100000);
  write_npy("x.npy", x);
  const ran piped = run({"scan", "-", "-o", "-"}, read("x.npy"));
  ASSERT_EQ(piped.status, 0) << piped.err;
  EXPECT_EQ(piped.err, "");
  const auto y = from_npy<double>(piped.out);
  ASSERT_EQ(y.size(), x.size());
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(y[i], sum += x[i], 1e-9) << i;
  const double total = std::stod(run({"reduce", "x.npy"}).out);
  EXPECT_NEAR(total, sum, 1e-9);
  EXPECT_NEAR(std::stod(run({"reduce", "-"}, read("x.npy")).out), sum, 1e-9);
}

TEST_F(streams, raw_and_csv_through_pipes) {
  const std::vector<std::uint32_t> x{1, 2, 3, 4};
  EXPECT_EQ(from_bytes<std::uint32_t>(run({"scan", "-", "--dtype", "u32", "-o", "-"}, bytes_of(x)).out),
            (std::vector<std::uint32_t>{1, 3, 6, 10}));
  EXPECT_EQ(run({"scan", "-", "--format", "csv", "-o", "-"}, "x\n1\n2\n3\n").out, "x\n1\n3\n6\n");
  // The number of elements is known only at the end, yet the header at the beginning contains it.
  EXPECT_EQ(from_npy<std::uint32_t>(
                run({"scan", "-", "--dtype", "u32", "-o", "-", "--output-format", "npy"}, bytes_of(x)).out),
            (std::vector<std::uint32_t>{1, 3, 6, 10}));
  ASSERT_EQ(run({"scan", "-", "--dtype", "u32", "-o", "y.npy"}, bytes_of(x)).status, 0);
  EXPECT_EQ(read_npy<std::uint32_t>("y.npy"), (std::vector<std::uint32_t>{1, 3, 6, 10}));
}

TEST_F(streams, integers_do_not_feel_the_seams) {
  std::vector<std::uint32_t> x(1000), sums(1000), before(1000);
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    before[i] = sum;
    sums[i] = sum += x[i] = i * 2654435761u;
  }
  write_npy("x.npy", x);
  for (const char* chunk : {"1", "7", "499", "500", "999", "1000", "1001"}) {
    ASSERT_EQ(run({"scan", "x.npy", "-o", "y.npy", "--chunk", chunk}).status, 0);
    EXPECT_EQ(read_npy<std::uint32_t>("y.npy"), sums) << chunk;
    ASSERT_EQ(run({"scan", "x.npy", "-o", "y.npy", "--chunk", chunk, "--exclusive"}).status, 0);
    EXPECT_EQ(read_npy<std::uint32_t>("y.npy"), before) << chunk;
    EXPECT_EQ(run({"reduce", "x.npy", "--chunk", chunk}).out, std::to_string(sum) + "\n") << chunk;
    const ran piped = run({"scan", "-", "--dtype", "u32", "-o", "-", "--chunk", chunk}, bytes_of(x));
    EXPECT_EQ(from_bytes<std::uint32_t>(piped.out), sums) << chunk;
  }
}

TEST_F(streams, every_device_carries_over_its_seams) {
  std::vector<std::uint64_t> x(3000), sums(x.size()), before(x.size());
  std::uint64_t sum = 1000;
  for (std::uint64_t i = 0; i < x.size(); ++i) {
    before[i] = sum;
    sums[i] = sum += x[i] = (i + 1) * 0x9E3779B97F4A7C15u;
  }
  write_npy("x.npy", x);
  for (const upsweep::device_listing& d : upsweep::list_devices()) {
    if (!d.usable) continue;
    for (const char* chunk : {"700", "4096"}) {
      const std::vector<std::string> common{"--device", d.name, "--chunk", chunk, "--init", "1000"};
      const auto with = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), common.begin(), common.end());
        return run(arguments);
      };
      const ran total = with({"reduce", "x.npy"});
      EXPECT_EQ(total.out, std::to_string(sum) + "\n") << d.name << total.err;
      ASSERT_EQ(with({"scan", "x.npy", "-o", "y.npy"}).status, 0) << d.name;
      EXPECT_EQ(read_npy<std::uint64_t>("y.npy"), sums) << d.name;
      ASSERT_EQ(with({"scan", "x.npy", "-o", "y.npy", "--exclusive"}).status, 0) << d.name;
      EXPECT_EQ(read_npy<std::uint64_t>("y.npy"), before) << d.name;
    }
  }
}

// More than one chunk of the real size, and a float: the same bits whether a file, a pipe or other threads.
TEST_F(streams, a_float_keeps_its_bits_whatever_carries_it) {
  const auto x = elements((std::size_t{1} << 22) + 12345);
  write_npy("x.npy", x);
  const std::string sum = run({"reduce", "x.npy", "--device", "cpu"}).out;
  EXPECT_EQ(run({"reduce", "-", "--device", "cpu"}, read("x.npy")).out, sum);
  EXPECT_EQ(run({"reduce", "-", "--device", "cpu:1", "--dtype", "f64"}, bytes_of(x)).out, sum);
  EXPECT_EQ(run({"reduce", "x.npy", "--device", "cpu:3"}).out, sum);
  ASSERT_EQ(run({"scan", "x.npy", "-o", "y.npy", "--device", "cpu"}).status, 0);
  const auto y = read_npy<double>("y.npy");
  long double exact = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    exact += x[i];
    ASSERT_TRUE(std::abs(static_cast<double>(y[i] - exact)) <= 1e-9) << i;
  }
  ASSERT_EQ(run({"scan", "x.npy", "-o", "z.npy", "--device", "cpu:1"}).status, 0);
  EXPECT_EQ(read("z.npy"), read("y.npy"));
}

TEST_F(streams, the_output_may_be_the_input) {
  write_npy<std::int64_t>("x.npy", {1, 2, 3});
  ASSERT_EQ(run({"scan", "x.npy", "-o", "x.npy"}).status, 0);
  EXPECT_EQ(read_npy<std::int64_t>("x.npy"), (std::vector<std::int64_t>{1, 3, 6}));
  EXPECT_EQ(files(), std::vector<std::string>{"x.npy"});
  const ran r = shell("$upsweep scan x.npy -o - >> x.npy");
  EXPECT_EQ(r.status, 1);
  EXPECT_NE(r.err.find("standard output is the input file"), std::string::npos) << r.err;
  EXPECT_EQ(read_npy<std::int64_t>("x.npy"), (std::vector<std::int64_t>{1, 3, 6}));
}

TEST_F(streams, links_and_permissions_of_the_output_stay) {
  write_npy<std::int64_t>("x.npy", {1, 2, 3});
  write("old", "old");
  std::filesystem::permissions(path("old"), std::filesystem::perms(0640));
  std::filesystem::create_symlink("old", path("link.npy"));
  ASSERT_EQ(run({"scan", "x.npy", "-o", "link.npy"}).status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.npy")));
  EXPECT_EQ(read_npy<std::int64_t>("old"), (std::vector<std::int64_t>{1, 3, 6}));
  EXPECT_EQ(std::filesystem::status(path("old")).permissions(), std::filesystem::perms(0640));
}

TEST_F(streams, an_old_output_outlives_a_failure) {
  write_npy<double>("x.npy", {1, std::numeric_limits<double>::quiet_NaN()});
  write("y.npy", "what was there");
  expect_refusal({"scan", "x.npy", "--op", "max", "-o", "y.npy"}, {"element 1", "NaN", "maximum"});
  EXPECT_EQ(read("y.npy"), "what was there");
}

TEST_F(streams, a_full_device_is_told) {
  write_npy<double>("x.npy", elements(100000));
  for (const std::string& arguments :
       {std::string("scan x.npy -o /dev/full"), std::string("scan x.npy -o - > /dev/full"),
        std::string("scan x.npy -o /dev/full --output-format csv"), std::string("reduce x.npy > /dev/full"),
        std::string("list > /dev/full")}) {
    const ran r = shell("$upsweep " + arguments);
    EXPECT_EQ(r.status, 1) << arguments;
    EXPECT_NE(r.err.find("No space left on device"), std::string::npos) << arguments << ": " << r.err;
  }
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  ASSERT_EQ(run({"scan", "x.npy", "-o", "/dev/null"}).status, 0);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

// If standard error is closed, the exit status reports the failure.
TEST_F(streams, standard_error_that_cannot_be_written) {
  write_npy<float>("x.npy", {1, 2, 3});
  for (const std::string nowhere : {"2>&-", "2>/dev/full", ">&- 2>&-"}) {
    EXPECT_EQ(shell("$upsweep reduce absent.npy " + nowhere).status, 1) << nowhere;
    EXPECT_EQ(shell("$upsweep frobnicate " + nowhere).status, 2) << nowhere;
    EXPECT_EQ(shell("$upsweep cmp x.npy /dev/null " + nowhere).status, 1) << nowhere;
    EXPECT_EQ(shell("$upsweep sort x.npy -o y.npy " + nowhere).status, 0) << nowhere;
  }
}

TEST_F(streams, a_full_disk_is_told_and_nothing_is_left) {
  std::filesystem::create_directory(path("small"));
  if (mount("tmpfs", path("small").c_str(), "tmpfs", 0, "size=256k") != 0)
    GTEST_SKIP() << "a small file system can be mounted only by root";
  write_npy<double>("x.npy", elements(100000));
  for (const std::vector<std::string>& extra :
       {std::vector<std::string>{"-o", "small/y.npy"}, {"-o", "small/y.csv"}, {"-o", "small/y.raw"}}) {
    std::vector<std::string> arguments{"scan", "x.npy"};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    const ran r = run(arguments);
    EXPECT_EQ(r.status, 1);
    EXPECT_NE(r.err.find("No space left on device"), std::string::npos) << r.err;
    EXPECT_TRUE(std::filesystem::is_empty(path("small")));
  }
  // The spool file of a .npy output to a pipe fills the disk as well.
  const ran spooled = shell("tail -c +129 x.npy | TMPDIR=small $upsweep scan - --dtype f64 -o - --output-format npy");
  EXPECT_EQ(spooled.status, 1);
  EXPECT_NE(spooled.err.find("No space left on device"), std::string::npos) << spooled.err;
  umount(path("small").c_str());
}

TEST_F(streams, a_signal_removes_the_unfinished_file) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = ended_at_work(number);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == number);
    EXPECT_EQ(files(), std::vector<std::string>{});
  }
}

TEST_F(streams, progress_is_for_terminals) {
  for (const bool terminal : {true, false}) {
    int in[2], err[2];
    ASSERT_EQ(pipe2(in, O_CLOEXEC), 0);
    if (terminal)
      ASSERT_EQ(openpty(&err[0], &err[1], nullptr, nullptr, nullptr), 0);
    else
      ASSERT_EQ(pipe2(err, O_CLOEXEC), 0);
    const pid_t child = fork();
    if (child == 0) {
      dup2(in[0], 0);
      dup2(err[1], 2);
      close(err[0]);
      close(err[1]);
      close(in[1]);
      if (chdir(path(".").c_str()) == 0)
        execl(UPSWEEP_COMMAND, "upsweep", "scan", "-", "--dtype", "f64", "--chunk", "1", "--device", "cpu", "-o",
              "y.raw", nullptr);
      _exit(126);
    }
    close(in[0]);
    close(err[1]);
    for (int i = 0; i < 20; ++i) {
      ASSERT_EQ(::write(in[1], "8 bytes.", 8), 8);
      usleep(60000);
    }
    close(in[1]);
    std::string said;
    char block[4096];
    for (ssize_t some; (some = ::read(err[0], block, sizeof block)) > 0;)
      said.append(block, static_cast<std::size_t>(some));
    close(err[0]);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    if (terminal)
      EXPECT_NE(said.find("scan: "), std::string::npos) << said;
    else
      EXPECT_EQ(said, "");
  }
}

TEST_F(streams, a_reader_that_leaves_is_no_failure_to_talk_about) {
  write_npy<double>("x.npy", elements(1000000));
  const ran r = shell("$upsweep scan x.npy -o - --output-format csv | head -1");
  EXPECT_EQ(r.err, "");
}

}  // namespace
